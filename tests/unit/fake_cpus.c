/* CPUID register values as InstLatx64's dumps of the named processors give them. */
#include "tests/unit/fake_cpus.h"
#include "tests/unit/fake_hw.h"
#include <stdlib.h>
#include <string.h>

#define ANY FAKE_ANY_SUBLEAF

/* EBX, ECX, EDX of leaf 0 */
#define INTEL   0x756e6547, 0x6c65746e, 0x49656e69
#define AMD     0x68747541, 0x444d4163, 0x69746e65
#define CENTAUR 0x746e6543, 0x736c7561, 0x48727561
#define CYRIX   0x69727943, 0x64616574, 0x736e4978

static const struct fake_cpuid p54c[] = {
    {0, ANY, {1, INTEL}},
    {1, ANY, {0x525, 0, 0, 0x1bf}},
};
static const struct fake_cpuid p24t[] = {
    /* the type field, bits 13:12, says OverDrive */
    {0, ANY, {1, INTEL}},
    {1, ANY, {0x1532, 0, 0, 0x13f}},
};
static const struct fake_cpuid pentium_mmx[] = {
    {0, ANY, {1, INTEL}},
    {1, ANY, {0x543, 0, 0, 0x8003bf}},
};
static const struct fake_cpuid quark_x1000[] = {
    /* has leaf 2, without a descriptor in it */
    {0, ANY, {2, INTEL}},
    {1, ANY, {0x590, 0x10200, 0, 0x237b}},
    {2, ANY, {1, 0, 0, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0, 0x100000}},
    {0x80000008, ANY, {0x2020, 0, 0, 0}},
};
static const struct fake_cpuid pentium_pro[] = {
    {0, ANY, {2, INTEL}},
    {1, ANY, {0x619, 0, 0, 0xfbff}},
    {2, ANY, {0x03020101, 0, 0, 0x06040a42}},
};
static const struct fake_cpuid mendocino[] = {
    {0, ANY, {2, INTEL}},
    {1, ANY, {0x660, 0, 0, 0x183f9ff}},
    {2, ANY, {0x03020101, 0, 0, 0x0c040841}},
};
static const struct fake_cpuid coppermine[] = {
    {0, ANY, {3, INTEL}},
    {1, ANY, {0x683, 2, 0, 0x387fbff}},
    {2, ANY, {0x03020101, 0, 0, 0x0c040882}},
};
static const struct fake_cpuid willamette[] = {
    {0, ANY, {2, INTEL}},
    {1, ANY, {0xf0a, 0x10808, 0, 0x3febfbff}},
    {2, ANY, {0x665b5001, 0, 0, 0x007a7040}},
    {0x80000000, ANY, {0x80000004, 0, 0, 0}},
    {0x80000002, ANY, {0x20202020, 0x20202020, 0x20202020, 0x6e492020}},
    {0x80000003, ANY, {0x286c6574, 0x50202952, 0x69746e65, 0x52286d75}},
    {0x80000004, ANY, {0x20342029, 0x20555043, 0x30303731, 0x007a484d}},
};
static const struct fake_cpuid northwood[] = {
    {0, ANY, {2, INTEL}},
    {1, ANY, {0xf29, 0x20809, 0x4400, 0xbfebfbff}},
    {2, ANY, {0x665b5001, 0, 0, 0x007b7040}},
    {0x80000000, ANY, {0x80000004, 0, 0, 0}},
    {0x80000002, ANY, {0x20202020, 0x20202020, 0x20202020, 0x6e492020}},
    {0x80000003, ANY, {0x286c6574, 0x50202952, 0x69746e65, 0x52286d75}},
    {0x80000004, ANY, {0x20342029, 0x20555043, 0x30382e32, 0x007a4847}},
};
static const struct fake_cpuid tulsa[] = {
    /* its L2 has two lines per sector: 2 partitions in leaf 4 */
    {0, ANY, {6, INTEL}},
    {1, ANY, {0xf68, 0x40800, 0xe5bd, 0xbfebfbff}},
    {2, ANY, {0x605b5001, 0, 0, 0x007c704d}},
    {4, 0, {0x04004121, 0x01c0003f, 0x1f, 0}},
    {4, 1, {0x04004143, 0x01c0103f, 0x3ff, 0}},
    {4, 2, {0x0400c963, 0x03c0003f, 0x3fff, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 1, 0x20100000}},
    {0x80000002, ANY, {0x20202020, 0x20202020, 0x20202020, 0x20202020}},
    {0x80000003, ANY, {0x6e492020, 0x286c6574, 0x58202952, 0x286e6f65}},
    {0x80000004, ANY, {0x20294d54, 0x20555043, 0x30342e33, 0x007a4847}},
    {0x80000006, ANY, {0, 0, 0x04006040, 0}},
    {0x80000008, ANY, {0x3028, 0, 0, 0}},
};
static const struct fake_cpuid conroe[] = {
    {0, ANY, {0xa, INTEL}},
    {1, ANY, {0x6f6, 0x20800, 0xe3bd, 0xbfebfbff}},
    {2, ANY, {0x05b0b101, 0x005657f0, 0, 0x2cb43049}},
    {4, 0, {0x04000121, 0x01c0003f, 0x3f, 1}},
    {4, 1, {0x04000122, 0x01c0003f, 0x3f, 1}},
    {4, 2, {0x04004143, 0x03c0003f, 0xfff, 1}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 1, 0x20100000}},
    {0x80000002, ANY, {0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865}},
    {0x80000003, ANY, {0x43203229, 0x20205550, 0x20202020, 0x58202020}},
    {0x80000004, ANY, {0x30303836, 0x20402020, 0x33392e32, 0x007a4847}},
    {0x80000006, ANY, {0, 0, 0x10008040, 0}},
    {0x80000008, ANY, {0x3024, 0, 0, 0}},
};
static const struct fake_cpuid atom_230[] = {
    {0, ANY, {0xa, INTEL}},
    {1, ANY, {0x106c2, 0x20800, 0x40e31d, 0xbfe9fbff}},
    {2, ANY, {0x4fba5901, 0x0e3080c0, 0, 0}},
    {4, 0, {0x00004121, 0x0140003f, 0x3f, 1}},
    {4, 1, {0x00004122, 0x01c0003f, 0x3f, 1}},
    {4, 2, {0x00004143, 0x01c0003f, 0x3ff, 1}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000008, ANY, {0x3020, 0, 0, 0}},
};
static const struct fake_cpuid beckton_hyperv[] = {
    {0, ANY, {0xb, INTEL}},
    {1, ANY, {0x206e6, 0x200800, 0x80b86381, 0xbfcbfbff}},
    {2, ANY, {0x55035a01, 0x00f0b2ec, 0, 0x09ca212c}},
    {4, 0, {0x3c004121, 0x01c0003f, 0x3f, 0}},
    {4, 1, {0x3c004122, 0x00c0003f, 0x7f, 0}},
    {4, 2, {0x3c004143, 0x01c0003f, 0x1ff, 0}},
    {4, 3, {0x3c07c163, 0x05c0003f, 0x3fff, 2}},
    {7, ANY, {0, 0, 0, 0x9c000000}},
    {0x40000000, ANY, {0x40000006, 0x7263694d, 0x666f736f, 0x76482074}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 1, 0x28100800}},
    {0x80000002, ANY, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
    {0x80000003, ANY, {0x55504320, 0x20202020, 0x20202020, 0x58202020}},
    {0x80000004, ANY, {0x30363537, 0x20402020, 0x37322e32, 0x007a4847}},
    {0x80000007, ANY, {0, 0, 0, 0x100}},
};
static const struct fake_cpuid skylake[] = {
    {0, ANY, {0x16, INTEL}},
    {1, ANY, {0x506e3, 0x100800, 0x7ffafbff, 0xbfebfbff}},
    {2, ANY, {0x76036301, 0x00f0b6ff, 0, 0x00c30000}},
    {4, 0, {0x1c004121, 0x01c0003f, 0x3f, 0}},
    {4, 1, {0x1c004122, 0x01c0003f, 0x3f, 0}},
    {4, 2, {0x1c004143, 0x00c0003f, 0x3ff, 0}},
    {4, 3, {0x1c03c163, 0x02c0003f, 0x1fff, 6}},
    {6, ANY, {0x27f7, 2, 9, 0}},
    {7, 0, {0, 0x029c67af, 0, 0}},
    {0xa, ANY, {0x07300404, 0, 0, 0x603}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0x2c100000}},
    {0x80000002, ANY, {0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865}},
    {0x80000003, ANY, {0x35692029, 0x3034362d, 0x43205430, 0x40205550}},
    {0x80000004, ANY, {0x322e3220, 0x7a484730, 0, 0}},
    {0x80000006, ANY, {0, 0, 0x01006040, 0}},
    {0x80000007, ANY, {0, 0, 0, 0x100}},
    {0x80000008, ANY, {0x3027, 0, 0, 0}},
};
static const struct fake_cpuid k6_iii[] = {
    {0, ANY, {1, AMD}},
    {1, ANY, {0x591, 0, 0, 0x8021bf}},
    {0x80000000, ANY, {0x80000006, 0, 0, 0}},
    {0x80000001, ANY, {0x691, 0, 0, 0x808029bf}},
    {0x80000002, ANY, {0x2d444d41, 0x7428364b, 0x3320296d, 0x50202b44}},
    {0x80000003, ANY, {0x65636f72, 0x726f7373, 0, 0}},
    {0x80000005, ANY, {0, 0x02800140, 0x20020220, 0x20020220}},
    {0x80000006, ANY, {0, 0, 0x01004220, 0}},
};
static const struct fake_cpuid k5[] = {
    /* highest extended leaf is 80000005h */
    {0, ANY, {1, AMD}},
    {1, ANY, {0x514, 0, 0, 0x21bf}},
    {0x80000000, ANY, {0x80000005, 0, 0, 0}},
    {0x80000001, ANY, {0x514, 0, 0, 0x21bf}},
    {0x80000002, ANY, {0x2d444d41, 0x7428354b, 0x5020296d, 0x65636f72}},
    {0x80000003, ANY, {0x726f7373, 0, 0, 0}},
    {0x80000005, ANY, {0, 0x04800000, 0x08040120, 0x10040120}},
};
static const struct fake_cpuid duron_a0[] = {
    /* reports 1 KiB of L2 */
    {0, ANY, {1, AMD}},
    {1, ANY, {0x630, 0, 0, 0x183f9ff}},
    {0x80000000, ANY, {0x80000006, AMD}},
    {0x80000001, ANY, {0x730, 0, 0, 0xc1c7f9ff}},
    {0x80000002, ANY, {0x20444d41, 0x6f727544, 0x6d74286e, 0x72702029}},
    {0x80000003, ANY, {0x7365636f, 0x00726f73, 0, 0}},
    {0x80000005, ANY, {0x0408ff08, 0xff18ff10, 0x40020140, 0x40020140}},
    {0x80000006, ANY, {0, 0x41004100, 0x00018140, 0}},
};
static const struct fake_cpuid clawhammer[] = {
    {0, ANY, {1, AMD}},
    {1, ANY, {0xf4a, 0x800, 0, 0x78bfbff}},
    {0x80000000, ANY, {0x80000018, AMD}},
    {0x80000001, ANY, {0xf4a, 0x106, 0, 0xe1d3fbff}},
    {0x80000002, ANY, {0x20444d41, 0x6c687441, 0x74286e6f, 0x3620296d}},
    {0x80000003, ANY, {0x72502034, 0x7365636f, 0x20726f73, 0x30303832}},
    {0x80000004, ANY, {0x2b, 0, 0, 0}},
    {0x80000005, ANY, {0xff08ff08, 0xff20ff20, 0x40020140, 0x40020140}},
    {0x80000006, ANY, {0, 0x42004200, 0x02008140, 0}},
    {0x80000007, ANY, {0, 0, 0, 0xf}},
    {0x80000008, ANY, {0x3028, 0, 0, 0}},
};
static const struct fake_cpuid deneb[] = {
    {0, ANY, {5, AMD}},
    {1, ANY, {0x100f42, 0x40800, 0x802009, 0x178bfbff}},
    {0x80000000, ANY, {0x8000001b, AMD}},
    {0x80000001, ANY, {0x100f42, 0x10001a86, 0x37ff, 0xefd3fbff}},
    {0x80000002, ANY, {0x20444d41, 0x6e656850, 0x74286d6f, 0x4920296d}},
    {0x80000003, ANY, {0x34582049, 0x30343920, 0x6f725020, 0x73736563}},
    {0x80000004, ANY, {0x726f, 0, 0, 0}},
    {0x80000005, ANY, {0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140}},
    {0x80000006, ANY, {0x20800000, 0x42004200, 0x02008140, 0x0030b140}},
    {0x80000007, ANY, {0, 0, 0, 0x1f9}},
    {0x80000008, ANY, {0x3030, 0, 0x2003, 0}},
};
static const struct fake_cpuid ryzen_1800x[] = {
    {0, ANY, {0xd, AMD}},
    {1, ANY, {0x800f11, 0x100800, 0x7ed8320b, 0x178bfbff}},
    {7, 0, {0, 0x209c01a9, 0, 0}},
    {0x80000000, ANY, {0x8000001f, AMD}},
    {0x80000001, ANY, {0x800f11, 0x20000000, 0x35c233ff, 0x2fd3fbff}},
    {0x80000002, ANY, {0x20444d41, 0x657a7952, 0x2037206e, 0x30303831}},
    {0x80000003, ANY, {0x69452058, 0x2d746867, 0x65726f43, 0x6f725020}},
    {0x80000004, ANY, {0x73736563, 0x2020726f, 0x20202020, 0x00202020}},
    {0x80000005, ANY, {0xff40ff40, 0xff40ff40, 0x20080140, 0x40040140}},
    {0x80000006, ANY, {0x26006400, 0x66006400, 0x02006140, 0x00808140}},
    {0x80000007, ANY, {0, 0x1b, 0, 0x6599}},
    {0x80000008, ANY, {0x3030, 7, 0x400f, 0}},
    {0x8000001d, 0, {0x00004121, 0x01c0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x00004122, 0x00c0003f, 0xff, 0}},
    {0x8000001d, 2, {0x00004143, 0x01c0003f, 0x3ff, 2}},
    {0x8000001d, 3, {0x0001c163, 0x03c0003f, 0x1fff, 1}},
};
static const struct fake_cpuid isaiah[] = {
    /* has leaf 4 as Intel does, and 80000005h/6h as AMD does */
    {0, ANY, {0xd, CENTAUR}},
    {1, ANY, {0x6fe, 0x40800, 0x76fa63ab, 0xbfcbfbff}},
    {2, ANY, {1, 0, 0, 0}},
    {4, 0, {0x0c000121, 0x01c0003f, 0x3f, 0}},
    {4, 1, {0x0c000122, 0x01c0003f, 0x3f, 0}},
    {4, 2, {0x0c00c143, 0x03c0003f, 0x7ff, 0}},
    {0x80000000, ANY, {0x80000008, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, 0x121, 0x2e100800}},
    {0x80000002, ANY, {0x20202020, 0x20202020, 0x20202020, 0x20202020}},
    {0x80000003, ANY, {0x20202020, 0x49562020, 0x64452041, 0x58206e65}},
    {0x80000004, ANY, {0x34432034, 0x40303532, 0x2b322e31, 0x007a4847}},
    {0x80000005, ANY, {0x04200420, 0x06600660, 0x20080140, 0x20080140}},
    {0x80000006, ANY, {0, 0, 0x08008140, 0}},
    {0x80000008, ANY, {0x3024, 0, 0, 0}},
};
static const struct fake_cpuid cyrix_6x86[] = {
    {0, ANY, {1, CYRIX}},
    {1, ANY, {0x520, 0x530000, 0, 0x105}},
};

static const struct {
    const char *name;
    const struct fake_cpuid *table;
    size_t n;
} cpus[] = {
#define CPU(name)                               \
    {                                           \
#name, name, sizeof name / sizeof *name \
    }
    CPU(p54c),           CPU(p24t),       CPU(pentium_mmx), CPU(quark_x1000), CPU(pentium_pro),
    CPU(mendocino),      CPU(coppermine), CPU(willamette),  CPU(northwood),   CPU(tulsa),
    CPU(conroe),         CPU(atom_230),   CPU(skylake),     CPU(k5),          CPU(k6_iii),
    CPU(beckton_hyperv), CPU(duron_a0),   CPU(clawhammer),  CPU(deneb),       CPU(isaiah),
    CPU(ryzen_1800x),    CPU(cyrix_6x86),
};

void fake_cpu(const char *name)
{
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        if (strcmp(cpus[i].name, name) != 0) continue;
        fake_cpuid(cpus[i].table, cpus[i].n);
        return;
    }
    abort();
}
