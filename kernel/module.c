#include "kernel/module_verify.h"
#include <string.h>

static const struct module_header *opened[MODULES];
static unsigned n_opened, refused;

static bool (*is_taken)(const char *name);

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

/* Rows of all open modules of this kind. */
static uint32_t rows_of(enum module_kind kind)
{
    uint32_t n = 0;
    for (unsigned m = 0; m < n_opened; m++)
        if (opened[m]->kind == kind) n += opened[m]->count;
    return n;
}

/* Benchmarks of both kinds are found by bench=; snippets have names of their own. */
static bool share_names(const struct module_header *a, const struct module_header *b)
{
    return (a->kind == MODULE_SNIPPETS) == (b->kind == MODULE_SNIPPETS);
}

static uint32_t rows_beside(const struct module_header *h)
{
    uint32_t n = 0;
    for (unsigned m = 0; m < n_opened; m++)
        if (share_names(opened[m], h)) n += opened[m]->count;
    return n;
}

/* In all modules that share names with it. */
static bool check_unique(const struct module_header *h, struct arena *scratch, char *why, size_t cap)
{
    uint32_t slots = 16;
    while (slots / 2 < (uint64_t)rows_beside(h) + h->count) slots *= 2;
    struct names names = {arena_alloc(scratch, slots * sizeof *names.slot, sizeof(void *)), slots - 1};
    if (!names.slot)
        return module_refuse(why, cap, "there is not enough memory to verify its %u %ss", (unsigned)h->count,
                             module_row(h));
    memset(names.slot, 0, slots * sizeof *names.slot);
    for (unsigned m = 0; m < n_opened; m++)
        for (uint32_t i = 0; share_names(opened[m], h) && i < opened[m]->count; i++)
            add_name(&names, module_row_name(opened[m], i));
    for (uint32_t i = 0; i < h->count; i++)
        if (!add_name(&names, module_row_name(h, i)))
            return module_refuse(why, cap, "there are two %ss of the name %s", module_row(h),
                                 module_row_name(h, i));
    return true;
}

/* Among the benchmarks of the kernel, too. */
static bool check_free(const struct module_header *h, char *why, size_t cap)
{
    if (h->kind == MODULE_SNIPPETS) return true;
    for (uint32_t i = 0; i < h->count; i++)
        if (is_taken && is_taken(module_row_name(h, i)))
            return module_refuse(why, cap, "the name of its benchmark %s means something else already",
                                 module_row_name(h, i));
    return rows_beside(h) + h->count <= MODULE_BENCHMARKS ||
           module_refuse(why, cap, "with its %u there would be more than %u benchmarks in modules",
                         (unsigned)h->count, MODULE_BENCHMARKS);
}

/* The module of this kind that has the i-th row of all of that kind; *i becomes the row's number in it. */
static const struct module_header *module_with(enum module_kind kind, unsigned *i)
{
    unsigned m = 0;
    for (; opened[m]->kind != kind || *i >= opened[m]->count; m++)
        if (opened[m]->kind == kind) *i -= opened[m]->count;
    return opened[m];
}

/* The i-th row of these bytes each. */
static const void *row_of(enum module_kind kind, unsigned i, size_t bytes)
{
    const struct module_header *h = module_with(kind, &i);
    return (const uint8_t *)h + h->table + i * bytes;
}

/* The file that this row is in. */
static const uint8_t *base_of(const void *row)
{
    unsigned m = 0;
    while ((uintptr_t)row - (uintptr_t)opened[m] >= opened[m]->bytes) m++;
    return (const uint8_t *)opened[m];
}

/* ---- public ---- */

bool module_open(const void *file, size_t size, struct arena scratch, char *why, size_t cap)
{
    if (!module_verify(file, size, why, cap) || !check_unique(file, &scratch, why, cap) ||
        !check_free(file, why, cap) ||
        (n_opened == MODULES && !module_refuse(why, cap, "this kernel takes %u modules at most", MODULES))) {
        refused++;
        return false;
    }
    opened[n_opened++] = file;
    return true;
}

void module_retract(void)
{
    n_opened--;
    refused++;
}

void module_unload(void) { n_opened--; }

void module_names_taken(bool (*taken)(const char *name)) { is_taken = taken; }

unsigned modules_refused(void) { return refused; }
void module_forgive(void) { refused--; }

void modules_close(void) { n_opened = refused = 0; }

/* ---- snippets ---- */

unsigned module_snippets(void) { return rows_of(MODULE_SNIPPETS); }

const struct module_snippet *module_snippet(unsigned i)
{
    return row_of(MODULE_SNIPPETS, i, sizeof(struct module_snippet));
}

const char *module_snippet_name(const struct module_snippet *s) { return (const char *)base_of(s) + s->name; }

struct module_bytes module_snippet_part(const struct module_snippet *s, enum snippet_part part)
{
    const struct module_code *c = &s->part[part];
    return (struct module_bytes){base_of(s) + c->at, c->bytes};
}

/* ---- programs ---- */

unsigned module_benchmarks(void) { return rows_of(MODULE_PROGRAM); }

const struct module_benchmark *module_benchmark(unsigned i)
{
    return row_of(MODULE_PROGRAM, i, sizeof(struct module_benchmark));
}

unsigned module_descriptors(void) { return rows_of(MODULE_DESCRIPTORS); }

const struct module_benchmark *module_descriptor(unsigned i)
{
    return row_of(MODULE_DESCRIPTORS, i, sizeof(struct module_benchmark));
}

uint32_t module_calls(const struct module_benchmark *b)
{
    return ((const struct module_descriptors *)(const void *)module_program(b))->calls;
}

const char *module_benchmark_name(const struct module_benchmark *b)
{
    return (const char *)base_of(b) + b->name;
}

const struct module_program *module_program(const struct module_benchmark *b)
{
    return (const struct module_program *)(const void *)(base_of(b) + sizeof(struct module_header));
}

const char *module_program_name(const struct module_benchmark *b)
{
    return (const char *)base_of(b) + module_program(b)->name;
}

static const char *label(const struct module_benchmark *b, const struct module_code *labels, unsigned i)
{
    const char *at = (const char *)base_of(b) + labels->at, *end = at + labels->bytes;
    while (at < end && i--) at += strlen(at) + 1;
    return at < end ? at : NULL;
}

const char *module_label(const struct module_benchmark *b, unsigned i)
{
    return label(b, &module_program(b)->labels, i);
}

const char *module_channel(const struct module_benchmark *b, unsigned i)
{
    return label(b, &module_program(b)->channels, i);
}

/* A function without a size reaches to the next one, or to the end of the code. */
static uint32_t function_bytes(const struct module_program *p, const struct module_symbol *s, uint32_t i)
{
    return s[i].bytes ? s[i].bytes : (i + 1 < p->symbols ? s[i + 1].at : p->text_end) - s[i].at;
}

bool module_function(const struct module_benchmark *b, uint32_t at, struct module_function *out)
{
    const struct module_program *p = module_program(b);
    const struct module_symbol *s = (const struct module_symbol *)(const void *)(base_of(b) + p->symbol);
    uint32_t n = 0; /* how many begin there or before */
    for (uint32_t end = p->symbols; n < end;) {
        const uint32_t middle = n + (end - n) / 2;
        if (s[middle].at <= at)
            n = middle + 1;
        else
            end = middle;
    }
    if (n == 0) return false;
    *out = (struct module_function){(const char *)base_of(b) + s[n - 1].name, s[n - 1].at,
                                    function_bytes(p, s, n - 1)};
    return at - out->at < out->bytes;
}

bool module_function_named(const struct module_benchmark *b, const char *name, size_t len, uint32_t *at)
{
    const struct module_program *p = module_program(b);
    const struct module_symbol *s = (const struct module_symbol *)(const void *)(base_of(b) + p->symbol);
    for (uint32_t i = 0; i < p->symbols; i++) {
        const char *own = (const char *)base_of(b) + s[i].name;
        if (strlen(own) != len || memcmp(own, name, len) != 0) continue;
        *at = s[i].at;
        return true;
    }
    return false;
}

uint8_t *module_load(const struct module_benchmark *b, struct arena *arena)
{
    const struct module_program *p = module_program(b);
    const uint32_t *at = (const uint32_t *)(const void *)(base_of(b) + p->relocation);
    uint8_t *image = arena_alloc(arena, p->memory, 4096);
    if (!image) return NULL;
    memcpy(image, base_of(b) + p->image.at, p->image.bytes);
    memset(image + p->image.bytes, 0, p->memory - p->image.bytes);
    for (uint32_t i = 0; i < p->relocations; i++) {
        uintptr_t word; /* it may be at any address */
        memcpy(&word, image + at[i], sizeof word);
        word += (uintptr_t)image;
        memcpy(image + at[i], &word, sizeof word);
    }
    return image;
}
