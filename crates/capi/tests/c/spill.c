/*
 * Sorts more than memory holds through callbacks, within 64 MiB: spill RECORDS [FOLDER [compare]]
 *
 * Prints the peak memory of the process in KiB, and the statistics.
 */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BYTES 100

struct context {
    unsigned char last[8];
    long records;
};

/* The key is the last eight bytes of the record. */
static int make_key(void *context, const void *record, size_t bytes, const void **key,
                    size_t *key_bytes)
{
    (void)context;
    *key = (const unsigned char *)record + bytes - 8;
    *key_bytes = 8;
    return 0;
}

static int take(void *pointer, const void *key, size_t key_bytes, const void *record, size_t bytes)
{
    struct context *context = (struct context *)pointer;
    const unsigned char *end = (const unsigned char *)record + bytes - 8;

    if (bytes != BYTES || key_bytes != 8 || memcmp(end, key, 8) != 0)
        return 1;
    if (memcmp(context->last, key, 8) > 0)
        return 2;
    memcpy(context->last, key, 8);
    context->records++;
    return 0;
}

/* The same order as that of the keys themselves. */
static int compare(void *context, const void *left, size_t left_bytes, const void *right,
                   size_t right_bytes)
{
    return context != NULL || left_bytes != 8 || right_bytes != 8 ? 0 : memcmp(left, right, 8);
}

int main(int count, char **words)
{
    long records = count > 1 ? atol(words[1]) : 1000, number;
    struct context context = {{0}, 0};
    unsigned char record[BYTES] = {0};
    uint64_t state = 88172645463325252ULL;
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    struct rusage usage;
    int code = sortwell_set(job, "memory", "64MiB", &error);

    if (code == SORTWELL_OK && count > 2)
        code = sortwell_set(job, "temp", words[2], &error);
    if (code == SORTWELL_OK)
        code = sortwell_on_key(job, make_key, NULL, &error);
    if (code == SORTWELL_OK && count > 3)
        code = sortwell_on_compare(job, compare, NULL, &error);
    if (code == SORTWELL_OK)
        code = sortwell_on_output(job, take, &context, &error);
    for (number = 0; code == SORTWELL_OK && number < records; number++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(record + BYTES - 8, &state, 8);
        code = sortwell_push(job, record, BYTES, &error);
    }
    if (code == SORTWELL_OK)
        code = sortwell_finish(job, &error);
    if (code == SORTWELL_OK)
        code = sortwell_deliver(job, &error);
    if (code != SORTWELL_OK || context.records != records) {
        fprintf(stderr, "%ld records, code %d: %s\n", context.records, code,
                sortwell_error_message(error));
        return 1;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n%s\n", usage.ru_maxrss, sortwell_statistics(job));
    sortwell_free(job);
    return 0;
}
