/* CPU identity from CPUID. */
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include <string.h>

#define LEAF_EXT_BASE   0x80000000u
#define LEAF_HYPERVISOR 0x40000000u

#define CPUID_1_ECX_HYPERVISOR (1u << 31)

/* Identification strings go on screens and into records, so they are limited to printable ASCII. */
static void copy_printable(char *dst, const uint32_t *words, size_t n_words)
{
    size_t len = n_words * sizeof *words;
    memcpy(dst, words, len);
    dst[len] = '\0';
    for (char *p = dst; *p; p++)
        if (*p < ' ' || *p > '~') *p = '?';
}

/* Intel right-justifies brand strings with leading blanks, AMD pads them at the end (SDM vol. 2A, CPUID, "The
 * Processor Brand String Method"). */
static void squeeze_blanks(char *s)
{
    char *to = s;
    for (const char *from = s; *from; from++)
        if (*from != ' ' || (to > s && to[-1] != ' ')) *to++ = *from;
    if (to > s && to[-1] == ' ') to--;
    *to = '\0';
}

static void read_brand(char *brand)
{
    uint32_t words[12];
    for (unsigned i = 0; i < 3; i++) {
        struct cpuid_regs r = hw_cpuid(LEAF_EXT_BASE + 2 + i, 0);
        const uint32_t part[] = {r.eax, r.ebx, r.ecx, r.edx};
        memcpy(&words[4 * i], part, sizeof part);
    }
    copy_printable(brand, words, 12);
    squeeze_blanks(brand);
}

/* The extended family counts only when the base family is 0Fh; the extended model for 0Fh and for Intel's
 * (and its followers') family 6. AMD's family 6, the K7, has no extended model (AMD APM vol. 3, appendix
 * E.3.2). */
static void decode_signature(struct cpu_id *id)
{
    unsigned family = id->signature >> 8 & 0xf;
    unsigned model = id->signature >> 4 & 0xf;

    id->stepping = id->signature & 0xf;
    id->family = family == 0xf ? family + (id->signature >> 20 & 0xff) : family;
    id->model =
        family == 0xf || (family == 6 && !cpu_is_amd(id)) ? (id->signature >> 12 & 0xf0) + model : model;
}

/* A CPU without extended leaves answers 80000000h with the data of its highest basic leaf (SDM vol. 2A,
 * CPUID, "INPUT EAX"), which may be anything: only an answer within the extended range counts. */
static uint32_t max_extended_leaf(void)
{
    uint32_t max = hw_cpuid(LEAF_EXT_BASE, 0).eax;
    return (max & 0xffff0000u) == LEAF_EXT_BASE ? max : 0;
}

/* Subleaves 4 and 5 are there together (Linux' update_pmu_cap()). */
static void read_perfmon_ext(struct cpu_id *id)
{
    const uint32_t subleaves = hw_cpuid(0x23, 0).eax, pebs = 3u << 4;
    if (subleaves & 1u << 1) {
        const struct cpuid_regs r = hw_cpuid(0x23, 1);
        id->f23_eax = r.eax;
        id->f23_ebx = r.ebx;
    }
    if ((subleaves & pebs) != pebs) return;
    id->f23_4_ebx = hw_cpuid(0x23, 4).ebx;
    id->f23_5 = hw_cpuid(0x23, 5);
}

static void read_basic(struct cpu_id *id)
{
    struct cpuid_regs r = hw_cpuid(0, 0);
    id->max_leaf = r.eax;
    copy_printable(id->vendor, (const uint32_t[]){r.ebx, r.edx, r.ecx}, 3);
    if (!id->vendor[0]) strcpy(id->vendor, "unknown");

    if (id->max_leaf >= 1) {
        r = hw_cpuid(1, 0);
        id->signature = r.eax;
        id->f1_ebx = r.ebx;
        id->f1_ecx = r.ecx;
        id->f1_edx = r.edx;
    }
    if (id->max_leaf >= 4) id->f4_eax = hw_cpuid(4, 0).eax;
    if (id->max_leaf >= 7) {
        r = hw_cpuid(7, 0);
        id->f7_ebx = r.ebx;
        id->f7_ecx = r.ecx;
        id->f7_edx = r.edx;
        if (r.eax >= 1) {
            r = hw_cpuid(7, 1);
            id->f7_1_eax = r.eax;
            id->f7_1_ebx = r.ebx;
            id->f7_1_ecx = r.ecx;
            id->f7_1_edx = r.edx;
        }
    }
    if (id->max_leaf >= 6) {
        r = hw_cpuid(6, 0);
        id->f6_eax = r.eax;
        id->f6_ecx = r.ecx;
    }
    if (id->max_leaf >= 0xa) id->fa = hw_cpuid(0xa, 0);
    if (id->max_leaf >= 0xd) id->fd_1_eax = hw_cpuid(0xd, 1).eax;
    if (id->max_leaf >= 0x14) id->f14_ebx = hw_cpuid(0x14, 0).ebx;
    if (id->max_leaf >= 0x19) id->f19_ebx = hw_cpuid(0x19, 0).ebx;
    if (id->max_leaf >= 0x1a) id->f1a_eax = hw_cpuid(0x1a, 0).eax;
    if (id->max_leaf >= 0x23 && id->f7_1_eax & CPUID_7_1_EAX_PERFMON_EXT) read_perfmon_ext(id);
}

static void read_extended(struct cpu_id *id)
{
    id->max_ext_leaf = max_extended_leaf();
    if (id->max_ext_leaf >= 0x80000001u) {
        struct cpuid_regs r = hw_cpuid(0x80000001u, 0);
        id->x1_ecx = r.ecx;
        id->x1_edx = r.edx;
    }
    if (id->max_ext_leaf >= 0x80000004u) read_brand(id->brand);
    if (id->max_ext_leaf >= 0x80000007u) id->x7_edx = hw_cpuid(0x80000007u, 0).edx;
    if (id->max_ext_leaf >= 0x80000008u) id->x8_ebx = hw_cpuid(0x80000008u, 0).ebx;
    if (id->max_ext_leaf >= 0x8000001fu) id->x1f_eax = hw_cpuid(0x8000001fu, 0).eax;
    if (id->max_ext_leaf >= 0x8000001bu) id->x1b_eax = hw_cpuid(0x8000001bu, 0).eax;
    if (id->max_ext_leaf >= 0x80000021u) id->x21_eax = hw_cpuid(0x80000021u, 0).eax;
    if (id->max_ext_leaf >= 0x80000022u) {
        struct cpuid_regs r = hw_cpuid(0x80000022u, 0);
        id->x22_eax = r.eax;
        id->x22_ebx = r.ebx;
    }
}

void cpu_identify(struct cpu_id *id)
{
    memset(id, 0, sizeof *id);
    read_basic(id);
    read_extended(id);
    decode_signature(id);

    /* Leaf 40000000h is read only where leaf 1 reports a hypervisor: bare metal answers it like any other
     * leaf out of range. */
    id->has_hypervisor = id->f1_ecx & CPUID_1_ECX_HYPERVISOR;
    if (id->has_hypervisor) {
        struct cpuid_regs r = hw_cpuid(LEAF_HYPERVISOR, 0);
        copy_printable(id->hypervisor, (const uint32_t[]){r.ebx, r.ecx, r.edx}, 3);
    }
}

/* IA32_MISC_ENABLE and its bit 22, "limit CPUID maxval": SDM vol. 4 table 2-2, family 0Fh and family 6 from
 * model 0Dh on; Linux' early_init_intel() lifts it just so. */
#define MSR_MISC_ENABLE 0x1a0
#define LIMIT_CPUID     (1ull << 22)

void cpu_unlimit(void)
{
    struct cpu_id id;
    uint64_t v;
    cpu_identify(&id);
    if (!cpu_is_intel(&id) || id.family < 6 || (id.family == 6 && id.model < 0x0d)) return;
    if (rdmsr_safe(MSR_MISC_ENABLE, &v) && v & LIMIT_CPUID) wrmsr_safe(MSR_MISC_ENABLE, v & ~LIMIT_CPUID);
}

bool cpu_machine_checks(const struct cpu_id *id) { return id->f1_edx & CPUID_1_EDX_MCE && id->family != 5; }
