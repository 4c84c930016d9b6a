#include "pmu/errata.h"
#include <string.h>

/* ---- names ---- */

/* Effects and conditions: as far as a public source says. HSD25 is from LIKWID's
 * groups/haswell/FALSE_SHARE.txt, HSD62 and HSD65 from its perfmon_haswell_events.txt. The L3's erratum of
 * Sandy Bridge-EP has a number, too, which no source here gives. */
enum {
    N_BJ122,
    N_SNB_EP_L3,
    N_BV98,
    N_HSD11,
    N_HSD25,
    N_HSD29,
    N_HSD30,
    N_HSD56,
    N_HSD61,
    N_HSD62,
    N_HSD65,
    N_HSD74,
    N_HSD76,
    N_HSD78,
    N_HSD135,
    N_HSD140,
    N_HSD143,
    N_HSD144,
    N_HSM26,
    N_HSM30,
    N_HSM31,
    N_HSM57,
    N_HSM63,
    N_HSM80,
    N_BDM11,
    N_BDM30,
    N_BDM35,
    N_BDM55,
    N_BDM61,
    N_BDM69,
    N_BDM76,
    N_BDM98,
    N_BDM100,
    N_BDW98,
    N_BDE70,
    N_SKL044,
    N_SKL057,
    N_SKL089,
    N_SKL091,
    N_ADL038,
    N_MTL012,
    N_MTL013,
    N_ARL010,
    N_ARL011,
    N_SRF6,
    N_SRF7,
    N_FAR, /* likewise on other Atoms, for which no name is published */
    N_990,
    N_1291,
    N_1292,
    ERRATA_N
};
_Static_assert(ERRATA_N <= 64, "a set has 64 bits");
#define E(name) (1ull << N_##name)

#define ROW(name, effect, when) [N_##name] = {#name, ERRATUM_##effect, ERRATUM_##when}
#define FAR_TRANSFERS           [N_FAR] = {"far transfers", ERRATUM_HIGH, ERRATUM_FAR}
static const struct erratum errata[ERRATA_N] = {
    ROW(BJ122, WRONG, SMT),     ROW(SNB_EP_L3, LOW, ALWAYS),
    ROW(BV98, WRONG, SMT),      ROW(HSD11, WRONG, ALWAYS),
    ROW(HSD25, LOW, ALWAYS),    ROW(HSD29, WRONG, SMT),
    ROW(HSD30, WRONG, ALWAYS),  ROW(HSD56, WRONG, ALWAYS),
    ROW(HSD61, WRONG, ALWAYS),  ROW(HSD62, WRONG, SMT),
    ROW(HSD65, HIGH, ALWAYS),   ROW(HSD74, WRONG, ALWAYS),
    ROW(HSD76, WRONG, ALWAYS),  ROW(HSD78, WRONG, ALWAYS),
    ROW(HSD135, WRONG, ALWAYS), ROW(HSD140, WRONG, ALWAYS),
    ROW(HSD143, WRONG, ALWAYS), ROW(HSD144, WRONG, ALWAYS),
    ROW(HSM26, LOW, ALWAYS),    ROW(HSM30, WRONG, SMT),
    ROW(HSM31, WRONG, ALWAYS),  ROW(HSM57, WRONG, ALWAYS),
    ROW(HSM63, WRONG, ALWAYS),  ROW(HSM80, WRONG, ALWAYS),
    ROW(BDM11, WRONG, ALWAYS),  ROW(BDM30, WRONG, ALWAYS),
    ROW(BDM35, WRONG, ALWAYS),  ROW(BDM55, WRONG, ALWAYS),
    ROW(BDM61, WRONG, ALWAYS),  ROW(BDM69, WRONG, ALWAYS),
    ROW(BDM76, WRONG, ALWAYS),  ROW(BDM98, WRONG, ALWAYS),
    ROW(BDM100, WRONG, ALWAYS), ROW(BDW98, WRONG, ALWAYS),
    ROW(BDE70, WRONG, ALWAYS),  ROW(SKL044, WRONG, ALWAYS),
    ROW(SKL057, WRONG, ALWAYS), ROW(SKL089, WRONG, ALWAYS),
    ROW(SKL091, WRONG, ALWAYS), ROW(ADL038, WRONG, ALWAYS),
    ROW(MTL012, WRONG, ALWAYS), ROW(MTL013, HIGH, FAR),
    ROW(ARL010, WRONG, ALWAYS), ROW(ARL011, HIGH, FAR),
    ROW(SRF6, WRONG, ALWAYS),   ROW(SRF7, HIGH, FAR),
    ROW(990, HIGH, ALWAYS),     ROW(1291, HIGH, ALWAYS),
    ROW(1292, HIGH, ALWAYS),    FAR_TRANSFERS,
};

const struct erratum *pmu_erratum(unsigned i) { return i < ERRATA_N ? &errata[i] : NULL; }

const struct erratum *pmu_erratum_named(const char *name)
{
    for (unsigned i = 0; i < ERRATA_N; i++)
        if (strcmp(errata[i].name, name) == 0) return &errata[i];
    return NULL;
}

const char *pmu_erratum_condition(const struct erratum *e)
{
    static const char *const text[] = {[ERRATUM_ALWAYS] = "",
                                       [ERRATUM_SMT] = " (with Hyper-Threading)",
                                       [ERRATUM_FAR] = " (only with IRET, RETF and other far transfers)"};
    return text[e->when];
}

uint64_t pmu_errata_without_smt(uint64_t set)
{
    for (unsigned i = 0; i < ERRATA_N; i++)
        if (errata[i].when == ERRATUM_SMT) set &= ~(1ull << i);
    return set;
}

enum erratum_effect pmu_errata_effect(uint64_t set)
{
    enum erratum_effect effect = set ? errata[pmu_errata_first(set)].effect : ERRATUM_WRONG;
    for (; set; set &= set - 1)
        if (errata[pmu_errata_first(set)].effect != effect) return ERRATUM_WRONG;
    return effect;
}

/* ---- CPUs ---- */

enum {
    SNB = 1 << 0,
    SNB_EP = 1 << 1,
    IVB = 1 << 2,
    HSW = 1 << 3,
    BDW = 1 << 4,
    SKL = 1 << 5,
    ADL = 1 << 6,
    ATOM = 1 << 7, /* Silvermont to Gracemont, and Grand Ridge */
    MTL = 1 << 8,  /* Crestmont in Meteor Lake and Arrow Lake-U */
    ARL = 1 << 9,  /* Crestmont in Arrow Lake */
    SRF = 1 << 10,
    CWF = 1 << 11,
    ZEN = 1 << 12,
    ZEN2 = 1 << 13,
    ZEN3 = 1 << 14
};

/* Intel's family 6. of_core: what its Core, or only, kind of core has; of_atom: the Atom kind of a hybrid
 * part. Linux' intel-family.h; perfmon's mapfile.csv. */
static const struct {
    const char *models;
    uint16_t of_core, of_atom;
} intel[] = {
    {"\x2a", SNB, 0},
    {"\x2d", SNB | SNB_EP, 0},
    {"\x3a\x3e", IVB, 0},
    {"\x3c\x3f\x45\x46", HSW, 0},
    {"\x3d\x47\x4f\x56", BDW, 0},
    {"\x4e\x5e\x55\x8e\x9e\xa5\xa6", SKL, 0}, /* Skylake, its servers to Cooper Lake, Kaby to Comet Lake */
    {"\x97\x9a\xb7\xba\xbf", ADL, ATOM},
    {"\xaa\xac\xb5", 0, MTL},
    {"\xaf", SRF, 0},
    {"\xdd", CWF, 0},
    {"\x37\x4a\x4c\x4d\x5a\x5d\x65\x6e\x75" /* Silvermont, Airmont */
     "\x5c\x5f\x7a\x86\x96\x9c\xbe\xb6",    /* Goldmont, Tremont, Alder Lake-N, Grand Ridge */
     ATOM, 0},
};

/* Arrow Lake has two kinds of Atom cores. Crestmont's native model ID (leaf 1AH EAX[23:0]) is 2. */
static bool arrow_lake_crestmont(const struct cpu_id *id)
{
    return (id->model == 0xc5 || id->model == 0xc6) && cpu_atom(id) && (id->f1a_eax & 0xffffff) == 2;
}

static uint32_t of_intel(const struct cpu_id *id)
{
    if (id->family != 6 || !id->model || id->model > 0xff) return 0;
    if (arrow_lake_crestmont(id)) return ARL;
    for (unsigned i = 0; i < sizeof intel / sizeof *intel; i++)
        if (strchr(intel[i].models, (char)id->model))
            return cpu_atom(id) ? intel[i].of_atom : intel[i].of_core;
    return 0;
}

/* Zen 2 is models 30h to 4Fh and from 60h on of family 17h, Zen 3 all of family 19h but Zen 4's models
 * (pmu/amd.c). */
static uint32_t of_amd(const struct cpu_id *id)
{
    const unsigned m = id->model;
    if (id->family == 0x17) return (m >= 0x30 && m < 0x50) || m >= 0x60 ? ZEN2 : ZEN;
    if (id->family == 0x18) return ZEN; /* Hygon's */
    return id->family == 0x19 && (m < 0x10 || (m >= 0x20 && m < 0x60)) ? ZEN3 : 0;
}

uint32_t pmu_errata_cpu(const struct cpu_id *id)
{
    return cpu_is_intel(id) ? of_intel(id) : cpu_is_amd(id) ? of_amd(id) : 0;
}

/* ---- events ---- */

/* Which unit masks of an event a row is for. BITS: those with one of these bits, since a set of causes has
 * its causes' errata. */
enum umasks { ANY, ONLY, BITS };

static const struct {
    uint16_t cpus, event;
    uint8_t umasks, umask;
    uint64_t errata;
} rows[] = {
    {SNB, 0xd0, ANY, 0, E(BJ122)},
    {SNB, 0xd1, ANY, 0, E(BJ122)},
    {SNB, 0xd2, ANY, 0, E(BJ122)},
    {SNB, 0xd3, ANY, 0, E(BJ122)},
    {SNB_EP, 0xd1, BITS, 0x24, E(SNB_EP_L3)}, /* served by the L3, or not */
    {SNB_EP, 0xd2, ANY, 0, E(SNB_EP_L3)},
    {SNB_EP, 0xd3, ANY, 0, E(SNB_EP_L3)},
    {SNB_EP, 0xcd, BITS, 0x01, E(SNB_EP_L3)}, /* latencies of loads */
    {IVB, 0xd0, ANY, 0, E(BV98)},
    {IVB, 0xd1, ANY, 0, E(BV98)},
    {IVB, 0xd2, ANY, 0, E(BV98)},
    {IVB, 0xd3, ANY, 0, E(BV98)},

    {HSW, 0x00, ONLY, 0x01, E(HSD140) | E(HSD143)}, /* INST_RETIRED.ANY: the fixed counter */
    {HSW, 0xc0, ONLY, 0x00, E(HSD11) | E(HSD140) | E(HSD143)},
    {HSW, 0xc0, ONLY, 0x01, E(HSD140)},
    {HSW, 0x24, BITS, 0x01, E(HSD78) | E(HSM80)}, /* demand data reads */
    {HSW, 0x60, ANY, 0, E(HSD61) | E(HSD62) | E(HSM63)},
    {HSW, 0x60, BITS, 0x01, E(HSD78) | E(HSM80)},
    {HSW, 0x79, BITS, 0x02, E(HSD135)},
    {HSW, 0x9c, ANY, 0, E(HSD135)},
    {HSW, 0xa2, BITS, 0x01, E(HSD135)},
    {HSW, 0xa3, BITS, 0x01, E(HSD78) | E(HSM63) | E(HSM80)},
    {HSW, 0xb0, BITS, 0x01, E(HSD78) | E(HSM80)},
    {HSW, 0xb1, ANY, 0, E(HSD30) | E(HSM31)},
    {HSW, 0xb1, BITS, 0x01, E(HSD144)},
    {HSW, 0xbc, BITS, 0x0c, E(HSD25)}, /* page walks that read the L3 or memory */
    {HSW, 0xc1, BITS, 0x18, E(HSD56) | E(HSM57)},
    {HSW, 0xc8, BITS, 0x40, E(HSD65)},
    {HSW, 0xc9, BITS, 0x40, E(HSD65)},
    {HSW, 0xcd, BITS, 0x01, E(HSD25) | E(HSD76) | E(HSM26)},
    {HSW, 0xd0, ANY, 0, E(HSD29) | E(HSM30)},
    {HSW, 0xd0, BITS, 0x20, E(HSD76)}, /* locked loads */
    {HSW, 0xd1, ANY, 0, E(HSD29) | E(HSM30)},
    {HSW, 0xd1, BITS, 0x02, E(HSD76)},
    {HSW, 0xd1, BITS, 0x24, E(HSD25) | E(HSD74) | E(HSM26)},
    {HSW, 0xd2, ANY, 0, E(HSD25) | E(HSD29) | E(HSM26) | E(HSM30)},
    {HSW, 0xd2, BITS, 0x08, E(HSD74)},
    {HSW, 0xd3, ANY, 0, E(HSD29) | E(HSM30)},
    {HSW, 0xd3, BITS, 0x01, E(HSD25) | E(HSD74)},

    {BDW, 0x08, BITS, 0x1f, E(BDM69)}, /* page walks; not STLB hits */
    {BDW, 0x49, BITS, 0x1f, E(BDM69)},
    {BDW, 0x85, BITS, 0x1f, E(BDM69)},
    {BDW, 0x60, ANY, 0, E(BDM76)},
    {BDW, 0xbc, ANY, 0, E(BDM69) | E(BDM98)},
    {BDW, 0xc0, ONLY, 0x00, E(BDM61)},
    {BDW, 0xc0, ONLY, 0x01, E(BDM11) | E(BDM55)},
    {BDW, 0xc1, BITS, 0x18, E(BDM30)},
    {BDW, 0xc4, BITS, 0x44, E(BDW98)},
    {BDW, 0xcd, BITS, 0x01, E(BDM35) | E(BDM100)},
    {BDW, 0xd0, BITS, 0x20, E(BDM35)},
    {BDW, 0xd1, BITS, 0x02, E(BDM35)},
    {BDW, 0xd1, BITS, 0x24, E(BDM100)},
    {BDW, 0xd1, BITS, 0x20, E(BDE70)},
    {BDW, 0xd2, ANY, 0, E(BDM100)},
    {BDW, 0xd3, ANY, 0, E(BDE70)},
    {BDW, 0xd3, BITS, 0x01, E(BDM100)},

    {SKL, 0x2e, BITS, 0x41, E(SKL057)},
    {SKL, 0xc0, ANY, 0, E(SKL044) | E(SKL091)},
    {SKL, 0xc3, BITS, 0x02, E(SKL089)},
    {SKL, 0xc4, ANY, 0, E(SKL091)},
    {ADL, 0x20, BITS, 0x08, E(ADL038)},

    {SRF, 0xc0, ANY, 0, E(SRF7)},
    {SRF, 0xc4, ANY, 0, E(SRF7)},
    {ATOM | MTL | ARL | CWF, 0xc0, ANY, 0, E(FAR)},
    {ATOM, 0xc4, ANY, 0, E(FAR)},
    {MTL, 0xc4, ANY, 0, E(MTL013)},
    {ARL, 0xc4, ANY, 0, E(ARL011)},
    {SRF, 0xc4, ONLY, 0x00, E(SRF6)},
    {SRF, 0xc4, ONLY, 0xf9, E(SRF6)}, /* near calls */
    {MTL, 0xc4, ONLY, 0x00, E(MTL012)},
    {MTL, 0xc4, ONLY, 0xf9, E(MTL012)},
    {ARL, 0xc4, ONLY, 0x00, E(ARL010)},
    {ARL, 0xc4, ONLY, 0xf9, E(ARL010)},

};

/* AMD's "Certain Performance Counters for Retire Based Events May Overcount". For 1292 there is a remedy, but
 * only for one counter of six and not for sampling. */
static uint64_t overcounts(uint32_t cpu, uint32_t event)
{
    static const uint16_t listed[] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4,  0xc5, 0xc8,
                                      0xc9, 0xca, 0xcc, 0xd1, 0x1c7, 0x1d0};
    for (unsigned i = 0; i < sizeof listed / sizeof *listed; i++)
        if (listed[i] == event) return cpu & ZEN ? E(990) : cpu & ZEN2 ? E(1291) : E(1292);
    return 0;
}

uint64_t pmu_errata(uint32_t cpu, uint32_t event, uint32_t umask)
{
    uint64_t set = cpu & (ZEN | ZEN2 | ZEN3) ? overcounts(cpu, event) : 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(rows[i].cpus & cpu) || rows[i].event != event) continue;
        if (rows[i].umasks == ONLY ? umask == rows[i].umask : rows[i].umasks == ANY || umask & rows[i].umask)
            set |= rows[i].errata;
    }
    return set;
}
