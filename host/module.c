#include "host/module.h"
#include "kernel/crc32.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a module is written as it lies in memory");
_Static_assert(sizeof(struct module_header) % 4 == 0, "the table begins at a multiple of 4");

/* All bytes: header, table, strings, code. */
static size_t size_of(const struct snippets *s)
{
    size_t size = sizeof(struct module_header) + s->n * sizeof(struct module_snippet);
    for (const struct snippet *one = s->at; one < s->at + s->n; one++) {
        size += strlen(one->name) + 1;
        for (int part = 0; part < SNIPPET_PARTS; part++) size += one->code[part].n;
    }
    return size;
}

static uint32_t add(uint8_t *module, size_t *end, const void *bytes, size_t n)
{
    const size_t at = *end;
    if (n) memcpy(module + at, bytes, n);
    *end += n;
    return n ? (uint32_t)at : 0;
}

/* Writes the header, last of all. */
static void seal(uint8_t *module, struct module_header h, size_t size)
{
    const size_t covered = offsetof(struct module_header, bytes); /* by the CRC, from here on */
    memcpy(h.magic, MODULE_MAGIC, sizeof h.magic);
    h.bytes = (uint32_t)size;
    memcpy(module, &h, sizeof h);
    h.crc = crc32(0, module + covered, size - covered);
    memcpy(module + offsetof(struct module_header, crc), &h.crc, sizeof h.crc);
}

uint8_t *module_of_snippets(const struct snippets *s, unsigned bits, size_t *size)
{
    struct module_header h = {.version = MODULE_VERSION,
                              .kind = MODULE_SNIPPETS,
                              .bits = bits,
                              .count = (uint32_t)s->n,
                              .table = sizeof h};
    size_t end = sizeof h + s->n * sizeof(struct module_snippet);
    *size = size_of(s);
    if (*size > UINT32_MAX) {
        errno = EFBIG;
        return NULL;
    }
    uint8_t *module = calloc(1, *size);
    if (!module) return NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct snippet *one = &s->at[i];
        struct module_snippet row = {.name = add(module, &end, one->name, strlen(one->name) + 1)};
        for (int part = 0; part < SNIPPET_PARTS; part++)
            row.part[part] = (struct module_code){add(module, &end, one->code[part].bytes, one->code[part].n),
                                                  one->code[part].n};
        memcpy(module + h.table + i * sizeof row, &row, sizeof row);
    }
    seal(module, h, *size);
    return module;
}

static uint32_t head_bytes(const struct program_image *p)
{
    return p->interface ? sizeof(struct module_descriptors) : sizeof(struct module_program);
}

/* Names, and tables of 32-bit words before them, since all that is before is a multiple of 4. */
static uint64_t program_bytes(const struct program_image *p, const struct program_entry *entry, size_t n)
{
    uint64_t all = sizeof(struct module_header) + head_bytes(p) + n * sizeof(struct module_benchmark) +
                   (uint64_t)p->relocations * sizeof *p->relocation +
                   (uint64_t)p->symbols * sizeof(struct module_symbol) + p->n + p->label_bytes +
                   p->channel_bytes + strlen(p->name) + 1;
    for (size_t i = 0; i < n; i++) all += strlen(entry[i].name) + 1;
    for (uint32_t i = 0; i < p->symbols; i++) all += strlen(p->symbol[i].name) + 1;
    return all;
}

static uint32_t add_name(uint8_t *module, size_t *end, const char *name)
{
    return add(module, end, name, strlen(name) + 1);
}

static void add_symbols(uint8_t *module, uint32_t at, size_t *end, const struct program_image *p)
{
    for (uint32_t i = 0; i < p->symbols; i++) {
        const struct module_symbol row = {p->symbol[i].at, p->symbol[i].bytes,
                                          add_name(module, end, p->symbol[i].name)};
        memcpy(module + at + i * sizeof row, &row, sizeof row);
    }
}

uint8_t *module_of_program(const struct program_image *p, const struct program_entry *entry, size_t n,
                           unsigned bits, size_t *size)
{
    const struct module_header h = {.version = MODULE_VERSION,
                                    .kind = p->interface ? MODULE_DESCRIPTORS : MODULE_PROGRAM,
                                    .bits = bits,
                                    .count = (uint32_t)n,
                                    .table = sizeof h + head_bytes(p)};
    const uint64_t all = program_bytes(p, entry, n);
    uint8_t *module = all <= UINT32_MAX ? calloc(1, (size_t)all) : NULL;
    if (!module) {
        errno = all <= UINT32_MAX ? ENOMEM : EFBIG;
        return NULL;
    }
    size_t end = h.table + n * sizeof(struct module_benchmark);
    struct module_program head = {.memory = p->memory,
                                  .text = p->text,
                                  .text_end = p->text_end,
                                  .relocations = p->relocations,
                                  .symbols = p->symbols,
                                  .regions = p->regions,
                                  .trace = p->trace,
                                  .start = p->start,
                                  .enter = p->enter,
                                  .once = p->once,
                                  .output = p->output};
    memcpy(head.build_id, p->build_id, sizeof head.build_id);
    head.relocation = add(module, &end, p->relocation, p->relocations * sizeof *p->relocation);
    head.symbol = p->symbols ? (uint32_t)end : 0;
    end += p->symbols * sizeof(struct module_symbol);
    head.image = (struct module_code){add(module, &end, p->bytes, p->n), p->n};
    head.labels = (struct module_code){add(module, &end, p->labels, p->label_bytes), p->label_bytes};
    head.channels = (struct module_code){add(module, &end, p->channels, p->channel_bytes), p->channel_bytes};
    head.name = add_name(module, &end, p->name);
    const struct module_descriptors descriptors = {head, p->interface, p->calls};
    memcpy(module + sizeof h, &descriptors, head_bytes(p));
    add_symbols(module, head.symbol, &end, p);
    for (size_t i = 0; i < n; i++) {
        const struct module_benchmark row = {.name = add_name(module, &end, entry[i].name),
                                             .entry = entry[i].at,
                                             .arg = {(uint32_t)entry[i].arg, (uint32_t)(entry[i].arg >> 32)}};
        memcpy(module + h.table + i * sizeof row, &row, sizeof row);
    }
    *size = (size_t)all;
    seal(module, h, *size);
    return module;
}
