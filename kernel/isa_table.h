/* The tables of isa.c. Private to it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum feature {
    CX8,
    CMOV,
    CLFSH,
    MMX,
    FXSR,
    SSE,
    SSE2,
    SSE3,
    PCLMULQDQ,
    MONITOR,
    SSSE3,
    FMA,
    CX16,
    SSE41,
    SSE42,
    MOVBE,
    POPCNT,
    AES,
    XSAVE,
    AVX,
    F16C,
    RDRAND,
    FSGSBASE,
    BMI1,
    RTM,
    AVX2,
    BMI2,
    AVX512F,
    RDSEED,
    ADX,
    CLFLUSHOPT,
    CLWB,
    SHA,
    RDPID,
    SERIALIZE,
    LAHF,
    SSE4A,
    XOP,
    FMA4,
    SYSCALL,
    RDTSCP,
    NOW3D,
    PREFETCHW,
    TSC,
    MSR,
    SEP,
    INVALID
};

/* Opcode maps. VEX: encoded by a VEX prefix. */
enum { ONE = 1, M0F, M38, M3A, VEX = 8 };

/* The prefix that selects the instruction: a set of these. With W only where REX.W is set, with L only for
 * 256 bits, with LONG only in long mode. */
enum { NP = 1, P66 = 2, PF3 = 4, PF2 = 8, ANY = 15, W = 16, L = 32, LONG = 64 };

struct isa_row {
    uint8_t map, prefix, first, last; /* opcodes */
    uint8_t feature;
    uint8_t modrm, modrm_last; /* of operands in memory without the bits of mod; both 0: any */
};

extern const struct isa_row isa_rows[]; /* the first row that fits holds */
extern const unsigned isa_row_count;

struct isa_feature {
    const char *name;
    size_t at; /* of a word of struct cpu_id */
    unsigned bit;
};
extern const struct isa_feature isa_features[];
