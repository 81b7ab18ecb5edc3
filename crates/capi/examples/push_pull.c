/*
 * Sorts the lines of standard input to standard output, by the number in their second field.
 *
 *     cc -o push_pull push_pull.c $(pkg-config --cflags --libs sortwell)
 *     du -a | awk '{ print $2, $1 }' | ./push_pull
 */

#include <sortwell.h>
#include <stdio.h>

static int copy(sortwell *job, sortwell_error **error)
{
    static char buffer[1 << 16];
    const void *block;
    size_t bytes;
    int code;

    /* The bytes of all calls together are whole records. */
    while ((bytes = fread(buffer, 1, sizeof buffer, stdin)) > 0) {
        code = sortwell_push(job, buffer, bytes, error);
        if (code != SORTWELL_OK)
            return code;
    }
    code = sortwell_finish(job, error);
    if (code != SORTWELL_OK)
        return code;
    while ((code = sortwell_pull(job, &block, &bytes, error)) == SORTWELL_OK)
        fwrite(block, 1, bytes, stdout);
    /* The output is only proven now; a program that cannot take it back should keep it apart. */
    return code == SORTWELL_END ? SORTWELL_OK : code;
}

int main(void)
{
    sortwell_error *error = NULL;
    sortwell *job = sortwell_new();
    int code = sortwell_set(job, "separator", " ", &error);

    if (code == SORTWELL_OK)
        code = sortwell_set(job, "key", "2:int", &error);
    if (code == SORTWELL_OK)
        code = copy(job, &error);
    if (code != SORTWELL_OK)
        fprintf(stderr, "push_pull: %s\n", sortwell_error_message(error));
    sortwell_error_free(error);
    sortwell_free(job);
    return code;
}
