#include "bench/descriptors.h"
#include "bench/descriptor_verify.h"
#include "include/anechoic/calls.h"
#include "kernel/module.h"
#include "kernel/module_verify.h"
#include <string.h>

static struct bench benches[MODULE_BENCHMARKS];
static struct bench_param params[MODULE_BENCHMARKS][BENCH_PARAMS];
static unsigned n;

/* What the kernel adds: bench= knows by it whose code it is. memory() would be called before anything is
 * guarded; the arena says what is left when prepare() asks. */
static void adopt(struct bench *b, const uint8_t *image, const struct module_benchmark *of)
{
    b->program.users = true;
    b->program.image = (struct bench_image){.at = image, .of = of};
    b->memory = NULL;
}

static bool load(struct arena *pool, unsigned first, const uintptr_t *calls, char *why, size_t cap)
{
    const struct module_program *p = module_program(module_descriptor(first));
    struct arena room = {arena_from_end(pool, p->memory, 4096), p->memory, 0};
    uint8_t *at = room.base ? module_load(module_descriptor(first), &room) : NULL;
    if (!at)
        return module_refuse(why, cap, "it needs %u KiB of memory, and %u KiB are left",
                             (unsigned)(p->memory / 1024 + 1), (unsigned)(arena_left(pool) / 1024));
    const uint32_t place = module_calls(module_descriptor(first));
    if (place) memcpy(at + place, calls, ANECHOIC_CALLS_N * sizeof *calls);
    const struct descriptor_image image = {at, p->memory, p->text, p->text_end};
    for (unsigned i = first; i < module_descriptors(); i++) {
        const struct module_benchmark *b = module_descriptor(i);
        if (!descriptor_verify(&image, b->entry, module_benchmark_name(b), &benches[i], params[i], why, cap))
            return false;
        adopt(&benches[i], at, b);
    }
    n = module_descriptors();
    return true;
}

bool descriptors_load(struct arena *pool, const uintptr_t *calls, char *why, size_t cap)
{
    const struct arena whole = *pool;
    if (module_descriptors() == n || load(pool, n, calls, why, cap)) return true;
    *pool = whole;
    return false;
}

unsigned descriptors_benches(const struct bench **list)
{
    for (unsigned i = 0; i < n; i++) list[i] = &benches[i];
    return n;
}

void descriptors_unload(void) { n = module_descriptors(); }

void descriptors_forget(void) { n = 0; }
