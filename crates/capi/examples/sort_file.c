/*
 * Sorts files: sort_file OUTPUT INPUT... [-- NAME=VALUE...]
 *
 * Options have the names and values of the command 'sortwell sort'. A flag is its name alone.
 *
 *     cc -o sort_file sort_file.c $(pkg-config --cflags --libs sortwell)
 *     ./sort_file sorted.csv orders.csv -- key=amount:decimal:desc memory=512MiB
 */

#include <sortwell.h>
#include <stdio.h>
#include <string.h>

/* Sets an option that is written as NAME=VALUE. */
static int set(sortwell *job, const char *word, sortwell_error **error)
{
    char name[64];
    const char *sign = strchr(word, '=');
    size_t length = sign ? (size_t)(sign - word) : strlen(word);

    if (length >= sizeof name)
        length = sizeof name - 1;
    memcpy(name, word, length);
    name[length] = '\0';
    return sortwell_set(job, name, sign ? sign + 1 : NULL, error);
}

static int sort(sortwell *job, int count, char **words, sortwell_error **error)
{
    int code, next = 2, is_option = 0;

    for (; next < count; next++) {
        if (!is_option && strcmp(words[next], "--") == 0) {
            is_option = 1;
            continue;
        }
        code = is_option ? set(job, words[next], error) : sortwell_input(job, words[next], error);
        if (code != SORTWELL_OK)
            return code;
    }
    return sortwell_run(job, words[1], error);
}

int main(int count, char **words)
{
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    int code;

    if (count < 3) {
        fprintf(stderr, "usage: sort_file OUTPUT INPUT... [-- NAME=VALUE...]\n");
        return SORTWELL_USAGE;
    }
    code = sort(job, count, words, &error);
    if (code == SORTWELL_OK)
        printf("%s\n", sortwell_statistics(job));
    else
        fprintf(stderr, "sort_file: %s\n", sortwell_error_message(error));
    sortwell_error_free(error);
    sortwell_free(job);
    return code;
}
