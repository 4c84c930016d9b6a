/* What one processor's CPUID says of its place. Executed there. */
#include "kernel/hw.h"
#include "kernel/topology.h"
#include <string.h>

#define CPUID_1_EDX_HTT                  (1u << 28)
#define CPUID_X1_ECX_TOPOLOGY_EXTENSIONS (1u << 22)

static const char *const leaf_names[TOPOLOGY_LEAVES] = {
    [TOPOLOGY_LEAF_1F] = "cpuid.1Fh",       [TOPOLOGY_LEAF_26X] = "cpuid.80000026h",
    [TOPOLOGY_LEAF_B] = "cpuid.0Bh",        [TOPOLOGY_LEAF_1EX] = "cpuid.8000001Eh",
    [TOPOLOGY_LEAF_8X] = "cpuid.80000008h", [TOPOLOGY_LEAF_4] = "cpuid.4",
    [TOPOLOGY_LEAF_1] = "cpuid.1",          [TOPOLOGY_LEAF_1DX] = "cpuid.8000001Dh",
    [TOPOLOGY_LEAF_1A] = "cpuid.1Ah",
};
const char *topology_leaf_name(enum topology_leaf leaf) { return leaf_names[leaf]; }

/* So many bits tell n things apart. */
static unsigned bits_for(uint32_t n)
{
    unsigned bits = 0;
    while (bits < 32 && 1ull << bits < n) bits++;
    return bits;
}

static void use(struct topology_ids *ids, enum topology_leaf leaf) { ids->leaves |= (uint16_t)(1u << leaf); }

/* ---- leaves with a subleaf for each level ---- */

/* What a subleaf's type says: by EAX[4:0] the ID is shifted to get the unit of this level. In leaves 0Bh and
 * 1Fh the types are logical processor, core, module, tile, die, die group, and the shift is that of the next
 * level; so type 1 gives the core (SDM vol. 2A, CPUID, leaf 1FH). In 80000026h they are core, complex, die,
 * socket, and the shift is that of the level itself (AMD APM vol. 3, E.4.24). */
static const uint8_t amd_levels[] = {[1] = LEVEL_CORE, LEVEL_COMPLEX, LEVEL_DIE, LEVEL_PACKAGE};
static const uint8_t intel_types[] = {[2] = LEVEL_CORE, LEVEL_MODULE, LEVEL_TILE, LEVEL_DIE, LEVEL_DIE_GROUP};

#define SUBLEAVES_MAX 8 /* more levels than are defined: a processor that ignores the subleaf is left so */

/* Linux, too, sets right a shift of 0 where a core has several threads (topology_ext.c, "broken SMT leaf").
 */
static unsigned shift_of(const struct cpuid_regs *r)
{
    const unsigned shift = r->eax & 0x1f;
    return shift || (r->ecx >> 8 & 0xff) != 1 ? shift : bits_for(r->ebx & 0xffff);
}

static bool read_intel_levels(uint32_t leaf, struct topology_ids *ids)
{
    unsigned shift = 0;
    for (unsigned i = 0; i < SUBLEAVES_MAX; i++) {
        const struct cpuid_regs r = hw_cpuid(leaf, i);
        const unsigned type = r.ecx >> 8 & 0xff;
        if (type == 0 || (r.ebx & 0xffff) == 0) break;
        if (i == 0 && type != 1) return false;
        if (i && (r.ecx & 0xff) != i) break;
        if (type < sizeof intel_types && type > 1) ids->shift[intel_types[type]] = (uint8_t)shift;
        shift = shift_of(&r);
        if (i == 0) ids->shift[LEVEL_CORE] = (uint8_t)shift;
        ids->shift[LEVEL_PACKAGE] = (uint8_t)shift; /* what follows the last level is the package */
        ids->initial_id = r.edx;
    }
    return ids->shift[LEVEL_PACKAGE] != SHIFT_UNKNOWN;
}

static bool read_1f(const struct cpu_id *id, struct topology_ids *ids)
{
    (void)id;
    return read_intel_levels(0x1f, ids);
}

static bool read_b(const struct cpu_id *id, struct topology_ids *ids)
{
    (void)id;
    return read_intel_levels(0xb, ids);
}

/* EAX of the core's subleaf: bit 30, cores differ; EBX[31:28]: 0 performance, 1 efficiency. */
static bool read_26x(const struct cpu_id *id, struct topology_ids *ids)
{
    (void)id;
    for (unsigned i = 0; i < SUBLEAVES_MAX; i++) {
        const struct cpuid_regs r = hw_cpuid(0x80000026u, i);
        const unsigned type = r.ecx >> 8 & 0xff;
        if (type == 0 || type >= sizeof amd_levels || (r.ecx & 0xff) != i) break;
        ids->shift[amd_levels[type]] = (uint8_t)(r.eax & 0x1f);
        ids->initial_id = r.edx;
        if (type == 1 && r.eax >> 30 & 1 && r.ebx >> 28 <= 1)
            ids->kind = r.ebx >> 28 ? CORE_KIND_E : CORE_KIND_P;
    }
    return ids->shift[LEVEL_CORE] != SHIFT_UNKNOWN && ids->shift[LEVEL_PACKAGE] != SHIFT_UNKNOWN;
}

/* ---- before there were such ---- */

/* The number of logical processors that leaf 1 has IDs for; only with HTT is it one (SDM vol. 3A, 10.9.1).
 * Without HTT there is one in a package, and the bits may be anything. */
static uint32_t ids_of_leaf_1(const struct cpu_id *id)
{
    const uint32_t n = id->f1_ebx >> 16 & 0xff;
    return id->f1_edx & CPUID_1_EDX_HTT && n ? n : 1;
}

/* EBX[31:24] is the initial APIC ID since the Pentium 4 and the K7; before that it is 0 everywhere. */
static void initial_id_of_leaf_1(const struct cpu_id *id, struct topology_ids *ids)
{
    if (id->f1_edx & CPUID_1_EDX_HTT) ids->initial_id = id->f1_ebx >> 24;
}

static void set_bits(struct topology_ids *ids, unsigned thread, unsigned package)
{
    ids->shift[LEVEL_CORE] = (uint8_t)thread;
    ids->shift[LEVEL_PACKAGE] = (uint8_t)(package < thread ? thread : package);
}

/* AMD: ECX[15:12] says how many bits of the ID number the cores (threads, since Zen) of a package; if 0,
 * ECX[7:0] their number less 1. */
static unsigned amd_package_bits(void)
{
    const uint32_t ecx = hw_cpuid(0x80000008u, 0).ecx;
    return ecx >> 12 & 0xf ? ecx >> 12 & 0xf : bits_for((ecx & 0xff) + 1);
}

/* EBX[15:8]: threads of the core less 1; of families 15h and 16h, cores of the compute unit. */
static bool read_1ex(const struct cpu_id *id, struct topology_ids *ids)
{
    const struct cpuid_regs r = hw_cpuid(0x8000001eu, 0);
    const unsigned bits = bits_for((r.ebx >> 8 & 0xff) + 1);
    const bool has_units = id->family < 0x17;
    set_bits(ids, has_units ? 0 : bits, amd_package_bits());
    if (has_units && bits) ids->shift[LEVEL_MODULE] = (uint8_t)bits;
    ids->initial_id = r.eax;
    use(ids, TOPOLOGY_LEAF_8X);
    return true;
}

static bool read_8x(const struct cpu_id *id, struct topology_ids *ids)
{
    if (!(id->f1_edx & CPUID_1_EDX_HTT)) return false; /* a single core */
    set_bits(ids, 0, amd_package_bits());
    initial_id_of_leaf_1(id, ids);
    return true;
}

/* SDM vol. 3A, 10.9.3: leaf 1 has the logical processors of a package, leaf 4 its cores. */
static bool read_4(const struct cpu_id *id, struct topology_ids *ids)
{
    const uint32_t all = ids_of_leaf_1(id), cores = (id->f4_eax >> 26) + 1;
    if (!(id->f4_eax & 0x1f)) return false;
    const unsigned package = bits_for(all), core = bits_for(cores);
    set_bits(ids, package > core ? package - core : 0, package);
    initial_id_of_leaf_1(id, ids);
    use(ids, TOPOLOGY_LEAF_1);
    return true;
}

/* The Pentium 4 and the first Xeons with Hyper-Threading: all logical processors of a package are threads of
 * its one core. */
static bool read_1(const struct cpu_id *id, struct topology_ids *ids)
{
    const unsigned bits = bits_for(ids_of_leaf_1(id));
    set_bits(ids, bits, bits);
    initial_id_of_leaf_1(id, ids);
    return id->max_leaf >= 1;
}

enum { INTEL = 1, AMD = 2, OTHER = 4, ANY = 7 };

static const struct {
    enum topology_leaf leaf;
    unsigned vendors;
    uint32_t number, x1_ecx; /* the highest leaf is no less; the bits are set */
    bool (*read)(const struct cpu_id *, struct topology_ids *);
} sources[] = {
    {TOPOLOGY_LEAF_1F, INTEL | OTHER, 0x1f, 0, read_1f},
    {TOPOLOGY_LEAF_26X, AMD, 0x80000026u, 0, read_26x},
    {TOPOLOGY_LEAF_B, ANY, 0xb, 0, read_b},
    {TOPOLOGY_LEAF_1EX, AMD, 0x8000001eu, CPUID_X1_ECX_TOPOLOGY_EXTENSIONS, read_1ex},
    {TOPOLOGY_LEAF_8X, AMD, 0x80000008u, 0, read_8x},
    {TOPOLOGY_LEAF_4, INTEL | OTHER, 4, 0, read_4},
    {TOPOLOGY_LEAF_1, ANY, 0, 0, read_1},
};

static unsigned vendor_class(const struct cpu_id *id)
{
    return cpu_is_intel(id) ? INTEL : cpu_is_amd(id) ? AMD : OTHER;
}

static bool has_leaf(const struct cpu_id *id, uint32_t leaf)
{
    return leaf <= (leaf >> 31 ? id->max_ext_leaf : id->max_leaf);
}

static void read_levels(const struct cpu_id *id, struct topology_ids *ids)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (!(sources[i].vendors & vendor_class(id)) || !has_leaf(id, sources[i].number)) continue;
        if ((id->x1_ecx & sources[i].x1_ecx) != sources[i].x1_ecx) continue;
        memset(ids->shift, SHIFT_UNKNOWN, sizeof ids->shift);
        ids->initial_id = ids->apic_id;
        if (!sources[i].read(id, ids)) continue;
        use(ids, sources[i].leaf);
        return;
    }
}

/* ECX[10:8] of 8000001Eh: nodes of the package less 1; ECX[7:0]: which one of the machine. Where 80000026h
 * tells dies, these are other ones: nodes follow the memory's interleaving. */
static void read_node(const struct cpu_id *id, struct topology_ids *ids)
{
    if (!cpu_is_amd(id) || !has_leaf(id, 0x8000001eu) || ids->shift[LEVEL_DIE] != SHIFT_UNKNOWN) return;
    if (!(id->x1_ecx & CPUID_X1_ECX_TOPOLOGY_EXTENSIONS)) return;
    const uint32_t ecx = hw_cpuid(0x8000001eu, 0).ecx;
    if (!(ecx >> 8 & 7)) return;
    ids->has_node = true;
    ids->node = ecx & 0xff;
    use(ids, TOPOLOGY_LEAF_1EX);
}

/* EAX[25:14] of leaf 4 and of 8000001Dh: IDs of those that share the cache, less 1. No cache reaches beyond
 * its package. */
static void read_sharing(uint32_t leaf, struct topology_ids *ids)
{
    for (unsigned i = 0; i < CACHE_MAX && ids->caches < TOPOLOGY_CACHES; i++) {
        const struct cpuid_regs r = hw_cpuid(leaf, i);
        const unsigned kind = r.eax & 0x1f, level = r.eax >> 5 & 7;
        if (kind == 0) return;
        const uint64_t bytes = ((uint64_t)(r.ebx >> 22) + 1) * ((r.ebx >> 12 & 0x3ff) + 1) *
                               ((r.ebx & 0xfff) + 1) * ((uint64_t)r.ecx + 1);
        unsigned shift = bits_for((r.eax >> 14 & 0xfff) + 1);
        if (kind > CACHE_UNIFIED || level == 0 || bytes > UINT32_MAX) continue;
        if (shift > ids->shift[LEVEL_PACKAGE]) shift = ids->shift[LEVEL_PACKAGE];
        ids->cache[ids->caches++] = (struct topology_ids_cache){.level = (uint8_t)level,
                                                                .kind = (uint8_t)kind,
                                                                .shift = (uint8_t)shift,
                                                                .bytes = (uint32_t)bytes};
    }
}

static void read_caches(const struct cpu_id *id, struct topology_ids *ids)
{
    struct cache_info info;
    cache_probe(id, &info);
    const bool amd = strcmp(info.source, "cpuid.8000001Dh") == 0;
    if (amd || strcmp(info.source, "cpuid.4") == 0) {
        read_sharing(amd ? 0x8000001du : 4, ids);
        use(ids, amd ? TOPOLOGY_LEAF_1DX : TOPOLOGY_LEAF_4);
        return;
    }
    for (unsigned i = 0; i < info.n && i < TOPOLOGY_CACHES; i++)
        ids->cache[ids->caches++] = (struct topology_ids_cache){.level = info.c[i].level,
                                                                .kind = info.c[i].kind,
                                                                .shift = SHIFT_UNKNOWN,
                                                                .bytes = info.c[i].bytes};
}

/* SDM vol. 2A, CPUID, leaf 1AH: 20h Atom, 40h Core. An LP E-core has the E-core's type: what tells it apart
 * is that it has no part in the last-level cache. */
static void read_kind(const struct cpu_id *id, struct topology_ids *ids)
{
    if (!cpu_is_intel(id) || !(id->f7_edx & CPUID_7_EDX_HYBRID)) return;
    const unsigned type = id->f1a_eax >> 24;
    if (type != 0x20 && type != 0x40) return;
    ids->kind = type == 0x40 ? CORE_KIND_P : CORE_KIND_E;
    use(ids, TOPOLOGY_LEAF_1A);
}

void topology_read(const struct cpu_id *id, uint32_t apic_id, struct topology_ids *out)
{
    memset(out, 0, sizeof *out);
    out->apic_id = out->initial_id = apic_id;
    read_levels(id, out);
    read_node(id, out);
    read_caches(id, out);
    read_kind(id, out);
}
