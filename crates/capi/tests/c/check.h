/* Checks of calls, and the error of the last one. */

#include <sortwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, message());                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static sortwell_error *error;

static const char *message(void)
{
    return sortwell_error_message(error);
}

/* Returns whether a call had this code and these words, and forgets its error. */
static int fails(int code, int expected, const char *words)
{
    int is_so = code == expected && sortwell_error_code(error) == code &&
                strstr(message(), words) != NULL;

    if (is_so) {
        sortwell_error_free(error);
        error = NULL;
    }
    return is_so;
}
