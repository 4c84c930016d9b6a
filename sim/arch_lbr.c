/* Registers of Intel's last branch records, by the format that IA32_PERF_CAPABILITIES[5:0] names (SDM vol. 3,
 * June 2016, 17.4.8.1, 17.5 and 17.7 to 17.10; tables 35-3, 35-18 and later). Nothing is predicted here, so
 * no record is marked as mispredicted; there is no TSX, so none as of a transaction.
 */
#include "sim/arch.h"

enum { MSR_LBR_SELECT = 0x1c8, MSR_LBR_TOS = 0x1c9 };

/* Bit 63 of from is MISPRED; 62 and 61 are IN_TX and TSX_ABORT where there is TSX. What the CPU records then
 * has zeros there, while what software writes has the sign (Linux, arch/x86/events/intel/lbr.c,
 * lbr_from_signext_quirk_needed).
 */
#define KEEP_ALL   UINT64_MAX
#define KEEP_62    (UINT64_MAX >> 1)
#define KEEP_60    (UINT64_MAX >> 3)
#define INFO_FLAGS (UINT64_C(7) << 61)
#define INFO_WRITE (INFO_FLAGS | 0xffff) /* 60:16 are reserved: table 17-16 */

static const struct layout {
    uint32_t from, to, info; /* of entry 0; info 0: there is none */
    uint64_t select;         /* bits of MSR_LBR_SELECT; 0: there is none */
    uint8_t from_sign;       /* bits from 47 up to this one are a sign; 0: they are not checked ... */
    uint8_t to_sign;
    struct sim_lbr_form form;
} layouts[] = {
    [2] = {0x40, 0x60, 0, 0, 0, 0, {KEEP_ALL, KEEP_ALL}},
    [3] = {0x680, 0x6c0, 0, LBR_SELECT, 62, 63, {KEEP_62, KEEP_ALL}},
    [4] = {0x680, 0x6c0, 0, LBR_SELECT | LBR_CALL_STACK, 62, 63, {KEEP_60, KEEP_ALL}},
    [5] = {0x680, 0x6c0, 0xdc0, LBR_SELECT | LBR_CALL_STACK, 63, 63, {KEEP_ALL, KEEP_ALL, .cycles = true}},
};

static const struct layout *layout_of(const struct sim *s)
{
    const struct arch *p = s->state;
    return &layouts[CAP_LBR_FORMAT(p->traits)];
}

/* The field of an entry that this register is; NULL: none, or not here. *sign: its layout's. */
static uint64_t *field(struct sim *s, uint32_t msr, unsigned *sign)
{
    const struct layout *f = layout_of(s);
    struct sim_lbr *l = &s->lbr;
    *sign = 0;
    if (msr - f->from < l->depth) {
        *sign = f->from_sign;
        return &l->entry[msr - f->from].from;
    }
    if (msr - f->to < l->depth) {
        *sign = f->to_sign;
        return &l->entry[msr - f->to].to;
    }
    if (f->info && msr - f->info < l->depth) return &l->entry[msr - f->info].info;
    return NULL;
}

/* Bits from 47 to the last are alike. */
static bool is_signed(uint64_t value, unsigned last)
{
    const uint64_t bits = (UINT64_MAX >> (63 - last)) & ~((UINT64_C(1) << 47) - 1);
    return (value & bits) == 0 || (value & bits) == bits;
}

/* ---- public ---- */

void arch_lbr_reset(struct sim *s)
{
    const struct arch *p = s->state;
    sim_lbr_reset(&s->lbr, p->traits->lbr_depth, &layout_of(s)->form);
}

void arch_lbr_update(struct sim *s)
{
    const struct arch *p = s->state;
    s->lbr.on = s->lbr.depth && p->debugctl & DEBUGCTL_LBR && !(p->global_status & STATUS_LBR_FRZ);
    if (s->lbr.on) sim_activate(s);
}

/* "It automatically clears the LBR flag before executing the exception handler" (SDM 17.4.2). */
void arch_debug_exception(struct sim *s)
{
    struct arch *p = s->state;
    p->debugctl &= ~DEBUGCTL_LBR;
    arch_lbr_update(s);
}

int arch_lbr_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    unsigned sign;
    const uint64_t *entry = field(s, msr, &sign);
    if (entry)
        *value = *entry;
    else if (msr == MSR_LBR_TOS && s->lbr.depth)
        *value = s->lbr.top;
    else if (msr == MSR_LBR_SELECT && layout_of(s)->select)
        *value = s->lbr.select;
    else
        return -1;
    return 1;
}

int arch_lbr_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    const struct layout *f = layout_of(s);
    unsigned sign;
    uint64_t *entry = field(s, msr, &sign);
    if (entry) {
        if (sign && !is_signed(value, sign)) return 0;
        if (f->info && msr >= f->info && value & ~INFO_WRITE) return 0;
        *entry = value;
    } else if (msr == MSR_LBR_TOS && s->lbr.depth) {
        if (value >= s->lbr.depth) return 0;
        s->lbr.top = (unsigned)value;
    } else if (msr == MSR_LBR_SELECT && f->select) {
        if (value & ~f->select) return 0;
        s->lbr.select = (uint16_t)value;
    } else {
        return -1;
    }
    return 1;
}
