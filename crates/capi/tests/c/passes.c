/* Sorts by a comparison beside qsort, and in two passes apart: passes RECORDS DIRECTORY */

#include <pthread.h>
#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 24

static sortwell_error *error;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition,                             \
                    sortwell_error_message(error));                                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The number of a record is decimal text, and the order that of numbers. */
static long number_of(const void *record)
{
    return strtol((const char *)record, NULL, 10);
}

static int compare(const void *one, const void *other)
{
    long left = number_of(one), right = number_of(other);

    return (left > right) - (left < right);
}

/* Counts the calls; several threads make them. */
struct counter {
    pthread_mutex_t mutex;
    unsigned long calls;
};

static int compare_counted(void *context, const void *one, size_t one_bytes, const void *other,
                           size_t other_bytes)
{
    struct counter *counter = (struct counter *)context;

    pthread_mutex_lock(&counter->mutex);
    counter->calls++;
    pthread_mutex_unlock(&counter->mutex);
    if (one_bytes != BYTES || other_bytes != BYTES)
        abort();
    return compare(one, other);
}

static void take_all(sortwell *job, char *sorted, size_t count)
{
    const void *key, *record;
    size_t key_bytes, bytes, taken = 0;
    int code;

    while ((code = sortwell_next(job, &key, &key_bytes, &record, &bytes, &error)) == SORTWELL_OK) {
        CHECK(taken < count && key_bytes + bytes >= BYTES);
        memcpy(sorted + taken++ * BYTES, key_bytes ? key : record, BYTES);
    }
    CHECK(code == SORTWELL_END && taken == count);
}

/* Orders records of a fixed length, or the keys of keyed ones, by the comparison. */
static void sort_compared(const char *records, size_t count, char *sorted, int is_keyed)
{
    sortwell *job = sortwell_new();
    struct counter counter = {PTHREAD_MUTEX_INITIALIZER, 0};
    size_t number;

    CHECK(!sortwell_set(job, "memory", "64MiB", &error));
    CHECK(is_keyed || !sortwell_set(job, "format", "fixed:24", &error));
    CHECK(!sortwell_on_compare(job, compare_counted, &counter, &error));
    for (number = 0; number < count; number++) {
        const char *record = records + number * BYTES;

        CHECK(!(is_keyed ? sortwell_push_keyed(job, record, BYTES, "x", 1, &error)
                         : sortwell_push(job, record, BYTES, &error)));
    }
    CHECK(!sortwell_finish(job, &error));
    take_all(job, sorted, count);
    CHECK(count < 2 || counter.calls > 0);
    sortwell_free(job);
}

/* Writes runs, and merges them in another job. The key is the number with zeros in front. */
static void sort_apart(const char *records, size_t count, char *sorted, const char *folder)
{
    sortwell *runs = sortwell_new(), *merge = sortwell_new_merge();
    size_t number;

    CHECK(!sortwell_set(runs, "memory", "24MiB", &error));
    CHECK(!sortwell_spill_to(runs, folder, &error));
    CHECK(sortwell_push(runs, "a", 1, &error) == SORTWELL_USAGE);
    sortwell_error_free(error);
    error = NULL;
    for (number = 0; number < count; number++) {
        const char *record = records + number * BYTES;
        char key[BYTES];

        sprintf(key, "%023ld", number_of(record));
        CHECK(!sortwell_push_keyed(runs, key, BYTES, "", 0, &error));
    }
    CHECK(sortwell_run_file(runs, 0) == NULL);
    CHECK(!sortwell_finish(runs, &error));
    CHECK(!sortwell_set(merge, "format", "keyed", &error));
    for (number = 0; sortwell_run_file(runs, number) != NULL; number++)
        CHECK(!sortwell_input(merge, sortwell_run_file(runs, number), &error));
    sortwell_free(runs);
    printf("%lu runs\n", (unsigned long)number);
    if (number > 0) {
        CHECK(!sortwell_finish(merge, &error));
        take_all(merge, sorted, count);
        CHECK(strstr(sortwell_statistics(merge), "\"records\"") != NULL);
    }
    sortwell_free(merge);
}

/* A share of the memory is a budget like any other. */
static void spill_within_a_share(const char *folder)
{
    sortwell *runs = sortwell_new();

    CHECK(!sortwell_set(runs, "memory", "2%", &error));
    CHECK(!sortwell_spill_to(runs, folder, &error));
    CHECK(!sortwell_push_keyed(runs, "a", 1, "", 0, &error) && !sortwell_finish(runs, &error));
    CHECK(sortwell_run_file(runs, 0) != NULL && remove(sortwell_run_file(runs, 0)) == 0);
    sortwell_free(runs);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)atol(argv[1]) : 1000, number;
    char *records = (char *)calloc(count + 1, BYTES), *sorted = (char *)calloc(count + 1, BYTES);
    char *expected = (char *)calloc(count + 1, BYTES);
    int is_keyed;

    for (number = 0; number < count; number++)
        sprintf(records + number * BYTES, "%lu", (unsigned long)(number * 7919 % 1000003));
    memcpy(expected, records, count * BYTES);
    qsort(expected, count, BYTES, compare);
    for (is_keyed = 0; is_keyed < 2; is_keyed++) {
        memset(sorted, 0, count * BYTES);
        sort_compared(records, count, sorted, is_keyed);
        CHECK(memcmp(sorted, expected, count * BYTES) == 0);
    }
    sort_apart(records, count, sorted, argc > 2 ? argv[2] : ".");
    spill_within_a_share(argc > 2 ? argv[2] : ".");
    for (number = 0; number < count; number++)
        CHECK(strtol(sorted + number * BYTES, NULL, 10) == number_of(expected + number * BYTES));
    free(records);
    free(sorted);
    free(expected);
    return 0;
}
