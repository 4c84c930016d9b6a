/* The registers of the modelled PMU in Bochs: MSRs and CPUID through a decorator of the CPU model's own
 * bx_cpuid_t, RDPMC through its decoded handler, the interrupt through the local APIC. */
#define NEED_CPU_REG_SHORTCUTS 1 /* BX_NEXT_INSTR speaks of RIP */
#include "sim/bochs/glue.h"

#include "cpu/apic.h"
#include "memory/memory-bochs.h"

namespace
{
/* IA32_APIC_BASE bit 11, the global enable. */
bool apic_enabled(const struct glue *g) { return g->cpu->msr.apicbase >> 11 & 1; }

/* Every virtual function of bx_cpuid_t; all except the PMU's are passed to Bochs's own model. */
class modelled_cpuid : public bx_cpuid_t
{
  public:
    modelled_cpuid(struct glue *g) : bx_cpuid_t(g->cpu), glue(g), inner(g->cpu->cpuid)
    {
        inner->get_cpu_extensions(ia_extensions_bitmask);
    }
    ~modelled_cpuid() override { delete inner; }
    const char *get_name() const override { return inner->get_name(); }
    void dump_cpuid() const override { inner->dump_cpuid(); }
#if BX_SUPPORT_VMX
    Bit32u get_vmx_extensions_bitmask() const override { return inner->get_vmx_extensions_bitmask(); }
#endif
#if BX_SUPPORT_SVM
    Bit32u get_svm_extensions_bitmask() const override { return inner->get_svm_extensions_bitmask(); }
#endif

    void get_cpuid_leaf(Bit32u function, Bit32u subfunction, cpuid_function_t *leaf) const override
    {
        inner->get_cpuid_leaf(function, subfunction, leaf);
        uint32_t regs[4] = {leaf->eax, leaf->ebx, leaf->ecx, leaf->edx};
        /* Bochs's P6 models have a working APIC, but report it only with the extension XAPIC, which they
         * lack. */
        if (function == 1 && apic_enabled(glue)) regs[3] |= 1u << 9;
        sim_cpuid(glue->sim, function, subfunction, regs);
        leaf->eax = regs[0];
        leaf->ebx = regs[1];
        leaf->ecx = regs[2];
        leaf->edx = regs[3];
    }

    int rdmsr(Bit32u index, Bit64u *msr) override
    {
        uint64_t value = 0;
        int handled = sim_rdmsr(glue->sim, index, &value);
        if (handled < 0) return absent(index, inner->rdmsr(index, msr));
        *msr = value;
        return handled;
    }

    int wrmsr(Bit32u index, Bit64u msr) override
    {
        int handled = sim_wrmsr(glue->sim, index, msr);
        if (handled < 0) return absent(index, inner->wrmsr(index, msr));
        bool was_idle = !anechoic_log[glue->cpu->which_cpu()];
        glue_wants(glue);
        /* The WRMSR that starts the first counter retires as every later one that starts a counter does:
         * counted. */
        if (was_idle && anechoic_log[glue->cpu->which_cpu()]) {
            bx_address start = glue->cpu->prev_rip;
            stream_begin(glue, start, glue->cpu->gen_reg[BX_64BIT_REG_RIP].rrx - start, BX_IA_WRMSR, NULL);
        }
        return handled;
    }

  private:
    /* Bochs reads an unknown MSR as 0 and ignores what is written to it. */
    static int absent(Bit32u index, int handled)
    {
        return handled < 0 && sim_pmu_register(index) ? 0 : handled;
    }

    struct glue *glue;
    bx_cpuid_t *inner;
};

/* Handlers are members of BX_CPU_C, so this one becomes a member of something that is one. Never
 * instantiated. */
class rdpmc_handler : public BX_CPU_C
{
  public:
    void BX_CPP_AttrRegparmN(1) rdpmc(bxInstruction_c *i)
    {
        struct glue *g = &glue_of[bx_cpuid];
        uint64_t value = 0;
        switch (sim_rdpmc(g->sim, get_reg32(BX_32BIT_REG_ECX), sregs[BX_SEG_REG_CS].selector.rpl,
                          cr4.get_PCE(), cr0.get_PE(), &value)) {
        case SIM_RDPMC_UD:
            exception(BX_UD_EXCEPTION, 0);
            break;
        case SIM_RDPMC_GP:
            exception(BX_GP_EXCEPTION, 0);
            break;
        case SIM_RDPMC_OK:
            gen_reg[BX_64BIT_REG_RAX].rrx = (Bit32u)value;
            gen_reg[BX_64BIT_REG_RDX].rrx = (Bit32u)(value >> 32);
            break;
        }
        BX_NEXT_INSTR(i);
    }
};

/* Whether delivery sets the LVT entry's mask bit: NetBurst and all since the Pentium M do, P6 does not (SDM
 * vol 3, 10.5.1, with its figure's note), nor does any of AMD's (Linux needs no unmasking there). */
bool delivery_masks(struct glue *g)
{
    cpuid_function_t leaf;
    g->cpu->cpuid->get_cpuid_leaf(0, 0, &leaf);
    if (leaf.ebx == 0x68747541) return false; /* "Auth" */
    g->cpu->cpuid->get_cpuid_leaf(1, 0, &leaf);
    unsigned family = leaf.eax >> 8 & 0xf, model = (leaf.eax >> 4 & 0xf) | (leaf.eax >> 12 & 0xf0);
    return family == 0xf || (family == 6 && (model == 9 || model >= 13));
}
} // namespace

void registers_decoded(bxInstruction_c *i)
{
    /* Also if Bochs has none for this CPU: the model decides. */
    if (i->getIaOpcode() == BX_IA_RDPMC) i->execute1 = static_cast<BxExecutePtr_tR>(&rdpmc_handler::rdpmc);
}

void registers_pmi(void *ctx)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    bx_local_apic_c *apic = g->cpu->lapic;
    if (!apic_enabled(g)) return;
    Bit32u lvt = apic->read_aligned(BX_LAPIC_LVT_PERFMON);
    unsigned mode = lvt >> 8 & 7;
    if (lvt & 0x10000) return;
    /* SDM vol 3, 10.5.1: this entry accepts fixed, SMI and NMI. */
    if (mode != APIC_DM_FIXED && mode != APIC_DM_SMI && mode != APIC_DM_NMI) return;
    if (delivery_masks(g)) apic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, lvt | 0x10000);
    apic->deliver(lvt & 0xff, mode, APIC_EDGE_TRIGGERED);
}

/* The local vector table's entry of a pin, with the APIC enabled by its MSR: does it make the pin an NMI?
 * While the APIC is disabled by software, its entries are masked (SDM vol. 3A 10.4.7.2). */
static bool entry_is_nmi(struct glue *g, unsigned entry)
{
    bx_local_apic_c *apic = g->cpu->lapic;
    Bit32u lvt = apic->read_aligned(entry);
    return apic->read_aligned(BX_LAPIC_SPURIOUS_VECTOR) & 0x100 && !(lvt & 0x10000) &&
           (lvt >> 8 & 7) == APIC_DM_NMI;
}

/* The effect of pin LINT1. Without a local APIC, or with one that is switched off by its MSR, it is NMI; else
 * the entry decides, and a masked one loses the edge (SDM vol. 3A 10.1 and 10.5.1). */
static bool lint1_is_nmi(struct glue *g) { return !apic_enabled(g) || entry_is_nmi(g, BX_LAPIC_LVT_LINT1); }

/* Bochs's 8259 interrupts the CPU whatever the entry of LINT0 says. Where it says NMI, its request is one,
 * too: with its rising edge, which is looked for from time to time. (What it requests is held back by IF, as
 * it is while a watchdog waits.) */
static void lint0(void *ctx)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    const bool high =
        apic_enabled(g) && entry_is_nmi(g, BX_LAPIC_LVT_LINT0) && g->cpu->is_pending(BX_EVENT_PENDING_INTR);
    if (high && !g->lint0) g->cpu->deliver_NMI();
    g->lint0 = high;
}

/* A board that has PM0 wired to NMI (the survey's EBS socket), which on a Pentium is pin LINT1: the interrupt
 * comes about three cycles behind the overflow, which are three instructions here. */
void registers_pin(void *ctx, unsigned pin, bool overflow)
{
    const unsigned late = 3;
    struct glue *g = static_cast<struct glue *>(ctx);
    if (pin != 0 || !overflow || !lint1_is_nmi(g)) return;
    g->cpu->inhibit_mask |= BX_INHIBIT_INTERRUPTS;
    g->cpu->inhibit_icount = g->cpu->icount + late - 1; /* the last count at which it is held back */
    g->cpu->deliver_NMI();
}

void registers_init(struct glue *g)
{
    const unsigned every = 1000; /* microseconds */
    g->cpu->cpuid = new modelled_cpuid(g);
    if (g->cpu->which_cpu() == 0) /* the 8259's */
        bx_pc_system.register_timer(g, lint0, every, true, true, "LINT0");
}

/* Microcode goes through the page tables as they are, page by page; a fault in it has no handler. */
template <typename Move> static bool by_pages(struct glue *g, uint64_t lin, unsigned len, Move move)
{
    while (len) {
        unsigned here = 0x1000 - (lin & 0xfff);
        bx_phy_address phys;
        if (here > len) here = len;
        if (!g->cpu->dbg_xlate_linear2phy(lin, &phys)) return false;
        move(phys, here);
        lin += here;
        len -= here;
    }
    return true;
}

bool registers_read(void *ctx, uint64_t lin, void *data, unsigned len)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    Bit8u *to = static_cast<Bit8u *>(data);
    return by_pages(g, lin, len, [&](bx_phy_address phys, unsigned n) {
        BX_MEM(0)->readPhysicalPage(g->cpu, phys, n, to);
        to += n;
    });
}

bool registers_write(void *ctx, uint64_t lin, const void *data, unsigned len)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    const Bit8u *from = static_cast<const Bit8u *>(data);
    return by_pages(g, lin, len, [&](bx_phy_address phys, unsigned n) {
        BX_MEM(0)->writePhysicalPage(g->cpu, phys, n, const_cast<Bit8u *>(from));
        from += n;
    });
}

bool registers_long_mode(void *ctx) { return static_cast<struct glue *>(ctx)->cpu->long_mode(); }

bool registers_inactive(void *ctx)
{
    return static_cast<struct glue *>(ctx)->cpu->activity_state != BX_CPU_C::BX_ACTIVITY_STATE_ACTIVE;
}

/* Between two instructions, so that they are as the last one has left them. */
void registers_after(void *ctx, struct sim_registers *after)
{
    const struct glue *g = static_cast<struct glue *>(ctx);
    BX_CPU_C *cpu = g->cpu;
    for (unsigned k = 0; k < 16; k++) {
        after->reg[k] = cpu->gen_reg[k].rrx;
        after->xmm[k][0] = cpu->vmm[k].vmm64u(0);
        after->xmm[k][1] = cpu->vmm[k].vmm64u(1);
    }
    after->flags = cpu->read_eflags();
    /* Bochs's time stands still within a trace. */
    after->tsc = cpu->get_TSC() + (cpu->icount - cpu->icount_last_sync);
}

void registers_fill(const struct glue *g, struct sim_insn *n)
{
    for (unsigned k = 0; k < 16; k++) n->reg[k] = g->cpu->gen_reg[k].rrx;
    n->flags = g->cpu->read_eflags();
}
