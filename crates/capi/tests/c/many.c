/* Makes and frees 1,000 jobs in all stages, and looks for what is left: many DIRECTORY */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <dirent.h>
#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int entries(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;

    if (folder == NULL)
        return -1;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static const char block[1 << 16] = "a\n";

/* Does job number `number` up to a stage that depends on it. */
static int work(sortwell *job, int number, const char *folder)
{
    const void *bytes;
    size_t length;
    int code = sortwell_set(job, "temp", folder, NULL), pushes = number % 50 == 0 ? 40 : 1;

    if (code == SORTWELL_OK)
        code = sortwell_set(job, "format", "fixed:64", NULL);
    while (code == SORTWELL_OK && pushes-- > 0)
        code = sortwell_push(job, block, sizeof block, NULL);
    if (code != SORTWELL_OK || number % 4 == 0)
        return code;
    code = sortwell_finish(job, NULL);
    if (code != SORTWELL_OK || number % 4 == 1)
        return code;
    do
        code = sortwell_pull(job, &bytes, &length, NULL);
    while (code == SORTWELL_OK && number % 4 == 3);
    if (code == SORTWELL_END && sortwell_statistics(job) == NULL)
        return SORTWELL_BUG;
    return code == SORTWELL_END ? SORTWELL_OK : code;
}

int main(int count, char **words)
{
    const char *folder = count > 1 ? words[1] : ".";
    const char *places[3];
    int before[3] = {0, 0, 0}, number, at;

    places[0] = "/proc/self/fd";
    places[1] = "/proc/self/task";
    places[2] = folder;
    for (number = 0; number < 1000; number++) {
        sortwell *job = sortwell_new();
        int code = work(job, number, folder);

        sortwell_free(job);
        if (code != SORTWELL_OK) {
            fprintf(stderr, "job %d: code %d\n", number, code);
            return 1;
        }
        for (at = 0; number == 50 && at < 3; at++)
            before[at] = entries(places[at]);
    }
    for (at = 0; at < 3; at++) {
        int after = entries(places[at]);

        if (before[at] != after) {
            fprintf(stderr, "%s: %d entries, then %d\n", places[at], before[at], after);
            return 1;
        }
    }
    puts("nothing is left");
    return 0;
}
