/* Leaves as InstLatx64's dumps of the named machines give them, for each kind of processor once: its own ID
 * is put in where it stands. Bits that have nothing to do with the topology are left out. */
#include "tests/unit/fake_topology.h"
#include <stdlib.h>
#include <string.h>

#define ANY FAKE_ANY_SUBLEAF

/* EBX, ECX, EDX of leaf 0 */
#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD   0x68747541, 0x444d4163, 0x69746e65

/* two Pentium III; CPUID does not tell them apart */
static const struct fake_cpuid katmai_dp[] = {
    {0, ANY, {3, INTEL}},
    {1, ANY, {0x673, 0, 0, 0x387fbff}},
    {2, ANY, {0x3020101, 0, 0, 0xc040843}},
};

/* two Xeons of 2003 with Hyper-Threading */
static const struct fake_cpuid gallatin_dp[] = {
    {0, ANY, {2, INTEL}},
    {1, ANY, {0xf25, 0x2080b, 0, 0xbfebfbff}},
    {2, ANY, {0x665b5001, 0, 0, 0x7b7023}},
    {0x80000000, ANY, {0x80000004, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0, 0}},
};

/* two packages of two dies, each with an L2 */
static const struct fake_cpuid clovertown_dp[] = {
    {0, ANY, {0xa, INTEL}},
    {1, ANY, {0x6f7, 0x40800, 0, 0xbfebfbff}},
    {4, 0, {0xc000121, 0x1c0003f, 0x3f, 1}},
    {4, 1, {0xc000122, 0x1c0003f, 0x3f, 1}},
    {4, 2, {0xc004143, 0x3c0003f, 0xfff, 1}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 1, 0}},
    {0x80000008, ANY, {0x3024, 0, 0, 0}},
};

/* two Xeon Platinum 8160: 24 cores, and holes among their IDs */
static const struct fake_cpuid skylake_dp[] = {
    {0, ANY, {0x16, INTEL}},
    {1, ANY, {0x50654, 0x400800, 0, 0xbfebfbff}},
    {4, 0, {0x7c004121, 0x1c0003f, 0x3f, 0}},
    {4, 1, {0x7c004122, 0x1c0003f, 0x3f, 0}},
    {4, 2, {0x7c004143, 0x3c0003f, 0x3ff, 0}},
    {4, 3, {0x7c0fc163, 0x280003f, 0xbfff, 4}},
    {0xb, 0, {1, 2, 0x100, 0}},
    {0xb, 1, {6, 0x30, 0x201, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0}},
    {0x80000008, ANY, {0x302e, 0, 0, 0}},
};

/* Core i9-12900K: clusters of E-cores that no level names */
static const struct fake_cpuid alder_lake_a[] = {
    {0, ANY, {0x20, INTEL}},
    {1, ANY, {0x90672, 0x800800, 0, 0xbfebfbff}},
    {4, 0, {0xfc004121, 0x2c0003f, 0x3f, 0}},
    {4, 1, {0xfc004122, 0x1c0003f, 0x3f, 0}},
    {4, 2, {0xfc01c143, 0x240003f, 0x7ff, 0}},
    {4, 3, {0xfc1fc163, 0x2c0003f, 0x9fff, 4}},
    {7, 0, {0, 0, 0, 0x8000}},
    {0xb, 0, {1, 2, 0x100, 0}},
    {0xb, 1, {7, 0x18, 0x201, 0}},
    {0x1a, ANY, {0x40000001, 0, 0, 0}},
    {0x1f, 0, {1, 2, 0x100, 0}},
    {0x1f, 1, {7, 0x18, 0x201, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0}},
    {0x80000008, ANY, {0x302e, 0, 0, 0}},
};

static const struct fake_cpuid alder_lake_b[] = {
    {0, ANY, {0x20, INTEL}},
    {1, ANY, {0x90672, 0x800800, 0, 0xbfebfbff}},
    {4, 0, {0xfc004121, 0x1c0003f, 0x3f, 0}},
    {4, 1, {0xfc004122, 0x1c0003f, 0x7f, 0}},
    {4, 2, {0xfc01c143, 0x3c0003f, 0x7ff, 0}},
    {4, 3, {0xfc1fc163, 0x2c0003f, 0x9fff, 4}},
    {7, 0, {0, 0, 0, 0x8000}},
    {0xb, 0, {1, 1, 0x100, 0}},
    {0xb, 1, {7, 0x18, 0x201, 0}},
    {0x1a, ANY, {0x20000001, 0, 0, 0}},
    {0x1f, 0, {1, 1, 0x100, 0}},
    {0x1f, 1, {7, 0x18, 0x201, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0}},
    {0x80000008, ANY, {0x302e, 0, 0, 0}},
};

/* boots on ID 20h; two LP E-cores without an L3 */
static const struct fake_cpuid meteor_lake_a[] = {
    {0, ANY, {0x23, INTEL}},
    {1, ANY, {0xa06a4, 0x800800, 0, 0xbfebfbff}},
    {4, 0, {0xfc004121, 0x2c0003f, 0x3f, 0}},
    {4, 1, {0xfc004122, 0x3c0003f, 0x3f, 0}},
    {4, 2, {0xfc01c143, 0x3c0003f, 0x7ff, 0}},
    {4, 3, {0xfc0fc163, 0x2c0003f, 0x5fff, 4}},
    {7, 0, {0, 0, 0, 0x8000}},
    {0xb, 0, {1, 2, 0x100, 0}},
    {0xb, 1, {7, 0x12, 0x201, 0}},
    {0x1a, ANY, {0x40000002, 0, 0, 0}},
    {0x1f, 0, {1, 2, 0x100, 0}},
    {0x1f, 1, {3, 2, 0x201, 0}},
    {0x1f, 2, {7, 0x12, 0x302, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0}},
    {0x80000008, ANY, {0x302e, 0, 0, 0}},
};

static const struct fake_cpuid meteor_lake_b[] = {
    {0, ANY, {0x23, INTEL}},
    {1, ANY, {0xa06a4, 0x800800, 0, 0xbfebfbff}},
    {4, 0, {0xfc000121, 0x1c0003f, 0x3f, 0}},
    {4, 1, {0xfc000122, 0x1c0003f, 0x7f, 0}},
    {4, 2, {0xfc01c143, 0x3c0003f, 0x7ff, 0}},
    {4, 3, {0xfc0fc163, 0x2c0003f, 0x5fff, 4}},
    {7, 0, {0, 0, 0, 0x8000}},
    {0xb, 0, {1, 1, 0x100, 0}},
    {0xb, 1, {7, 0x12, 0x201, 0}},
    {0x1a, ANY, {0x20000002, 0, 0, 0}},
    {0x1f, 0, {1, 1, 0x100, 0}},
    {0x1f, 1, {3, 4, 0x201, 0}},
    {0x1f, 2, {7, 0x12, 0x302, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0}},
    {0x80000008, ANY, {0x302e, 0, 0, 0}},
};

static const struct fake_cpuid meteor_lake_c[] = {
    {0, ANY, {0x23, INTEL}},
    {1, ANY, {0xa06a4, 0x800800, 0, 0xbfebfbff}},
    {4, 0, {0xfc000121, 0x1c0003f, 0x3f, 1}},
    {4, 1, {0xfc000122, 0x1c0003f, 0x7f, 1}},
    {4, 2, {0xfc01c143, 0x3c0003f, 0x7ff, 1}},
    {7, 0, {0, 0, 0, 0x8000}},
    {0xb, 0, {1, 1, 0x100, 0}},
    {0xb, 1, {7, 0x12, 0x201, 0}},
    {0x1a, ANY, {0x20000002, 0, 0, 0}},
    {0x1f, 0, {1, 1, 0x100, 0}},
    {0x1f, 1, {3, 2, 0x201, 0}},
    {0x1f, 2, {7, 0x12, 0x302, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0}},
    {0x80000008, ANY, {0x302e, 0, 0, 0}},
};

/* two Opterons 2344: nothing but 80000008h */
static const struct fake_cpuid barcelona_dp[] = {
    {0, ANY, {5, AMD}},
    {1, ANY, {0x100f2a, 0x40800, 0, 0x178bfbff}},
    {0x80000000, ANY, {0x8000001a, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x7ff, 0}},
    {0x80000008, ANY, {0x3030, 0, 0x2003, 0}},
};

/* two Opterons 6274: two nodes of four compute units; IDs begin at 20h */
static const struct fake_cpuid interlagos_dp[] = {
    {0, ANY, {0xd, AMD}},
    {1, ANY, {0x600f12, 0x100800, 0, 0x178bfbff}},
    {0x80000000, ANY, {0x8000001e, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x1c9bfff, 0}},
    {0x80000008, ANY, {0x3030, 0, 0x500f, 0}},
    {0x8000001d, 0, {0x121, 0xc0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x4122, 0x40003f, 0x1ff, 0}},
    {0x8000001d, 2, {0x4143, 0x3c0003f, 0x7ff, 1}},
    {0x8000001d, 3, {0x1c163, 0xbc0003f, 0x7ff, 1}},
    {0x8000001e, ANY, {0, 0x100, 0x100, 0}},
};

/* Zen: two nodes of two complexes */
static const struct fake_cpuid threadripper[] = {
    {0, ANY, {0xd, AMD}},
    {1, ANY, {0x800f11, 0x200800, 0, 0x178bfbff}},
    {0x80000000, ANY, {0x8000001f, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x35c233ff, 0}},
    {0x80000008, ANY, {0x3030, 7, 0x501f, 0}},
    {0x8000001d, 0, {0x4121, 0x1c0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x4122, 0xc0003f, 0xff, 0}},
    {0x8000001d, 2, {0x4143, 0x1c0003f, 0x3ff, 2}},
    {0x8000001d, 3, {0x1c163, 0x3c0003f, 0x1fff, 1}},
    {0x8000001e, ANY, {0, 0x100, 0x100, 0}},
};

/* Zen 5 and Zen 5c */
static const struct fake_cpuid strix_point_a[] = {
    {0, ANY, {0x10, AMD}},
    {1, ANY, {0xb20f40, 0x180800, 0, 0x178bfbff}},
    {0xb, 0, {1, 2, 0x100, 0}},
    {0xb, 1, {5, 0x18, 0x201, 0}},
    {0x80000000, ANY, {0x80000028, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x75c237ff, 0}},
    {0x80000008, ANY, {0x3030, 0x791ef257, 0x5017, 0x10000}},
    {0x8000001d, 0, {0x4121, 0x2c0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x4122, 0x1c0003f, 0x3f, 0}},
    {0x8000001d, 2, {0x4143, 0x3c0003f, 0x3ff, 2}},
    {0x8000001d, 3, {0x1c163, 0x3c0003f, 0x3fff, 1}},
    {0x8000001e, ANY, {0, 0x100, 0, 0}},
    {0x80000026, 0, {0x60000001, 2, 0x100, 0}},
    {0x80000026, 1, {0xc0000004, 8, 0x201, 0}},
    {0x80000026, 2, {0x40000005, 0x18, 0x302, 0}},
    {0x80000026, 3, {5, 0x18, 0x403, 0}},
};

static const struct fake_cpuid strix_point_b[] = {
    {0, ANY, {0x10, AMD}},
    {1, ANY, {0xb20f40, 0x180800, 0, 0x178bfbff}},
    {0xb, 0, {1, 2, 0x100, 0}},
    {0xb, 1, {5, 0x18, 0x201, 0}},
    {0x80000000, ANY, {0x80000028, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x75c237ff, 0}},
    {0x80000008, ANY, {0x3030, 0x791ef257, 0x5017, 0x10000}},
    {0x8000001d, 0, {0x4121, 0x2c0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x4122, 0x1c0003f, 0x3f, 0}},
    {0x8000001d, 2, {0x4143, 0x3c0003f, 0x3ff, 2}},
    {0x8000001d, 3, {0x3c163, 0x3c0003f, 0x1fff, 1}},
    {0x8000001e, ANY, {0, 0x100, 0, 0}},
    {0x80000026, 0, {0x60000001, 0x10000002, 0x100, 0}},
    {0x80000026, 1, {0xc0000004, 0x10, 0x201, 0}},
    {0x80000026, 2, {0x40000005, 0x18, 0x302, 0}},
    {0x80000026, 3, {5, 0x18, 0x403, 0}},
};

/* two EPYC 9654; of each the first eight complexes, since 256 are what this kernel takes */
static const struct fake_cpuid genoa_dp[] = {
    {0, ANY, {0x10, AMD}},
    {1, ANY, {0xa10f11, 0xc00800, 0, 0x178bfbff}},
    {0xb, 0, {1, 2, 0x100, 0}},
    {0xb, 1, {8, 0xc0, 0x201, 0}},
    {0x80000000, ANY, {0x80000028, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x75c237ff, 0}},
    {0x80000008, ANY, {0x3934, 0x79bef25f, 0x80bf, 0x10007}},
    {0x8000001d, 0, {0x4121, 0x1c0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x4122, 0x1c0003f, 0x3f, 0}},
    {0x8000001d, 2, {0x4143, 0x1c0003f, 0x7ff, 2}},
    {0x8000001d, 3, {0x3c163, 0x3c0003f, 0x7fff, 1}},
    {0x8000001e, ANY, {0, 0x100, 0, 0}},
    {0x80000026, 0, {1, 2, 0x100, 0}},
    {0x80000026, 1, {4, 0x10, 0x201, 0}},
    {0x80000026, 2, {4, 0x10, 0x302, 0}},
    {0x80000026, 3, {8, 0xc0, 0x403, 0}},
};

/* Processors whose IDs follow each other by step. */
struct run {
    const struct fake_cpuid *leaves;
    size_t n;
    uint32_t first, step, count, node;
};
#define RUN(leaves, first, step, count, node)                            \
    {                                                                    \
        leaves, sizeof leaves / sizeof *leaves, first, step, count, node \
    }

static const struct run katmai_dp_runs[] = {
    RUN(katmai_dp, 0x0, 1, 2, 0),
};
static const struct run gallatin_dp_runs[] = {
    RUN(gallatin_dp, 0x0, 6, 2, 0),
    RUN(gallatin_dp, 0x1, 6, 2, 0),
};
static const struct run clovertown_dp_runs[] = {
    RUN(clovertown_dp, 0x0, 2, 4, 0),
    RUN(clovertown_dp, 0x1, 2, 4, 0),
};
static const struct run skylake_dp_runs[] = {
    RUN(skylake_dp, 0x0, 1, 12, 0),  RUN(skylake_dp, 0x10, 1, 12, 0), RUN(skylake_dp, 0x20, 1, 12, 0),
    RUN(skylake_dp, 0x30, 1, 12, 0), RUN(skylake_dp, 0x40, 1, 12, 0), RUN(skylake_dp, 0x50, 1, 12, 0),
    RUN(skylake_dp, 0x60, 1, 12, 0), RUN(skylake_dp, 0x70, 1, 12, 0),
};
static const struct run alder_lake_runs[] = {
    RUN(alder_lake_a, 0x0, 1, 2, 0),  RUN(alder_lake_a, 0x8, 1, 2, 0),  RUN(alder_lake_a, 0x10, 1, 2, 0),
    RUN(alder_lake_a, 0x18, 1, 2, 0), RUN(alder_lake_a, 0x20, 1, 2, 0), RUN(alder_lake_a, 0x28, 1, 2, 0),
    RUN(alder_lake_a, 0x30, 1, 2, 0), RUN(alder_lake_a, 0x38, 1, 2, 0), RUN(alder_lake_b, 0x40, 2, 8, 0),
};
static const struct run meteor_lake_runs[] = {
    RUN(meteor_lake_a, 0x20, 1, 2, 0), RUN(meteor_lake_b, 0x0, 2, 8, 0),  RUN(meteor_lake_a, 0x10, 1, 2, 0),
    RUN(meteor_lake_a, 0x18, 1, 2, 0), RUN(meteor_lake_a, 0x28, 1, 2, 0), RUN(meteor_lake_c, 0x40, 2, 2, 0),
};
static const struct run barcelona_dp_runs[] = {
    RUN(barcelona_dp, 0x0, 1, 8, 0),
};
static const struct run interlagos_dp_runs[] = {
    RUN(interlagos_dp, 0x20, 1, 8, 0),
    RUN(interlagos_dp, 0x28, 1, 8, 1),
    RUN(interlagos_dp, 0x40, 1, 8, 2),
    RUN(interlagos_dp, 0x48, 1, 8, 3),
};
static const struct run threadripper_runs[] = {
    RUN(threadripper, 0x0, 1, 16, 0),
    RUN(threadripper, 0x10, 1, 16, 1),
};
static const struct run strix_point_runs[] = {
    RUN(strix_point_a, 0x0, 1, 8, 0),
    RUN(strix_point_b, 0x10, 1, 16, 0),
};
static const struct run genoa_dp_runs[] = {
    RUN(genoa_dp, 0x0, 1, 128, 0),
    RUN(genoa_dp, 0x100, 1, 128, 1),
};

static const struct {
    const char *name;
    const struct run *run;
    size_t runs;
} machines[] = {
#define MACHINE(name)                                                \
    {                                                                \
#name, name##_runs, sizeof name##_runs / sizeof *name##_runs \
    }
    MACHINE(katmai_dp),    MACHINE(gallatin_dp), MACHINE(clovertown_dp), MACHINE(skylake_dp),
    MACHINE(alder_lake),   MACHINE(meteor_lake), MACHINE(barcelona_dp),  MACHINE(interlagos_dp),
    MACHINE(threadripper), MACHINE(strix_point), MACHINE(genoa_dp),
};

/* The leaves of one processor, with its ID and node. Leaf 1 has it where HTT is set; the Pentium III has
 * none. */
static void put_in(struct fake_cpuid *leaf, uint32_t id, uint32_t node)
{
    switch (leaf->leaf) {
    case 1:
        if (leaf->regs.edx >> 28 & 1) leaf->regs.ebx |= id << 24;
        break;
    case 0xb:
    case 0x1f:
    case 0x80000026:
        leaf->regs.edx = id;
        break;
    case 0x8000001e:
        leaf->regs.eax = id;
        leaf->regs.ecx |= node;
        break;
    }
}

static void read_one(const struct run *run, uint32_t apic_id, struct topology_ids *ids)
{
    struct fake_cpuid table[32];
    struct cpu_id id;
    if (run->n > sizeof table / sizeof *table) abort();
    for (size_t i = 0; i < run->n; i++) {
        table[i] = run->leaves[i];
        put_in(&table[i], apic_id, run->node);
    }
    fake_reset();
    fake_cpuid(table, run->n);
    cpu_identify(&id);
    topology_read(&id, apic_id, ids);
    fake_reset();
}

unsigned fake_processors(const char *name, struct topology_ids ids[PROCESSORS_MAX])
{
    size_t m = 0;
    unsigned n = 0;
    while (m < sizeof machines / sizeof *machines && strcmp(machines[m].name, name) != 0) m++;
    if (m == sizeof machines / sizeof *machines) abort();
    for (const struct run *run = machines[m].run; run < machines[m].run + machines[m].runs; run++)
        for (unsigned i = 0; i < run->count; i++) read_one(run, run->first + i * run->step, &ids[n++]);
    return n;
}

void fake_build(struct topology *t, const struct topology_ids *ids, unsigned n)
{
    const struct topology_ids *each[PROCESSORS_MAX];
    for (unsigned i = 0; i < n; i++) each[i] = &ids[i];
    topology_build(t, each, n);
}

void fake_topology(const char *name, struct topology *t)
{
    struct topology_ids ids[PROCESSORS_MAX];
    fake_build(t, ids, fake_processors(name, ids));
}
