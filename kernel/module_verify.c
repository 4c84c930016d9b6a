#include "kernel/module_verify.h"
#include "bench/region.h"
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
static bool check_program(const struct module_header *h, char *why, size_t cap);
static bool check_benchmark(const struct module_header *h, uint32_t i, char *why, size_t cap);

/* A row begins with its name. */
static const struct kind {
    const char *row;                                                    /* what a row of the table is */
    uint32_t row_bytes, head_bytes;                                     /* head: behind the header */
    bool (*head)(const struct module_header *h, char *why, size_t cap); /* NULL: there is none */
    bool (*check)(const struct module_header *h, uint32_t i, char *why, size_t cap);
} kinds[MODULE_KINDS] = {
    [MODULE_SNIPPETS] = {"snippet", sizeof(struct module_snippet), 0, NULL, check_snippet},
    [MODULE_PROGRAM] = {"benchmark", sizeof(struct module_benchmark), sizeof(struct module_program),
                        check_program, check_benchmark},
};

static const struct kind *kind_of(const struct module_header *h) { return &kinds[h->kind]; }
const char *module_row(const struct module_header *h) { return kind_of(h)->row; }

static const void *row(const struct module_header *h, uint32_t i)
{
    return (const uint8_t *)h + h->table + i * kind_of(h)->row_bytes;
}

static uint32_t name_at(const struct module_header *h, uint32_t i) { return *(const uint32_t *)row(h, i); }

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
                      "it is of kind %u, but this kernel knows kinds %u (snippets) and %u (a program)",
                      (unsigned)h->kind, MODULE_SNIPPETS, MODULE_PROGRAM);
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

/* A name: a string of printable ASCII. what, i: whose. */
static bool check_string(const struct module_header *h, uint32_t at, const char *what, uint32_t i, char *why,
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
    return check_string(h, name_at(h, i), module_row(h), i, why, cap);
}

/* Bytes outside of the header. */
static bool inside(const struct module_header *h, struct module_code c)
{
    return c.at >= sizeof *h && c.at <= h->bytes && c.bytes <= h->bytes - c.at;
}

/* ---- snippets ---- */

static bool check_snippet(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const struct module_snippet *s = row(h, i);
    for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
        const struct module_code *c = &s->part[p];
        if (c->bytes == 0 && c->at == 0) continue;
        if (c->bytes == 0 || !inside(h, *c))
            return refuse(why, cap, "code of its snippet %s is not inside of it", module_row_name(h, i));
    }
    return true;
}

/* ---- a program ---- */

static const struct module_program *program_of(const struct module_header *h)
{
    return (const struct module_program *)(h + 1);
}

/* Is a table of n rows of these bytes in the file? */
static bool has_table(const struct module_header *h, uint32_t at, uint32_t n, size_t row_bytes)
{
    return at % 4 == 0 && at >= sizeof *h && at <= h->bytes && n <= (h->bytes - at) / row_bytes;
}

static bool check_relocations(const struct module_header *h, const struct module_program *p, char *why,
                              size_t cap)
{
    static const uint32_t word = MODULE_BITS / 8;
    const uint32_t *at = (const uint32_t *)(const void *)((const uint8_t *)h + p->relocation);
    uint32_t from = 0; /* the end of the last word */
    if (p->relocations == 0) return true;
    if (!has_table(h, p->relocation, p->relocations, sizeof *at))
        return refuse(why, cap, "its table of %u relocations is not inside of it", (unsigned)p->relocations);
    for (uint32_t i = 0; i < p->relocations; i++) {
        if (at[i] < from)
            return refuse(why, cap, "its relocation %u lies inside of the one before it", (unsigned)i);
        if (at[i] > p->image.bytes || word > p->image.bytes - at[i])
            return refuse(why, cap, "its relocation %u is of offset %#x, outside of its image", (unsigned)i,
                          (unsigned)at[i]);
        from = at[i] + word;
    }
    return true;
}

static bool check_symbols(const struct module_header *h, const struct module_program *p, char *why,
                          size_t cap)
{
    const struct module_symbol *s =
        (const struct module_symbol *)(const void *)((const uint8_t *)h + p->symbol);
    uint32_t from = p->text;
    if (p->symbols == 0) return true;
    if (!has_table(h, p->symbol, p->symbols, sizeof *s))
        return refuse(why, cap, "its table of %u functions is not inside of it", (unsigned)p->symbols);
    for (uint32_t i = 0; i < p->symbols; from = s[i++].at) {
        if (s[i].at < from || s[i].at >= p->text_end || s[i].bytes > p->text_end - s[i].at)
            return refuse(why, cap,
                          "its function %u is not in its machine code, or not behind the one before it",
                          (unsigned)i);
        if (!check_string(h, s[i].name, "function", i, why, cap)) return false;
    }
    return true;
}

/* Is a place of these bytes in the memory that the program gets? */
static bool in_memory(const struct module_program *p, uint32_t at, size_t bytes)
{
    return at <= p->memory && bytes <= p->memory - at;
}

static bool in_text(const struct module_program *p, uint32_t at) { return at >= p->text && at < p->text_end; }

static bool check_regions(const struct module_header *h, const struct module_program *p, char *why,
                          size_t cap)
{
    const char *label = (const char *)h + p->labels.at;
    unsigned n = 0;
    if (p->regions && !in_memory(p, p->regions, MODULE_BITS / 8))
        return refuse(why, cap, "the place of its table of regions is not inside of its memory");
    if (p->labels.bytes == 0 && p->labels.at == 0) return true;
    if (!p->regions || p->labels.bytes == 0 || !inside(h, p->labels) || label[p->labels.bytes - 1])
        return refuse(why, cap, "the labels of its regions are not inside of it");
    for (uint32_t at = 0; at < p->labels.bytes; at += (uint32_t)strlen(label + at) + 1, n++)
        if (!check_string(h, p->labels.at + at, "region", n, why, cap)) return false;
    return n <= REGIONS || refuse(why, cap, "it has labels for %u regions; %u are valid", n, REGIONS);
}

static bool check_start(const struct module_program *p, char *why, size_t cap)
{
    if (!p->start && !p->enter && !p->once && !p->output) return true;
    if (!in_text(p, p->start) || (p->once && !in_text(p, p->once)))
        return refuse(why, cap, "where it starts is not in its machine code");
    if (!in_memory(p, p->enter, MODULE_BITS / 8) || p->output % 4 != 0 ||
        !in_memory(p, p->output, sizeof(struct module_output)))
        return refuse(why, cap, "the place of what it prints is not inside of its memory");
    return true;
}

static bool check_program(const struct module_header *h, char *why, size_t cap)
{
    const struct module_program *p = program_of(h);
    if (!check_string(h, p->name, "program", 0, why, cap)) return false;
    if (p->image.bytes == 0 || !inside(h, p->image)) return refuse(why, cap, "its image is not inside of it");
    if (p->image.bytes > p->memory || p->memory % 4 != 0 || p->memory > INT32_MAX)
        return refuse(why, cap, "its image of %u bytes does not fit into the %u bytes that it wants",
                      (unsigned)p->image.bytes, (unsigned)p->memory);
    if (p->text >= p->text_end || p->text_end > p->image.bytes)
        return refuse(why, cap, "its machine code is not inside of its image");
    return check_relocations(h, p, why, cap) && check_symbols(h, p, why, cap) &&
           check_regions(h, p, why, cap) && check_start(p, why, cap);
}

static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

/* A name that can stand in bench=. */
static bool is_word(const char *name)
{
    if (!is_letter(name[0])) return false;
    while (is_letter(*name) || (*name >= '0' && *name <= '9') || *name == '_') name++;
    return *name == '\0';
}

static bool check_benchmark(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const struct module_program *p = program_of(h);
    const struct module_benchmark *b = row(h, i);
    const char *name = module_row_name(h, i);
    if (!is_word(name))
        return refuse(why, cap, "the name of its benchmark %s is not a letter, then letters, digits or _",
                      name);
    if (b->entry < p->text || b->entry >= p->text_end)
        return refuse(why, cap, "the entry of its benchmark %s is not in its machine code", name);
    if (((uint64_t)b->arg[1] << 32 | b->arg[0]) > MODULE_ARG_MAX)
        return refuse(why, cap, "the argument of its benchmark %s is no number from 0 to %llu", name,
                      (unsigned long long)MODULE_ARG_MAX);
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
