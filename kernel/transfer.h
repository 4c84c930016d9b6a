/* A file over a serial line, in numbered lines that are acknowledged one by one (docs/monitor.md, load).
 *
 *     N BASE64 CRC    up to TRANSFER_BYTES of the file, which come behind those of line N - 1; N: 0, 1, ...
 *     N end CRC       the file is complete: N lines
 *
 * BASE64 is RFC 4648's, padded; CRC the CRC-32 (IEEE 802.3) of all in front of the second blank, 8
 * hexadecimal digits. The sender waits for the answer to each line, so that a UART without handshake loses
 * nothing while a line is decoded. This is the receiver, which touches no device, and the sender's way to
 * write a line. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSFER_BYTES  768u /* of the file in a line; 1,024 characters of base64 */
#define TRANSFER_DIGITS 9    /* of N at most */
#define TRANSFER_LINE_MAX \
    (TRANSFER_DIGITS + 1 + TRANSFER_BYTES / 3 * 4 + 1 + 8) /* characters, without the line's end */

enum transfer_step {
    TRANSFER_MORE,  /* nothing to answer yet */
    TRANSFER_OK,    /* line t->answered is here, now or since before */
    TRANSFER_AGAIN, /* a line is damaged, or another one was due: t->due */
    TRANSFER_END,   /* the file is complete */
    TRANSFER_LEFT,  /* Ctrl-C */
    TRANSFER_FULL   /* the file is larger than the room */
};

struct transfer {
    uint8_t *to; /* the file */
    size_t room, bytes;
    uint32_t due, answered;
    unsigned n; /* characters of the line that comes */
    bool damaged;
    int last; /* key */
    char line[TRANSFER_LINE_MAX];
};

/* An empty file. */
void transfer_begin(struct transfer *t, void *to, size_t room);

/* A byte that came; what is no byte (kernel/uart.h: UART_DAMAGED) damages the line. Ctrl-C leaves at a line's
 * beginning, or when it comes twice: a bit that the line flips does not. After END, LEFT and FULL it is over.
 */
enum transfer_step transfer_key(struct transfer *t, int key);

/* Nothing has come for a while: of a line that stopped in its middle, the end was lost. */
enum transfer_step transfer_silence(struct transfer *t);

/* The line of these bytes, up to TRANSFER_BYTES; none: the last one. With a CR, terminated. Returns its
 * length. */
#define TRANSFER_LINE_BYTES (TRANSFER_LINE_MAX + 2)
unsigned transfer_line(char out[TRANSFER_LINE_BYTES], uint32_t number, const uint8_t *bytes, unsigned n);
