/* libFuzzer target: modules of the user's code. What is verified is walked to its end: every name and every
 * byte of code; every program is loaded, and every descriptor. With the first byte odd the header is put
 * right, so that what is behind magic and CRC is reached; its next two bits choose the kind. */
#include "bench/descriptors.h"
#include "bench/trace.h"
#include "include/anechoic/calls.h"
#include "include/anechoic/region.h"
#include "kernel/crc32.h"
#include "kernel/module.h"
#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
    if (!holds) abort();
}

static void repair(uint8_t *copy, size_t size, enum module_kind kind)
{
    struct module_descriptors *d = (struct module_descriptors *)(void *)(copy + sizeof(struct module_header));
    struct module_header *h = (struct module_header *)(void *)copy;
    const size_t from = offsetof(struct module_header, bytes);
    memcpy(h->magic, MODULE_MAGIC, sizeof h->magic);
    h->version = MODULE_VERSION;
    h->bytes = (uint32_t)size;
    h->kind = kind;
    h->bits = MODULE_BITS;
    if (kind == MODULE_DESCRIPTORS && size >= sizeof *h + sizeof *d) d->interface = ANECHOIC_INTERFACE;
    h->crc = crc32(0, copy + from, size - from);
}

static void check_name(const char *name)
{
    const size_t length = strlen(name);
    check(length > 0 && length < MODULE_NAME_BYTES);
}

static void walk_snippets(void)
{
    for (unsigned i = 0; i < module_snippets(); i++) {
        const struct module_snippet *s = module_snippet(i);
        check_name(module_snippet_name(s));
        for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
            const struct module_bytes b = module_snippet_part(s, p);
            crc32(0, b.at, b.n); /* reads all of it */
        }
    }
}

/* Every place of the code has a function or none, and that is inside of it. */
static void walk_functions(const struct module_benchmark *b, const struct module_program *p)
{
    struct module_function f;
    for (uint32_t at = p->text; at < p->text_end && at < p->text + 4096; at++) {
        if (!module_function(b, at, &f)) continue;
        check_name(f.name);
        check(f.at >= p->text && f.at <= at && at - f.at < f.bytes && f.bytes <= p->text_end - f.at);
    }
}

static void walk_regions(const struct module_benchmark *b, const struct module_program *p)
{
    unsigned n = 0;
    for (const char *label; (label = module_label(b, n)); n++) check_name(label);
    check(n <= REGIONS && (n == 0 || p->regions));
    check(!p->regions || p->regions + sizeof(uintptr_t) <= p->memory);
}

static void walk_channels(const struct module_benchmark *b, const struct module_program *p)
{
    unsigned n = 0;
    for (const char *label; (label = module_channel(b, n)); n++) check_name(label);
    check(n <= TRACE_CHANNELS && (n == 0 || p->trace));
    check(!p->trace || p->trace + sizeof(uintptr_t) <= p->memory);
}

static void walk_programs(void)
{
    static uint8_t memory[1 << 16];
    for (unsigned i = 0; i < module_benchmarks(); i++) {
        const struct module_benchmark *b = module_benchmark(i);
        const struct module_program *p = module_program(b);
        check_name(module_benchmark_name(b));
        check_name(module_program_name(b));
        walk_functions(b, p);
        walk_regions(b, p);
        walk_channels(b, p);
        if (p->start)
            check(p->start < p->text_end && p->enter + sizeof(uintptr_t) <= p->memory &&
                  p->output + sizeof(struct module_output) <= p->memory && p->once < p->text_end);
        struct arena arena = {memory, sizeof memory, 0};
        const uint8_t *image = module_load(b, &arena);
        check(image || p->memory > sizeof memory - 4096);
        if (!image) continue;
        crc32(0, image, p->memory);
        check(b->entry < p->text_end && p->text_end <= p->memory);
    }
}

/* All strings have an end, and all lists. */
static void walk_descriptors(void)
{
    const struct bench *list[MODULE_BENCHMARKS];
    const unsigned n = descriptors_benches(list);
    for (unsigned i = 0; i < n; i++) {
        const struct bench *b = list[i];
        const struct module_program *p = module_program(b->program.image.of);
        check_name(b->program.name);
        check(strlen(b->program.desc) + strlen(b->cost) < 1000 && b->op[0] && b->program.users);
        check(!b->program.payload ||
              (uintptr_t)b->program.payload - (uintptr_t)b->program.image.at < p->text_end);
        for (unsigned k = 0; k < b->params; k++) {
            const struct bench_param *q = &b->param[k];
            check_name(q->name);
            check(strlen(q->unit) + strlen(q->help) < 1000 && q->min <= q->max);
            check(param_is_auto(q, q->def) || (q->def >= q->min && q->def <= q->max));
        }
        for (unsigned k = 0; b->program.regions && b->program.regions[k]; k++)
            check_name(b->program.regions[k]);
        walk_functions(b->program.image.of, p);
    }
}

/* Benchmarks with descriptors are as those of the kernel's own only when they are loaded. */
static bool open_module(const uint8_t *file, size_t n, char *why, size_t cap)
{
    static uint8_t memory[1 << 16];
    static const uintptr_t calls[ANECHOIC_CALLS_N];
    struct arena pool = {memory, sizeof memory, 0};
    if (!module_open(file, n, pool, why, cap)) return false;
    if (descriptors_load(&pool, calls, why, cap)) return true;
    check(pool.size == sizeof memory);
    module_retract();
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum module_kind kinds[] = {MODULE_SNIPPETS, MODULE_PROGRAM, MODULE_DESCRIPTORS,
                                             MODULE_KINDS};
    char why[160] = "";
    if (size < 1) return 0;
    const size_t n = size - 1;
    uint8_t *copy = malloc(n ? n : 1); /* exact, so that a byte too far is seen */
    memcpy(copy, data + 1, n);
    if (data[0] & 1 && n >= sizeof(struct module_header)) repair(copy, n, kinds[data[0] >> 1 & 3]);
    if (open_module(copy, n, why, sizeof why)) {
        check(module_snippets() + module_benchmarks() + module_descriptors() > 0);
        walk_snippets();
        walk_programs();
        walk_descriptors();
    } else
        check(why[0] && module_snippets() + module_benchmarks() + module_descriptors() == 0);
    modules_close();
    descriptors_forget();
    free(copy);
    return 0;
}
