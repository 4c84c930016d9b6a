/* Where a capture comes from: a serial device, a console server's TCP port, a file, a pipe or standard input.
 */
#pragma once
#include "host/serial_lock.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

enum source_kind { SOURCE_FILE, SOURCE_SERIAL, SOURCE_TCP };

struct source_wanted {
    const char *name; /* DEVICE, FILE, HOST:PORT, [ADDRESS]:PORT or "-" */
    unsigned long baud;
    const char *lock_dir;
};

struct source {
    const char *name; /* as users wrote it; "standard input" for "-" */
    enum source_kind kind;
    int fd; /* -1: not open */
    struct serial_lock lock;
    struct termios found; /* how the device was; put back by source_close() */
    bool changed;         /* `found` is valid */
};

#define SOURCE_BAUD 115200

/* Is this one of the rates that termios names, "115200" or "115200n8"? For messages: source_rates(). */
bool source_rate(const char *text, unsigned long *baud);
const char *source_rates(void);

/* Comes to STATUS_GOOD, or to another status with the reason in `why`. `note` gets a sentence where
 * something is not as it should be and the source can be read all the same; else it is empty. */
int source_open(struct source *s, const struct source_wanted *w, char *why, char *note, size_t size);
void source_close(struct source *s);

/* Can something be sent to the other side? */
static inline bool source_can_ask(const struct source *s) { return s->fd >= 0 && s->kind != SOURCE_FILE; }
/* False: it could not be sent within two seconds. */
bool source_send(const struct source *s, const char *line, size_t len);
