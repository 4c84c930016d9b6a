/* The file of a capture. What arrives is written at once, so that whatever happens later cannot take it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct keep {
    const char *name; /* NULL: nothing is kept */
    int fd;
    bool regular;  /* a file, and no pipe: its sessions can be mended (host/mend.h) */
    off_t written; /* bytes since it was opened */
    int error;     /* errno of the first write that failed, or of opening; 0: none. Nothing is written then */
};

/* name NULL: keeps nothing. "-" is standard output. Empties the file. False: .error says why. */
bool keep_open(struct keep *k, const char *name);
/* A file that was not there, for one boot: of lab.rec lab-2026-11-23-1.rec, by today's date and the first
 * number that is free. Its name goes to `name`, which has to stay. False: .error says why. */
bool keep_open_boot(struct keep *k, const char *pattern, char *name, size_t size);
/* Length of a file's name up to its extension: "results/a.txt" has 9. */
int keep_stem(const char *name);
/* False: it could not be written; .error says why. Once: later calls do nothing. */
bool keep_write(struct keep *k, const char *bytes, size_t n);
bool keep_close(struct keep *k); /* False: .error says why */
