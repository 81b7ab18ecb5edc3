/* Sorts random records through the library and with qsort, and compares them: quicksort RECORDS */

#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 16
#define KEY 3

static uint32_t random_number(void)
{
    static uint64_t state = 88172645463325252ULL;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

/* qsort of glibc is stable only if memory suffices, so the place is the last part of the order. */
static int compare(const void *one, const void *other)
{
    return memcmp(one, other, BYTES);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition,                             \
                    sortwell_error_message(error));                                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Record: a key of few values, then the place, most significant byte first. */
static void fill(unsigned char *records, size_t count)
{
    size_t number, at;

    for (number = 0; number < count; number++) {
        unsigned char *record = records + number * BYTES;
        uint32_t key = random_number() % 5000;

        memset(record, 0, BYTES);
        record[0] = (unsigned char)(key >> 16);
        record[1] = (unsigned char)(key >> 8);
        record[2] = (unsigned char)key;
        for (at = 0; at < 8; at++)
            record[KEY + at] = (unsigned char)((uint64_t)number >> (8 * (7 - at)));
    }
}

static void sort_blocks(const unsigned char *records, size_t count, unsigned char *sorted)
{
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    const void *block;
    size_t bytes, taken = 0;
    int code;

    CHECK(!sortwell_set(job, "format", "fixed:16", &error));
    CHECK(!sortwell_set(job, "key", "0..3", &error));
    CHECK(!sortwell_push(job, records, count * BYTES, &error));
    CHECK(!sortwell_finish(job, &error));
    while ((code = sortwell_pull(job, &block, &bytes, &error)) == SORTWELL_OK) {
        CHECK(taken + bytes <= count * BYTES);
        memcpy(sorted + taken, block, bytes);
        taken += bytes;
    }
    CHECK(code == SORTWELL_END && taken == count * BYTES);
    CHECK(sortwell_pull(job, &block, &bytes, &error) == SORTWELL_END && bytes == 0);
    CHECK(strstr(sortwell_statistics(job), "\"is_order_proven\":true") != NULL);
    sortwell_free(job);
}

static void sort_keyed(const unsigned char *records, size_t count, unsigned char *sorted)
{
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    const void *key, *record;
    size_t number, key_bytes, bytes, taken = 0;
    int code;

    for (number = 0; number < count; number++) {
        const unsigned char *start = records + number * BYTES;

        CHECK(!sortwell_push_keyed(job, start, KEY, start + KEY, BYTES - KEY, &error));
    }
    CHECK(!sortwell_finish(job, &error));
    while ((code = sortwell_next(job, &key, &key_bytes, &record, &bytes, &error)) == SORTWELL_OK) {
        CHECK(key_bytes == KEY && bytes == BYTES - KEY && taken < count);
        memcpy(sorted + taken * BYTES, key, KEY);
        memcpy(sorted + taken * BYTES + KEY, record, bytes);
        taken++;
    }
    CHECK(code == SORTWELL_END && taken == count);
    sortwell_free(job);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)atol(argv[1]) : 1000;
    unsigned char *records = (unsigned char *)malloc(count * BYTES + 1);
    unsigned char *sorted = (unsigned char *)malloc(count * BYTES + 1);
    unsigned char *expected = (unsigned char *)malloc(count * BYTES + 1);
    sortwell_error *error = NULL;

    fill(records, count);
    memcpy(expected, records, count * BYTES);
    qsort(expected, count, BYTES, compare);
    sort_blocks(records, count, sorted);
    CHECK(memcmp(sorted, expected, count * BYTES) == 0);
    memset(sorted, 0, count * BYTES);
    sort_keyed(records, count, sorted);
    CHECK(memcmp(sorted, expected, count * BYTES) == 0);
    free(records);
    free(sorted);
    free(expected);
    puts("equal");
    return 0;
}
