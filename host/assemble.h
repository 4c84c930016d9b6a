/* Text to machine code, by GNU as.
 *
 * Each part of a snippet becomes bytes that run wherever they are copied to, so what a linker would have to
 * fill in is refused. Snippets do not see each other: those with labels, directives or comments are assembled
 * by themselves; all others in one go, which is what makes thousands quick.
 */
#pragma once
#include "host/snippets.h"

#define ASSEMBLE_FAULTS 20 /* those that are said; the others are counted */

struct assembling {
    unsigned bits; /* 32 or 64 */
    bool att;      /* AT&T's syntax, else Intel's */
    /* What is wrong, in a line: "list.txt, line 3: no such instruction: `foo rax': foo rax". Also as's
     * warnings, which change nothing. */
    void (*say)(void *ctx, const char *what);
    void *ctx;
    size_t faults; /* 0 before; how many errors there were */
};

/* Fills in the code of all snippets. To a status: STATUS_USAGE where one does not assemble (what and where
 * has been said), STATUS_IMPOSSIBLE without an assembler. */
int assemble(struct snippets *s, struct assembling *how);
