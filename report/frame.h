/* What is written in one QR code: a part of a run's stream, and what tells it from all other parts.
 *
 *   AQ1 rrrrrrrr nnnn mmmm cccccccc base45        without the blanks; the digits are hexadecimal, 0-9 and A-F
 *
 * rrrrrrrr  the run: CRC-32 of the whole stream, which is therefore proved at the end as well
 * nnnn mmmm number of the part, from 1, and how many there are
 * cccccccc  CRC-32 of all that stands before it, and of the part's bytes
 *
 * The stream is the records, each with a line end, deflated in zlib's format (RFC 1950). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAGIC  "AQ1"
#define FRAME_HEADER 27u /* characters before the base45 */

/* A version 20 code has 97 x 97 modules: with a margin of 4 they are 4 dots wide on a screen of 480 lines,
 * three lines of text included. With error correction of level M, which mends 15 % of it, it holds 970
 * characters (ISO/IEC 18004, table 7). */
#define FRAME_VERSION    20
#define FRAME_CHARACTERS 970u
#define FRAME_BYTES      ((FRAME_CHARACTERS - FRAME_HEADER) / 3 * 2) /* 628 of the stream */
#define FRAME_TEXT       (FRAME_CHARACTERS + 1)                      /* terminated */
#define FRAMES_MAX       0xffffu

struct frame {
    uint32_t run;
    unsigned number, count; /* number: from 1 */
    size_t n;
    uint8_t bytes[FRAME_BYTES];
};

/* Into FRAME_TEXT characters. */
void frame_write(const struct frame *f, char *text);

enum frame_fault {
    FRAME_GOOD,
    FRAME_FOREIGN, /* not a part of ours */
    FRAME_DAMAGED, /* it begins like one, and its checksum is wrong, or its numbers are impossible */
};
enum frame_fault frame_read(struct frame *f, const char *text, size_t len);
