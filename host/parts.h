/* A run's records out of its QR codes (report/frame.h), whose texts come in any order, again and again, and
 * among others.
 *
 * Nothing that comes is trusted: memory is limited, and each part, and the whole, is proved by its checksum.
 */
#pragma once
#include "report/frame.h"

#define PARTS_RUNS  64          /* told apart; those of further ones are counted as dropped */
#define PARTS_BYTES (256 << 20) /* of records, at most */

struct part {
    size_t n; /* 0: it has not come */
    uint8_t *bytes;
};

struct parts_run {
    uint32_t run;
    unsigned count, have;
    struct part *part; /* count of them */
};

struct parts {
    struct parts_run run[PARTS_RUNS];
    unsigned runs;
    unsigned long foreign; /* texts that are not ours */
    unsigned long damaged, dropped;
};

/* The text of one code. */
enum frame_fault parts_add(struct parts *p, const char *text, size_t len);
void parts_free(struct parts *p);

/* "code 3", "codes 3, 7 to 9 and 12 more": which have not come. The text is the function's own. */
const char *parts_missing(const struct parts_run *r);

/* Inflates what comes before the first part that is missing, line by line. The records are the caller's to
 * free; *n is their length. NULL: nothing can be read. *whole: all of it came, and the run's checksum is
 * right. */
char *parts_records(const struct parts_run *r, size_t *n, bool *whole);
