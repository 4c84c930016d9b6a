/* Code of the user's own, in records. */
#include "bench/payload.h"
#include "kernel/module.h"
#include "report/emit.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

void emit_user(struct record *r, const struct bench_image *image)
{
    char text[2 * sizeof module_program(image->of)->build_id + 1];
    if (!image->at) return;
    const struct module_program *p = module_program(image->of);
    for (unsigned i = 0; i < sizeof p->build_id; i++)
        snprintf(text + 2 * (size_t)i, 3, "%02x", p->build_id[i]);
    PUT(r, user, module, module_program_name(image->of));
    PUT(r, user, build_id, text);
    PUT(r, user, base, (uintptr_t)image->at);
}

#define PIECE 512 /* bytes of text in a record */

/* As much of text[0..n) as a record takes, up to the end of a line if one is in it. */
static unsigned piece_of(const char *text, unsigned n)
{
    if (n <= PIECE) return n;
    for (unsigned end = PIECE; end > 0; end--)
        if (text[end - 1] == '\n') return end;
    return PIECE;
}

static void printable(char *to, const char *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = from[i] == '\n' || (from[i] >= ' ' && from[i] <= '~') ? from[i] : '?';
    to[n] = '\0';
}

void emit_printed(const struct run *run, unsigned ring)
{
    const struct module_output *left = payload_output(&run->bench);
    const uint32_t all = left ? left->bytes : 0, kept = all < MODULE_OUTPUT_BYTES ? all : MODULE_OUTPUT_BYTES;
    char text[PIECE + 1];
    for (uint32_t first = 0, n; first < kept; first += n) {
        struct record *r = NEW(printed);
        n = piece_of(left->text + first, kept - first);
        printable(text, left->text + first, n);
        emit_identity(r, run, ring);
        PUT(r, printed, first, first);
        PUT(r, printed, text, text);
        if (first + n == kept && kept < all) PUT(r, printed, cut, all - kept);
        record_emit(r);
    }
}
