#include "boot/modules.h"
#include "bench/descriptors.h"
#include "bench/payload.h"
#include "boot/calls.h"
#include "kernel/crc32.h"
#include "kernel/module.h"
#include "measure/options.h"
#include "pmu/db_format.h"
#include "report/emit.h"
#include "report/record.h"
#include <stdio.h>
#include <string.h>

/* ---- the benchmarks ---- */

#define KERNEL_BENCHES 128 /* linker.ld allows no more */
static const struct bench *bench[KERNEL_BENCHES + MODULE_BENCHMARKS];

void modules_list(struct options_context *to)
{
    unsigned n = 0;
    for (const struct bench *const *b = benches_start; b < benches_end; b++) bench[n++] = *b;
    n += payload_benches(&bench[n]);
    n += descriptors_benches(&bench[n]);
    to->bench = bench;
    to->n_bench = n;
    to->modules = module_snippets() || module_benchmarks() || module_descriptors() || modules_refused();
}

/* Those of the kernel's own benchmarks, and what else bench= takes. */
static bool name_taken(const char *name)
{
    for (const struct bench *const *b = benches_start; b < benches_end; b++)
        if (strcmp((*b)->program.name, name) == 0) return true;
    return bench_word_reserved(name);
}

/* Open a module, and load its benchmarks if it has some with descriptors, into the end of the pool. */
static bool open_module(const void *file, size_t size, struct arena *pool, struct module_fault *fault)
{
    if (!module_open(file, size, *pool, fault->why, sizeof fault->why)) return false;
    if (descriptors_load(pool, kernel_calls, fault->why, sizeof fault->why)) return true;
    module_retract();
    return false;
}

/* ---- at the boot ---- */

_Static_assert(BOOT_MODULES == MODULES + 2, "kernel/bootinfo.h");

bool modules_is_one(const struct boot_module *module)
{
    const size_t size = (size_t)(module->end - module->start), n = strlen(MODULE_MAGIC);
    const void *file = phys_peek(module->start, size);
    return file && size >= n && memcmp(file, MODULE_MAGIC, n) == 0;
}

static bool is_database(const void *file, size_t size)
{
    return file && size >= strlen(DB_MAGIC) && memcmp(file, DB_MAGIC, strlen(DB_MAGIC)) == 0;
}

static void name_it(const struct boot_module *module, unsigned i, struct module_fault *fault)
{
    const char *path = strrchr(module->name, '/');
    snprintf(fault->name, sizeof fault->name, "%s", path ? path + 1 : module->name);
    if (!fault->name[0]) snprintf(fault->name, sizeof fault->name, "module %u, without a name", i + 1);
}

/* The pool is still free, and serves the verification. Without benchmarks to load it stays as it is. */
void modules_at_boot(struct machine *m)
{
    const struct bootinfo *boot = &m->boot;
    struct module_fault *fault = m->module_fault;
    struct arena pool = {m->memory.pool, m->memory.pool_bytes, 0};
    module_names_taken(name_taken);
    for (unsigned i = 0; i < boot->n_modules; i++) {
        const struct boot_module *module = &boot->module[i];
        const size_t size = (size_t)(module->end - module->start);
        const void *file = phys_peek(module->start, size);
        if (is_database(file, size) || open_module(file, size, &pool, fault)) continue;
        name_it(module, i, fault);
        fault++;
    }
    m->memory.pool_bytes = pool.size;
    if (boot->modules_dropped) {
        snprintf(fault->name, sizeof fault->name, "%u modules", boot->modules_dropped);
        snprintf(fault->why, sizeof fault->why,
                 "at most %u modules are possible, not counting the event database", MODULES);
        fault++;
    }
    m->module_faults = (unsigned)(fault - m->module_fault);
}

/* ---- afterwards ---- */

static uint32_t sum_of(const struct boot_module *module)
{
    const size_t size = (size_t)(module->end - module->start);
    const void *file = phys_peek(module->start, size);
    return file ? crc32(0, file, size) : 0;
}

void modules_sum(const struct bootinfo *boot, uint32_t sum[BOOT_MODULES])
{
    for (unsigned i = 0; i < boot->n_modules; i++) sum[i] = sum_of(&boot->module[i]);
}

void modules_compare(struct machine *m, const uint32_t sum[BOOT_MODULES])
{
    const unsigned room = sizeof m->module_fault / sizeof *m->module_fault;
    for (unsigned i = 0; i < m->boot.n_modules; i++) {
        const struct boot_module *module = &m->boot.module[i];
        const uint32_t now = sum_of(module);
        if (now == sum[i]) continue;
        m->modules_changed++;
        if (m->module_faults == room) continue;
        struct module_fault *fault = &m->module_fault[m->module_faults++];
        name_it(module, i, fault);
        snprintf(fault->why, sizeof fault->why,
                 "its bytes in memory, %lXh to %lXh, changed while processors were started (CRC-32 %08x, now "
                 "%08x)",
                 (unsigned long)module->start, (unsigned long)module->end, (unsigned)sum[i], (unsigned)now);
    }
}

/* ---- at the prompt ---- */

static struct {
    bool there;
    size_t pool_bytes; /* without it */
} loaded;

static void unload(struct memory *memory)
{
    if (!loaded.there) return;
    module_unload();
    descriptors_unload();
    memory->pool_bytes = loaded.pool_bytes;
    loaded.there = false;
}

static void tell_loaded(const char *name, const void *file, size_t bytes)
{
    const struct module_header *h = file;
    report_note("monitor", "load: %s: %u bytes, CRC-32 %08x: %u %s", name, (unsigned)bytes,
                (unsigned)crc32(0, file, bytes), (unsigned)h->count,
                h->kind == MODULE_SNIPPETS ? "snippets of bench=code" : "benchmarks");
}

void modules_load(struct session *s, const char *name, size_t bytes)
{
    struct memory *memory = &s->machine->memory;
    struct module_fault fault = {.why = "there is no room for it in the benchmarks' pool"};
    unload(memory);
    loaded.pool_bytes = memory->pool_bytes;
    struct arena pool = {memory->pool, memory->pool_bytes, 0};
    void *file = arena_from_end(&pool, bytes, 4096);
    if (file)
        memmove(file, memory->pool, bytes); /* what measures begins at the pool's beginning, as without it */
    loaded.there = file && open_module(file, bytes, &pool, &fault);
    if (loaded.there) {
        memory->pool_bytes = pool.size;
        tell_loaded(name, file, bytes);
    } else {
        module_forgive();
        snprintf(fault.name, sizeof fault.name, "%s", name);
        emit_module_fault(&fault);
    }
    s->words.memory = memory->pool_bytes;
    modules_list(&s->words);
}
