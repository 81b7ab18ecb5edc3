/*
 * Does one job and prints how it ended, for tests that compare with the command.
 *
 *     driver (sort|merge|check|push|next) OUTPUT INPUT... [-- NAME=VALUE...]
 *
 * 'push' pushes the input in pieces and pulls blocks; 'next' takes its records one by one. The
 * lines on standard output are code, message, file, offset, record and statistics.
 */

#include <sortwell.h>
#include <stdio.h>
#include <string.h>

static int set(sortwell *job, const char *word, sortwell_error **error)
{
    char name[64];
    const char *sign = strchr(word, '=');
    size_t length = sign ? (size_t)(sign - word) : strlen(word);

    memcpy(name, word, length);
    name[length] = '\0';
    return sortwell_set(job, name, sign ? sign + 1 : NULL, error);
}

/* Pieces have an odd length, so that records lie in several of them. */
static int push(sortwell *job, const char *path, sortwell_error **error)
{
    static char buffer[9973];
    FILE *file = fopen(path, "rb");
    int code = SORTWELL_OK;
    size_t bytes;

    while (code == SORTWELL_OK && (bytes = fread(buffer, 1, sizeof buffer, file)) > 0)
        code = sortwell_push(job, buffer, bytes, error);
    fclose(file);
    return code;
}

static int take(sortwell *job, const char *path, int is_block, sortwell_error **error)
{
    FILE *file = fopen(path, "wb");
    const void *bytes;
    size_t length;
    int code;

    for (;;) {
        code = is_block ? sortwell_pull(job, &bytes, &length, error)
                        : sortwell_next(job, NULL, NULL, &bytes, &length, error);
        if (code != SORTWELL_OK)
            break;
        fwrite(bytes, 1, length, file);
    }
    fclose(file);
    return code == SORTWELL_END ? SORTWELL_OK : code;
}

static int work(sortwell *job, int count, char **words, sortwell_error **error)
{
    const char *kind = words[1];
    int is_push = strcmp(kind, "push") == 0 || strcmp(kind, "next") == 0;
    int at, code = SORTWELL_OK, options = count;

    for (at = 3; at < count; at++)
        if (strcmp(words[at], "--") == 0)
            options = at;
    for (at = options + 1; code == SORTWELL_OK && at < count; at++)
        code = set(job, words[at], error);
    for (at = 3; code == SORTWELL_OK && at < options; at++)
        code = is_push ? push(job, words[at], error) : sortwell_input(job, words[at], error);
    if (code != SORTWELL_OK)
        return code;
    if (!is_push)
        return sortwell_run(job, strcmp(kind, "check") == 0 ? NULL : words[2], error);
    code = sortwell_finish(job, error);
    return code ? code : take(job, words[2], strcmp(kind, "push") == 0, error);
}

int main(int count, char **words)
{
    sortwell_error *error = NULL;
    const char *kind = words[1], *file, *statistics;
    sortwell *job = strcmp(kind, "merge") == 0   ? sortwell_new_merge()
                    : strcmp(kind, "check") == 0 ? sortwell_new_check()
                                                 : sortwell_new();
    int code = work(job, count, words, &error);

    if (code != sortwell_error_code(error))
        return 99;
    file = sortwell_error_file(error);
    statistics = sortwell_statistics(job);
    printf("%d\n%s\n%s\n%ld\n%ld\n%s\n", code, sortwell_error_message(error), file ? file : "",
           error ? (long)sortwell_error_offset(error) : -1,
           error ? (long)sortwell_error_record(error) : -1, statistics ? statistics : "");
    sortwell_error_free(error);
    sortwell_free(job);
    return 0;
}
