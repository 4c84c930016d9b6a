/* The actions of a processor, as an emulator sees them: the stream that drives the PMU model. It contains no
 * register of a PMU. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum sim_access_kind { SIM_READ = 1, SIM_WRITE = 2, SIM_RMW = 3 };

/* One data access as the instruction made it. An access that crosses a boundary is one access; the model
 * splits it. */
struct sim_access {
    uint64_t lin, phys; /* of the first byte */
    uint64_t phys_high; /* of the part after a page boundary, if it crosses one */
    uint8_t bytes;
    uint8_t kind;     /* enum sim_access_kind; SIM_RMW is one instruction's read and write of one operand */
    uint8_t uncached; /* memory type is not cacheable */
};

/* Kinds of instructions; several may apply. */
enum sim_op {
    OP_BRANCH = 1 << 0, /* a control transfer: Jcc, JMP, CALL, RET, LOOP, far ones, IRET, INT n */
    OP_COND = 1 << 1,   /* ... that depends on a condition */
    OP_TAKEN = 1 << 2,  /* ... and was taken (unconditional ones always) */
    OP_CALL = 1 << 3,
    OP_RET = 1 << 4,
    OP_INDIRECT = 1 << 5,  /* target from register or memory */
    OP_FAR = 1 << 6,       /* far transfer, IRET, INT n, task switch */
    OP_SERIALIZE = 1 << 7, /* CPUID, MOV to CR/DR, WRMSR, IRET, INVD, INVLPG, LGDT..., RSM, WBINVD */
    OP_LOCK = 1 << 8,      /* LOCK prefix, or XCHG with memory */
    OP_IO = 1 << 9,        /* IN, OUT, INS, OUTS: io_port, io_bytes */
    OP_REP = 1 << 10,      /* string instruction with REP: one instruction, however many iterations */
    OP_HLT = 1 << 11,
    OP_X87 = 1 << 12,  /* any x87 instruction */
    OP_FLOP = 1 << 13, /* x87 add, subtract, multiply, divide, remainder, square root (and FCOM is OP_FCOM) */
    OP_FMUL = 1 << 14, /* x87 multiply */
    OP_FDIV = 1 << 15, /* x87 divide, square root */
    OP_FCOM = 1 << 16, /* x87 compare */
    OP_FST = 1 << 17,  /* FST, FSTP to memory */
    OP_IMUL = 1 << 18, /* MUL, IMUL */
    OP_IDIV = 1 << 19, /* DIV, IDIV */
    OP_TRANSCENDENTAL = 1 << 20,
    OP_MMX = 1 << 21, /* any MMX instruction but EMMS */
    OP_EMMS = 1 << 22,
    OP_SSE = 1 << 23,
    OP_PREFETCH = 1 << 24,
    OP_VERR = 1 << 25,    /* VERR, VERW (LAR and LSL are not: SDM table 19-38, event 12h) */
    OP_SOFTINT = 1 << 26, /* INT n, INT3, INTO */
    OP_IN = 1 << 27,      /* OP_IO that reads: IN, INS */
    OP_ASSIST = 1 << 28,  /* x87 calculation (add to root, compare, transcendental) that has an assist */
};
/* The operands of an SSE or SSE2 instruction's calculation, except moves: one of these in three bits of op.
 */
#define OP_SIMD      (UINT32_C(7) << 29)
#define OP_PACKED_SP (UINT32_C(1) << 29)
#define OP_SCALAR_SP (UINT32_C(2) << 29)
#define OP_PACKED_DP (UINT32_C(3) << 29)
#define OP_SCALAR_DP (UINT32_C(4) << 29)
#define OP_MMX128    (UINT32_C(5) << 29) /* integers in an XMM register */

/* More kinds of SSE and MMX instructions, for events that distinguish them; several may apply. */
enum sim_simd {
    SIMD_SCALAR = 1 << 0,    /* SSE on one single: those named ...SS, moves and conversions among them */
    SIMD_COMPUTES = 1 << 1,  /* SSE on singles: arithmetic and comparisons; no moves, conversions, logic or
                                shuffles */
    SIMD_SATURATES = 1 << 2, /* MMX with saturation: PADDS, PADDUS, PSUBS, PSUBUS, PACKSS, PACKUS */
    SIMD_MULTIPLY = 1 << 3,  /* MMX, by table 19-37's kinds: PMULxx, PMADDWD */
    SIMD_SHIFT = 1 << 4,
    SIMD_PACK = 1 << 5,
    SIMD_UNPACK = 1 << 6,
    SIMD_LOGIC = 1 << 7
};

/* Conditions of an x87 instruction for which microcode helps, masked or not: bits. Told, as OP_ASSIST is,
 * only while sim_batches() has x87 instructions come one by one. */
enum sim_assist {
    ASSIST_STACK_UNDERFLOW = 1 << 0, /* a register that is empty was read */
    ASSIST_STACK_OVERFLOW = 1 << 1,  /* one that is not was pushed upon */
    ASSIST_OVERFLOW = 1 << 2,        /* of the result */
    ASSIST_UNDERFLOW = 1 << 3,
    ASSIST_OPERAND = 1 << 4 /* one that is denormal */
};

/* An instruction's cache control (SDM vol. 1, 10.4.6: cacheability control and prefetching). */
enum sim_cache_op {
    CACHE_NONE,
    CACHE_FLUSH,       /* CLFLUSH, CLFLUSHOPT: the line goes from every cache, written back where modified */
    CACHE_WRITE_BACK,  /* CLWB: it is written back and may stay */
    CACHE_PREFETCH_T0, /* PREFETCHT0, and PREFETCH of 3DNow! */
    CACHE_PREFETCH_T1,
    CACHE_PREFETCH_T2,
    CACHE_PREFETCH_NTA,
    CACHE_PREFETCH_W,  /* PREFETCHW */
    CACHE_NON_TEMPORAL /* its stores are: MOVNTI, MOVNTPS, MASKMOVDQU... */
};

/* The line that CACHE_FLUSH to CACHE_PREFETCH_W name. No access: nothing is read or written. */
struct sim_named_line {
    uint64_t lin, phys; /* of any byte of it */
    bool uncached;      /* memory type is not cacheable, or nothing is mapped there */
};

#define SIM_ACCESSES 16

/* One instruction, at retirement. */
struct sim_insn {
    uint64_t lin, phys; /* of its first byte */
    uint64_t phys_high; /* of its part after a page boundary, if it crosses one */
    uint64_t target;    /* OP_BRANCH and taken: linear address of the next instruction */
    uint32_t op;        /* enum sim_op */
    uint8_t len;
    uint8_t cpl;       /* before the instruction */
    uint8_t cpl_after; /* OP_FAR: after it */
    uint8_t seg_loads; /* segment registers loaded: MOV, POP, LDS..., LLDT, LTR, LGDT, LIDT: 1 each;
                          a far transfer: 1 for CS (a stack switch's SS is the model's business) */
    uint16_t io_port;
    uint32_t iterations_io; /* of REP INS/OUTS; else 1 with OP_IO */
    uint8_t io_bytes;
    uint8_t cache_op;           /* enum sim_cache_op */
    uint8_t simd;               /* enum sim_simd */
    uint8_t assist;             /* enum sim_assist */
    uint8_t n_access;           /* further ones of a long REP come in sim_more_accesses() before it retires */
    struct sim_named_line line; /* CACHE_FLUSH to CACHE_PREFETCH_W */
    struct sim_access access[SIM_ACCESSES];
    /* Before it, for PEBS: general registers in encoding order, and RFLAGS. Valid only where
     * sim_wants_registers() said so when it began. */
    uint64_t reg[16];
    uint64_t flags;
};

/* Registers after the instruction that retires, where somebody asks for them (sim_host.registers). */
struct sim_registers {
    uint64_t reg[16]; /* in encoding order */
    uint64_t flags;   /* RFLAGS */
    uint64_t xmm[16][2];
    uint64_t tsc;
};

/* An interrupt or exception that has been delivered: control is with its handler. Addresses are linear. */
struct sim_delivery {
    uint64_t from; /* of a fault's instruction; of an interrupt or trap, where it returns to */
    uint64_t to;   /* of the handler's first instruction */
    uint8_t vector;
    uint8_t exception; /* else an interrupt */
    uint8_t cpl;       /* before it */
    uint8_t cpl_after; /* the handler's */
};

/* ---- ordinary instructions in bulk ---- */

/* The effect of one of them: an access, or a near branch. */
struct sim_step {
    struct sim_access access; /* of a branch: kind 0, lin its target where it was taken */
    uint64_t lin;             /* of a branch: its own address */
    uint64_t end;             /* linear address behind the instruction */
    uint32_t op;              /* of a branch: enum sim_op */
};

/* Instructions with the same properties, and how many of them there were. */
struct sim_kind {
    uint32_t op, n;
    uint8_t seg_loads;
    uint8_t simd; /* enum sim_simd */
};

/* Consecutive instructions at one privilege level: a list of their effects in program order, and the number
 * of each kind. None is far, locked, serialising, I/O, MMX, REP, HLT or has a cache_op. */
struct sim_batch {
    uint64_t lin, end; /* address of the first instruction, and behind the last one that fell through */
    const struct sim_step *steps;
    const struct sim_kind *kinds;
    unsigned n_steps, n_kinds;
    unsigned cpl;
    uint64_t ticks;
    uint64_t (*code)(void *ctx, uint64_t lin);  /* physical address of code */
    bool (*uncached)(void *ctx, uint64_t phys); /* of data; sim_access.uncached is not set */
    void *ctx;
};
