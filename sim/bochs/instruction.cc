/* One instruction at a time: it begins, its accesses are taken from the log, it retires and becomes a fact.
 * stream.cc knows when.
 */
#define NEED_CPU_REG_SHORTCUTS 1
#include "sim/bochs/glue.h"

namespace
{
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

/* x87 exceptions that microcode handles: denormal operand, overflow, underflow, stack fault. Their flags in
 * the status word stay set, so they are saved and cleared while an instruction runs that may set them. */
const Bit16u DENORMAL = 0x02, OVERFLOWED = 0x08, UNDERFLOWED = 0x10, STACK_FAULT = 0x40, C1 = 0x200;
const Bit16u ASSISTED = DENORMAL | OVERFLOWED | UNDERFLOWED | STACK_FAULT;

void watch_fpu(struct glue *g)
{
    g->fpu_watched = true;
    g->fpu_flags = g->cpu->the_i387.swd & ASSISTED;
    g->cpu->the_i387.swd &= ~ASSISTED;
}

/* Which of them did it raise? enum sim_assist. C1 tells a stack's overflow from its underflow (SDM
 * 1, 8.1.3.3). */
uint8_t unwatch_fpu(struct glue *g)
{
    const Bit16u status = g->cpu->the_i387.swd;
    uint8_t raised = 0;
    g->fpu_watched = false;
    g->cpu->the_i387.swd |= g->fpu_flags;
    if (status & STACK_FAULT) raised |= status & C1 ? ASSIST_STACK_OVERFLOW : ASSIST_STACK_UNDERFLOW;
    if (status & OVERFLOWED) raised |= ASSIST_OVERFLOW;
    if (status & UNDERFLOWED) raised |= ASSIST_UNDERFLOW;
    if (status & DENORMAL) raised |= ASSIST_OPERAND;
    return raised;
}

inline void begin_one(struct glue *g, bx_address rip, unsigned len, const struct opcode_class *c)
{
    struct sim_insn *n = &g->insn;
    fetched_from(g, rip, len);
    n->op = c->op;
    n->cache_op = c->cache_op;
    n->simd = c->simd;
    n->assist = 0;
    n->seg_loads = c->seg_loads;
    n->len = len;
    n->cpl = cpl_of(g->cpu);
    n->n_access = 0;
    n->iterations_io = 0;
    g->traits = c->traits;
    g->start = rip;
    g->log.taken = false;
    g->pending = true;
    if (c->op & OP_X87 && !(c->traits & TRAIT_STATUS)) watch_fpu(g);
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

/* What depends on prefixes and operands. */
inline void qualify(struct glue *g, bxInstruction_c *i)
{
    if (__builtin_expect(g->traits & TRAIT_LINE, 0)) named_line(g, i);
    if (i->lockRepUsedValue() == 0 && !(g->traits & TRAIT_XCHG)) return;
    if (i->getLock() || ((g->traits & TRAIT_XCHG) && !i->modC0())) g->insn.op |= OP_LOCK;
    if ((g->traits & TRAIT_STRING) && i->repUsedL()) g->insn.op |= OP_REP;
}
} // namespace

void instruction_ticks(struct glue *g, unsigned cpl) { ticks(g, cpl); }

bx_address instruction_address(const BX_CPU_C *cpu, bx_address rip) { return code_address(cpu, rip); }

void instruction_begin(struct glue *g, bx_address rip, unsigned len, const struct opcode_class *c,
                       bxInstruction_c *i)
{
    begin_one(g, rip, len, c);
    if (i) qualify(g, i);
}

void instruction_accesses(struct glue *g) { empty_log(g); }

void instruction_strays(struct glue *g)
{
    each_access(g, [g](struct sim_access *a) { sim_stray_access(g->sim, a, g->insn.cpl); });
}

void instruction_abandon(struct glue *g)
{
    if (g->fpu_watched) unwatch_fpu(g);
    g->pending = false;
}

void instruction_settle(struct glue *g)
{
    if (g->deferred & DEFER_TLB) sim_tlb_flush(g->sim);
    if (g->deferred & DEFER_PAGE) sim_tlb_invalidate(g->sim, g->invalidated);
    if (g->deferred & DEFER_CACHES) sim_cache_flush(g->sim, g->deferred & DEFER_WRITE_BACK);
    if (g->deferred & DEFER_DEBUG_REGISTERS) stream_debug_registers(g);
    g->deferred = 0;
}

void instruction_defer(struct glue *g, unsigned what)
{
    if (g->batching) batch_end(g, batch_in_instruction(g));
    if (what & (DEFER_TLB | DEFER_PAGE)) stream_forget_code(g);
    g->deferred |= what;
    if (!g->pending) instruction_settle(g);
}

void instruction_retire(struct glue *g)
{
    struct sim_insn *n = &g->insn;
    g->pending = false;
    if (g->fpu_watched) {
        n->assist = unwatch_fpu(g);
        if (n->assist && n->op & (OP_FLOP | OP_FCOM | OP_TRANSCENDENTAL)) n->op |= OP_ASSIST;
    }
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
    if (__builtin_expect(g->deferred, 0)) instruction_settle(g);
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

bool stream_uncached(void *ctx, uint64_t phys) { return uncached(static_cast<struct glue *>(ctx), phys); }

uint64_t stream_physical(const struct glue *g, bx_address lin) { return physical(g->cpu, lin); }

void stream_debug_registers(struct glue *g)
{
    const uint64_t dr[4] = {g->cpu->dr[0], g->cpu->dr[1], g->cpu->dr[2], g->cpu->dr[3]};
    sim_debug_registers(g->sim, dr, g->cpu->dr7.get32());
}
