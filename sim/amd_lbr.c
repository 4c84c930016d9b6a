/* AMD's stack of last branch records (AMD64 manual, vol. 2, 13.1.1.6 to 13.1.1.9 and 13.1.8), and
 * what freezes it. Addresses of the registers: Linux, msr-index.h.
 *
 * A record is of the branch itself: nothing is fused here, so none is of the instruction before it. None is
 * mispredicted or speculative. Bits that read as zero (RAZ) ignore what is written, bits that must be zero
 * (MBZ) raise #GP.
 */
#include "sim/amd.h"

#define MSR_DEBUGCTL     0x1d9u
#define MSR_LBR_SELECT   0xc000010eu
#define MSR_DEBUG_EXTN   0xc000010fu
#define MSR_LBR_FROM0    0xc0010300u                   /* from and to in turn */
#define DEBUGCTL_MBZ     (UINT64_C(0xf) << 3 | 1 << 2) /* bus lock traps (2) came later */
#define DEBUGCTL_LBR     (UINT64_C(1) << 0)
#define DEBUGCTL_BTF     (UINT64_C(1) << 1)
#define DEBUGCTL_WRITE   (AMD_FREEZE_LBR | AMD_FREEZE_PMC | DEBUGCTL_LBR | DEBUGCTL_BTF)
#define DEBUG_EXTN_LBRSE (UINT64_C(1) << 6)

#define IP      (UINT64_MAX >> 7) /* 56:0 */
#define FLAG_63 (UINT64_C(1) << 63)
#define FLAG_62 (UINT64_C(1) << 62)

static const struct sim_lbr_form form = {IP, IP, .valid = FLAG_63};

void amd_lbr_reset(struct sim *s)
{
    struct amd *p = s->state;
    p->debugctl = p->debug_extn = 0;
    sim_lbr_reset(&s->lbr, p->traits->lbr_depth, &form);
}

void amd_lbr_update(struct sim *s)
{
    const struct amd *p = s->state;
    s->lbr.on = p->debug_extn & DEBUG_EXTN_LBRSE && !(p->global_status & AMD_STATUS_LBRSF);
    if (s->lbr.on) sim_activate(s);
}

/* "The processor clears this bit when #DB exception occurs" (13.1.1.8). */
void amd_debug_exception(struct sim *s)
{
    struct amd *p = s->state;
    p->debug_extn &= ~DEBUG_EXTN_LBRSE;
    amd_lbr_update(s);
}

/* Register 0 and 1 are the newest record: "internal register renaming always ensures that LBR From[0] and LBR
 * To[0] always represent the TOS" (Linux, amd/lbr.c). NULL: none. */
static uint64_t *field(struct sim *s, uint32_t msr)
{
    const uint32_t k = msr - MSR_LBR_FROM0;
    if (k >= 2 * s->lbr.depth) return NULL;
    struct sim_lbr_entry *e = &s->lbr.entry[sim_lbr_index(&s->lbr, k / 2)];
    return k % 2 ? &e->to : &e->from;
}

int amd_lbr_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    const struct amd *p = s->state;
    if (!s->lbr.depth) return -1;
    const uint64_t *entry = field(s, msr);
    if (entry)
        *value = *entry;
    else if (msr == MSR_DEBUGCTL)
        *value = p->debugctl;
    else if (msr == MSR_LBR_SELECT)
        *value = s->lbr.select;
    else if (msr == MSR_DEBUG_EXTN)
        *value = p->debug_extn;
    else
        return -1;
    return 1;
}

int amd_lbr_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct amd *p = s->state;
    if (!s->lbr.depth) return -1;
    uint64_t *entry = field(s, msr);
    if (entry) {
        *entry = value & (IP | FLAG_63 | ((msr - MSR_LBR_FROM0) % 2 ? FLAG_62 : 0));
    } else if (msr == MSR_DEBUGCTL) {
        if (value & DEBUGCTL_MBZ) return 0;
        p->debugctl = value & DEBUGCTL_WRITE;
    } else if (msr == MSR_LBR_SELECT) {
        s->lbr.select = value & LBR_SELECT;
    } else if (msr == MSR_DEBUG_EXTN) {
        if (value & ~DEBUG_EXTN_LBRSE) return 0;
        p->debug_extn = value;
        amd_lbr_update(s);
    } else {
        return -1;
    }
    return 1;
}
