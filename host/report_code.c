#include "host/report_code.h"
#include "host/report_tool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CODE_MAX (1 << 20) /* bytes; no payload is as large */

/* ---- the bytes ---- */

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *d = c ? strchr(digits, c) : NULL;
    return d ? (int)(d - digits) : -1;
}

/* Two digits a byte. Comes to how many bytes fit; less than there are: something is wrong. */
static size_t decode(const char *hex, unsigned char *to, size_t room)
{
    size_t n = 0;
    for (; n < room && digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2)
        to[n++] = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
    return *hex ? 0 : n;
}

/* All of its records together. Samplings of the same payload repeat them. */
static unsigned char *bytes_of(const struct capture *r, const char *bench, const char *variant,
                               struct code *to)
{
    unsigned char *bytes = NULL;
    size_t i, got = 0;
    json_t *o;
    json_array_foreach(run_records(r, "code"), i, o)
    {
        const double size = number_of(o, "size"), first = number_of(o, "first");
        if (strcmp(text_of(o, "bench"), bench) != 0 || strcmp(text_of(o, "variant"), variant) != 0) continue;
        if (!(size > 0 && size <= CODE_MAX && first >= 0 && first < size)) continue;
        if (!bytes) {
            to->size = (size_t)size;
            to->mode = number_of(o, "mode") == 64 ? 64 : number_of(o, "mode") == 32 ? 32 : 0;
            to->base = hex_of(o, "address") - (unsigned long long)first;
            if (!(bytes = calloc(1, to->size))) abort();
        }
        if ((size_t)size != to->size || (size_t)first != got) continue;
        got += decode(text_of(o, "bytes"), bytes + got, to->size - got);
    }
    if (bytes && got == to->size) return bytes;
    to->size = 0;
    to->failure = bytes ? "The capture lacks a part of the code." : "The capture has no code.";
    free(bytes);
    return NULL;
}

/* ---- objdump ---- */

/* "  102240:\t8b 54 24 04 \tmov    0x4(%esp),%edx": the text, blanks squeezed; NULL: no such line. */
static char *parse(char *line, unsigned long long *address)
{
    char *end, *text;
    *address = strtoull(line, &end, 16);
    if (end == line || end[0] != ':' || end[1] != '\t' || !(text = strchr(end + 2, '\t'))) return NULL;
    char *to = ++text;
    for (char *from = text; *from; from++)
        if (*from != ' ' || (to > text && to[-1] != ' ')) *to++ = *from;
    while (to > text && to[-1] == ' ') to--;
    *to = '\0';
    return text;
}

static void split(struct code *c)
{
    char *state = NULL;
    for (char *line = strtok_r(c->listing, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        struct instruction one;
        if (!(one.text = parse(line, &one.address))) continue;
        struct instruction *more = realloc(c->instruction, (c->n + 1) * sizeof *more);
        if (!more) abort();
        c->instruction = more;
        more[c->n++] = one;
    }
}

static void disassemble(struct code *c, const unsigned char *bytes)
{
    char base[40];
    char *const objdump[] = {
        "objdump",         "--disassemble-all",
        "--target=binary", c->mode == 64 ? "--architecture=i386:x86-64" : "--architecture=i386",
        "--insn-width=15", base,
        "/dev/stdin",      NULL};
    FILE *in = tmpfile();
    snprintf(base, sizeof base, "--adjust-vma=0x%llx", c->base);
    if (in) fwrite(bytes, 1, c->size, in);
    c->listing = in ? tool_run(objdump, in) : NULL;
    if (!c->listing)
        c->failure =
            errno == ENOENT ? "objdump is not installed. The package binutils has it." : "objdump failed.";
    else
        split(c);
    if (in) fclose(in);
}

/* ---- public ---- */

void code_of(const struct capture *r, const char *bench, const char *variant, struct code *to)
{
    *to = (struct code){0};
    unsigned char *bytes = bytes_of(r, bench, variant, to);
    if (!bytes) return;
    if (to->mode == 32 || to->mode == 64)
        disassemble(to, bytes);
    else
        to->failure = "The code is for neither 32 nor 64 bits.";
    free(bytes);
}

void code_free(struct code *c)
{
    free(c->instruction);
    free(c->listing);
}

size_t code_at(const struct code *c, unsigned long long address)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->instruction[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n && c->instruction[low].address == address ? low : c->n;
}
