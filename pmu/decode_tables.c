/* The fields of the registers that select events. Sources: the headers of the families, whose bits these are
 * (pmu/p5.h, p6.h, netburst.h, perfmon.h); bits that no driver uses from SDM vol. 3B (order
 * 325384-059) 18.3.6.5.1 (32 and 33), 18.9.2 and later (34), Linux' perf_event.h (35 to 37, 47:40), APM vol.
 * 2, 13.2.1 (40 and 41).
 */
#include "pmu/decode.h"
#include "pmu/netburst.h"

#define FLAG(name, bit, text)                \
    {                                        \
        name, bit, 1, REGISTER_FLAG, 0, text \
    }
#define FLAG_OF(name, bit, i, text)          \
    {                                        \
        name, bit, 1, REGISTER_FLAG, i, text \
    }
#define NUMBER(name, low, n, text)             \
    {                                          \
        name, low, n, REGISTER_NUMBER, 0, text \
    }
#define CHOICE(name, low, n, text)             \
    {                                          \
        name, low, n, REGISTER_CHOICE, 0, text \
    }
#define TABLE(name, msr, n, by_default, fields)                             \
    {                                                                       \
        name, msr, n, by_default, sizeof(fields) / sizeof *(fields), fields \
    }

/* ---- P5 ---- */

#define CC                                                                  \
    "nothing: stopped|events at CPL 0-2|events at CPL 3|events at any CPL|" \
    "nothing: stopped|clocks at CPL 0-2|clocks at CPL 3|clocks at any CPL"
#define PIN "its pin signals overflow, not each increment"

static const struct pmu_register_field cesr[] = {
    {"ES0", 0, 6, REGISTER_EVENT, 0, NULL},  CHOICE("CC0", 6, 3, CC),  FLAG("PC0", 9, PIN),
    {"ES1", 16, 6, REGISTER_EVENT, 0, NULL}, CHOICE("CC1", 22, 3, CC), FLAG("PC1", 25, PIN),
};
const struct pmu_register pmu_p5_registers[PMU_P5_REGISTERS] = {TABLE("cesr", 0x11, 1, true, cesr)};

/* ---- P6, Intel's architectural counters, AMD ---- */

#define LEVELS "counts at no CPL|counts at CPL 1-3|counts at CPL 0|counts at any CPL"
#define COMMON                                                                                   \
    {"event", 0, 8, REGISTER_EVENT, 0, NULL}, {"umask", 8, 8, REGISTER_MASK, 0, NULL},           \
        CHOICE("USR OS", 16, 2, LEVELS), FLAG("E", 18, "edge: counts beginnings"),               \
        FLAG("INT", 20, "overflow interrupts"), FLAG("INV", 23, "clocks with fewer than CMASK"), \
        NUMBER("CMASK", 24, 8, "clocks with at least so many")
#define PC FLAG("PC", 19, "pin toggles at each event")

static const struct pmu_register_field evntsel[] = {COMMON, PC,
                                                    FLAG_OF("EN", 22, 1, "enables both counters")};
const struct pmu_register pmu_p6_registers[PMU_P6_REGISTERS] = {TABLE("evntsel", 0x186, 2, true, evntsel)};

static const struct pmu_register_field perfevtsel[] = {
    COMMON,
    PC,
    FLAG("ANY", 21, "counts both threads of the core"),
    FLAG("EN", 22, "enables this counter"),
    FLAG("IN_TX", 32, "in transactions only"),
    FLAG_OF("IN_TXCP", 33, 1 << 2, "not in transactions that abort"),
    FLAG("Adaptive", 34, "adaptive PEBS records (Ice Lake)"),
    FLAG("BR_CNTR", 35, "branch records log its count"),
    FLAG("EQ", 36, "clocks with exactly CMASK"),
    FLAG("RDPMC_DIS", 37, "CPL 3 cannot read it"),
    NUMBER("UMASK2", 40, 8, "second unit mask"),
};
#define FIXED(n, what)                                                                                \
    CHOICE("fixed " #n, 4 * (n), 2, "off|" what " at CPL 0|" what " at CPL 1-3|" what " at any CPL"), \
        FLAG("ANY" #n, 4 * (n) + 2, "counts both threads of the core"),                               \
        FLAG("PMI" #n, 4 * (n) + 3, "overflow interrupts")
static const struct pmu_register_field fixed_ctrl[] = {
    FIXED(0, "instruction_retired"), FIXED(1, "unhalted_core_cycles"), FIXED(2, "cpu_clk_unhalted.ref_tsc"),
    FIXED(3, "topdown.slots")};
const struct pmu_register pmu_arch_registers[PMU_ARCH_REGISTERS] = {
    TABLE("perfevtsel", 0, 0, true, perfevtsel), TABLE("fixed_ctr_ctrl", 0x38d, 1, false, fixed_ctrl)};

static const struct pmu_register_field perf_ctl[] = {
    COMMON,
    PC,
    FLAG("EN", 22, "enables this counter"),
    {"event 11:8", 32, 4, REGISTER_EVENT_HIGH, 0, NULL},
    FLAG("GuestOnly", 40, "in guests only"),
    FLAG("HostOnly", 41, "in the host only"),
};
const struct pmu_register pmu_amd_registers[PMU_AMD_REGISTERS] = {TABLE("perf_ctl", 0, 0, true, perf_ctl)};

/* ---- NetBurst ---- */

static const struct pmu_register_field escr[] = {
    {"event", 25, 6, REGISTER_EVENT, 0, NULL},
    {"mask", 9, 16, REGISTER_MASK, 0, NULL},
    NUMBER("tag", 5, 4, "execution tag"),
    FLAG("TAG", 4, "tags micro-operations"),
    CHOICE("T0", 2, 2, LEVELS),
    CHOICE("T1", 0, 2, LEVELS),
};

/* Extended cascades: table 18-65. */
#define EXTENDED (1u << 12 | 1u << 15 | 1u << 16 | 1u << 17)
static const struct pmu_register_field cccr[] = {
    FLAG("ENABLE", 12, "counts"),
    NUMBER("ESEL", 13, 3, "which of its ESCRs"),
    CHOICE("ACTIVE", 16, 2,
           "while no thread is active|while one thread is active|"
           "while both threads are active|whatever threads are active"),
    FLAG("COMPARE", 18, "clocks with more than threshold"),
    FLAG("COMPLEMENT", 19, "clocks with at most threshold"),
    NUMBER("threshold", 20, 4, NULL),
    FLAG("EDGE", 24, "edge: counts beginnings"),
    FLAG("FORCE_OVF", 25, "each increment overflows"),
    FLAG("OVF_PMI_T0", 26, "overflow interrupts thread 0"),
    FLAG("OVF_PMI_T1", 27, "overflow interrupts thread 1"),
    FLAG("CASCADE", 30, "starts when its partner overflows"),
    FLAG_OF("EXTENDED", 11, EXTENDED, "starts when its extended partner overflows"),
    FLAG("OVF", 31, "has overflowed"),
};

/* Tables 35-41 and 19-33. */
static const struct pmu_register_field pebs_enable[] = {
    FLAG("L1", 0, "replays of L1 load misses"),
    FLAG("L2", 1, "replays of L2 load misses"),
    FLAG("DTLB", 2, "replays of data TLB misses"),
    FLAG("MOB", 9, "replays by the memory order buffer"),
    FLAG("split", 10, "replays of accesses to two lines"),
    FLAG("MISPRED1", 15, "mispredicted branches, with bit 16"),
    FLAG("MISPRED2", 16, "mispredicted branches, with bit 15"),
    FLAG("UOP_TAG", 24, "replay tagging is on"),
    FLAG("ENABLE", 25, "PEBS is on"),
    FLAG("OTH_THR", 26, "PEBS of the other thread is on"),
};
static const struct pmu_register_field matrix[] = {
    FLAG("loads", 0, "tags loads"),
    FLAG("stores", 1, "tags stores"),
    FLAG("branches", 4, "tags branches"),
};
const struct pmu_register pmu_netburst_registers[PMU_NETBURST_REGISTERS] = {
    TABLE("escr", MSR_NB_ESCR, NB_ESCRS, true, escr),
    TABLE("cccr", MSR_NB_CCCR0, NETBURST_COUNTERS, true, cccr),
    TABLE("pebs_enable", MSR_NB_PEBS_ENABLE, 1, false, pebs_enable),
    TABLE("pebs_matrix_vert", MSR_NB_PEBS_MATRIX, 1, false, matrix),
};
