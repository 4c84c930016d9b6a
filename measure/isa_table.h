/* The tables of isa.c: which feature and which control bit an instruction needs. Private to it. */
#pragma once
#include "kernel/cpuid.h"
#include <stddef.h>

/* Opcode maps: the coding of struct insn (LEGACY, VEX, EVEX, XOP) times 16, and the map's number.
 * NOW: 0F 0F, by the byte at the instruction's end. */
enum {
    ONE = 0x00,
    M0F,
    M38,
    M3A,
    V1 = 0x11,
    V2,
    V3,
    V7 = 0x17,
    E1 = 0x21,
    E2,
    E3,
    E4,
    E5,
    E6,
    X8 = 0x38,
    X9,
    XA,
    NOW = 0x40
};

/* Conditions of a row. The prefix is one of a set. */
enum {
    NP = 1,
    P66 = 2,
    PF3 = 4,
    PF2 = 8,
    ANY = 15,
    W0 = 16, /* W of REX, VEX, EVEX or XOP is clear; W1: set; neither: any */
    W1 = 32,
    L0 = 64, /* the vector's length is 128 bits; L1: longer; neither: any */
    L1 = 128,
    LONG = 256,   /* only long mode has this row */
    GROUP = 512,  /* modrm: only its reg field counts; an operand may be a register or in memory */
    SCALAR = 1024 /* EVEX: no vector's length, so no AVX512VL */
};

/* Properties of a row that are no condition. */
enum {
    PRIVILEGED = 1, /* #GP at ring 3 */
    UD_USER = 2,    /* #UD at ring 3 */
    ONLY64 = 4,     /* #UD outside of 64-bit mode */
};

/* Bits of control registers that must be set (or clear) for a kind of instructions: rows of isa_bits. */
enum control {
    C_DEFAULT, /* of a row: as its feature */
    C_NONE,
    C_VECTOR, /* C_SSE, C_AVX or C_AVX512, by the coding; with AVX or AVX512F */
    C_SSE,
    C_AVX,
    C_AVX512,
    C_MMX,
    C_TILE,
    C_APX,
    C_OSXSAVE,
    C_FSGSBASE,
    C_SCE,
    C_VMXE,
    C_SMXE,
    C_SVME,
    C_PKE,
    C_UINTR,
    C_CET,
    C_KL,
    C_FRED,
    /* #GP at ring 3 */
    C_IOPL,
    C_TSD,
    C_PCE,
    C_UMIP,
};

struct isa_bit {
    uint8_t control, reg, bit;
    bool set; /* what it must be */
    const char *name;
};
enum { CR0, CR4, XCR0, EFER };
extern const struct isa_bit isa_bits[];
extern const unsigned isa_bit_count;

struct isa_feature {
    const char *name;
    uint16_t at; /* of a word of struct cpu_id; NO_CPUID: every CPU with the instruction's map has it */
    uint8_t bit;
    uint8_t control;
};
#define NO_CPUID 0xffff
extern const struct isa_feature isa_features[];

struct isa_row {
    uint16_t when;
    uint8_t map, first, last; /* last byte of the opcode: a range */
    uint8_t feature;
    uint8_t modrm, modrm_last; /* of operands in memory without the bits of mod; both 0: any */
    uint8_t control, is;
};
extern const struct isa_row isa_rows[]; /* the first row that fits holds */
extern const unsigned isa_row_count;

enum feature {
    INVALID, /* the opcode is defined to be invalid */
    SMM,     /* outside of system-management mode */
    HLT,
    CLI_STI,
    IN_OUT,
    SLDT_STR,
    LLDT_LTR,
    SGDT_SIDT,
    LGDT_LIDT,
    SMSW,
    LMSW,
    INVLPG,
    CLTS,
    INVD,
    WBINVD,
    MOV_CR,
    MOV_DR,
    RDPMC,
    PADLOCK,
    SWAPGS,
    TSC,
    MSR,
    CX8,
    SEP,
    CMOV,
    CLFSH,
    MMX,
    FXSR,
    SSE,
    SSE2,
    SSE3,
    PCLMULQDQ,
    MONITOR,
    VMX,
    SMX,
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
    SGX,
    BMI1,
    AVX2,
    BMI2,
    INVPCID,
    RTM,
    AVX512F,
    AVX512DQ,
    RDSEED,
    ADX,
    SMAP,
    IFMA,
    CLFLUSHOPT,
    CLWB,
    AVX512PF,
    AVX512ER,
    AVX512CD,
    SHA,
    AVX512BW,
    AVX512VL,
    VBMI,
    PKU,
    WAITPKG,
    VBMI2,
    SHSTK,
    GFNI,
    VAES,
    VPCLMUL,
    VNNI,
    BITALG,
    VPOPCNTDQ,
    RDPID,
    KL,
    MOVDIRI,
    MOVDIR64B,
    ENQCMD,
    VNNIW4,
    FMAPS4,
    UINTR,
    VP2INTERSECT,
    SERIALIZE,
    TSXLDTRK,
    PCONFIG,
    AMX_BF16,
    FP16,
    AMX_TILE,
    AMX_INT8,
    SHA512,
    SM3,
    SM4,
    RAO_INT,
    AVX_VNNI,
    AVX512_BF16,
    CMPCCXADD,
    FRED,
    LKGS,
    WRMSRNS,
    AMX_FP16,
    HRESET,
    AVX_IFMA,
    MSRLIST,
    PBNDKB,
    MSR_IMM,
    AVX_VNNI_INT8,
    AVX_NE_CONVERT,
    AMX_COMPLEX,
    AVX_VNNI_INT16,
    USER_MSR,
    APX,
    XSAVEOPT,
    XSAVEC,
    XSAVES,
    PTWRITE,
    AESKLE,
    WIDEKL,
    LAHF,
    SVM,
    SSE4A,
    PREFETCHW,
    XOP_,
    SKINIT,
    LWP,
    FMA4,
    TBM,
    MONITORX,
    SYSCALL,
    RDTSCP,
    NOW3DEXT,
    NOW3D,
    CLZERO,
    INVLPGB,
    RDPRU,
    MCOMMIT,
    WBNOINVD,
    SNP,
};
