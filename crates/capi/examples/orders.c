/*
 * Sorts orders.csv into sorted.csv, the largest amount first.
 *
 *     cc -o orders orders.c $(pkg-config --cflags --libs sortwell)
 */

#include <sortwell.h>
#include <stdio.h>

int main(void)
{
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    int code;

    code = sortwell_set(job, "key", "amount:decimal:desc", &error);
    if (code == SORTWELL_OK)
        code = sortwell_input(job, "orders.csv", &error);
    if (code == SORTWELL_OK)
        code = sortwell_run(job, "sorted.csv", &error);
    if (code != SORTWELL_OK)
        fprintf(stderr, "%s\n", sortwell_error_message(error));
    sortwell_error_free(error);
    sortwell_free(job);
    return code;
}
