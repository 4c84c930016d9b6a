/* Descriptor bytes of CPUID leaf 2 (SDM vol. 2A, CPUID, table 3-12; the sectored mobile descriptors 39h-3Eh
 * from Intel AP-485, table 2-7), and CPUs whose caches are known by family and model only. */
#include "kernel/cache_tables.h"
#include <string.h>

struct geometry {
    uint8_t level, kind;
    uint16_t kib, ways, line;
};

#define L1I 1, CACHE_CODE
#define L1D 1, CACHE_DATA
#define L1U 1, CACHE_UNIFIED
#define L2  2, CACHE_UNIFIED
#define L3  3, CACHE_UNIFIED

/* "Two lines per sector" caches are listed with their 64-byte line, since a miss loads one line. 70h-72h
 * (trace caches) are left out, since their size is in micro-operations and not in bytes; 40h (no L2, or no
 * L3) and FFh (ask leaf 4) describe no cache. */
static const struct {
    uint8_t descriptor;
    struct geometry g;
} descriptors[] = {
    {0x06, {L1I, 8, 4, 32}},     {0x08, {L1I, 16, 4, 32}},    {0x09, {L1I, 32, 4, 64}},
    {0x0a, {L1D, 8, 2, 32}},     {0x0c, {L1D, 16, 4, 32}},    {0x0d, {L1D, 16, 4, 64}},
    {0x0e, {L1D, 24, 6, 64}},    {0x1d, {L2, 128, 2, 64}},    {0x21, {L2, 256, 8, 64}},
    {0x22, {L3, 512, 4, 64}},    {0x23, {L3, 1024, 8, 64}},   {0x24, {L2, 1024, 16, 64}},
    {0x25, {L3, 2048, 8, 64}},   {0x29, {L3, 4096, 8, 64}},   {0x2c, {L1D, 32, 8, 64}},
    {0x30, {L1I, 32, 8, 64}},    {0x39, {L2, 128, 4, 64}},    {0x3a, {L2, 192, 6, 64}},
    {0x3b, {L2, 128, 2, 64}},    {0x3c, {L2, 256, 4, 64}},    {0x3d, {L2, 384, 6, 64}},
    {0x3e, {L2, 512, 4, 64}},    {0x41, {L2, 128, 4, 32}},    {0x42, {L2, 256, 4, 32}},
    {0x43, {L2, 512, 4, 32}},    {0x44, {L2, 1024, 4, 32}},   {0x45, {L2, 2048, 4, 32}},
    {0x46, {L3, 4096, 4, 64}},   {0x47, {L3, 8192, 8, 64}},   {0x48, {L2, 3072, 12, 64}},
    {0x49, {L2, 4096, 16, 64}},  {0x4a, {L3, 6144, 12, 64}},  {0x4b, {L3, 8192, 16, 64}},
    {0x4c, {L3, 12288, 12, 64}}, {0x4d, {L3, 16384, 16, 64}}, {0x4e, {L2, 6144, 24, 64}},
    {0x60, {L1D, 16, 8, 64}},    {0x66, {L1D, 8, 4, 64}},     {0x67, {L1D, 16, 4, 64}},
    {0x68, {L1D, 32, 4, 64}},    {0x78, {L2, 1024, 4, 64}},   {0x79, {L2, 128, 8, 64}},
    {0x7a, {L2, 256, 8, 64}},    {0x7b, {L2, 512, 8, 64}},    {0x7c, {L2, 1024, 8, 64}},
    {0x7d, {L2, 2048, 8, 64}},   {0x7f, {L2, 512, 2, 64}},    {0x80, {L2, 512, 8, 64}},
    {0x82, {L2, 256, 8, 32}},    {0x83, {L2, 512, 8, 32}},    {0x84, {L2, 1024, 8, 32}},
    {0x85, {L2, 2048, 8, 32}},   {0x86, {L2, 512, 4, 64}},    {0x87, {L2, 1024, 8, 64}},
    {0xd0, {L3, 512, 4, 64}},    {0xd1, {L3, 1024, 4, 64}},   {0xd2, {L3, 2048, 4, 64}},
    {0xd6, {L3, 1024, 8, 64}},   {0xd7, {L3, 2048, 8, 64}},   {0xd8, {L3, 4096, 8, 64}},
    {0xdc, {L3, 1536, 12, 64}},  {0xdd, {L3, 3072, 12, 64}},  {0xde, {L3, 6144, 12, 64}},
    {0xe2, {L3, 2048, 16, 64}},  {0xe3, {L3, 4096, 16, 64}},  {0xe4, {L3, 8192, 16, 64}},
    {0xea, {L3, 12288, 24, 64}}, {0xeb, {L3, 18432, 24, 64}}, {0xec, {L3, 24576, 24, 64}},
};

static const struct {
    const char *vendor;
    uint8_t family;
    uint16_t models; /* bit n: model n */
    struct geometry g[2];
} models[] = {
#define MODEL(n) (1u << (n))
    /* Pentium: models 0 and 1 60-66 MHz, 2 P54C, 7 its mobile form; SDM vol. 3A, table 11-1 */
    {"GenuineIntel", 5, MODEL(0) | MODEL(1) | MODEL(2) | MODEL(7), {{L1I, 8, 2, 32}, {L1D, 8, 2, 32}}},
    /* Pentium OverDrive for the 486 socket (3), Pentium MMX (4), its mobile form (8) */
    {"GenuineIntel", 5, MODEL(3) | MODEL(4) | MODEL(8), {{L1I, 16, 4, 32}, {L1D, 16, 4, 32}}},
    /* Quark X1000: Intel Quark SoC X1000 Core Developer's Manual */
    {"GenuineIntel", 5, MODEL(9), {{L1U, 16, 4, 16}}},
    /* K5 model 0; from model 1 on it has leaf 80000005h. AMD-K5 Processor Data Sheet */
    {"AuthenticAMD", 5, MODEL(0), {{L1I, 16, 4, 32}, {L1D, 8, 4, 32}}},
    /* 6x86 and 6x86MX/M II: their data books */
    {"CyrixInstead", 5, MODEL(2), {{L1U, 16, 4, 32}}},
    {"CyrixInstead", 6, MODEL(0), {{L1U, 64, 4, 32}}},
#undef MODEL
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void expand(const struct geometry *g, struct cache *out)
{
    *out = (struct cache){.level = g->level,
                          .kind = g->kind,
                          .bytes = (uint32_t)g->kib * 1024,
                          .line = g->line,
                          .ways = g->ways};
}

bool cache_descriptor(const struct cpu_id *id, uint8_t descriptor, struct cache *out)
{
    for (size_t i = 0; i < COUNT(descriptors); i++) {
        if (descriptors[i].descriptor != descriptor) continue;
        expand(&descriptors[i].g, out);
        /* The one descriptor with two meanings: an L3 on the Xeon MP of family 0Fh, model 6 */
        if (descriptor == 0x49 && id->family == 0xf && id->model == 6) out->level = 3;
        return true;
    }
    return false;
}

bool cache_of_model(const struct cpu_id *id, unsigned i, struct cache *out)
{
    for (size_t m = 0; m < COUNT(models); m++) {
        if (strcmp(models[m].vendor, id->vendor) != 0 || models[m].family != id->family) continue;
        if (id->model > 15 || !(models[m].models >> id->model & 1)) continue;
        if (i >= COUNT(models[m].g) || models[m].g[i].kib == 0) return false;
        expand(&models[m].g[i], out);
        return true;
    }
    return false;
}
