/* Between Bochs and the PMU model: what the files of this folder share. See docs/pmu-model.md.
 *
 * glue.cc sets up and tears down, stream.cc turns callbacks into facts, opcodes.cc says what an instruction
 * is, registers.cc routes MSRs, RDPMC, CPUID and the interrupt, bracket.cc switches the oracle on and off.
 */
#pragma once
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/cpuid.h"
#include "cpu/decoder/ia_opcodes.h"
#include "pc_system.h"

extern "C" {
#include "sim/sim.h"
}

/* A place in the code that begins or ends a stretch of the oracle's, see bracket.cc. */
enum watch {
    WATCH_NOTHING = 0,
    WATCH_CALLEE = 1, /* the CALL of a bracket has just run: the next instruction is the payload's first */
    WATCH_RETURN = 2  /* the payload runs: its own RET ends the stretch */
};

/* What one CPU's stream has come to. */
struct glue {
    struct sim *sim; /* NULL: this Bochs runs without a model */
    BX_CPU_C *cpu;
    bx_phy_address ram_end;

    struct anechoic_log log;

    /* The instruction that has begun and not yet retired. */
    bool pending;
    uint8_t traits;   /* enum trait */
    bx_address start; /* its RIP */
    struct sim_insn insn;
    Bit64u icount; /* Bochs's, up to which the model has been told of ticks */

    /* What an instruction did to TLBs and caches takes effect behind it: its own fetch was before. */
    uint8_t deferred; /* enum deferred */
    bx_address invalidated;

    bool halted;
    Bit64u halted_since;

    uint8_t watch; /* enum watch */
    bx_address watched_rsp;
};

enum deferred {
    DEFER_TLB = 1,
    DEFER_TLB_GLOBALS = 2,
    DEFER_PAGE = 4,
    DEFER_CACHES = 8,
    DEFER_WRITE_BACK = 16,
    DEFER_DEBUG_REGISTERS = 32
};

extern struct glue glue_of[ANECHOIC_CPUS];

/* After anything that may start or stop the model's interest in facts. */
void glue_wants(struct glue *g);

/* ---- opcodes.cc ---- */
enum trait {
    TRAIT_INSERTED = 1,    /* Bochs's own end of a trace, no instruction */
    TRAIT_STRING = 2,      /* may be interrupted half-way when it has REP */
    TRAIT_XCHG = 4,        /* locked when it goes to memory */
    TRAIT_RMW_WRITES = 8,  /* Bochs probes with a read-modify-write what the CPU only writes */
    TRAIT_RMW_PROBES = 16, /* ... and what it does not access at all */
    TRAIT_DEBUG = 32       /* writes a debug register */
};
struct opcode_class {
    uint32_t op; /* enum sim_op */
    uint8_t seg_loads;
    uint8_t traits;
};
extern struct opcode_class opcode_class[BX_IA_LAST];
void opcodes_init();

/* ---- stream.cc ---- */
/* Begin an instruction that executes already: the model was idle when it began. i may be NULL. */
void stream_begin(struct glue *g, bx_address rip, unsigned len, unsigned opcode, bxInstruction_c *i);
void stream_debug_registers(struct glue *g);

/* ---- registers.cc ---- */
void registers_init(struct glue *g);
void registers_decoded(bxInstruction_c *i);
void registers_pmi(void *glue);

/* ---- bracket.cc ---- */
void bracket_init();
void bracket_exit();
void bracket_decoded(bxInstruction_c *i, bx_address lin);
/* Before an instruction, with g->watch set: the first of a payload, or perhaps its RET. */
void bracket_watch(struct glue *g, bool is_return);
