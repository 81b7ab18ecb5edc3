/*
 * Records that a job selects parts of, counts or makes shorter: each is taken whole. The format of
 * their output is not that of their input. It prints nothing and exits with 0, or says which line
 * failed. It writes a file into the current folder.
 */

#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define FIXED "020001010002000003"
#define GROUPS "b\n1\na\n2\nc\n3\n"

/* Returns the records, each in brackets; bytes of counts as digits. */
static const char *taken(sortwell *job)
{
    static char text[1000];
    const void *key, *record;
    size_t key_length, length, end = 0, at;
    int code;

    CHECK(sortwell_finish(job, &error) == SORTWELL_OK);
    while ((code = sortwell_next(job, &key, &key_length, &record, &length, &error)) ==
           SORTWELL_OK) {
        CHECK(key_length == 0 && end + length + 2 < sizeof text);
        text[end++] = '[';
        for (at = 0; at < length; at++) {
            char byte = ((const char *)record)[at];

            text[end++] = byte == '\n' ? '|' : byte < 10 ? (char)('0' + byte) : byte;
        }
        text[end++] = ']';
    }
    CHECK(code == SORTWELL_END);
    text[end] = '\0';
    sortwell_free(job);
    return text;
}

static void set(sortwell *job, const char *format, const char *key, const char *name,
                const char *value)
{
    CHECK(sortwell_set(job, "format", format, &error) == SORTWELL_OK);
    CHECK(sortwell_set(job, "key", key, &error) == SORTWELL_OK);
    CHECK(sortwell_set(job, name, value, &error) == SORTWELL_OK);
}

static sortwell *sort(const char *format, const char *key, const char *name, const char *value,
                      const char *records)
{
    sortwell *job = sortwell_new();

    set(job, format, key, name, value);
    CHECK(sortwell_push(job, records, strlen(records), &error) == SORTWELL_OK);
    return job;
}

static sortwell *merge(const char *name, const char *value)
{
    sortwell *job = sortwell_new_merge();

    set(job, "fixed:6", "0..2", name, value);
    CHECK(sortwell_input(job, "sorted.bin", &error) == SORTWELL_OK);
    return job;
}

static int count(void *context, const void *key, size_t key_length, const void *record,
                 size_t length)
{
    CHECK(key != NULL && key_length == 0 && record != NULL && length == 4);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    FILE *file = fopen("sorted.bin", "w");
    sortwell *job;
    int records = 0;

    CHECK(file != NULL && fputs("000003010002020001", file) >= 0 && fclose(file) == 0);

    CHECK(strcmp(taken(sort("fixed:6", "0..2", "select", "2..6", FIXED)),
                 "[0003][0002][0001]") == 0);
    CHECK(strcmp(taken(sort("fixed:6", "0..2", "select", "0..2", FIXED)), "[00][01][02]") == 0);
    CHECK(strcmp(taken(sort("fixed:6", "0..2", "count", NULL, FIXED)),
                 "[00000300000001][01000200000001][02000100000001]") == 0);
    CHECK(strcmp(taken(sort("lines:group=2", "1", "select", "2", GROUPS)), "[2|][1|][3|]") == 0);
    CHECK(strcmp(taken(sort("lines:group=2", "1", "count", NULL, GROUPS)),
                 "[      1 a|2|][      1 b|1|][      1 c|3|]") == 0);
    CHECK(strcmp(taken(merge("select", "2..6")), "[0003][0002][0001]") == 0);
    CHECK(strcmp(taken(merge("count", NULL)),
                 "[00000300000001][01000200000001][02000100000001]") == 0);

    job = sort("fixed:6", "0..2", "select", "2..6", FIXED);
    CHECK(sortwell_on_output(job, count, &records, &error) == SORTWELL_OK);
    CHECK(sortwell_finish(job, &error) == SORTWELL_OK);
    CHECK(sortwell_deliver(job, &error) == SORTWELL_OK && records == 3);
    sortwell_free(job);

    job = sortwell_new();
    set(job, "fixed:6", "0..2", "select", "5..9");
    CHECK(fails(sortwell_push(job, FIXED, 6, &error), SORTWELL_USAGE, "beyond the record's 6 bytes"));
    sortwell_free(job);
    job = merge("select", "5..9");
    CHECK(fails(sortwell_finish(job, &error), SORTWELL_USAGE, "beyond the record's 6 bytes"));
    sortwell_free(job);
    return 0;
}
