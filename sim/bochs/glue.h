/* Between Bochs and the PMU model: shared by the files of this folder. See docs/pmu-model.md.
 *
 * glue.cc sets up and tears down, stream.cc turns callbacks into facts, with instruction.cc one at a time and
 * with batch.cc many at once, opcodes.cc classifies instructions, registers.cc routes MSRs, RDPMC, CPUID and
 * the interrupt, extended.cc is AMD's part of the local APIC, bracket.cc switches the oracle on and off,
 * uart.cc is a serial port in memory.
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

/* The state of one CPU's stream. */
struct glue {
    struct sim *sim; /* NULL: this Bochs runs without a model */
    BX_CPU_C *cpu;
    bx_phy_address ram_end;

    struct anechoic_log log;

    /* The instruction that has begun and not yet retired. */
    bool pending;
    uint16_t traits;  /* enum trait */
    bx_address start; /* its RIP */
    struct sim_insn insn;
    bool fpu_watched; /* the flags of an x87 instruction are being found out ... */
    Bit16u fpu_flags; /* ... beside these, which were there before */
    Bit64u icount;    /* Bochs's, up to which ticks were reported to the model */

    /* An interrupt or exception is being delivered, and no instruction of its handler has begun. */
    bool delivering;
    struct sim_delivery delivery; /* but to and cpl_after */

    bool lint0; /* the 8259 requests an interrupt, as NMI (registers.cc) */

    /* Instructions that Bochs's objects only count, see batch.cc. */
    bool batching;
    bx_address batch_start; /* RIP */
    struct {
        bx_address lin, phys; /* of pages; STREAM_NOWHERE: none */
    } code[64];

    /* An instruction's changes of TLBs and caches take effect after it, since its own fetch came before. */
    uint8_t deferred; /* enum deferred */
    bx_address invalidated;

    bool halted;
    Bit64u halted_since;

    uint8_t watch; /* enum watch */
    bx_address watched_rsp;

    bool extended_apic; /* the local APIC has an extended part (extended.cc) ... */
    Bit32u extended[4]; /* ... with these entries of its vector table */
};

enum deferred {
    DEFER_TLB = 1,
    DEFER_PAGE = 2,
    DEFER_CACHES = 4,
    DEFER_WRITE_BACK = 8,
    DEFER_DEBUG_REGISTERS = 16
};

extern struct glue glue_of[ANECHOIC_CPUS];

/* After anything that may start or stop the model's interest in facts. */
void glue_wants(struct glue *g);

/* ---- uart.cc ---- */
void uart_plug_in(void);

/* ---- opcodes.cc ---- */
enum trait {
    TRAIT_INSERTED = 1,    /* Bochs's own end of a trace, no instruction */
    TRAIT_STRING = 2,      /* may be interrupted half-way when it has REP */
    TRAIT_XCHG = 4,        /* locked when it goes to memory */
    TRAIT_RMW_WRITES = 8,  /* Bochs probes with a read-modify-write what the CPU only writes */
    TRAIT_RMW_PROBES = 16, /* ... and what it does not access at all */
    TRAIT_DEBUG = 32,      /* writes a debug register */
    TRAIT_ALONE = 64,      /* never in a batch: it looks at counters, or makes many accesses */
    TRAIT_RETURN = 128,    /* near */
    TRAIT_LINE = 256,      /* names a line: sim_insn.line */
    TRAIT_STATUS = 512     /* reads, writes or acts upon the x87's status word as a whole */
};
struct opcode_class {
    uint32_t op; /* enum sim_op */
    uint8_t seg_loads;
    uint8_t cache_op; /* enum sim_cache_op */
    uint8_t simd;     /* enum sim_simd */
    uint16_t traits;
};
extern struct opcode_class opcode_class[BX_IA_LAST];
void opcodes_init();

/* ---- batch.cc ---- */
/* Kinds of instructions; those that a batch may have to exclude come last. */
struct batch_kinds {
    struct sim_kind of[ANECHOIC_KINDS];
    unsigned n, first_x87, first_return;
    Bit8u by_opcode[BX_IA_LAST]; /* n and above: not in a batch */
};
#define KIND_ORDINARY                                                                                     \
    0                  /* no properties; so is Bochs's own end of a trace, which counts as no instruction \
                        */
#define KIND_NONE 0xff /* in no batch */
void batch_init(const struct batch_kinds *kinds);
/* Make this instruction, which is about to execute, the first of a batch. False: it must be handled alone. */
bool batch_begin(struct glue *g, bxInstruction_c *i);
/* Whether one of the batch has begun and not been committed. */
bool batch_in_instruction(const struct glue *g);
/* Pass everything to the model. Afterwards the log holds only the effects of the instruction that has begun.
 */
void batch_end(struct glue *g, bool in_instruction);

/* ---- instruction.cc ---- */
inline unsigned cpl_of(const BX_CPU_C *cpu) { return cpu->sregs[BX_SEG_REG_CS].selector.rpl; }

/* One begins, at RIP. i, which may be NULL, has its prefixes and operands. */
void instruction_begin(struct glue *g, bx_address rip, unsigned len, const struct opcode_class *c,
                       bxInstruction_c *i);
/* The pending instruction has been committed: RIP is after it. */
void instruction_retire(struct glue *g);
/* The pending instruction, if there is one, will not retire. */
void instruction_abandon(struct glue *g);
/* The log's accesses belong to the pending instruction. */
void instruction_accesses(struct glue *g);
/* They belong to no instruction, or to one that did not retire: they happened nevertheless. */
void instruction_strays(struct glue *g);
/* Linear address of code. */
bx_address instruction_address(const BX_CPU_C *cpu, bx_address rip);
/* Report the ticks until now. */
void instruction_ticks(struct glue *g, unsigned cpl);
/* Changes of TLBs and caches (enum deferred), for the end of the instruction; and carry them out. */
void instruction_defer(struct glue *g, unsigned what);
void instruction_settle(struct glue *g);

/* ---- stream.cc ---- */
/* Begin an instruction that executes already: the model was idle when it began. i may be NULL. */
void stream_begin(struct glue *g, bx_address rip, unsigned len, unsigned opcode, bxInstruction_c *i);
void stream_debug_registers(struct glue *g);
/* No instruction will retire: let interrupts through that waited for one. False: there were none. */
bool stream_release(struct glue *g);
/* Is next the second half of this access, which crosses a page? Then it is merged into this one. */
bool stream_join(struct glue *g, struct anechoic_entry *e, const struct anechoic_entry *next);
bool stream_uncached(void *glue, uint64_t phys);
uint64_t stream_code(void *glue, uint64_t lin);
/* Physical address, 0 where nothing is mapped. */
uint64_t stream_physical(const struct glue *g, bx_address lin);
/* Forget the mapping of code. */
void stream_forget_code(struct glue *g);
#define STREAM_NOWHERE (~(bx_address)0)

/* ---- registers.cc ---- */
void registers_init(struct glue *g);
void registers_decoded(bxInstruction_c *i);
/* The model's host, see struct sim_host. */
void registers_pmi(void *glue);
void registers_pin(void *glue, unsigned pin, bool overflow);
bool registers_read(void *glue, uint64_t lin, void *data, unsigned len);
bool registers_write(void *glue, uint64_t lin, const void *data, unsigned len);
bool registers_long_mode(void *glue);
bool registers_inactive(void *glue);
void registers_after(void *glue, struct sim_registers *after);
/* The processor's registers, for an instruction that begins. */
void registers_fill(const struct glue *g, struct sim_insn *n);

/* ---- extended.cc ---- */
void extended_init(struct glue *g); /* after registers_init() */
void extended_reset(struct glue *g);
void extended_deliver(void *glue, unsigned entry);

/* ---- bracket.cc ---- */
void bracket_init();
void bracket_exit();
void bracket_decoded(bxInstruction_c *i, bx_address lin);
/* An interrupt comes before the instruction at RIP. */
void bracket_interrupted(struct glue *g);
/* Before an instruction, with g->watch set: the first of a payload, or perhaps its RET. */
void bracket_watch(struct glue *g, bool is_return);
