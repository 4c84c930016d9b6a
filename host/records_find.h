/* Finds records in a line as people's terminals save it: after a time stamp, indented, coloured, two in one
 * line. A record begins where {"n":NUMBER,"t":" begins and ends where its CRC holds. What stands before and
 * after it is text.
 *
 * A record that is damaged is told from text by its beginning, or by the CRC at its end. A line that begins
 * with '{' is always a record. The time is linear in the length of the line. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ,"crc":"xxxxxxxx"} */
enum { RECORD_TAIL = 18, RECORD_TAIL_KEY = 8 };

enum piece_kind {
    PIECE_NONE,    /* the line is over */
    PIECE_TEXT,    /* of no record; may be blank */
    PIECE_RECORD,  /* its CRC holds */
    PIECE_DAMAGED, /* a record, or what is left of it */
    PIECE_OPEN, /* a record up to the line's end, without its own end: cut, or continued in the next line */
};

struct piece {
    enum piece_kind kind;
    const char *bytes;
    size_t len;
    uint32_t crc; /* of a PIECE_RECORD */
};

/* The first piece of what is left of a line without its end. begins: nothing was taken from it before. */
struct piece piece_first(const char *line, size_t len, bool begins);

/* Blanks, escape sequences of a terminal, byte order marks, and nothing else. */
bool piece_is_blank(const char *text, size_t len);
/* A record may end in these bytes: the first end of one, or NULL. */
const char *piece_tail(const char *from, const char *end);
/* May this line be the middle of a record? It has neither the beginning of one nor an end. */
bool piece_continues(const char *line, size_t len);
/* How many records a line has whose CRC holds. */
unsigned piece_records(const char *line, size_t len);
/* Copies all but escape sequences, byte order marks and controls, of which records have none; to may be from.
 * Returns the copy's length. */
size_t piece_clean(char *to, const char *from, size_t len);
/* The first piece of a line, with or without its end, that is a record: good, damaged or open. PIECE_NONE if
 * it has none. */
struct piece piece_record(const char *line, size_t len);
