/* Reads captures: the mixture of records and text that the kernel sends, byte by byte as it comes or from a
 * file.
 *
 * A record begins where {"n": begins and its CRC holds, wherever in a line that is (host/records_find.h):
 * what terminals put before it, such as time stamps, is text, and so is what stands after it. NULs are passed
 * over, so UTF-16 is read as well. A CR is no part of a record, nor is an escape sequence. In a file, a
 * record that a terminal broke into several lines is joined, even if each begins with a time stamp.
 *
 * The number of a record and its place in the session are checked here; fields.h judges what it holds. A
 * record that is damaged, out of order or too long is a fault, and the reader goes on with the next. A "boot"
 * record with number 0 begins another session.
 *
 * Where the kernel left records out of its QR codes, the record "reduced" says how many; a session that lacks
 * exactly as many, and has no other fault, is whole.
 *
 * A record that came before comes again where a user asked the kernel's prompt for it: that is no fault, and
 * it is not passed on a second time. One that was missing, or damaged, and comes late is passed on. One of a
 * number that came before with other bytes is a fault, and so is one that came too long ago to be compared
 * (host/repeats.h).
 *
 * Memory does not grow with the capture: one line is held, and one or two records, the gaps in the numbers,
 * and the CRCs of the last records.
 */
#pragma once
#include "host/repeats.h"
#include "report/record.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What is known of a session: from its first record to its "end", or to where the capture stops. */
struct session_seen {
    unsigned long number;    /* of the session in this capture: 1.. */
    unsigned long line;      /* of its first record: 1.. */
    long long next;          /* number of the record that is due */
    unsigned long received;  /* good records, each once */
    unsigned long repeated;  /* records that came again */
    bool ended;              /* "end" came; then: */
    long long status, total; /* what it says */
    long long left_out;      /* of its QR codes, on purpose; 0: nothing was */
};

/* A good record. */
struct received {
    const char *bytes; /* as it came, from '{' to '}'; not terminated */
    size_t len;
    json_t *object; /* the reader's: json_incref() keeps it */
    const char *type;
    long long n;
    uint32_t crc;
    bool late; /* later ones came before: it was missing or damaged */
};

enum damage {
    DAMAGE_CUT,       /* no CRC at its end */
    DAMAGE_CRC,       /* the CRC is another one */
    DAMAGE_LONG,      /* more than RECORD_MAX_BYTES */
    DAMAGE_ASCII,     /* a byte that is not ASCII */
    DAMAGE_JSON,      /* not JSON, or without number or type */
    DAMAGE_MISSING,   /* records from .first to .last did not come */
    DAMAGE_ORDER,     /* a number that came before, with other bytes */
    DAMAGE_COUNT,     /* "end" counts other records */
    DAMAGE_AFTER_END, /* a record after "end" that begins no session */
    DAMAGE_NO_END,    /* the session stops without "end" */
    DAMAGE_NOTHING,   /* no record at all */
};

struct fault {
    enum damage damage;
    unsigned long line;    /* 1..; 0: of no line, but of the whole */
    long long first, last; /* the records that it is about */
    char what[256];        /* for people: "record 7: its CRC says ..."; damaged bytes are escaped */
};

#define FAULT_TEXT_BYTES 320
/* "line 9: record 7: its CRC says ...", into a buffer of FAULT_TEXT_BYTES. Comes to the buffer. */
const char *fault_text(const struct fault *f, char *to);

/* Who wants to know; each may be NULL. */
struct records_sink {
    void (*record)(void *ctx, const struct received *r);
    void (*text)(void *ctx, const char *line, size_t len); /* for people: a line without its end, or what
                                                              stands before or after a record */
    void (*fault)(void *ctx, const struct fault *f);
    void (*session)(void *ctx, const struct session_seen *s); /* it is over, with "end" or without */
    void *ctx;
    bool live; /* a serial line: a gap is a fault at once, since nothing was left out on purpose, and so is a
                  record that its line cuts */
    bool stretch; /* of a session: it begins with whatever record comes first, and needs no "end" */
};

struct records_gap {
    unsigned long line;
    long long first, last;
};

struct records {
    const struct records_sink *sink;
    struct session_seen session;
    struct repeats came; /* of this session */
    char first_crc[8];   /* of its record 0; a NUL: none, or one without a date, which every boot of a machine
                            could have */
    unsigned long line;
    char *held; /* of a line whose end has not come */
    size_t n_held, room;
    bool too_long;           /* the rest of this line is passed over */
    bool in_line;            /* parts of this line were taken: it is counted */
    unsigned char begins[6]; /* the first bytes */
    unsigned n_begins;
    uint32_t stamp;                  /* what the text before the last record looked like */
    char open[2 * RECORD_MAX_BYTES]; /* a record up to where a CR or a line's end broke it, and the lines that
                                        may be the rest, each with its '\\r' or '\\n' */
    size_t n_open;
    unsigned long open_line; /* where it begins */
    size_t open_indent;      /* bytes before it in that line */
    uint32_t open_stamp;     /* what they look like */
    unsigned long last_line; /* of the last good record */
    struct records_gap *gap; /* of this session, as long as it has no other fault */
    size_t n_gaps, gap_room;
    bool faulty;                 /* this session has a fault other than gaps, or its gaps have been told */
    long long missing, left_out; /* records in gaps; those that "reduced" says were left out */
};

void records_begin(struct records *r, const struct records_sink *sink);
/* False: there is no memory. */
bool records_feed(struct records *r, const char *bytes, size_t n);
/* The capture is over: what it still lacks is a fault. The reader can begin again. */
void records_finish(struct records *r);

/* A boot record, from '{' to '}': is it this session's own, sent again? Boots of one second are not told
 * apart.
 */
bool records_boots_again(const struct records *r, const char *line, size_t len);

/* A whole file. False: it could not be read; errno says why. */
bool records_read(FILE *in, const struct records_sink *sink);
