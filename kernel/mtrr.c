/* Memory type of a range, from the variable-range MTRRs. */
#include "kernel/mtrr.h"
#include "kernel/hw.h"
#include <string.h>

/* SDM vol. 3A, 11.11.1-11.11.2 and figures 11-5 to 11-7 */
#define IA32_MTRRCAP        0xfe
#define IA32_MTRR_PHYSBASE0 0x200
#define IA32_MTRR_FIX64K    0x250 /* the first register after the variable ranges */
#define IA32_MTRR_DEF_TYPE  0x2ff
#define DEF_TYPE_ENABLE     (1u << 11)
#define PHYSMASK_VALID      (1u << 11)

/* AMD APM vol. 2, 7.9.1: memory between 4 GiB and TOM2 can default to write-back, whatever MTRRdefType says
 */
#define AMD_SYSCFG           0xc0010010
#define AMD_TOP_MEM2         0xc001001d
#define SYSCFG_TOM2_FORCE_WB (1u << 21 | 1u << 22) /* MtrrTom2En, Tom2ForceMemTypeWB */

#define GIB4             (1ull << 32)
#define FIXED_RANGES_END 0x100000u
#define RANGE_MAX        MTRR_RANGES
#define CAP_FIXED        (1u << 8)

/* SDM vol. 3A, 11.11.2.2 */
static const uint16_t fixed[MTRR_FIXED] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                           0x26b, 0x26c, 0x26d, 0x26e, 0x26f};

struct range {
    uint64_t base, mask;
    uint64_t
        grain; /* the lowest bit of the mask: all addresses of an aligned block of this size match alike */
    bool contiguous;
    uint8_t type;
};

struct mtrr {
    bool enabled;
    uint8_t default_type;
    uint64_t wb_end; /* end of the memory above 4 GiB that defaults to write-back; 0 = none */
    unsigned n;
    struct range range[RANGE_MAX];
};

static bool type_valid(unsigned type)
{
    return type <= MT_WB &&
           (1u << type & (1u << MT_UC | 1u << MT_WC | 1u << MT_WT | 1u << MT_WP | 1u << MT_WB));
}

/* Width of a physical address; 36 where CPUID does not give it (SDM vol. 3A, 11.11.2.3). */
static unsigned physical_bits(const struct cpu_id *id)
{
    if (id->max_ext_leaf < 0x80000008u) return 36;
    unsigned bits = hw_cpuid(0x80000008u, 0).eax & 0xff;
    return bits >= 32 && bits <= 52 ? bits : 36;
}

static void read_tom2(const struct cpu_id *id, struct mtrr *m)
{
    uint64_t syscfg, tom2;
    if (!cpu_is_amd(id) || id->family < 0xf) return;
    if (!rdmsr_safe(AMD_SYSCFG, &syscfg) || (syscfg & SYSCFG_TOM2_FORCE_WB) != SYSCFG_TOM2_FORCE_WB) return;
    if (rdmsr_safe(AMD_TOP_MEM2, &tom2)) m->wb_end = tom2 & ~0x7fffffull; /* bits 22:0 are reserved */
}

static bool read_ranges(uint64_t phys_mask, struct mtrr *m)
{
    uint64_t cap;
    if (!rdmsr_safe(IA32_MTRRCAP, &cap) || (cap & 0xff) > RANGE_MAX) return false;

    for (unsigned i = 0; i < (cap & 0xff); i++) {
        uint64_t base, mask;
        if (!rdmsr_safe(IA32_MTRR_PHYSBASE0 + 2 * i, &base)) return false;
        if (!rdmsr_safe(IA32_MTRR_PHYSBASE0 + 2 * i + 1, &mask)) return false;
        if (!(mask & PHYSMASK_VALID)) continue;
        if (!type_valid(base & 0xff)) return false;

        struct range *r = &m->range[m->n++];
        r->type = base & 0xff;
        r->mask = mask & phys_mask;
        r->base = base & r->mask;
        r->grain = r->mask & -r->mask;
        r->contiguous = (r->mask | (r->grain - 1)) == (phys_mask | 0xfff);
    }
    return true;
}

static bool read_mtrrs(const struct cpu_id *id, uint64_t phys_mask, struct mtrr *m)
{
    uint64_t def;
    memset(m, 0, sizeof *m);
    if (!(id->f1_edx & CPUID_1_EDX_MTRR) || !rdmsr_safe(IA32_MTRR_DEF_TYPE, &def)) return false;
    m->enabled = def & DEF_TYPE_ENABLE;
    m->default_type = def & 0xff;
    if (!m->enabled) return true;
    if (!type_valid(m->default_type)) return false;
    read_tom2(id, m);
    return read_ranges(phys_mask, m);
}

/* Two ranges over one address: SDM vol. 3A, 11.11.4.1. Other combinations are undefined. */
static enum mem_type combine(enum mem_type a, enum mem_type b)
{
    if (a == b) return a;
    if (a == MT_UC || b == MT_UC) return MT_UC;
    if ((a == MT_WT && b == MT_WB) || (a == MT_WB && b == MT_WT)) return MT_WT;
    return MT_UNKNOWN;
}

static enum mem_type type_at(const struct mtrr *m, uint64_t addr)
{
    if (!m->enabled) return MT_UC;

    bool matched = false;
    enum mem_type type = addr >= GIB4 && addr < m->wb_end ? MT_WB : (enum mem_type)m->default_type;
    for (unsigned i = 0; i < m->n; i++) {
        if ((addr & m->range[i].mask) != m->range[i].base) continue;
        type = matched ? combine(type, m->range[i].type) : (enum mem_type)m->range[i].type;
        matched = true;
    }
    return type;
}

static uint64_t nearer(uint64_t addr, uint64_t candidate, uint64_t best)
{
    return candidate > addr && candidate < best ? candidate : best;
}

/* The next address above addr at which the type may change, at most end. */
static uint64_t next_change(const struct mtrr *m, uint64_t addr, uint64_t end)
{
    uint64_t next = nearer(addr, m->wb_end, nearer(addr, GIB4, end));
    for (unsigned i = 0; i < m->n; i++) {
        const struct range *r = &m->range[i];
        if (r->contiguous) {
            next = nearer(addr, r->base, next);
            next = nearer(addr, r->base + r->grain, next);
        } else {
            next = nearer(addr, (addr & -r->grain) + r->grain, next); /* a mask of 0 covers everything: 0 */
        }
    }
    return next;
}

enum mem_type mtrr_type(const struct cpu_id *id, uint64_t base, uint64_t len)
{
    /* Masks with holes are legal (SDM vol. 3A, 11.11.3.2), and may cause many changes: give up after some.
     */
    enum { STEP_MAX = 65536 };
    struct mtrr m;
    uint64_t limit = 1ull << physical_bits(id);
    uint64_t end = base + len;

    if (base < FIXED_RANGES_END || end <= base || end > limit) return MT_UNKNOWN;
    if (!read_mtrrs(id, limit - 0x1000, &m)) return MT_UNKNOWN;

    enum mem_type type = type_at(&m, base);
    unsigned steps = 0;
    for (uint64_t addr = next_change(&m, base, end); addr < end; addr = next_change(&m, addr, end)) {
        if (++steps == STEP_MAX) return MT_UNKNOWN;
        if (type_at(&m, addr) != type) return MT_MIXED;
    }
    return type;
}

void mtrr_save(const struct cpu_id *id, struct mtrr_state *s)
{
    uint64_t cap = 0;
    *s = (struct mtrr_state){.present = false};
    if (!(id->f1_edx & CPUID_1_EDX_MTRR) || !rdmsr_safe(IA32_MTRRCAP, &cap) ||
        !rdmsr_safe(IA32_MTRR_DEF_TYPE, &s->def))
        return;
    s->present = true;
    s->ranges = (cap & 0xff) > RANGE_MAX ? RANGE_MAX : (unsigned)(cap & 0xff);
    for (unsigned i = 0; i < 2 * s->ranges; i++) rdmsr_safe(IA32_MTRR_PHYSBASE0 + i, &s->range[i]);
    for (unsigned i = 0; cap & CAP_FIXED && i < MTRR_FIXED; i++) rdmsr_safe(fixed[i], &s->fixed[i]);
}

unsigned mtrr_differ(const struct cpu_id *id, const struct mtrr_state *s)
{
    struct mtrr_state own;
    mtrr_save(id, &own);
    unsigned n = own.present != s->present || own.def != s->def;
    for (unsigned i = 0; i < 2 * MTRR_RANGES; i++) n += own.range[i] != s->range[i];
    for (unsigned i = 0; i < MTRR_FIXED; i++) n += own.fixed[i] != s->fixed[i];
    return n;
}

void mtrr_load(const struct mtrr_state *s)
{
    if (!s->present) return;
    wrmsr_safe(IA32_MTRR_DEF_TYPE, s->def & ~(uint64_t)DEF_TYPE_ENABLE);
    for (unsigned i = 0; i < 2 * s->ranges; i++) wrmsr_safe(IA32_MTRR_PHYSBASE0 + i, s->range[i]);
    for (unsigned i = 0; i < MTRR_FIXED; i++) wrmsr_safe(fixed[i], s->fixed[i]);
    wrmsr_safe(IA32_MTRR_DEF_TYPE, s->def);
}

const char *mem_type_name(enum mem_type t)
{
    switch (t) {
    case MT_UC:
        return "UC";
    case MT_WC:
        return "WC";
    case MT_WT:
        return "WT";
    case MT_WP:
        return "WP";
    case MT_WB:
        return "WB";
    case MT_MIXED:
        return "mixed";
    case MT_UNKNOWN:
        break;
    }
    return "unknown";
}
