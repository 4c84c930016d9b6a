/* The command line as words. measure/options.h parses their meaning. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define CMDLINE_WORDS 256

struct word {
    const char *text; /* points into the line; not NUL-terminated */
    size_t len;
    unsigned index;  /* 1 for the first word that the user wrote */
    unsigned column; /* byte position in the line, from 1 */
};

struct words {
    struct word w[CMDLINE_WORDS];
    unsigned n;
    bool too_many;
};

/* Split at blanks (space, tab). The first word is the kernel's path and is dropped unless the loader's name
 * begins with "GRUB" (QEMU, iPXE and PXELINUX put the path first, GRUB does not). */
void cmdline_split(const char *line, const char *loader, struct words *out);

/* Find key=value in the raw line, before it is parsed: a pointer to the value of the last "key=" that begins
 * a word, or NULL. The value ends at a blank or NUL. For exit= and console=. */
const char *cmdline_raw_find(const char *line, const char *key);
