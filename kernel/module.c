#include "kernel/module.h"
#include "kernel/crc32.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct module_header *opened[MODULES];
static unsigned n_opened, refused;

/* ---- verification ---- */

static bool refuse(char *why, size_t cap, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(char *why, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, cap, format, args);
    va_end(args);
    return false;
}

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
    if (h->kind != MODULE_SNIPPETS)
        return refuse(why, cap, "it is of kind %u, but this kernel knows kind %u only (snippets)",
                      (unsigned)h->kind, MODULE_SNIPPETS);
    if (h->bits != MODULE_BITS)
        return refuse(why, cap, "its code is for %u bits, but this kernel executes %u", (unsigned)h->bits,
                      MODULE_BITS);
    if (h->count == 0) return refuse(why, cap, "there is no snippet in it");
    if (h->table % 4 != 0 || h->table < sizeof *h || h->table > h->bytes ||
        h->count > (h->bytes - h->table) / sizeof(struct module_snippet))
        return refuse(why, cap, "its table of %u snippets is not inside of it", (unsigned)h->count);
    return true;
}

static const struct module_snippet *rows(const struct module_header *h)
{
    return (const struct module_snippet *)(const void *)((const uint8_t *)h + h->table);
}

static const char *text(const struct module_header *h, uint32_t at) { return (const char *)h + at; }

static bool check_name(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const uint32_t at = rows(h)[i].name;
    uint32_t n = 0;
    if (at < sizeof *h || at >= h->bytes)
        return refuse(why, cap, "the name of its snippet %u is not inside of it", (unsigned)i);
    while (n < h->bytes - at && text(h, at)[n] >= ' ' && text(h, at)[n] <= '~') n++;
    if (n == h->bytes - at) return refuse(why, cap, "the name of its snippet %u has no end", (unsigned)i);
    if (text(h, at)[n] != '\0')
        return refuse(why, cap, "the name of its snippet %u is not printable ASCII", (unsigned)i);
    if (n == 0 || n >= SNIPPET_NAME_BYTES)
        return refuse(why, cap, "the name of its snippet %u has %u bytes; 1 to %u are valid", (unsigned)i,
                      (unsigned)n, SNIPPET_NAME_BYTES - 1);
    return true;
}

static bool check_snippet(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    if (!check_name(h, i, why, cap)) return false;
    for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
        const struct module_code *c = &rows(h)[i].part[p];
        if (c->bytes == 0 && c->at == 0) continue;
        if (c->bytes == 0 || c->at < sizeof *h || c->at > h->bytes || c->bytes > h->bytes - c->at)
            return refuse(why, cap, "code of its snippet %s is not inside of it", text(h, rows(h)[i].name));
    }
    return true;
}

/* ---- each name once ---- */

/* Names by their hash; a full slot is followed by the next free one. */
struct names {
    const char **slot;
    uint32_t mask;
};

static uint32_t hash_of(const char *s) /* FNV-1a */
{
    uint32_t hash = 2166136261u;
    while (*s) hash = (hash ^ (uint8_t)*s++) * 16777619u;
    return hash;
}

/* False: the name is there already. */
static bool add_name(struct names *names, const char *name)
{
    uint32_t i = hash_of(name) & names->mask;
    for (; names->slot[i]; i = (i + 1) & names->mask)
        if (strcmp(names->slot[i], name) == 0) return false;
    names->slot[i] = name;
    return true;
}

static bool check_unique(const struct module_header *h, struct arena *scratch, char *why, size_t cap)
{
    uint32_t slots = 16;
    while (slots / 2 < (uint64_t)module_snippets() + h->count) slots *= 2;
    struct names names = {arena_alloc(scratch, slots * sizeof *names.slot, sizeof(void *)), slots - 1};
    if (!names.slot)
        return refuse(why, cap, "there is not enough memory to verify its %u snippets", (unsigned)h->count);
    memset(names.slot, 0, slots * sizeof *names.slot);
    for (unsigned i = 0; i < module_snippets(); i++) add_name(&names, module_snippet_name(module_snippet(i)));
    for (uint32_t i = 0; i < h->count; i++)
        if (!add_name(&names, text(h, rows(h)[i].name)))
            return refuse(why, cap, "there are two snippets of the name %s", text(h, rows(h)[i].name));
    return true;
}

/* ---- public ---- */

static bool verify(const void *file, size_t size, struct arena *scratch, char *why, size_t cap)
{
    const struct module_header *h = file;
    if (!file) return refuse(why, cap, "its memory cannot be read");
    if (!check_header(h, size, why, cap)) return false;
    for (uint32_t i = 0; i < h->count; i++)
        if (!check_snippet(h, i, why, cap)) return false;
    return check_unique(h, scratch, why, cap) &&
           (n_opened < MODULES || refuse(why, cap, "%u modules are open already", MODULES));
}

bool module_open(const void *file, size_t size, struct arena scratch, char *why, size_t cap)
{
    if (!verify(file, size, &scratch, why, cap)) {
        refused++;
        return false;
    }
    opened[n_opened++] = file;
    return true;
}

unsigned modules_refused(void) { return refused; }

void modules_close(void) { n_opened = refused = 0; }

unsigned module_snippets(void)
{
    unsigned n = 0;
    for (unsigned m = 0; m < n_opened; m++) n += opened[m]->count;
    return n;
}

const struct module_snippet *module_snippet(unsigned i)
{
    unsigned m = 0;
    for (; i >= opened[m]->count; m++) i -= opened[m]->count;
    return rows(opened[m]) + i;
}

/* The file that this row is in. */
static const uint8_t *base_of(const struct module_snippet *s)
{
    unsigned m = 0;
    while ((uintptr_t)s - (uintptr_t)opened[m] >= opened[m]->bytes) m++;
    return (const uint8_t *)opened[m];
}

const char *module_snippet_name(const struct module_snippet *s) { return (const char *)base_of(s) + s->name; }

struct module_bytes module_snippet_part(const struct module_snippet *s, enum snippet_part part)
{
    const struct module_code *c = &s->part[part];
    return (struct module_bytes){base_of(s) + c->at, c->bytes};
}
