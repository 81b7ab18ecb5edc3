/*
 * Calls that a job refuses: its errors, and the calls after them.
 *
 * It prints nothing and exits with 0, or says which line failed.
 */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "check.h"

static const void *bytes;
static size_t length;

/* The last value of an option counts, and those of an option that is repeated all do. */
static void values_are_replaced(void)
{
    sortwell *job = sortwell_new();

    CHECK(!sortwell_set(job, "memory", "64MiB", &error));
    CHECK(!sortwell_set(job, "memory", "128MiB", &error));
    CHECK(!sortwell_set(job, "unique", NULL, &error));
    CHECK(!sortwell_set(job, "unique", "last", &error));
    CHECK(fails(sortwell_set(job, "memory", "much", &error), SORTWELL_USAGE, "much"));
    CHECK(!sortwell_set(job, "key", "1", &error) && !sortwell_set(job, "key", "2:desc", &error));
    CHECK(!sortwell_push(job, "a 1\na 2\na 2\n", 12, &error) && !sortwell_finish(job, &error));
    CHECK(sortwell_pull(job, &bytes, &length, &error) == SORTWELL_OK && length == 8);
    CHECK(memcmp(bytes, "a 2\na 1\n", 8) == 0);
    CHECK(sortwell_pull(job, &bytes, &length, &error) == SORTWELL_END);
    CHECK(strstr(sortwell_statistics(job), "\"memory_budget\":134217728") != NULL);
    CHECK(sortwell_progress(job) == 1);
    sortwell_free(job);
}

/* Options that do not suit each other are refused before a record is taken. */
static void options_are_checked_first(void)
{
    static const char *const wrong[][4] = {
        {"format", "fixed:4", "header", "1"},
        {"sum", "2", "format", "keyed"},
        {"count", NULL, "format", "keyed"},
        {"key", "no such column", "format", "fixed:4"},
    };
    size_t at;

    for (at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        sortwell *job = sortwell_new();
        int code = sortwell_set(job, wrong[at][0], wrong[at][1], &error);

        code = code ? code : sortwell_set(job, wrong[at][2], wrong[at][3], &error);
        code = code ? code : sortwell_push(job, "", 0, &error);
        CHECK(fails(code, SORTWELL_USAGE, ""));
        CHECK(!sortwell_set(job, "temp", "/tmp", &error)); /* it is not begun */
        sortwell_free(job);
    }
}

static void a_missing_file_ends_the_job(void)
{
    sortwell *job = sortwell_new();

    CHECK(!sortwell_set(job, "profile", "no such file", &error));
    CHECK(fails(sortwell_push(job, "a\n", 2, &error), SORTWELL_IO, "no such file"));
    CHECK(fails(sortwell_set(job, "count", NULL, &error), SORTWELL_IO, "failed before"));
    CHECK(fails(sortwell_deliver(job, &error), SORTWELL_IO, "failed before"));
    sortwell_free(job);
}

/* Pushed records are in no file, and messages are one line. */
static void places_and_messages(void)
{
    sortwell *job = sortwell_new();
    int code;

    CHECK(!sortwell_set(job, "unique", "error", &error));
    CHECK(!sortwell_push(job, "b\na\nb\n", 6, &error));
    code = sortwell_finish(job, &error);
    CHECK(code != SORTWELL_OK && sortwell_error_file(error) == NULL);
    CHECK(strchr(message(), '\n') == NULL);
    sortwell_error_free(error);
    error = NULL;
    sortwell_free(job);
    job = sortwell_new();
    code = sortwell_set(job, "include", "1 >", &error);
    CHECK(strchr(message(), '\n') == NULL);
    CHECK(fails(code, SORTWELL_USAGE, ", at character 4 of '1 >'"));
    CHECK(!sortwell_input(job, "no\nfile", &error));
    code = sortwell_run(job, "out", &error);
    CHECK(strcmp(sortwell_error_file(error), "no\nfile") == 0);
    CHECK(fails(code, SORTWELL_IO, "no\\nfile"));
    sortwell_free(job);
    job = sortwell_new();
    CHECK(fails(sortwell_spill_to(job, "", &error), SORTWELL_USAGE, "is empty"));
    sortwell_free(job);
}

/* Returns what the context says, or leaves a key that cannot be. */
static int make_key(void *context, const void *record, size_t size, const void **key,
                    size_t *key_bytes)
{
    long wanted = *(long *)context;

    (void)size;
    *key = wanted == 1 ? record : NULL;
    *key_bytes = SIZE_MAX;
    return wanted < 0 ? (int)wanted : 0;
}

static void keys_that_cannot_be(void)
{
    static const char *const words[] = {"returned -2147483648", "left the key NULL", "gave a key of"};
    long wanted[] = {INT32_MIN, 0, 1};
    int at;

    for (at = 0; at < 3; at++) {
        sortwell *job = sortwell_new();

        CHECK(!sortwell_on_key(job, make_key, &wanted[at], &error));
        CHECK(fails(sortwell_push(job, "a", 1, &error), SORTWELL_CALLBACK, words[at]));
        sortwell_free(job);
    }
}

/* A comparison that takes long. */
static int compare_slowly(void *context, const void *one, size_t one_bytes, const void *other,
                          size_t other_bytes)
{
    struct timespec wait = {0, 200000};

    (void)context, (void)one_bytes, (void)other_bytes;
    nanosleep(&wait, NULL);
    return memcmp(one, other, 8);
}

static void *stop_soon(void *job)
{
    struct timespec wait = {0, 100000000};

    nanosleep(&wait, NULL);
    sortwell_stop((sortwell *)job);
    return NULL;
}

/* A stop does not wait for the comparisons of a load. */
static void stopped_while_comparing(void)
{
    sortwell *job = sortwell_new();
    struct timespec begun, ended;
    pthread_t thread;
    char line[10];
    int at, code;

    CHECK(!sortwell_on_compare(job, compare_slowly, NULL, &error));
    for (at = 0; at < 20000; at++) {
        snprintf(line, sizeof line, "%08d\n", (int)(at * 7919L % 1000003));
        CHECK(!sortwell_push(job, line, 9, &error));
    }
    CHECK(!pthread_create(&thread, NULL, stop_soon, job));
    clock_gettime(CLOCK_MONOTONIC, &begun);
    code = sortwell_finish(job, &error);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    CHECK(!pthread_join(thread, NULL));
    CHECK(fails(code, SORTWELL_STOPPED, "interrupted"));
    CHECK(ended.tv_sec - begun.tv_sec < 3); /* all comparisons together take a minute */
    sortwell_free(job);
}

int main(void)
{
    values_are_replaced();
    options_are_checked_first();
    a_missing_file_ends_the_job();
    places_and_messages();
    keys_that_cannot_be();
    stopped_while_comparing();
    return 0;
}
