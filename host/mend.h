/* Puts records that came late at their places in the file of a capture. */
#pragma once
#include "host/keep.h"
#include "host/records.h"

/* Lines of records, in the order of their numbers, each once. */
struct late {
    struct late_line {
        long long n;
        char *bytes; /* without its end */
        size_t len;
    } * line;
    size_t n, room;
};

/* Keeps a copy. False: there is no memory. */
bool late_add(struct late *l, const struct received *r);
void late_free(struct late *l);

/* Writes the file again: as it is up to `from`; then the session that lies from there to `to`, with the late
 * records at their places and without the lines that are damaged. What follows `to`, the answers, goes. The
 * new file takes the old one's place when it is complete: until then nothing is changed.
 *
 * False: that was not possible, errno says why; the file is as it was. */
bool mend(struct keep *k, off_t from, off_t to, const struct late *late);
