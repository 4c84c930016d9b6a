/* Cache geometry from whichever CPUID leaf this CPU has. */
#include "kernel/cache.h"
#include "kernel/cache_tables.h"
#include "kernel/hw.h"
#include <string.h>

#define CPUID_X1_ECX_TOPOLOGY_EXTENSIONS (1u << 22)

/* A line size outside of this means a garbled leaf: the smallest of any x86 is 16 bytes (486). */
enum { LINE_MIN = 16, LINE_MAX = 1024 };

/* Add a plausible cache, once: a CPU or hypervisor that ignores the subleaf repeats the same one. */
static void add(struct cache_info *info, const struct cache *c)
{
    bool line_ok = c->line >= LINE_MIN && c->line <= LINE_MAX && (c->line & (c->line - 1)) == 0;
    if (c->level == 0 || c->bytes < c->line || !line_ok || info->n == CACHE_MAX) return;
    for (unsigned i = 0; i < info->n; i++) {
        const struct cache *k = &info->c[i];
        if (k->level == c->level && k->kind == c->kind && k->bytes == c->bytes && k->line == c->line &&
            k->ways == c->ways)
            return;
    }
    info->c[info->n++] = *c;
}

/* Leaf 4 and AMD's 8000001Dh have one layout (SDM vol. 2A, CPUID, leaf 04H; AMD APM vol. 3, E.4.15). */
static void read_deterministic(uint32_t leaf, struct cache_info *info)
{
    for (unsigned i = 0; i < CACHE_MAX; i++) {
        struct cpuid_regs r = hw_cpuid(leaf, i);
        unsigned kind = r.eax & 0x1f;
        if (kind == 0) return;
        if (kind > CACHE_UNIFIED) continue; /* reserved types */

        uint32_t ways = (r.ebx >> 22) + 1;
        uint32_t partitions = (r.ebx >> 12 & 0x3ff) + 1;
        uint32_t line = (r.ebx & 0xfff) + 1;
        /* The product is below 2^64: three factors make at most 2^32, and the 32-bit sum wraps to 0, which
         * add() refuses. */
        uint64_t bytes = (uint64_t)ways * partitions * line * (r.ecx + 1);
        if (bytes > UINT32_MAX) continue;

        bool fully_associative = r.eax >> 9 & 1;
        add(info, &(struct cache){.level = r.eax >> 5 & 7,
                                  .kind = (uint8_t)kind,
                                  .bytes = (uint32_t)bytes,
                                  .line = line,
                                  .ways = fully_associative ? CACHE_FULLY_ASSOCIATIVE : ways});
    }
}

static void read_leaf4(const struct cpu_id *id, struct cache_info *info)
{
    (void)id;
    read_deterministic(4, info);
}

static void read_leaf_1d(const struct cpu_id *id, struct cache_info *info)
{
    (void)id;
    read_deterministic(0x8000001du, info);
}

/* AL of the first answer is the number of times that the leaf must be asked; it has been 1 on every CPU made,
 * so anything large is garbage. A register with bit 31 set holds no descriptors. */
static void read_leaf2(const struct cpu_id *id, struct cache_info *info)
{
    enum { ASK_MAX = 4 };
    unsigned times = 1;
    for (unsigned n = 0; n < times && n < ASK_MAX; n++) {
        struct cpuid_regs r = hw_cpuid(2, 0);
        if (n == 0) times = r.eax & 0xff;
        const uint32_t regs[] = {r.eax & ~0xffu, r.ebx, r.ecx, r.edx};
        for (unsigned i = 0; i < 4; i++) {
            if (regs[i] >> 31) continue;
            for (unsigned shift = 0; shift < 32; shift += 8) {
                struct cache c;
                if (cache_descriptor(id, regs[i] >> shift & 0xff, &c)) add(info, &c);
            }
        }
    }
}

/* ECX and EDX of leaf 80000005h: size in KiB, associativity as a number (FFh: full), -, line size. */
static void add_amd_l1(struct cache_info *info, uint8_t kind, uint32_t reg)
{
    uint32_t ways = reg >> 16 & 0xff;
    add(info, &(struct cache){.level = 1,
                              .kind = kind,
                              .bytes = (reg >> 24) * 1024,
                              .line = reg & 0xff,
                              .ways = ways == 0xff ? CACHE_FULLY_ASSOCIATIVE : ways});
}

/* Leaf 80000006h encodes the associativity (AMD APM vol. 3, table E-4). 0 means that the associativity is
 * unknown: the cache is off (code 0), or the code is reserved or refers to leaf 8000001Dh (code 9). */
static const uint16_t amd_ways[] = {
    [1] = 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, CACHE_FULLY_ASSOCIATIVE};

static void add_amd_outer(struct cache_info *info, uint8_t level, uint32_t reg, uint32_t bytes)
{
    uint32_t code = reg >> 12 & 0xf;
    if (code == 0) return;
    add(info, &(struct cache){.level = level,
                              .kind = CACHE_UNIFIED,
                              .bytes = bytes,
                              .line = reg & 0xff,
                              .ways = amd_ways[code]});
}

/* Early K7 report a wrong L2 size (AMD Athlon and Duron revision guides: Duron A0, and Athlon model 4 A1 and
 * A2). */
static const struct {
    uint32_t signature;
    uint32_t kib;
} l2_errata[] = {{0x630, 64}, {0x640, 256}, {0x641, 256}};

static void read_amd(const struct cpu_id *id, struct cache_info *info)
{
    struct cpuid_regs l1 = hw_cpuid(0x80000005u, 0);
    add_amd_l1(info, CACHE_DATA, l1.ecx);
    add_amd_l1(info, CACHE_CODE, l1.edx);
    if (id->max_ext_leaf < 0x80000006u) return;

    struct cpuid_regs outer = hw_cpuid(0x80000006u, 0);
    uint32_t l2_kib = outer.ecx >> 16;
    for (size_t i = 0; i < sizeof l2_errata / sizeof *l2_errata; i++)
        if (id->signature == l2_errata[i].signature && cpu_is_amd(id)) l2_kib = l2_errata[i].kib;
    add_amd_outer(info, 2, outer.ecx, l2_kib * 1024);
    uint32_t l3_units = outer.edx >> 18; /* of 512 KiB: fewer than 2^13 fit 32 bits */
    if (l3_units >> 13 == 0) add_amd_outer(info, 3, outer.edx, l3_units << 19);
}

static void read_table(const struct cpu_id *id, struct cache_info *info)
{
    struct cache c;
    for (unsigned i = 0; cache_of_model(id, i, &c); i++) add(info, &c);
}

/* The vendors that define a leaf: leaf 4 is reserved on AMD, leaf 2 has Intel's descriptors on Intel only
 * (Cyrix gives the bytes other meanings), and 80000005h is reserved on Intel. */
enum { INTEL = 1, AMD = 2, OTHER = 4 };

static const struct {
    const char *name;
    unsigned vendors;
    uint32_t leaf;   /* must not exceed the highest leaf of its range; 0: no leaf needed */
    uint32_t x1_ecx; /* bits that leaf 80000001h ECX must have */
    void (*read)(const struct cpu_id *, struct cache_info *);
} sources[] = {
    {"cpuid.4", INTEL | OTHER, 4, 0, read_leaf4},
    {"cpuid.8000001Dh", AMD, 0x8000001du, CPUID_X1_ECX_TOPOLOGY_EXTENSIONS, read_leaf_1d},
    {"cpuid.2", INTEL, 2, 0, read_leaf2},
    {"cpuid.80000005h", AMD | OTHER, 0x80000005u, 0, read_amd},
    {"table", INTEL | AMD | OTHER, 0, 0, read_table},
};

static unsigned vendor_class(const struct cpu_id *id)
{
    if (cpu_is_intel(id)) return INTEL;
    if (cpu_is_amd(id)) return AMD;
    return OTHER;
}

/* A source is trusted if it reports a first-level data cache. A leaf that is zero, or garbage that looks like
 * some outer cache, does not. */
void cache_probe(const struct cpu_id *id, struct cache_info *info)
{
    unsigned vendor = vendor_class(id);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        uint32_t max = sources[i].leaf >> 31 ? id->max_ext_leaf : id->max_leaf;
        if (!(sources[i].vendors & vendor) || sources[i].leaf > max) continue;
        if ((id->x1_ecx & sources[i].x1_ecx) != sources[i].x1_ecx) continue;

        memset(info, 0, sizeof *info);
        sources[i].read(id, info);
        info->source = sources[i].name;
        if (cache_data(info, 1)) return;
    }
    memset(info, 0, sizeof *info);
    info->source = "unknown";
}

const struct cache *cache_data(const struct cache_info *info, unsigned level)
{
    for (unsigned i = 0; i < info->n; i++)
        if (info->c[i].level == level && info->c[i].kind != CACHE_CODE) return &info->c[i];
    return NULL;
}

uint32_t cache_sets(const struct cache *c)
{
    if (c->ways == CACHE_FULLY_ASSOCIATIVE) return 1;
    if (c->ways == 0 || c->line == 0) return 0;
    return c->bytes / c->line / c->ways;
}
