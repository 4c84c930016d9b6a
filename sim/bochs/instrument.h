/* What Bochs's own objects see of the instrumentation library: its callback macros.
 *
 * Bochs includes this file under this name everywhere, so a change here compiles all of Bochs again;
 * everything that may change lives behind the functions.
 *
 * On the path of every instruction and access stands one test of a pointer, NULL while the model is idle, and
 * behind it no call that returns: registers saved around one would cost the idle model more than the test. An
 * access, or a taken branch, is noted in a log; an instruction leaves the chain of handlers by a jump to
 * anechoic_step().
 */
#pragma once
#if BX_INSTRUMENTATION

class bxInstruction_c;

#define ANECHOIC_CPUS 256

/* What the instruction has done so far. No instruction makes 256 accesses, and a REP is emptied at each
 * iteration. */
struct anechoic_access {
    bx_address lin;
    bx_phy_address phys;
    Bit8u len, rw;
    bool split; /* perhaps half of one that crosses a page */
};
struct anechoic_log {
    Bit8u n;
    bool taken; /* a branch was */
    struct anechoic_access at[256];
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
void anechoic_walk(unsigned cpu, bx_phy_address phys, unsigned rw);
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
#define ANECHOIC_BEFORE_CHAINED(cpu, i) \
    if (ANECHOIC_WANTED(cpu)) return anechoic_step(cpu, i)
#define ANECHOIC_BEFORE_LOOP(cpu, i) \
    if (ANECHOIC_WANTED(cpu)) i = anechoic_before(cpu, i)
#define BX_INSTR_BEFORE_EXECUTION(cpu, i) \
    ANECHOIC_CALL(ANECHOIC_BEFORE_, ANECHOIC_WHERE(ANECHOIC_PROBE i, LOOP, ))(cpu, i)

#define BX_INSTR_LIN_ACCESS(cpu, laddr, paddr, size, memtype, kind)                \
    do {                                                                           \
        struct anechoic_log *log_ = anechoic_log[cpu];                             \
        if (__builtin_expect(log_ != NULL, 0))                                     \
            log_->at[log_->n++] = {(laddr), (paddr), (Bit8u)(size), (Bit8u)(kind), \
                                   BX_CPU_THIS_PTR address_xlation.pages == 2};    \
    } while (0)
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu, from, to) ANECHOIC_IF(cpu, anechoic_log[cpu]->taken = true)
#define BX_INSTR_FAR_BRANCH(cpu, what, prev_cs, prev_rip, cs, rip) \
    ANECHOIC_IF(cpu, anechoic_log[cpu]->taken = true)

#define BX_INSTR_INITIALIZE(cpu)                         anechoic_initialize(cpu)
#define BX_INSTR_EXIT(cpu)                               anechoic_exit(cpu)
#define BX_INSTR_RESET(cpu, type)                        anechoic_reset(cpu, type)
#define BX_INSTR_OPCODE(cpu, i, opcode, len, is32, is64) anechoic_decoded(cpu, i, opcode, len)

#define BX_INSTR_PHY_ACCESS(cpu, phys, len, memtype, rw) ANECHOIC_IF(cpu, anechoic_walk(cpu, phys, rw))
#define BX_INSTR_EXCEPTION(cpu, vector, error_code)      ANECHOIC_IF(cpu, anechoic_exception(cpu, vector))
#define BX_INSTR_HWINTERRUPT(cpu, vector, cs, rip)       ANECHOIC_IF(cpu, anechoic_interrupt(cpu, vector))
#define BX_INSTR_REPEAT_ITERATION(cpu, i)                ANECHOIC_IF(cpu, anechoic_iteration(cpu))
#define BX_INSTR_HLT(cpu)                                ANECHOIC_IF(cpu, anechoic_halt(cpu))
#define BX_INSTR_TLB_CNTRL(cpu, what, value)             ANECHOIC_IF(cpu, anechoic_tlb(cpu, what, value))
#define BX_INSTR_CACHE_CNTRL(cpu, what)                  ANECHOIC_IF(cpu, anechoic_caches(cpu, what))

/* Bochs does not say which CPU: the glue asks whether one is in the middle of an instruction. */
#define BX_INSTR_INP(port, len)         anechoic_io(port, len)
#define BX_INSTR_OUTP(port, len, value) anechoic_io(port, len)

/* Not needed: they follow from those above, or from the opcode. */
#define BX_INSTR_INIT_ENV()
#define BX_INSTR_EXIT_ENV()
#define BX_INSTR_AFTER_EXECUTION(cpu, i)
#define BX_INSTR_MWAIT(cpu, addr, len, flags)
#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu, from)
#define BX_INSTR_UCNEAR_BRANCH(cpu, what, from, to)
#define BX_INSTR_INTERRUPT(cpu, vector)
#define BX_INSTR_CLFLUSH(cpu, lin, phys)
#define BX_INSTR_PREFETCH_HINT(cpu, what, seg, offset) ((void)(offset))
#define BX_INSTR_INP2(port, len, value)
#define BX_INSTR_WRMSR(cpu, msr, value)
#define BX_INSTR_VMEXIT(cpu, reason, qualification)

#else
#error "this is the header of an instrumented Bochs"
#endif
