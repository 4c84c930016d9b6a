#include "tests/unit/module_builder.h"
#include "kernel/crc32.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void module_sum(uint8_t *at)
{
    struct module_header *h = (struct module_header *)(void *)at;
    const size_t from = offsetof(struct module_header, bytes);
    h->crc = crc32(0, at + from, h->bytes - from);
}

/* n bytes behind what is there; where they are. */
static uint32_t append(uint8_t *at, size_t cap, uint32_t *used, const void *bytes, size_t n)
{
    const uint32_t where = *used;
    if (n > cap - where) abort();
    if (n) memcpy(at + where, bytes, n);
    *used += (uint32_t)n;
    return where;
}

/* Strings, one behind the other, up to an empty one. */
static struct module_code append_labels(uint8_t *at, size_t cap, uint32_t *used, const char *labels)
{
    const char *end = labels;
    while (*end) end += strlen(end) + 1;
    const uint32_t bytes = (uint32_t)(end - labels);
    return (struct module_code){append(at, cap, used, labels, bytes), bytes};
}

size_t module_build(uint8_t *at, size_t cap, uint32_t bits, const struct built_snippet *snippet, uint32_t n)
{
    struct module_header *h = (struct module_header *)(void *)at;
    struct module_snippet *row = (struct module_snippet *)(void *)(at + sizeof *h);
    uint32_t used = (uint32_t)(sizeof *h + n * sizeof *row);
    if (used > cap) abort();
    memset(at, 0, used);
    memcpy(h->magic, MODULE_MAGIC, sizeof h->magic);
    h->version = MODULE_VERSION;
    h->kind = MODULE_SNIPPETS;
    h->bits = bits;
    h->count = n;
    h->table = sizeof *h;
    for (uint32_t i = 0; i < n; i++) {
        row[i].name = append(at, cap, &used, snippet[i].name, strlen(snippet[i].name) + 1);
        for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
            const struct built_part *part = &snippet[i].part[p];
            row[i].part[p].bytes = part->n;
            if (part->n) row[i].part[p].at = append(at, cap, &used, part->bytes, part->n);
        }
    }
    h->bytes = used;
    module_sum(at);
    return used;
}

size_t module_build_program(uint8_t *at, size_t cap, uint32_t bits, const struct built_program *program,
                            const struct built_benchmark *benchmark, uint32_t n)
{
    struct module_header *h = (struct module_header *)(void *)at;
    struct module_program *p = (struct module_program *)(void *)(at + sizeof *h);
    const uint32_t head = program->interface ? sizeof(struct module_descriptors) : sizeof *p;
    struct module_benchmark *row = (struct module_benchmark *)(void *)(at + sizeof *h + head);
    uint32_t used = (uint32_t)(sizeof *h + head + n * sizeof *row);
    if (used > cap) abort();
    memset(at, 0, used);
    memcpy(h->magic, MODULE_MAGIC, sizeof h->magic);
    h->version = MODULE_VERSION;
    h->kind = program->interface ? MODULE_DESCRIPTORS : MODULE_PROGRAM;
    h->bits = bits;
    h->count = n;
    h->table = (uint32_t)sizeof *h + head;
    if (program->interface)
        *(struct module_descriptors *)(void *)p =
            (struct module_descriptors){.interface = program->interface, .calls = program->calls};
    *p = program->head;
    p->memory = (2 * program->n + 3) & ~3u;
    if (!p->text_end) p->text_end = program->n;
    memset(p->build_id, 0xab, sizeof p->build_id);
    p->relocations = program->relocations;
    p->relocation = append(at, cap, &used, program->relocation, program->relocations * sizeof(uint32_t));
    p->symbols = program->symbols;
    if (p->symbols) p->symbol = append(at, cap, &used, program->symbol, p->symbols * sizeof *program->symbol);
    for (uint32_t i = 0; i < p->symbols; i++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "f%u", (unsigned)i);
        ((struct module_symbol *)(void *)(at + p->symbol))[i].name =
            append(at, cap, &used, name, (size_t)length + 1);
    }
    p->name = append(at, cap, &used, "built", sizeof "built");
    if (program->labels) p->labels = append_labels(at, cap, &used, program->labels);
    if (program->channels) p->channels = append_labels(at, cap, &used, program->channels);
    p->image.bytes = program->n;
    p->image.at = append(at, cap, &used, program->image, program->n);
    for (uint32_t i = 0; i < n; i++) {
        row[i].name = append(at, cap, &used, benchmark[i].name, strlen(benchmark[i].name) + 1);
        row[i].entry = benchmark[i].entry;
        row[i].arg[0] = (uint32_t)benchmark[i].arg;
        row[i].arg[1] = (uint32_t)(benchmark[i].arg >> 32);
    }
    h->bytes = used;
    module_sum(at);
    return used;
}
