/*
 * All calls on indexes, right ones and wrong ones. It prints nothing and exits with 0, or says
 * which line failed. It writes files into the current folder.
 */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void write_file(const char *path, const char *mode, const char *text)
{
    FILE *file = fopen(path, mode);

    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void build(void)
{
    sortwell *job = sortwell_new_index();

    CHECK(sortwell_set(job, "key", "city", &error) == SORTWELL_OK);
    CHECK(sortwell_set(job, "key", "amount:decimal:desc", &error) == SORTWELL_OK);
    CHECK(sortwell_set(job, "include", "id", &error) == SORTWELL_OK);
    CHECK(sortwell_set(job, "threads", "2", &error) == SORTWELL_OK);
    CHECK(fails(sortwell_set(job, "limit", "2", &error), SORTWELL_USAGE, "limit"));
    CHECK(fails(sortwell_run(job, "orders.index", &error), SORTWELL_USAGE, "no input"));
    CHECK(sortwell_input(job, "orders.csv", &error) == SORTWELL_OK);
    CHECK(fails(sortwell_push(job, "x\n", 2, &error), SORTWELL_USAGE, ""));
    CHECK(sortwell_run(job, "orders.index", &error) == SORTWELL_OK);
    CHECK(strstr(sortwell_statistics(job), "\"records\":3") != NULL);
    sortwell_free(job);
}

/* Appends the rows of a search to a text. */
static const char *rows(sortwell_index *index)
{
    static char text[1000];
    const void *row;
    size_t length, end = 0;
    int code;

    while ((code = sortwell_index_next(index, &row, &length, &error)) == SORTWELL_OK) {
        CHECK(end + length < sizeof text);
        memcpy(text + end, row, length);
        end += length;
    }
    CHECK(code == SORTWELL_END && length == 0);
    text[end] = '\0';
    return text;
}

static void search(sortwell_index *index)
{
    sortwell_value oslo[] = {{"Oslo", 4}, {"7", 1}}, letter = {"R", 1}, bad = {"Oslo", 4};
    sortwell_bound from = {oslo, 2, 1}, to = {NULL, 1, 0};
    const char *path;
    const void *part;
    size_t length;
    uint64_t offset, bytes;

    CHECK(sortwell_index_entries(index) == 3);
    CHECK(fails(sortwell_index_next(index, &part, &length, &error), SORTWELL_USAGE, "no search"));
    CHECK(sortwell_index_get(index, oslo, 1, &error) == SORTWELL_OK);
    CHECK(strcmp(rows(index), "1,Oslo,7\n3,Oslo,5\n") == 0);
    CHECK(sortwell_index_get(index, oslo, 1, &error) == SORTWELL_OK);
    CHECK(sortwell_index_reverse(index, &error) == SORTWELL_OK);
    CHECK(sortwell_index_next(index, &part, &length, &error) == SORTWELL_OK);
    CHECK(length == 9 && memcmp(part, "3,Oslo,5\n", 9) == 0);
    CHECK(fails(sortwell_index_reverse(index, &error), SORTWELL_USAGE, "before the first"));
    CHECK(sortwell_index_next(index, NULL, NULL, &error) == SORTWELL_OK);
    CHECK(sortwell_index_next(index, NULL, NULL, &error) == SORTWELL_END);
    CHECK(fails(sortwell_index_reverse(index, &error), SORTWELL_USAGE, "before the first"));
    CHECK(sortwell_index_get(index, oslo, 1, &error) == SORTWELL_OK);
    CHECK(sortwell_index_reverse(index, &error) == SORTWELL_OK);
    CHECK(sortwell_index_next(index, NULL, NULL, &error) == SORTWELL_OK);
    CHECK(sortwell_index_place(index, &path, &offset, &bytes, &error) == SORTWELL_OK);
    CHECK(strstr(path, "orders.csv") != NULL && offset == 34 && bytes == 9);
    CHECK(sortwell_index_included(index, 0, &part, &length, &error) == SORTWELL_OK);
    CHECK(length == 1 && memcmp(part, "3", 1) == 0);
    CHECK(fails(sortwell_index_included(index, 1, &part, &length, &error), SORTWELL_USAGE,
                "there is no part 1"));
    CHECK(sortwell_index_range(index, &from, NULL, &error) == SORTWELL_OK);
    CHECK(strcmp(rows(index), "3,Oslo,5\n2,Rome,30\n") == 0);
    CHECK(sortwell_index_prefix(index, &letter, 1, &error) == SORTWELL_OK);
    CHECK(sortwell_index_next(index, NULL, NULL, &error) == SORTWELL_OK);
    CHECK(sortwell_index_next(index, NULL, NULL, &error) == SORTWELL_END);
    CHECK(fails(sortwell_index_place(index, &path, &offset, &bytes, &error), SORTWELL_USAGE,
                "no record was taken"));
    CHECK(fails(sortwell_index_get(index, oslo, 0, &error), SORTWELL_USAGE, "0 values"));
    CHECK(fails(sortwell_index_get(index, NULL, 1, &error), SORTWELL_USAGE, "NULL"));
    CHECK(fails(sortwell_index_range(index, NULL, &to, &error), SORTWELL_USAGE, "NULL"));
    CHECK(fails(sortwell_index_get(NULL, oslo, 1, &error), SORTWELL_USAGE, "the index is NULL"));
    bad.bytes = NULL;
    CHECK(fails(sortwell_index_get(index, &bad, 1, &error), SORTWELL_USAGE, "NULL"));
}

static void fork_once(sortwell_index *index)
{
    sortwell_value value = {"Oslo", 4};
    int status;
    pid_t child = fork();

    if (child == 0) {
        CHECK(fails(sortwell_index_get(index, &value, 1, &error), SORTWELL_USAGE, "after a fork"));
        sortwell_index_free(index);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    sortwell_index *index = NULL, *other;
    sortwell_value rome = {"Rome", 4};
    sortwell *job;

    write_file("orders.csv", "w", "id,city,amount\n1,Oslo,7\n2,Rome,30\n3,Oslo,5\n");
    CHECK(fails(sortwell_index_open("orders.csv", 0, &index, &error), SORTWELL_MALFORMED,
                "no index"));
    CHECK(fails(sortwell_index_open("none", 0, &index, &error), SORTWELL_IO, "none"));
    CHECK(index == NULL);
    build();
    CHECK(sortwell_index_open("orders.index", 0, &index, &error) == SORTWELL_OK);
    search(index);
    fork_once(index);
    other = sortwell_index_share(index);
    CHECK(other != NULL);
    sortwell_index_free(index);
    search(other);
    sortwell_index_free(other);

    write_file("orders.csv", "a", "4,Rome,8\n");
    CHECK(fails(sortwell_index_open("orders.index", 0, &index, &error), SORTWELL_MALFORMED,
                "has grown"));
    CHECK(sortwell_index_open("orders.index", 1, &index, &error) == SORTWELL_OK);
    sortwell_index_free(index);
    job = sortwell_new_index_append();
    CHECK(sortwell_run(job, "orders.index", &error) == SORTWELL_OK);
    sortwell_free(job);
    CHECK(sortwell_index_open("orders.index", 0, &index, &error) == SORTWELL_OK);
    CHECK(sortwell_index_get(index, &rome, 1, &error) == SORTWELL_OK);
    CHECK(strcmp(rows(index), "2,Rome,30\n4,Rome,8\n") == 0);
    sortwell_index_free(index);
    sortwell_index_free(NULL);
    return 0;
}
