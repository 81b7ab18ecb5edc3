/*
 * Wrong uses of the library, each of which is a clear error: bad_use CASE
 *
 * A case prints nothing and exits with 0, or says which line failed.
 */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <pthread.h>
#include <signal.h>
#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static const void *bytes;
static size_t length;

static int pull(sortwell *job)
{
    return sortwell_pull(job, &bytes, &length, &error);
}

/* Pushes more lines than fit into a block, so that threads run. */
static void push_many(sortwell *job, int lines)
{
    char line[101];
    int number;

    memset(line, 'x', sizeof line);
    line[100] = '\n';
    for (number = 0; number < lines; number++) {
        sprintf(line, "%08d", (number * 7919) % 1000003);
        line[8] = ' ';
        CHECK(!sortwell_push(job, line, sizeof line, &error));
    }
}

static void null_arguments(void)
{
    sortwell *job = sortwell_new();
    const void *record;

    CHECK(fails(sortwell_set(NULL, "key", "1", &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_set(job, NULL, "1", &error), SORTWELL_USAGE, "name of the option"));
    CHECK(fails(sortwell_set(job, "key", NULL, &error), SORTWELL_USAGE, "--key"));
    CHECK(fails(sortwell_input(job, NULL, &error), SORTWELL_USAGE, "the path is NULL"));
    CHECK(fails(sortwell_run(NULL, NULL, &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_push(job, NULL, 1, &error), SORTWELL_USAGE, "pointer to the records is NULL"));
    CHECK(fails(sortwell_push(NULL, "a", 1, &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_push_keyed(job, NULL, 1, "", 0, &error), SORTWELL_USAGE, "key is NULL"));
    CHECK(fails(sortwell_pull(job, NULL, NULL, &error), SORTWELL_USAGE, "NULL"));
    CHECK(fails(sortwell_next(job, NULL, NULL, NULL, &length, &error), SORTWELL_USAGE, "NULL"));
    CHECK(fails(sortwell_finish(NULL, &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_deliver(NULL, &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_on_key(NULL, NULL, NULL, &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_on_output(NULL, NULL, NULL, &error), SORTWELL_USAGE, "job is NULL"));
    CHECK(fails(sortwell_on_compare(NULL, NULL, NULL, &error), SORTWELL_USAGE, "job is NULL"));
    CHECK(fails(sortwell_spill_to(NULL, ".", &error), SORTWELL_USAGE, "the job is NULL"));
    CHECK(fails(sortwell_spill_to(job, NULL, &error), SORTWELL_USAGE, "the directory is NULL"));
    CHECK(sortwell_run_file(NULL, 0) == NULL && sortwell_run_file(job, 0) == NULL);
    CHECK(sortwell_stop(NULL) == SORTWELL_USAGE && sortwell_progress(NULL) < 0);
    CHECK(sortwell_statistics(NULL) == NULL && sortwell_statistics(job) == NULL);
    CHECK(sortwell_error_code(NULL) == 0 && strcmp(sortwell_error_message(NULL), "") == 0);
    CHECK(sortwell_error_file(NULL) == NULL && sortwell_error_offset(NULL) == -1);
    CHECK(sortwell_error_record(NULL) == -1);
    /* The error object is optional, and 0 bytes may be anywhere. */
    CHECK(sortwell_set(job, "no such option", "", NULL) == SORTWELL_USAGE);
    CHECK(!sortwell_push_keyed(job, NULL, 0, NULL, 0, NULL));
    CHECK(!sortwell_finish(job, NULL));
    CHECK(sortwell_next(job, NULL, NULL, &record, &length, NULL) == SORTWELL_OK && length == 0);
    CHECK(sortwell_next(job, NULL, NULL, &record, &length, NULL) == SORTWELL_END);
    sortwell_error_free(NULL);
    sortwell_free(NULL);
    sortwell_free(job);
}

static void wrong_options(void)
{
    sortwell *job = sortwell_new();

    CHECK(fails(sortwell_set(job, "memry", "1G", &error), SORTWELL_USAGE, "'--memory'"));
    CHECK(fails(sortwell_set(job, "memory", "much", &error), SORTWELL_USAGE, "--memory"));
    CHECK(fails(sortwell_set(job, "stats", "json", &error), SORTWELL_USAGE, "the library"));
    CHECK(fails(sortwell_set(job, "help", NULL, &error), SORTWELL_USAGE, "the library"));
    CHECK(fails(sortwell_set(job, "progress", NULL, &error), SORTWELL_USAGE, "the library"));
    CHECK(fails(sortwell_set(job, "report", "a.html", &error), SORTWELL_USAGE, "the library"));
    CHECK(fails(sortwell_set(job, "output", "a", &error), SORTWELL_USAGE, "the library"));
    CHECK(fails(sortwell_set(job, "count", "3", &error), SORTWELL_USAGE, "takes no value"));
    CHECK(fails(sortwell_input(job, "-", &error), SORTWELL_USAGE, "standard stream"));
    CHECK(fails(sortwell_run(job, "out", &error), SORTWELL_USAGE, "no input"));
    CHECK(!sortwell_input(job, "in", &error));
    CHECK(fails(sortwell_run(job, NULL, &error), SORTWELL_USAGE, "no output"));
    CHECK(fails(sortwell_push(job, "a\n", 2, &error), SORTWELL_USAGE, "input files"));
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_set(job, "resume", NULL, &error));
    CHECK(fails(sortwell_push(job, "a\n", 2, &error), SORTWELL_USAGE, "--resume"));
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_set(job, "format", "lines", &error));
    CHECK(fails(sortwell_push_keyed(job, "a", 1, "", 0, &error), SORTWELL_USAGE, "'keyed'"));
    sortwell_free(job);
    job = sortwell_new_merge();
    CHECK(fails(sortwell_push(job, "a\n", 2, &error), SORTWELL_USAGE, "a sort alone"));
    sortwell_free(job);
}

static void order_of_calls(void)
{
    sortwell *job = sortwell_new();

    CHECK(fails(pull(job), SORTWELL_USAGE, "sortwell_finish"));
    CHECK(!sortwell_push(job, "b\na\n", 4, &error));
    CHECK(fails(pull(job), SORTWELL_USAGE, "sortwell_finish"));
    CHECK(fails(sortwell_set(job, "key", "1", &error), SORTWELL_USAGE, "come first"));
    CHECK(fails(sortwell_input(job, "in", &error), SORTWELL_USAGE, "come first"));
    CHECK(fails(sortwell_run(job, "out", &error), SORTWELL_USAGE, "come first"));
    CHECK(!sortwell_finish(job, &error));
    CHECK(fails(sortwell_push(job, "c\n", 2, &error), SORTWELL_USAGE, "sortwell_finish"));
    CHECK(fails(sortwell_finish(job, &error), SORTWELL_USAGE, "sortwell_finish"));
    CHECK(fails(sortwell_deliver(job, &error), SORTWELL_USAGE, "sortwell_on_output"));
    CHECK(pull(job) == SORTWELL_OK && length == 4 && memcmp(bytes, "a\nb\n", 4) == 0);
    CHECK(sortwell_statistics(job) == NULL);
    CHECK(fails(sortwell_next(job, NULL, NULL, &bytes, &length, &error), SORTWELL_USAGE, "in blocks"));
    CHECK(pull(job) == SORTWELL_END && pull(job) == SORTWELL_END);
    CHECK(fails(sortwell_push(job, "c\n", 2, &error), SORTWELL_USAGE, "all records were taken"));
    CHECK(strstr(sortwell_statistics(job), "\"records\":2") != NULL);
    sortwell_free(job);

    /* A push that is refused changes nothing. */
    job = sortwell_new();
    CHECK(!sortwell_set(job, "key", "2", &error));
    CHECK(fails(sortwell_push_keyed(job, "b", 1, "x", 1, &error), SORTWELL_USAGE, "key"));
    CHECK(!sortwell_set(job, "memory", "64MiB", &error));
    CHECK(!sortwell_push(job, "x b\ny a\n", 8, &error));
    CHECK(!sortwell_finish(job, &error));
    CHECK(!sortwell_next(job, NULL, NULL, &bytes, &length, &error) && memcmp(bytes, "y a\n", 4) == 0);
    CHECK(fails(pull(job), SORTWELL_USAGE, "one by one"));
    CHECK(!sortwell_next(job, NULL, NULL, &bytes, &length, &error) && memcmp(bytes, "x b\n", 4) == 0);
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_set(job, "format", "lines", &error));
    CHECK(fails(sortwell_push_keyed(job, "b", 1, "x", 1, &error), SORTWELL_USAGE, "keyed"));
    CHECK(!sortwell_set(job, "memory", "64MiB", &error));
    sortwell_free(job);

    job = sortwell_new_merge();
    CHECK(!sortwell_input(job, "in", &error));
    CHECK(!sortwell_spill_to(job, ".", &error));
    CHECK(fails(sortwell_finish(job, &error), SORTWELL_USAGE, "makes no runs"));
    sortwell_free(job);
}

/* A key callback that calls its own job, or that returns its context. */
static int call_again(void *context, const void *record, size_t size, const void **key,
                      size_t *key_bytes)
{
    int code = sortwell_push((sortwell *)context, record, size, &error);

    *key = record;
    *key_bytes = size;
    return fails(code, SORTWELL_USAGE, "another call") ? 0 : 1;
}

static int refuse(void *context, const void *record, size_t size, const void **key,
                  size_t *key_bytes)
{
    (void)record, (void)size, (void)key, (void)key_bytes;
    return *(int *)context;
}

/* A key of some length, but without bytes. */
static int no_bytes(void *context, const void *record, size_t size, const void **key,
                    size_t *key_bytes)
{
    (void)context, (void)record, (void)size;
    *key = NULL;
    *key_bytes = 5;
    return 0;
}

static int refuse_output(void *context, const void *key, size_t key_bytes, const void *record,
                         size_t size)
{
    (void)key, (void)key_bytes, (void)record, (void)size;
    return --*(int *)context == 0 ? 7 : 0;
}

static void callbacks(void)
{
    int answer = 42;
    sortwell *job = sortwell_new();

    CHECK(!sortwell_on_key(job, call_again, job, &error));
    CHECK(!sortwell_push(job, "a", 1, &error));
    CHECK(fails(sortwell_push_keyed(job, "a", 1, "", 0, &error), SORTWELL_USAGE, "callback"));
    CHECK(fails(sortwell_on_key(job, refuse, job, &error), SORTWELL_USAGE, "come first"));
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_on_key(job, refuse, &answer, &error));
    CHECK(sortwell_push(job, "a", 1, &error) == SORTWELL_CALLBACK);
    CHECK(sortwell_error_record(error) == 1 && sortwell_error_file(error) == NULL);
    CHECK(fails(SORTWELL_CALLBACK, SORTWELL_CALLBACK, "42"));
    CHECK(fails(sortwell_push(job, "a", 1, &error), SORTWELL_CALLBACK, "failed before"));
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_on_key(job, no_bytes, NULL, &error));
    CHECK(fails(sortwell_push(job, "a", 1, &error), SORTWELL_CALLBACK, "left the key NULL"));
    sortwell_free(job);
    job = sortwell_new();
    answer = 0; /* no error, but no key either */
    CHECK(!sortwell_on_key(job, refuse, &answer, &error));
    CHECK(!sortwell_push(job, "b", 1, &error) && !sortwell_push(job, "a", 1, &error));
    CHECK(!sortwell_finish(job, &error));
    CHECK(!sortwell_next(job, NULL, NULL, &bytes, &length, &error));
    answer = 1; /* the second record is the first one that is delivered */
    CHECK(!sortwell_on_output(job, refuse_output, &answer, &error));
    CHECK(sortwell_deliver(job, &error) == SORTWELL_CALLBACK);
    CHECK(sortwell_error_record(error) == 2 && fails(SORTWELL_CALLBACK, SORTWELL_CALLBACK, "7"));
    sortwell_free(job);
}

/* An inconsistent order. All records come out, in any order, or the job fails. */
static int compare_badly(void *context, const void *one, size_t one_bytes, const void *other,
                         size_t other_bytes)
{
    (void)context, (void)one_bytes, (void)other_bytes;
    return memcmp(one, other, 8) % 3 == 0 ? 1 : -1;
}

static void no_order(void)
{
    sortwell *job = sortwell_new();
    size_t sum = 0;
    int code;

    CHECK(!sortwell_on_compare(job, compare_badly, NULL, &error));
    push_many(job, 30000);
    code = sortwell_finish(job, &error);
    while (code == SORTWELL_OK && (code = pull(job)) == SORTWELL_OK)
        sum += length;
    CHECK(code == SORTWELL_END ? sum == (size_t)30000 * 101 : code == SORTWELL_PROOF);
    sortwell_error_free(error);
    error = NULL;
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_set(job, "key", "1", &error));
    CHECK(!sortwell_on_compare(job, compare_badly, NULL, &error));
    CHECK(sortwell_push(job, "b\na\n", 4, &error) == SORTWELL_USAGE);
    CHECK(strstr(message(), "excludes keys") != NULL);
    sortwell_error_free(error);
    error = NULL;
    sortwell_free(job);
}

/* A comparison callback that calls its own job and frees it, also on threads of the job. */
static int comparisons, wrong_answers;

static int compare_and_call(void *context, const void *one, size_t one_bytes, const void *other,
                            size_t other_bytes)
{
    sortwell_error *refused = NULL;

    (void)other_bytes;
    if (sortwell_push((sortwell *)context, one, one_bytes, &refused) != SORTWELL_USAGE)
        __atomic_add_fetch(&wrong_answers, 1, __ATOMIC_RELAXED);
    sortwell_error_free(refused);
    if (__atomic_add_fetch(&comparisons, 1, __ATOMIC_RELAXED) == 1000)
        sortwell_free((sortwell *)context); /* it only stops the job */
    return memcmp(one, other, 8);
}

static void freed_while_comparing(void)
{
    sortwell *job = sortwell_new();
    char line[101];
    int code = SORTWELL_OK, at;

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    CHECK(!sortwell_set(job, "memory", "32MiB", &error));
    CHECK(!sortwell_on_compare(job, compare_and_call, job, &error));
    for (at = 0; code == SORTWELL_OK && at < 1000000; at++) {
        snprintf(line, 9, "%08d", (int)(at * 7919L % 1000003));
        line[8] = ' ';
        code = sortwell_push(job, line, sizeof line, &error);
    }
    CHECK(fails(code, SORTWELL_STOPPED, "") && at < 1000000 && wrong_answers == 0);
    sortwell_free(job);
}

/* Another thread is in a call while the first one calls. */
static sortwell *shared;
static pthread_barrier_t barrier;

static int wait_in_callback(void *context, const void *key, size_t key_bytes, const void *record,
                            size_t size)
{
    (void)context, (void)key, (void)key_bytes, (void)record, (void)size;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return 0;
}

static void *deliver(void *code)
{
    *(int *)code = sortwell_deliver(shared, NULL);
    return NULL;
}

static void two_threads(void)
{
    pthread_t thread;
    int code = -2;

    shared = sortwell_new();
    CHECK(!pthread_barrier_init(&barrier, NULL, 2));
    CHECK(!sortwell_on_output(shared, wait_in_callback, NULL, &error));
    CHECK(!sortwell_push(shared, "a\n", 2, &error) && !sortwell_finish(shared, &error));
    CHECK(!pthread_create(&thread, NULL, deliver, &code));
    pthread_barrier_wait(&barrier);
    CHECK(fails(pull(shared), SORTWELL_USAGE, "one thread at a time"));
    CHECK(sortwell_statistics(shared) == NULL && sortwell_progress(shared) <= 1);
    pthread_barrier_wait(&barrier);
    CHECK(!pthread_join(thread, NULL) && code == SORTWELL_OK);
    sortwell_free(shared);
}

static void forked(void)
{
    sortwell *job = sortwell_new();
    int status;
    pid_t child;
    size_t sum = 0;

    CHECK(!sortwell_set(job, "memory", "64MiB", &error));
    push_many(job, 700000);
    child = fork();
    if (child == 0) {
        CHECK(fails(sortwell_push(job, "a\n", 2, &error), SORTWELL_USAGE, "fork"));
        CHECK(fails(sortwell_finish(job, &error), SORTWELL_USAGE, "fork"));
        CHECK(sortwell_stop(job) == SORTWELL_USAGE && sortwell_statistics(job) == NULL);
        sortwell_free(job);
        job = sortwell_new(); /* its own jobs work */
        CHECK(!sortwell_push(job, "b\n", 2, &error) && !sortwell_finish(job, &error));
        CHECK(pull(job) == SORTWELL_OK && pull(job) == SORTWELL_END);
        sortwell_free(job);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(!sortwell_finish(job, &error));
    while (pull(job) == SORTWELL_OK)
        sum += length;
    CHECK(error == NULL && sum == (size_t)700000 * 101);
    sortwell_free(job);
}

/* A signal stops the job that the main thread is in. */
static void on_alarm(int signal)
{
    (void)signal;
    sortwell_stop(shared);
}

static void stopped_by_signal(void)
{
    struct sigaction action;
    char line[] = "line\n";
    int code = SORTWELL_OK;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    CHECK(!sigaction(SIGALRM, &action, NULL));
    shared = sortwell_new();
    alarm(1);
    while (code == SORTWELL_OK)
        code = sortwell_push(shared, line, 5, &error);
    CHECK(fails(code, SORTWELL_STOPPED, "interrupted"));
    CHECK(fails(sortwell_finish(shared, &error), SORTWELL_STOPPED, "failed before"));
    sortwell_free(shared);
}

static void stopped_early(void)
{
    sortwell *job = sortwell_new();

    CHECK(!sortwell_set(job, "memory", "64MiB", &error));
    push_many(job, 700000);
    CHECK(!sortwell_finish(job, &error) && pull(job) == SORTWELL_OK);
    sortwell_free(job); /* the consumer wants no more */
    job = sortwell_new();
    push_many(job, 100000);
    sortwell_free(job); /* nor does the producer */
}

/* Stops after ten records. */
static int take_ten(void *context, const void *key, size_t key_bytes, const void *record,
                    size_t bytes)
{
    int *taken = (int *)context;

    (void)key, (void)key_bytes, (void)record, (void)bytes;
    if (++*taken == 10)
        sortwell_stop(shared);
    return 0;
}

/* A stop counts for a small sort as well, all of whose records are there. */
static void stopped_while_delivering(void)
{
    int taken = 0;

    shared = sortwell_new();
    push_many(shared, 1000);
    CHECK(!sortwell_on_output(shared, take_ten, &taken, &error));
    CHECK(!sortwell_finish(shared, &error));
    CHECK(fails(sortwell_deliver(shared, &error), SORTWELL_STOPPED, "interrupted"));
    CHECK(taken == 10);
    sortwell_free(shared);
}

static void malformed(void)
{
    sortwell *job = sortwell_new();
    const char *rows = "a,b\n1,2\n3\n";

    CHECK(!sortwell_set(job, "format", "csv", &error));
    CHECK(!sortwell_push(job, rows, strlen(rows), &error));
    CHECK(sortwell_finish(job, &error) == SORTWELL_MALFORMED);
    CHECK(sortwell_error_file(error) == NULL);
    CHECK(fails(SORTWELL_MALFORMED, SORTWELL_MALFORMED, "3"));
    sortwell_free(job);
    job = sortwell_new();
    CHECK(!sortwell_set(job, "format", "fixed:8", &error));
    CHECK(!sortwell_push(job, "1234", 4, &error));
    CHECK(fails(sortwell_finish(job, &error), SORTWELL_MALFORMED, "8"));
    sortwell_free(job);
}

static void little_memory(void)
{
    sortwell *job = sortwell_new();
    char *record = (char *)calloc(1, 40 << 20);
    int code;

    CHECK(!sortwell_set(job, "memory", "16MiB", &error));
    code = sortwell_push_keyed(job, "a", 1, record, 40 << 20, &error);
    if (code == SORTWELL_OK)
        code = sortwell_push_keyed(job, "a", 1, record, 40 << 20, &error);
    if (code == SORTWELL_OK)
        code = sortwell_finish(job, &error);
    if (code == SORTWELL_OK)
        code = pull(job);
    CHECK(code == SORTWELL_MALFORMED || code == SORTWELL_USAGE);
    CHECK(strstr(message(), "--memory") != NULL);
    sortwell_error_free(error);
    sortwell_free(job);
    free(record);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"null_arguments", null_arguments},
        {"wrong_options", wrong_options},
        {"order_of_calls", order_of_calls},
        {"callbacks", callbacks},
        {"no_order", no_order},
        {"freed_while_comparing", freed_while_comparing},
        {"two_threads", two_threads},
        {"forked", forked},
        {"stopped_by_signal", stopped_by_signal},
        {"stopped_early", stopped_early},
        {"stopped_while_delivering", stopped_while_delivering},
        {"malformed", malformed},
        {"little_memory", little_memory},
    };
    size_t at;

    for (at = 0; count > 1 && at < sizeof cases / sizeof *cases; at++) {
        if (strcmp(words[1], cases[at].name) == 0) {
            cases[at].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: bad_use CASE\n");
    return 2;
}
