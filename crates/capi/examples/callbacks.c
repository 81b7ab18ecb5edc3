/*
 * Sorts records of the program itself, with callbacks that make keys and take sorted records.
 *
 * A record is a point. The points are sorted by their distance from the origin, so the key is a
 * number that is not in the record.
 *
 *     cc -o callbacks callbacks.c $(pkg-config --cflags --libs sortwell)
 *     ./callbacks 1000
 */

#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int32_t x, y;
};

/* The context of the callbacks. */
struct distances {
    unsigned char key[8];
    unsigned long count;
    int64_t last;
};

static int64_t distance(const void *record)
{
    struct point point;

    memcpy(&point, record, sizeof point);
    return (int64_t)point.x * point.x + (int64_t)point.y * point.y;
}

/* Keys are compared as bytes, so the most significant byte of a number comes first. */
static int make_key(void *context, const void *record, size_t bytes, const void **key,
                    size_t *key_bytes)
{
    struct distances *distances = (struct distances *)context;
    int64_t number = distance(record);
    int at;

    if (bytes != sizeof(struct point))
        return 1;
    for (at = 7; at >= 0; at--, number >>= 8)
        distances->key[at] = (unsigned char)(number & 0xff);
    *key = distances->key;
    *key_bytes = sizeof distances->key;
    return 0;
}

static int take(void *context, const void *key, size_t key_bytes, const void *record, size_t bytes)
{
    struct distances *distances = (struct distances *)context;
    int64_t now = distance(record);

    (void)key;
    if (key_bytes != 8 || bytes != sizeof(struct point) || now < distances->last)
        return 1;
    distances->last = now;
    distances->count++;
    return 0;
}

static int sort(sortwell *job, long points, struct distances *distances, sortwell_error **error)
{
    int code = sortwell_on_key(job, make_key, distances, error);
    long number;

    if (code == SORTWELL_OK)
        code = sortwell_on_output(job, take, distances, error);
    for (number = 0; code == SORTWELL_OK && number < points; number++) {
        struct point point;

        point.x = (int32_t)(number * 7919 % 10007) - 5000;
        point.y = (int32_t)(number * 104729 % 10009) - 5000;
        code = sortwell_push(job, &point, sizeof point, error);
    }
    if (code == SORTWELL_OK)
        code = sortwell_finish(job, error);
    if (code == SORTWELL_OK)
        code = sortwell_deliver(job, error);
    return code;
}

int main(int count, char **words)
{
    struct distances distances = {{0}, 0, 0};
    long points = count > 1 ? atol(words[1]) : 1000;
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    int code = sort(job, points, &distances, &error);

    if (code == SORTWELL_OK)
        printf("%lu points in order\n", distances.count);
    else
        fprintf(stderr, "callbacks: %s\n", sortwell_error_message(error));
    sortwell_error_free(error);
    sortwell_free(job);
    return code;
}
