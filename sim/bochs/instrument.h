/* The part of the instrumentation library that Bochs's own objects use: its callback macros.
 *
 * Bochs includes this file under this name everywhere, so a change here compiles all of Bochs again;
 * everything that may change lives behind the functions.
 *
 * The path of every instruction and access has one test of a pointer, NULL while the model is idle, followed
 * by no call that returns: saving registers around a call would cost the idle model more than the test.
 * Accesses and near branches go to a log. Most instructions are only counted by kind; the others leave the
 * chain of handlers by a jump to anechoic_step().
 */
#pragma once
#if BX_INSTRUMENTATION

class bxInstruction_c;

#define ANECHOIC_CPUS 256

/* Accesses and near branches of instructions so far. The layout is that of struct sim_step, so that a log can
 * be used as a batch's steps. But if code has a base other than 0, addresses here are RIPs. */
struct anechoic_entry {
    bx_address lin; /* of an access; a branch that was taken: where it went */
    bx_phy_address phys;
    bx_phy_address phys_high; /* the glue's */
    Bit8u bytes;
    Bit8u access;    /* 1 read, 2 write, 3 both, 0 a branch */
    Bit8u uncached;  /* the glue's */
    bx_address from; /* address of a branch */
    bx_address end;  /* behind the instruction */
    Bit32u op;       /* of a branch: enum sim_op */
    bool split;      /* an access that is perhaps half of one that crosses a page */
};

/* No trace makes as many accesses as there are entries beyond ANECHOIC_FULL: instructions that make more than
 * four are never only counted. */
#define ANECHOIC_ENTRIES 640
#define ANECHOIC_FULL    256

#define ANECHOIC_KINDS   64
#define ANECHOIC_OPCODES 8192 /* at least Bochs's number of opcodes */

struct anechoic_log {
    Bit32u n;
    /* Instructions of kinds below this one are counted and run on; 0: none are. */
    Bit32u limit;
    Bit32u last;                  /* the kind of the one before */
    bool taken;                   /* a branch was */
    bool split;                   /* an entry is */
    Bit32u done[ANECHOIC_KINDS];  /* how many, but of kind 0 */
    Bit32u op[ANECHOIC_KINDS];    /* what kinds are: enum sim_op */
    Bit8u kind[ANECHOIC_OPCODES]; /* by Bochs's opcode */
    struct anechoic_entry at[ANECHOIC_ENTRIES];
};
/* By CPU; NULL: no facts are wanted. Written by the glue only. */
extern struct anechoic_log *anechoic_log[ANECHOIC_CPUS];

/* The machine's life (glue.cc). */
void anechoic_initialize(unsigned cpu);
void anechoic_exit(unsigned cpu);
void anechoic_reset(unsigned cpu, unsigned type);

/* An instruction has been decoded; its handler may be replaced. fetch: where its bytes are (glue.cc). */
void anechoic_decoded(unsigned cpu, bxInstruction_c *i, const Bit8u *fetch, unsigned len);

/* What happens, in program order (stream.cc). */
/* Between two instructions: the last one retires, and this one begins. The result is what to execute:
 * another, that does nothing, where the retirement has raised an interrupt, which comes first. */
bxInstruction_c *anechoic_before(unsigned cpu, bxInstruction_c *i);
/* The same within a chain of handlers, and execute it. */
void anechoic_step(unsigned cpu, bxInstruction_c *i);
void anechoic_iteration(unsigned cpu);
void anechoic_io(unsigned port, unsigned len);
void anechoic_exception(unsigned cpu, unsigned vector);
void anechoic_interrupt(unsigned cpu, unsigned vector);
void anechoic_halt(unsigned cpu);
void anechoic_tlb(unsigned cpu, unsigned what, bx_phy_address value);
void anechoic_caches(unsigned cpu, unsigned what);

#define ANECHOIC_WANTED(cpu) __builtin_expect(anechoic_log[cpu] != NULL, 0)
#define ANECHOIC_IF(cpu, call)          \
    do {                                \
        if (ANECHOIC_WANTED(cpu)) call; \
    } while (0)

/* Bochs's chain of handlers (BX_EXECUTE_INSTRUCTION) writes the callback's second argument in parentheses,
 * its loops do not. A jump out of the function is right in the first only. */
#define ANECHOIC_PROBE(x)          ~, CHAINED
#define ANECHOIC_SECOND(a, b, ...) b
#define ANECHOIC_WHERE(...)        ANECHOIC_SECOND(__VA_ARGS__)
#define ANECHOIC_PASTE(a, b)       a##b
#define ANECHOIC_CALL(a, b)        ANECHOIC_PASTE(a, b)
/* Opcode, length, and flags with LOCK, REP and REPNE as the uppermost two bits, in one. */
static inline Bit32u anechoic_meta(const void *metainfo)
{
    Bit32u meta;
    __builtin_memcpy(&meta, metainfo, sizeof meta);
    return meta;
}
#define ANECHOIC_META(i) Bit32u meta_ = anechoic_meta(&(i)->metaInfo), kind_ = log_->kind[meta_ & 0xffff]
#define ANECHOIC_COUNTED (kind_ < log_->limit && meta_ < 1u << 30)
/* Most are of kind 0, and Bochs counts these itself: an addition to memory would wait for the previous one.
 */
#define ANECHOIC_COUNT                  \
    do {                                \
        log_->last = kind_;             \
        if (kind_) log_->done[kind_]++; \
    } while (0)
#define ANECHOIC_BEFORE_CHAINED(cpu, i)                      \
    struct anechoic_log *log_ = anechoic_log[cpu];           \
    if (__builtin_expect(log_ != NULL, 0)) {                 \
        ANECHOIC_META(i);                                    \
        if (!ANECHOIC_COUNTED) return anechoic_step(cpu, i); \
        ANECHOIC_COUNT;                                      \
    }
#define ANECHOIC_BEFORE_LOOP(cpu, i)                       \
    struct anechoic_log *log_ = anechoic_log[cpu];         \
    if (__builtin_expect(log_ != NULL, 0)) {               \
        ANECHOIC_META(i);                                  \
        if (!ANECHOIC_COUNTED || log_->n >= ANECHOIC_FULL) \
            i = anechoic_before(cpu, i);                   \
        else                                               \
            ANECHOIC_COUNT;                                \
    }
#define BX_INSTR_BEFORE_EXECUTION(cpu, i) \
    ANECHOIC_CALL(ANECHOIC_BEFORE_, ANECHOIC_WHERE(ANECHOIC_PROBE i, LOOP, ))(cpu, i)

#define BX_INSTR_LIN_ACCESS(cpu, laddr, paddr, size, memtype, rw)          \
    do {                                                                   \
        struct anechoic_log *log_ = anechoic_log[cpu];                     \
        if (__builtin_expect(log_ != NULL, 0)) {                           \
            struct anechoic_entry *entry_ = &log_->at[log_->n++];          \
            entry_->lin = (laddr);                                         \
            entry_->phys = (paddr);                                        \
            entry_->bytes = (Bit8u)(size);                                 \
            entry_->access = (rw) == BX_RW ? 3 : (rw) == BX_WRITE ? 2 : 1; \
            entry_->end = BX_CPU_THIS_PTR gen_reg[BX_64BIT_REG_RIP].rrx;   \
            entry_->split = BX_CPU_THIS_PTR address_xlation.pages == 2;    \
            if (entry_->split) log_->split = true;                         \
        }                                                                  \
    } while (0)
/* A full log has to be read before the next instruction. i is the handler's argument, whose name is the same
 * everywhere; OP_TAKEN is 4. */
#define ANECHOIC_NEAR(cpu, rip, target, was_taken)                \
    do {                                                          \
        struct anechoic_log *log_ = anechoic_log[cpu];            \
        if (__builtin_expect(log_ != NULL, 0)) {                  \
            struct anechoic_entry *entry_ = &log_->at[log_->n++]; \
            entry_->lin = (target);                               \
            entry_->access = 0;                                   \
            entry_->from = (rip);                                 \
            entry_->end = entry_->from + i->ilen();               \
            entry_->op = log_->op[log_->last] | (was_taken) << 2; \
            if (log_->n >= ANECHOIC_FULL) log_->limit = 0;        \
            log_->taken = was_taken;                              \
        }                                                         \
    } while (0)
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu, from, to)  ANECHOIC_NEAR(cpu, from, to, true)
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu, from)  ANECHOIC_NEAR(cpu, from, 0, false)
#define BX_INSTR_UCNEAR_BRANCH(cpu, what, from, to) ANECHOIC_NEAR(cpu, from, to, true)
#define BX_INSTR_FAR_BRANCH(cpu, what, prev_cs, prev_rip, cs, rip) \
    ANECHOIC_IF(cpu, anechoic_log[cpu]->taken = true)

#define BX_INSTR_INITIALIZE(cpu)                         anechoic_initialize(cpu)
#define BX_INSTR_EXIT(cpu)                               anechoic_exit(cpu)
#define BX_INSTR_RESET(cpu, type)                        anechoic_reset(cpu, type)
#define BX_INSTR_OPCODE(cpu, i, opcode, len, is32, is64) anechoic_decoded(cpu, i, opcode, len)

#define BX_INSTR_EXCEPTION(cpu, vector, error_code) ANECHOIC_IF(cpu, anechoic_exception(cpu, vector))
#define BX_INSTR_HWINTERRUPT(cpu, vector, cs, rip)  ANECHOIC_IF(cpu, anechoic_interrupt(cpu, vector))
#define BX_INSTR_REPEAT_ITERATION(cpu, i)           ANECHOIC_IF(cpu, anechoic_iteration(cpu))
#define BX_INSTR_HLT(cpu)                           ANECHOIC_IF(cpu, anechoic_halt(cpu))
#define BX_INSTR_TLB_CNTRL(cpu, what, value)        ANECHOIC_IF(cpu, anechoic_tlb(cpu, what, value))
#define BX_INSTR_CACHE_CNTRL(cpu, what)             ANECHOIC_IF(cpu, anechoic_caches(cpu, what))

/* Bochs does not name the CPU: the glue looks for the one in the middle of an instruction. */
#define BX_INSTR_INP(port, len)         anechoic_io(port, len)
#define BX_INSTR_OUTP(port, len, value) anechoic_io(port, len)

/* Not needed: they follow from those above, or from the opcode; or are no facts, as Bochs's page walks are
 * (see stream.cc). */
#define BX_INSTR_INIT_ENV()
#define BX_INSTR_EXIT_ENV()
#define BX_INSTR_AFTER_EXECUTION(cpu, i)
#define BX_INSTR_PHY_ACCESS(cpu, phys, len, memtype, rw)
#define BX_INSTR_MWAIT(cpu, addr, len, flags)
#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)
#define BX_INSTR_INTERRUPT(cpu, vector)
#define BX_INSTR_CLFLUSH(cpu, lin, phys)
#define BX_INSTR_PREFETCH_HINT(cpu, what, seg, offset) ((void)(offset))
#define BX_INSTR_INP2(port, len, value)
#define BX_INSTR_WRMSR(cpu, msr, value)
#define BX_INSTR_VMEXIT(cpu, reason, qualification)

#else
#error "this is the header of an instrumented Bochs"
#endif
