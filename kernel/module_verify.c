#include "kernel/module_verify.h"
#include "kernel/crc32.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool module_refuse(char *why, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, cap, format, args);
    va_end(args);
    return false;
}

#define refuse module_refuse

/* ---- the kinds ---- */

static bool check_snippet(const struct module_header *h, uint32_t i, char *why, size_t cap);

/* A row begins with its name. */
static const struct kind {
    const char *row;                                                    /* what a row of the table is */
    uint32_t row_bytes, head_bytes;                                     /* head: behind the header */
    bool (*head)(const struct module_header *h, char *why, size_t cap); /* NULL: there is none */
    bool (*check)(const struct module_header *h, uint32_t i, char *why, size_t cap);
} kinds[MODULE_KINDS] = {
    [MODULE_SNIPPETS] = {"snippet", sizeof(struct module_snippet), 0, NULL, check_snippet},
    [MODULE_PROGRAM] = {"benchmark", sizeof(struct module_benchmark), sizeof(struct module_program),
                        module_check_program, module_check_benchmark},
    [MODULE_DESCRIPTORS] = {"benchmark", sizeof(struct module_benchmark), sizeof(struct module_descriptors),
                            module_check_descriptors, module_check_descriptor},
};

static const struct kind *kind_of(const struct module_header *h) { return &kinds[h->kind]; }
const char *module_row(const struct module_header *h) { return kind_of(h)->row; }

const void *module_row_at(const struct module_header *h, uint32_t i)
{
    return (const uint8_t *)h + h->table + i * kind_of(h)->row_bytes;
}

static uint32_t name_at(const struct module_header *h, uint32_t i)
{
    return *(const uint32_t *)module_row_at(h, i);
}

const char *module_row_name(const struct module_header *h, uint32_t i)
{
    return (const char *)h + name_at(h, i);
}

/* ---- the header ---- */

static bool check_header(const struct module_header *h, size_t size, char *why, size_t cap)
{
    static const uint32_t summed = offsetof(struct module_header, crc) + sizeof h->crc;
    if (size < sizeof h->magic || memcmp((const void *)h, MODULE_MAGIC, sizeof h->magic) != 0)
        return refuse(why, cap, "it is no module: it does not begin with " MODULE_MAGIC);
    if ((uintptr_t)h % 4 != 0)
        return refuse(why, cap, "the loader has put it at an address that is no multiple of 4");
    if (size < sizeof *h)
        return refuse(why, cap, "it is truncated: %u of the %u bytes of its header are there", (unsigned)size,
                      (unsigned)sizeof *h);
    if (h->version != MODULE_VERSION)
        return refuse(why, cap, "its format is version %u, but this kernel reads version %u",
                      (unsigned)h->version, MODULE_VERSION);
    if (h->bytes > size)
        return refuse(why, cap, "it is truncated: %u of its %u bytes are there", (unsigned)size,
                      (unsigned)h->bytes);
    if (h->bytes < sizeof *h || crc32(0, (const uint8_t *)h + summed, h->bytes - summed) != h->crc)
        return refuse(why, cap, "it is damaged: its CRC is wrong");
    if (h->kind == 0 || h->kind >= MODULE_KINDS)
        return refuse(why, cap,
                      "it is of kind %u, but this kernel knows kinds %u (snippets), %u (a program) and %u "
                      "(benchmarks)",
                      (unsigned)h->kind, MODULE_SNIPPETS, MODULE_PROGRAM, MODULE_DESCRIPTORS);
    if (h->bits != MODULE_BITS)
        return refuse(why, cap, "its code is for %u bits, but this kernel executes %u", (unsigned)h->bits,
                      MODULE_BITS);
    if (h->count == 0) return refuse(why, cap, "there is no %s in it", module_row(h));
    if (h->table % 4 != 0 || h->table < sizeof *h || h->table > h->bytes ||
        h->count > (h->bytes - h->table) / kind_of(h)->row_bytes)
        return refuse(why, cap, "its table of %u %ss is not inside of it", (unsigned)h->count, module_row(h));
    if (h->bytes - sizeof *h < kind_of(h)->head_bytes)
        return refuse(why, cap, "what describes its %s is not inside of it", module_row(h));
    return true;
}

bool module_check_string(const struct module_header *h, uint32_t at, const char *what, uint32_t i, char *why,
                         size_t cap)
{
    const char *name = (const char *)h + at;
    uint32_t n = 0;
    if (at < sizeof *h || at >= h->bytes)
        return refuse(why, cap, "the name of its %s %u is not inside of it", what, (unsigned)i);
    while (n < h->bytes - at && name[n] >= ' ' && name[n] <= '~') n++;
    if (n == h->bytes - at) return refuse(why, cap, "the name of its %s %u has no end", what, (unsigned)i);
    if (name[n] != '\0')
        return refuse(why, cap, "the name of its %s %u is not printable ASCII", what, (unsigned)i);
    if (n == 0 || n >= MODULE_NAME_BYTES)
        return refuse(why, cap, "the name of its %s %u has %u bytes; 1 to %u are valid", what, (unsigned)i,
                      (unsigned)n, MODULE_NAME_BYTES - 1);
    return true;
}

static bool check_name(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    return module_check_string(h, name_at(h, i), module_row(h), i, why, cap);
}

bool module_inside(const struct module_header *h, struct module_code c)
{
    return c.at >= sizeof *h && c.at <= h->bytes && c.bytes <= h->bytes - c.at;
}

/* ---- snippets ---- */

static bool check_snippet(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const struct module_snippet *s = module_row_at(h, i);
    for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
        const struct module_code *c = &s->part[p];
        if (c->bytes == 0 && c->at == 0) continue;
        if (c->bytes == 0 || !module_inside(h, *c))
            return refuse(why, cap, "code of its snippet %s is not inside of it", module_row_name(h, i));
    }
    return true;
}

/* ---- public ---- */

bool module_verify(const void *file, size_t size, char *why, size_t cap)
{
    const struct module_header *h = file;
    if (!file) return refuse(why, cap, "its memory cannot be read");
    if (!check_header(h, size, why, cap)) return false;
    if (kind_of(h)->head && !kind_of(h)->head(h, why, cap)) return false;
    for (uint32_t i = 0; i < h->count; i++)
        if (!check_name(h, i, why, cap) || !kind_of(h)->check(h, i, why, cap)) return false;
    return true;
}
