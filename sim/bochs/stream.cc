/* From Bochs's callbacks to facts: one instruction at a time, and everything that is not an instruction. Bulk
 * handling is in batch.cc.
 *
 * An instruction is begun before it executes, its effects go to the CPU's log, and it becomes one fact when
 * the next one begins, or when an interrupt or exception is delivered between: Bochs's own after-callback
 * would double the cost of the idle model. Three pitfalls: Bochs commits an interrupted REP each time, with
 * RIP back at its start; a faulting instruction is never committed; and the accesses of a delivery lie
 * between instructions and belong to none.
 *
 * Page walks are not facts: Bochs walks when its own TLB misses, and that is larger than any modelled one
 * (docs/pmu-model.md).
 */
#define NEED_CPU_REG_SHORTCUTS 1
#include "sim/bochs/glue.h"

struct glue glue_of[ANECHOIC_CPUS];
struct anechoic_log *anechoic_log[ANECHOIC_CPUS];

/* The CPU whose instruction runs: Bochs's port callbacks do not say. */
static struct glue *running;

namespace
{
inline unsigned cpl_of(const BX_CPU_C *cpu) { return cpu->sregs[BX_SEG_REG_CS].selector.rpl; }

inline bx_address code_address(const BX_CPU_C *cpu, bx_address rip)
{
    if (cpu->cpu_mode == BX_MODE_LONG_64) return rip;
    return (Bit32u)(rip + cpu->sregs[BX_SEG_REG_CS].cache.u.segment.base);
}

Bit64u physical(BX_CPU_C *cpu, bx_address lin)
{
    bx_phy_address phys = 0;
    return cpu->dbg_xlate_linear2phy(lin, &phys) ? phys : 0;
}

/* The board answers with KEN# for cacheable memory: its memory, without the video hole and the ROMs below 1
 * MiB. */
inline bool uncached(const struct glue *g, Bit64u phys)
{
    return phys >= g->ram_end || (phys >= 0xa0000 && phys < 0x100000);
}

/* One tick is Bochs's own: an instruction, an iteration of a REP, the delivery of an exception. */
inline void ticks(struct glue *g, unsigned cpl)
{
    Bit64u now = g->cpu->icount;
    if (now != g->icount) sim_ticks(g->sim, now - g->icount, false, cpl);
    g->icount = now;
}

/* ---- accesses: from the log to facts ---- */

inline struct sim_access *as_access(struct anechoic_entry *e) { return &((struct sim_step *)e)->access; }

/* The log's accesses in order. */
template <typename F> inline void each_access(struct glue *g, F use)
{
    for (unsigned k = 0; k < g->log.n; k++) {
        struct anechoic_entry *e = &g->log.at[k];
        if (!e->access) continue;
        if (e->split && k + 1 < g->log.n && stream_join(g, e, e + 1)) k++;
        e->uncached = uncached(g, e->phys);
        use(as_access(e));
    }
    g->log.n = 0;
    g->log.split = false;
}

void empty_log(struct glue *g)
{
    struct sim_insn *n = &g->insn;
    each_access(g, [g, n](struct sim_access *a) {
        if (a->kind == SIM_RMW && (g->traits & TRAIT_RMW_PROBES)) return;
        if (a->kind == SIM_RMW && (g->traits & TRAIT_RMW_WRITES)) a->kind = SIM_WRITE;
        if (n->n_access == SIM_ACCESSES) {
            sim_more_accesses(g->sim, n->access, SIM_ACCESSES, n->cpl);
            n->n_access = 0;
        }
        n->access[n->n_access++] = *a;
    });
}

/* Accesses that belong to no instruction, or to one that did not retire: they happened nevertheless. */
void strays(struct glue *g)
{
    each_access(g, [g](struct sim_access *a) { sim_stray_access(g->sim, a, g->insn.cpl); });
}

/* ---- instructions ---- */

/* The address of an instruction's bytes. Rarely this is not the page from which Bochs fetches: then it has
 * just decoded an instruction that crosses into the next page. */
inline void fetched_from(struct glue *g, bx_address rip, unsigned len)
{
    BX_CPU_C *cpu = g->cpu;
    struct sim_insn *n = &g->insn;
    bx_address offset = rip + cpu->eipPageBias;
    n->lin = code_address(cpu, rip);
    n->phys_high = 0;
    if (__builtin_expect(offset < cpu->eipPageWindowSize, 1))
        n->phys = cpu->pAddrFetchPage + offset;
    else
        n->phys = physical(cpu, n->lin);
    if (__builtin_expect((n->lin & 0xfff) + len > 0x1000, 0))
        n->phys_high = physical(cpu, code_address(cpu, rip + len - 1) & ~(bx_address)0xfff);
}

/* x87 exceptions that a P6 handles in microcode (event 11h): denormal operand, overflow, underflow, stack
 * fault. Their flags in the status word stay set, so they are saved and cleared while an instruction runs
 * that may set them. */
const Bit16u ASSISTED = 0x02 | 0x08 | 0x10 | 0x40;

void watch_fpu(struct glue *g)
{
    g->fpu_watched = true;
    g->fpu_flags = g->cpu->the_i387.swd & ASSISTED;
    g->cpu->the_i387.swd &= ~ASSISTED;
}

/* Did it raise one? */
bool unwatch_fpu(struct glue *g)
{
    bool raised = g->cpu->the_i387.swd & ASSISTED;
    g->fpu_watched = false;
    g->cpu->the_i387.swd |= g->fpu_flags;
    return raised;
}

inline void begin(struct glue *g, bx_address rip, unsigned len, const struct opcode_class *c)
{
    struct sim_insn *n = &g->insn;
    fetched_from(g, rip, len);
    n->op = c->op;
    n->cache_op = c->cache_op;
    n->simd = c->simd;
    n->seg_loads = c->seg_loads;
    n->len = len;
    n->cpl = cpl_of(g->cpu);
    n->n_access = 0;
    n->iterations_io = 0;
    g->traits = c->traits;
    g->start = rip;
    g->log.taken = false;
    g->pending = true;
    if (c->op & (OP_FLOP | OP_FCOM | OP_TRANSCENDENTAL)) watch_fpu(g);
    if (__builtin_expect(sim_wants_registers(g->sim), 0)) registers_fill(g, n);
}

/* Bochs resolves an operand only within the handler, and has none for PREFETCHW. Never instantiated. */
class operand : public BX_CPU_C
{
  public:
    bx_address linear(bxInstruction_c *i) { return get_laddr(i->seg(), BX_CPU_RESOLVE_ADDR(i)); }
};

/* The line of a CLFLUSH or PREFETCHh, taken when the instruction begins, with its registers unchanged. If it
 * faults it does not retire. */
void named_line(struct glue *g, bxInstruction_c *i)
{
    struct sim_named_line *l = &g->insn.line;
    bx_phy_address phys = 0;
    l->lin = static_cast<operand *>(g->cpu)->linear(i);
    const bool mapped = g->cpu->dbg_xlate_linear2phy(l->lin, &phys);
    l->phys = phys;
    l->uncached = !mapped || uncached(g, phys);
}

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

/* What depends on prefixes and operands. */
inline void qualify(struct glue *g, bxInstruction_c *i)
{
    if (__builtin_expect(g->traits & TRAIT_LINE, 0)) named_line(g, i);
    if (i->lockRepUsedValue() == 0 && !(g->traits & TRAIT_XCHG)) return;
    if (i->getLock() || ((g->traits & TRAIT_XCHG) && !i->modC0())) g->insn.op |= OP_LOCK;
    if ((g->traits & TRAIT_STRING) && i->repUsedL()) g->insn.op |= OP_REP;
}

void settle_deferred(struct glue *g)
{
    if (g->deferred & DEFER_TLB) sim_tlb_flush(g->sim);
    if (g->deferred & DEFER_PAGE) sim_tlb_invalidate(g->sim, g->invalidated);
    if (g->deferred & DEFER_CACHES) sim_cache_flush(g->sim, g->deferred & DEFER_WRITE_BACK);
    if (g->deferred & DEFER_DEBUG_REGISTERS) stream_debug_registers(g);
    g->deferred = 0;
}

void defer(struct glue *g, unsigned what)
{
    if (g->batching) batch_end(g, batch_in_instruction(g));
    if (what & (DEFER_TLB | DEFER_PAGE)) stream_forget_code(g);
    g->deferred |= what;
    if (!g->pending) settle_deferred(g);
}

/* The pending instruction has been committed: RIP is after it. */
inline void retire(struct glue *g)
{
    struct sim_insn *n = &g->insn;
    g->pending = false;
    if (g->fpu_watched && unwatch_fpu(g)) n->op |= OP_ASSIST;
    ticks(g, n->cpl);
    if (g->log.n) empty_log(g);
    if (n->op & (OP_BRANCH | OP_REP)) {
        if ((n->op & OP_REP) && g->cpu->prev_rip == g->start) {
            /* Interrupted. It retires after it has been resumed and completed. */
            if (n->n_access) sim_more_accesses(g->sim, n->access, n->n_access, n->cpl);
            return;
        }
        if ((n->op & OP_COND) && g->log.taken) n->op |= OP_TAKEN;
        n->target = code_address(g->cpu, g->cpu->prev_rip);
        n->cpl_after = cpl_of(g->cpu);
    }
    sim_instruction(g->sim, n);
    if (__builtin_expect(g->traits & TRAIT_DEBUG, 0)) g->deferred |= DEFER_DEBUG_REGISTERS;
    if (__builtin_expect(g->deferred, 0)) settle_deferred(g);
}

/* Time passed in HLT without any callback. */
void wake(struct glue *g)
{
    Bit64u now = bx_pc_system.time_ticks();
    g->halted = false;
    if (now > g->halted_since) sim_ticks(g->sim, now - g->halted_since, true, cpl_of(g->cpu));
}

/* A delivery begins: until the next instruction, accesses are its own, at the privilege level that it leaves.
 */
void deliver(struct glue *g)
{
    if (g->batching) batch_end(g, batch_in_instruction(g));
    if (g->pending && g->cpu->icount != g->icount) retire(g);
    if (!g->pending) g->insn.cpl = cpl_of(g->cpu);
    if (g->fpu_watched) unwatch_fpu(g);
    g->pending = false;
    strays(g);
    if (g->deferred) settle_deferred(g);
    g->traits = 0;
    if (g->halted) wake(g);
}

/* Between two instructions. False: an interrupt has been raised, or facts are no longer wanted. */
inline bool between(struct glue *g, bxInstruction_c *i, const struct opcode_class *c)
{
    BX_CPU_C *cpu = g->cpu;
    Bit32u events = cpu->async_event;
    const bool held = stream_release(g);
    if (g->batching)
        batch_end(g, false);
    else if (g->pending)
        retire(g);
    else {
        strays(g);
        ticks(g, cpl_of(cpu));
    }
    if (__builtin_expect(g->halted, 0)) wake(g);
    if (__builtin_expect(cpu->async_event & ~events, 0)) return false;
    if (held && __builtin_expect(cpu->unmasked_events_pending() != 0, 0)) return false;
    if (__builtin_expect(g->watch, 0)) bracket_watch(g, (c->op & (OP_RET | OP_FAR)) == OP_RET);
    if (batch_begin(g, i)) return true;
    begin(g, cpu->gen_reg[BX_64BIT_REG_RIP].rrx, i->ilen(), c);
    hold_interrupts(cpu);
    qualify(g, i);
    running = g;
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
    begin(g, rip, len, &opcode_class[opcode]);
    if (i) qualify(g, i);
    running = g;
}

/* Bochs reports an access that crosses a page as two, side by side and with address_xlation.pages at 2. That
 * stays there until the next access that takes the long way, so it is taken back as soon as a crossing has
 * been seen. */
bool stream_join(struct glue *g, struct anechoic_entry *e, const struct anechoic_entry *next)
{
    if (!e->split || !next->split || (next->lin & 0xfff) != 0 || e->access != next->access ||
        (Bit32u)(e->lin + e->bytes) != (Bit32u)next->lin)
        return false;
    e->phys_high = next->phys;
    e->bytes += next->bytes;
    g->cpu->address_xlation.pages = 1;
    return true;
}

bool stream_release(struct glue *g)
{
    if (!(g->cpu->inhibit_mask & HELD)) return false;
    g->cpu->inhibit_mask = 0;
    return true;
}

bool stream_uncached(void *ctx, uint64_t phys) { return uncached(static_cast<struct glue *>(ctx), phys); }

uint64_t stream_code(void *ctx, uint64_t lin)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    bx_address page = lin & ~(bx_address)0xfff;
    auto *known = &g->code[(page >> 12) % (sizeof g->code / sizeof *g->code)];
    if (known->lin != page) {
        known->lin = page;
        known->phys = physical(g->cpu, page) & ~(bx_address)0xfff;
    }
    return known->phys | (lin & 0xfff);
}

void stream_forget_code(struct glue *g)
{
    for (auto &known : g->code) known.lin = STREAM_NOWHERE;
}

void stream_debug_registers(struct glue *g)
{
    const uint64_t dr[4] = {g->cpu->dr[0], g->cpu->dr[1], g->cpu->dr[2], g->cpu->dr[3]};
    sim_debug_registers(g->sim, dr, g->cpu->dr7.get32());
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

void anechoic_iteration(unsigned cpu) { empty_log(&glue_of[cpu]); }

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
    sim_exception(g->sim, vector, g->insn.cpl);
}

void anechoic_interrupt(unsigned cpu, unsigned vector)
{
    struct glue *g = &glue_of[cpu];
    deliver(g);
    bracket_interrupted(g);
    sim_interrupt(g->sim, vector, vector == 2, g->insn.cpl);
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
        defer(g, DEFER_PAGE);
    } else
        defer(g, DEFER_TLB);
}

void anechoic_caches(unsigned cpu, unsigned what)
{
    defer(&glue_of[cpu], what == BX_INSTR_WBINVD ? DEFER_CACHES | DEFER_WRITE_BACK : DEFER_CACHES);
}
