/*
 * Builds an index over a CSV file, and finds rows by the values of a column.
 *
 *     find_rows orders.csv city Oslo
 *
 *     cc -o find_rows find_rows.c $(pkg-config --cflags --libs sortwell)
 */

#include <sortwell.h>
#include <stdio.h>
#include <string.h>

static int build(const char *data, const char *key, const char *path, sortwell_error **error)
{
    sortwell *job = sortwell_new_index();
    int code = sortwell_set(job, "key", key, error);

    if (code == SORTWELL_OK)
        code = sortwell_set(job, "format", "csv", error);
    if (code == SORTWELL_OK)
        code = sortwell_input(job, data, error);
    if (code == SORTWELL_OK)
        code = sortwell_run(job, path, error);
    sortwell_free(job);
    return code;
}

static int find(const char *path, const char *text, sortwell_error **error)
{
    sortwell_index *index = NULL;
    sortwell_value value = {text, strlen(text)};
    const void *row;
    size_t bytes;
    int code = sortwell_index_open(path, 0, &index, error);

    if (code == SORTWELL_OK)
        code = sortwell_index_get(index, &value, 1, error);
    while (code == SORTWELL_OK) {
        code = sortwell_index_next(index, &row, &bytes, error);
        if (code == SORTWELL_OK)
            fwrite(row, 1, bytes, stdout);
    }
    sortwell_index_free(index);
    return code == SORTWELL_END ? SORTWELL_OK : code;
}

int main(int count, char **words)
{
    sortwell_error *error = NULL;
    int code;

    if (count != 4) {
        fprintf(stderr, "usage: find_rows DATA COLUMN VALUE\n");
        return SORTWELL_USAGE;
    }
    code = build(words[1], words[2], "rows.index", &error);
    if (code == SORTWELL_OK)
        code = find("rows.index", words[3], &error);
    if (code != SORTWELL_OK)
        fprintf(stderr, "find_rows: %s\n", sortwell_error_message(error));
    sortwell_error_free(error);
    return code;
}
