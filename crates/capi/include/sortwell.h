/*
 * sortwell: sorts files and records that may be far larger than memory.
 *
 * This header is the reference of the C library. It can be read from top to bottom.
 *
 * EXAMPLE: sort a CSV file by a column, largest number first.
 *
 *     sortwell_error *error = NULL;
 *     sortwell *job = sortwell_new();
 *     if (sortwell_set(job, "key", "amount:decimal:desc", &error) ||
 *         sortwell_input(job, "orders.csv", &error) ||
 *         sortwell_run(job, "sorted.csv", &error)) {
 *         fprintf(stderr, "%s\n", sortwell_error_message(error));
 *         sortwell_error_free(error);
 *     }
 *     sortwell_free(job);
 *
 * EXAMPLE: push records with keys, and take them back in order.
 *
 *     sortwell_push_keyed(job, "b", 1, "second", 6, &error);
 *     sortwell_push_keyed(job, "a", 1, "first", 5, &error);
 *     sortwell_finish(job, &error);
 *     while (sortwell_next(job, &key, &key_bytes, &record, &bytes, &error) == SORTWELL_OK)
 *         fwrite(record, 1, bytes, stdout);
 *
 * JOBS. A job is one sort, one merge or one check. It works with files, or with records that the
 * program pushes and pulls:
 *
 *     files:    sortwell_new, sortwell_new_merge or sortwell_new_check;
 *               sortwell_set and sortwell_input, as often as needed;
 *               sortwell_run; sortwell_statistics; sortwell_free.
 *     records:  sortwell_new; sortwell_set, sortwell_on_key; sortwell_push or
 *               sortwell_push_keyed, as often as needed; sortwell_finish; sortwell_pull,
 *               sortwell_next or sortwell_deliver until the end; sortwell_statistics;
 *               sortwell_free.
 *     indexes:  sortwell_new_index; sortwell_set and sortwell_input; sortwell_run builds it.
 *               sortwell_index_open; sortwell_index_get, sortwell_index_prefix or
 *               sortwell_index_range; sortwell_index_next until the end; sortwell_index_free.
 *     passes:   sortwell_new; sortwell_spill_to; sortwell_push_keyed; sortwell_finish;
 *               sortwell_run_file. Later, in this process or another: sortwell_new_merge;
 *               sortwell_set(job, "format", "keyed", &error); sortwell_input for each run;
 *               sortwell_finish; sortwell_next.
 *
 * A call out of this order is an error with code SORTWELL_USAGE and changes nothing. After an
 * error of the job itself, all further calls fail: codes 3, 4, 5, 6 and 130, and SORTWELL_USAGE
 * for options that do not suit the input, such as too little memory for its longest record. Then
 * make a new job. sortwell_free may come at any time: it stops the job and removes its temporary
 * files.
 *
 * OPTIONS. They have the names and values of the command 'sortwell sort', 'sortwell merge',
 * 'sortwell check', 'sortwell index build' or 'sortwell index append': sortwell_set(job, "memory",
 * "512MiB", &error) is --memory 512MiB. The manual docs/reference.md describes them. An option
 * that may be repeated, such as key, is set once for each value. A further value of another option
 * replaces the one before. Options that only make sense for a command are errors: help,
 * files0-from, output, progress, quiet, report, stats.
 *
 * MEMORY AND FILES. The default memory of a job of files is 60% of the free memory, as a limit of
 * the whole process. A sort of pushed records has 256 MiB of its own, taken as it needs them.
 * Records that do not fit are written to temporary files (option temp). A small sort starts no
 * thread and makes no file.
 *
 * RESULTS. The sort is stable. Its output is the same to the byte for any memory and number of
 * threads. Before the end is reported, sortwell proves that the output holds every input record,
 * in order. An output file appears whole under its name, or not at all.
 *
 * ERRORS. A function that returns int returns SORTWELL_OK, SORTWELL_END, or the code of an error.
 * The codes are the exit statuses of the command. Every such function takes a place for an error
 * object, which may be NULL. If the call fails, the place gets a new object, which the program
 * frees with sortwell_error_free. Otherwise the place does not change.
 *
 * OWNERSHIP. Arguments are only read during the call. Pointers that a call lends (sortwell_pull,
 * sortwell_next, sortwell_statistics, texts of errors) belong to the library. Each comment says
 * how long they stay valid.
 *
 * THREADS. A job may be used from any thread, but from one at a time. A call during another call
 * on the same job fails with SORTWELL_USAGE. sortwell_stop and sortwell_progress may be called
 * from any thread at any time until sortwell_free. sortwell_stop may also be called in a signal
 * handler. Different jobs do not affect each other. Key and output callbacks run on the thread
 * that makes the call. A comparison callback runs on several threads at the same time.
 *
 * FORK. A process that fork made cannot use the jobs of its parent: calls fail with
 * SORTWELL_USAGE. It may call sortwell_free, which then removes nothing and leaves the memory of
 * the job. A process that vfork made calls no function of this library.
 *
 * SIGNALS AND PANICS. The library installs no signal handler. An output that is a pipe without a
 * reader raises SIGPIPE unless the program ignores it. A fault of the library itself is the code
 * SORTWELL_BUG, and the job then answers only with that error. A message about it may also appear
 * on standard error.
 */

#ifndef SORTWELL_H
#define SORTWELL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header: major * 10000 + minor * 100 + patch. */
#define SORTWELL_VERSION_NUMBER 100
#define SORTWELL_VERSION "0.1.0"

/* Returns the version of the library that runs, as in SORTWELL_VERSION_NUMBER. */
uint32_t sortwell_version(void);

/* A job. */
typedef struct sortwell sortwell;

/* An error: a code, a message, and the place of the fault. */
typedef struct sortwell_error sortwell_error;

/* Codes. */
enum {
    SORTWELL_END = -1,      /* not an error: all records were taken, and the result is proven */
    SORTWELL_OK = 0,        /* done */
    SORTWELL_DISORDER = 1,  /* a check found a record out of order */
    SORTWELL_USAGE = 2,     /* a wrong option, argument or order of calls */
    SORTWELL_MALFORMED = 3, /* the input does not have the format, or a record is too long */
    SORTWELL_IO = 4,        /* reading or writing failed, or there is not enough space */
    SORTWELL_PROOF = 5,     /* a proof or a checksum failed; there is no output file */
    SORTWELL_CALLBACK = 6,  /* a callback returned another value than 0 */
    SORTWELL_BUG = 70,      /* a fault of the library: please report it */
    SORTWELL_STOPPED = 130  /* sortwell_stop was called */
};

/* ---- Making and freeing ------------------------------------------------------------------- */

/*
 * Each makes a job; the program frees it with sortwell_free. They return NULL only after a fault
 * of the library. The functions below report a job that is NULL as an error.
 */
sortwell *sortwell_new(void);       /* a sort */
sortwell *sortwell_new_merge(void); /* a merge of files that are sorted */
sortwell *sortwell_new_check(void); /* a check whether files are sorted */
sortwell *sortwell_new_index(void); /* the build of an index over files; the output is the index */
sortwell *sortwell_new_index_append(void); /* an append to an index; the output is the index */

/*
 * Stops the job if it has not ended, removes its temporary files, and frees it. NULL does nothing.
 * Pointers that the job lent are invalid afterwards. While another thread is in a call on the job,
 * or in a callback of the job, it only stops the job, and its memory stays.
 */
void sortwell_free(sortwell *job);

/* ---- Options and files -------------------------------------------------------------------- */

/*
 * Sets an option. The name has no dashes. A flag, such as unique, takes NULL, "" or "true". The
 * call checks the name and the value. A value that depends on other options, such as a key on the
 * format, is checked by sortwell_run or the first push. What depends on the records, such as the
 * name of a column or too little memory, is checked when they are known.
 */
int sortwell_set(sortwell *job, const char *name, const char *value, sortwell_error **error);

/* Adds a file to read. Of records with equal keys, those of files that were added first come first. */
int sortwell_input(sortwell *job, const char *path, sortwell_error **error);

/*
 * Runs a job of files; returns when the output is in place. The output is NULL for a check, and
 * for a sort with the option in-place. A check returns SORTWELL_DISORDER for a file that is not
 * sorted; the error has the file, offset and number of the first record out of order.
 */
int sortwell_run(sortwell *job, const char *output, sortwell_error **error);

/* ---- Pushing records ---------------------------------------------------------------------- */

/*
 * Adds whole records in the format of the job (option format; lines without it): one record or
 * many. Lines end with a line feed. Without a key callback, a record may also be pushed in parts:
 * the bytes of the next call on the job continue it. With a key callback, the bytes are one record
 * of any form.
 */
int sortwell_push(sortwell *job, const void *records, size_t bytes, sortwell_error **error);

/*
 * Adds a record with its key. Records are ordered by the bytes of their keys, compared as unsigned
 * numbers as memcmp does, and a key comes before longer keys that begin with it. The payload does
 * not take part in the order. Either may be NULL with 0 bytes. Both together have at most 4 GiB - 5
 * bytes. The format of the job is 'keyed', and need not be set. A record that sortwell_push has
 * begun must be complete before.
 */
int sortwell_push_keyed(sortwell *job, const void *key, size_t key_bytes, const void *payload,
                        size_t payload_bytes, sortwell_error **error);

/*
 * A key callback. It points *key to the key of the record, *key_bytes bytes that stay valid until
 * it is called again, and returns 0. The key may be a part of the record. Another value ends the
 * job: the push returns SORTWELL_CALLBACK, and the message has the value.
 *
 * A callback must return. It must not call longjmp, throw an exception, or make a call on the same
 * job other than sortwell_stop and sortwell_progress.
 */
typedef int (*sortwell_key_fn)(void *context, const void *record, size_t bytes, const void **key,
                               size_t *key_bytes);

/*
 * Sets the callback that makes keys of the records that sortwell_push adds. It is called once for
 * each record, in sortwell_push, on the thread that pushes. The context is passed to it. It comes
 * before the first push. NULL removes it.
 */
int sortwell_on_key(sortwell *job, sortwell_key_fn callback, void *context,
                    sortwell_error **error);

/*
 * A comparison callback. It returns a number less than 0, 0, or greater than 0, as the first record
 * comes before the second, is equal to it, or comes after it. It is given the keys of keyed
 * records, and otherwise whole records, lines without their line feed.
 *
 * The threads of the job call it at the same time, in no certain order, and any number of times for
 * the same records. So it must not change what context points to, unless that is safe for threads.
 * It must not depend on when it is called. If it is no total order, the records come out in no
 * certain order, or the job fails. The other rules for key callbacks apply.
 */
typedef int (*sortwell_compare_fn)(void *context, const void *one, size_t one_bytes,
                                   const void *other, size_t other_bytes);

/*
 * Sets the callback that orders the records, in place of the option key. It comes before the first
 * push. This is slow: use it only for an order that no bytes of a key express. A key callback, or
 * the option key, is several times faster. NULL removes it.
 */
int sortwell_on_compare(sortwell *job, sortwell_compare_fn callback, void *context,
                        sortwell_error **error);

/*
 * Lets the job write sorted runs into the directory, and not merge them. It comes before the first
 * push. Records are pushed with keys: sortwell_push_keyed, or sortwell_push with a key callback. A
 * run is as long as memory allows. Runs are files of keyed records, complete and durable, that
 * belong to the program: neither sortwell_free nor an error removes finished ones. There are no
 * statistics. Options such as unique and limit apply to each run.
 */
int sortwell_spill_to(sortwell *job, const char *directory, sortwell_error **error);

/*
 * Returns the file of a run, by its number from 0; NULL after the last one, and before
 * sortwell_finish has returned. Of equal records, those of earlier runs were pushed first, so the
 * runs are merged in this order. Valid until sortwell_free.
 */
const char *sortwell_run_file(sortwell *job, size_t number);

/*
 * A merge job may be pulled instead of run: sortwell_finish begins it after its inputs were added.
 * It then has 256 MiB of its own, and its inputs may have any format.
 */

/* Ends the input. A sort that has written nothing to temporary files is done when this returns. */
int sortwell_finish(sortwell *job, sortwell_error **error);

/* ---- Taking records ----------------------------------------------------------------------- */

/*
 * The records of a job are taken in blocks by sortwell_pull, or one by one by sortwell_next and
 * sortwell_deliver, but not both: a change from one to the other is SORTWELL_USAGE.
 */

/*
 * Lends the next block of sorted records in the format of the job. A record may lie in two blocks
 * or more. The block stays valid until the next call on the job. Returns SORTWELL_END after the
 * last one: only then is the result proven.
 */
int sortwell_pull(sortwell *job, const void **block, size_t *bytes, sortwell_error **error);

/*
 * Lends the next sorted record. Keyed records have a key and a payload. Of other formats, the
 * record is whole, with its line feed, and its key has 0 bytes; the header of a CSV file is the
 * first record, and header lines are one each. With the options select and count, a record has the
 * selected parts and the count. The key and the record stay valid until the next call on the job.
 * key and key_bytes may be NULL. Returns SORTWELL_END after the last one: only then is the result
 * proven.
 */
int sortwell_next(sortwell *job, const void **key, size_t *key_bytes, const void **record,
                  size_t *bytes, sortwell_error **error);

/*
 * An output callback. It takes a sorted record as sortwell_next lends it, valid until it returns,
 * and returns 0. Another value ends the job: sortwell_deliver returns SORTWELL_CALLBACK, and the
 * message has the value. The rules for key callbacks apply.
 */
typedef int (*sortwell_output_fn)(void *context, const void *key, size_t key_bytes,
                                  const void *record, size_t bytes);

/* Sets the callback that takes sorted records. The context is passed to it. NULL removes it. */
int sortwell_on_output(sortwell *job, sortwell_output_fn callback, void *context,
                       sortwell_error **error);

/*
 * Passes all sorted records to the output callback, in order, on the thread that calls this.
 * Returns SORTWELL_OK after the last one, once the result is proven.
 */
int sortwell_deliver(sortwell *job, sortwell_error **error);

/* ---- While a job runs, and after it ------------------------------------------------------- */

/*
 * Asks the job to stop. The call that is running, or the next one, returns SORTWELL_STOPPED within
 * about a second, and no temporary file remains. Any thread and any signal handler may call this.
 */
int sortwell_stop(sortwell *job);

/*
 * Returns the share of the work that is done, from 0 to 1, or -1 if it is not known: while an index
 * is built, and while records are pushed that do not fit in memory. After the job it is 1.
 */
double sortwell_progress(const sortwell *job);

/*
 * Returns the statistics as one line of JSON, as --stats json prints them; NULL before the job has
 * ended. The text stays valid until the next call on the job.
 */
const char *sortwell_statistics(sortwell *job);

/* ---- Indexes ------------------------------------------------------------------------------ */

/*
 * An open index over files of records. One search at a time is under way in it. An index may be
 * used from any thread, but from one at a time; sortwell_index_share makes one for another thread.
 */
typedef struct sortwell_index sortwell_index;

/*
 * The value of a key: text as it stands in the data. Keys of binary records take numbers, text, or
 * bytes as hexadecimal digits after 0x.
 */
typedef struct sortwell_value {
    const void *bytes;
    size_t length;
} sortwell_value;

/* An end of a range: values of the first keys, of all keys or of fewer. */
typedef struct sortwell_bound {
    const sortwell_value *values;
    size_t count;
    int excluded; /* not 0: records that have these values do not belong to the range */
} sortwell_bound;

/*
 * Opens an index and its data files, which must not have changed since they were indexed, and must
 * not change while it is open: sortwell_index_next notices a change after 10 milliseconds. With
 * stale_ok, they may have; then other bytes may be found in the place of a record. The program
 * frees the index with sortwell_index_free.
 */
int sortwell_index_open(const char *path, int stale_ok, sortwell_index **index,
                        sortwell_error **error);

/* Returns another handle of the same open index, for another thread; NULL after a fault. */
sortwell_index *sortwell_index_share(sortwell_index *index);

/* Returns the number of entries; 0 for NULL. */
uint64_t sortwell_index_entries(const sortwell_index *index);

/*
 * Each begins a search, in place of the one before: for the records that have these values of the
 * first keys; for those whose last of these keys begins with its value; and for those between two
 * ends, either of which may be NULL. The beginning comes before the end in the order of the index:
 * for a descending key, it is the greater value. After an error, the search before it continues.
 */
int sortwell_index_get(sortwell_index *index, const sortwell_value *values, size_t count,
                       sortwell_error **error);
int sortwell_index_prefix(sortwell_index *index, const sortwell_value *values, size_t count,
                          sortwell_error **error);
int sortwell_index_range(sortwell_index *index, const sortwell_bound *from,
                         const sortwell_bound *to, sortwell_error **error);

/*
 * Turns the search around: it finds the last record first. It comes before the first call of
 * sortwell_index_next, and is a usage error later, also after the last record.
 */
int sortwell_index_reverse(sortwell_index *index, sortwell_error **error);

/*
 * Goes to the next entry of the search, and lends its record with what ends it. The record stays
 * valid until the next call on the index. If record is NULL, the data is not read. Returns
 * SORTWELL_END after the last one.
 */
int sortwell_index_next(sortwell_index *index, const void **record, size_t *bytes,
                        sortwell_error **error);

/*
 * Returns the place of the record that was returned last: file, offset and length in bytes. The
 * path stays valid until the next call on the index.
 */
int sortwell_index_place(sortwell_index *index, const char **path, uint64_t *offset,
                         uint64_t *bytes, sortwell_error **error);

/*
 * Lends a part of this record that the index includes, by its number from 0, as the option include
 * of the build named it. It stays valid until the next call on the index.
 */
int sortwell_index_included(sortwell_index *index, size_t number, const void **part, size_t *bytes,
                            sortwell_error **error);

/* Frees an index. NULL does nothing. Pointers that it lent are invalid afterwards. */
void sortwell_index_free(sortwell_index *index);

/* ---- Errors ------------------------------------------------------------------------------- */

/* Returns the code, as the call returned it; 0 for NULL. */
int sortwell_error_code(const sortwell_error *error);

/*
 * Returns the message, one line without a line feed; "" for NULL. Control characters in names and
 * values are written as escapes, such as \n. Valid until the error is freed.
 */
const char *sortwell_error_message(const sortwell_error *error);

/* Returns the file at fault, or NULL. Valid until the error is freed. */
const char *sortwell_error_file(const sortwell_error *error);

/*
 * Returns the byte offset in the file or in the pushed records, or -1 if it is not known. Each
 * record with a key counts as 8 bytes, its key and its payload.
 */
int64_t sortwell_error_offset(const sortwell_error *error);

/* Returns the number of the record in the file or among those pushed, from 1; -1 if not known. */
int64_t sortwell_error_record(const sortwell_error *error);

/* Frees an error. NULL does nothing. */
void sortwell_error_free(sortwell_error *error);

#ifdef __cplusplus
}
#endif

#endif /* SORTWELL_H */
