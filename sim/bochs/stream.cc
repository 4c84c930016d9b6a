/* From Bochs's callbacks to facts: one instruction at a time, and everything that is not an instruction. Bulk
 * handling is in batch.cc.
 *
 * An instruction is begun before it executes, its effects go to the CPU's log, and it becomes one fact when
 * the next one begins, or when an interrupt or exception is delivered between: Bochs's own after-callback
 * would double the cost of the idle model. Three pitfalls: Bochs commits an interrupted REP each time, with
 * RIP back at its start; a faulting instruction is never committed; and the accesses of a delivery lie
 * between instructions and belong to none.
 *
 * Several processors run in turn, one instruction each (tools/bochs-machine.sh). One at most has facts that
 * the model does not know yet: when another one begins, it gives them up (current). So the model sees
 * everything in the order in which it happened.
 *
 * Page walks are not facts: Bochs walks when its own TLB misses, and that is larger than any modelled one
 * (docs/pmu-model.md).
 */
#define NEED_CPU_REG_SHORTCUTS 1
#include "sim/bochs/glue.h"

struct glue glue_of[ANECHOIC_CPUS];
struct anechoic_log *anechoic_log[ANECHOIC_CPUS];

/* The CPU that runs; Bochs's port callbacks do not say. */
static struct glue *running;

namespace
{
/* An instruction retires when the next one begins, but Bochs looks for interrupts before that, and would
 * deliver a maskable one ahead of an NMI that this retirement raises (SDM vol 3, table "Priority Among
 * Concurrent Events": NMI first). So the boundary after the instruction is closed in the way of STI, by an
 * additional bit besides Bochs's, until the instruction has retired. A later or longer closing replaces this
 * one.
 */
const unsigned HELD = 1u << 31;

inline void hold_interrupts(BX_CPU_C *cpu)
{
    if ((cpu->inhibit_mask & BX_INHIBIT_INTERRUPTS) && cpu->inhibit_icount > cpu->icount) return;
    cpu->inhibit_mask = BX_INHIBIT_INTERRUPTS | HELD;
    cpu->inhibit_icount = cpu->icount + 1;
}

/* Time passed in HLT without any callback. */
void wake(struct glue *g)
{
    Bit64u now = bx_pc_system.time_ticks();
    g->halted = false;
    if (now > g->halted_since) sim_ticks(g->sim, now - g->halted_since, true, cpl_of(g->cpu));
}

/* What the CPU did until now becomes facts. It is between two instructions. */
inline void catch_up(struct glue *g)
{
    if (g->batching)
        batch_end(g, false);
    else if (g->pending)
        instruction_retire(g);
    else {
        instruction_strays(g);
        instruction_ticks(g, cpl_of(g->cpu));
    }
}

/* This CPU runs now. The one that did gives up its facts; an interrupt that they raise comes when it is its
 * turn. */
inline void current(struct glue *g)
{
    struct glue *last = running;
    if (__builtin_expect(last == g, 1)) return;
    running = g;
    if (!last || !anechoic_log[last->cpu->which_cpu()]) return;
    stream_release(last);
    catch_up(last);
}

/* A delivery begins: until the next instruction, accesses are its own, at the privilege level that it leaves.
 */
void deliver(struct glue *g)
{
    current(g);
    if (g->batching) batch_end(g, batch_in_instruction(g));
    if (g->pending && g->cpu->icount != g->icount) instruction_retire(g);
    if (!g->pending) g->insn.cpl = cpl_of(g->cpu);
    instruction_abandon(g);
    instruction_strays(g);
    if (g->deferred) instruction_settle(g);
    g->traits = 0;
    if (g->halted) wake(g);
}

/* Bochs says that a delivery begins, not that it is over: it is when something else happens, with the
 * handler's address in RIP. */
void delivered(struct glue *g)
{
    struct sim_delivery *d = &g->delivery;
    g->delivering = false;
    d->to = instruction_address(g->cpu, g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx);
    d->cpl_after = cpl_of(g->cpu);
    sim_delivered(g->sim, d);
}

/* The delivery that begins now, from the instruction at rip on. One that failed has raised the exception that
 * takes its place: EXT says so (SDM vol. 3A, 6.13), and is set for that of an exception by Bochs as well. */
void delivers(struct glue *g, unsigned vector, bool exception, bx_address rip)
{
    if (g->delivering && exception && g->cpu->EXT) {
        g->delivery.vector = vector;
        g->delivery.exception = true;
        return;
    }
    g->delivering = true;
    g->delivery = {instruction_address(g->cpu, rip), 0, (uint8_t)vector, exception, g->insn.cpl, 0};
}

/* Between two instructions. False: an interrupt has been raised, or facts are no longer wanted. */
inline bool between(struct glue *g, bxInstruction_c *i, const struct opcode_class *c)
{
    BX_CPU_C *cpu = g->cpu;
    Bit32u events = cpu->async_event;
    current(g);
    const bool held = stream_release(g);
    catch_up(g);
    if (__builtin_expect(g->delivering, 0)) delivered(g);
    /* With several CPUs Bochs does not commit where an exception went to. */
    if (BX_SMP_PROCESSORS > 1) cpu->prev_rip = cpu->gen_reg[BX_64BIT_REG_RIP].rrx;
    if (__builtin_expect(g->halted, 0)) wake(g);
    if (__builtin_expect(cpu->async_event & ~events, 0)) return false;
    if (held && __builtin_expect(cpu->unmasked_events_pending() != 0, 0)) return false;
    if (__builtin_expect(g->watch, 0)) bracket_watch(g, (c->op & (OP_RET | OP_FAR)) == OP_RET);
    if (batch_begin(g, i)) return true;
    instruction_begin(g, cpu->gen_reg[BX_64BIT_REG_RIP].rrx, i->ilen(), c, i);
    hold_interrupts(cpu);
    return true;
}

/* Jumps on to an instruction's handler as BX_EXECUTE_INSTRUCTION does, from within a member as it wants. */
class executor : public BX_CPU_C
{
  public:
    void execute(bxInstruction_c *i)
    {
        RIP += i->ilen();
        return BX_CPU_CALL_METHOD(i->execute1, (i));
    }
};
} // namespace

void stream_begin(struct glue *g, bx_address rip, unsigned len, unsigned opcode, bxInstruction_c *i)
{
    current(g);
    instruction_begin(g, rip, len, &opcode_class[opcode], i);
}

bool stream_release(struct glue *g)
{
    if (!(g->cpu->inhibit_mask & HELD)) return false;
    g->cpu->inhibit_mask = 0;
    return true;
}

uint64_t stream_code(void *ctx, uint64_t lin)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    bx_address page = lin & ~(bx_address)0xfff;
    auto *known = &g->code[(page >> 12) % (sizeof g->code / sizeof *g->code)];
    if (known->lin != page) {
        known->lin = page;
        known->phys = stream_physical(g, page) & ~(bx_address)0xfff;
    }
    return known->phys | (lin & 0xfff);
}

void stream_forget_code(struct glue *g)
{
    for (auto &known : g->code) known.lin = STREAM_NOWHERE;
}

bxInstruction_c *anechoic_before(unsigned cpu, bxInstruction_c *i)
{
    static bxInstruction_c nothing; /* as at the end of a trace: back to the loop, which looks for events */
    const struct opcode_class *c = &opcode_class[i->getIaOpcode()];
    if (c->traits & TRAIT_INSERTED) return i;
    if (between(&glue_of[cpu], i, c)) return i;
    nothing.setILen(0);
    nothing.setIaOpcode(BX_INSERTED_OPCODE);
    nothing.execute1 = &BX_CPU_C::BxEndTrace;
    return &nothing;
}

void anechoic_step(unsigned cpu, bxInstruction_c *i)
{
    struct glue *g = &glue_of[cpu];
    const struct opcode_class *c = &opcode_class[i->getIaOpcode()];
    if (c->traits & TRAIT_INSERTED || !between(g, i, c)) return;
    return static_cast<executor *>(g->cpu)->execute(i);
}

void anechoic_iteration(unsigned cpu) { instruction_accesses(&glue_of[cpu]); }

void anechoic_io(unsigned port, unsigned len)
{
    struct glue *g = running;
    if (!g || !g->pending || !(g->insn.op & OP_IO)) return;
    g->insn.io_port = port;
    g->insn.io_bytes = len;
    g->insn.iterations_io++;
}

void anechoic_exception(unsigned cpu, unsigned vector)
{
    struct glue *g = &glue_of[cpu];
    deliver(g);
    if (g->delivering && !g->cpu->EXT) delivered(g);
    sim_exception(g->sim, vector, g->insn.cpl);
    delivers(g, vector, true, g->cpu->prev_rip);
}

void anechoic_interrupt(unsigned cpu, unsigned vector)
{
    struct glue *g = &glue_of[cpu];
    deliver(g);
    if (g->delivering) delivered(g);
    bracket_interrupted(g);
    sim_interrupt(g->sim, vector, vector == 2, g->insn.cpl);
    delivers(g, vector, false, g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx);
}

void anechoic_halt(unsigned cpu)
{
    struct glue *g = &glue_of[cpu];
    /* This callback comes within HLT, whose own tick is still to come. */
    g->halted = true;
    g->halted_since = bx_pc_system.time_ticks() + (g->cpu->icount - g->cpu->icount_last_sync) + 1;
}

void anechoic_tlb(unsigned cpu, unsigned what, bx_phy_address value)
{
    struct glue *g = &glue_of[cpu];
    if (what == BX_INSTR_INVLPG) {
        g->invalidated = value;
        instruction_defer(g, DEFER_PAGE);
    } else
        instruction_defer(g, DEFER_TLB);
}

void anechoic_caches(unsigned cpu, unsigned what)
{
    instruction_defer(&glue_of[cpu],
                      what == BX_INSTR_WBINVD ? DEFER_CACHES | DEFER_WRITE_BACK : DEFER_CACHES);
}
