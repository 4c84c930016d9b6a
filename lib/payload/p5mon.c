/* libp5mon's functions on the Pentium's own registers (Intel's Pentium Family Developer's Manual vol.
 * 3, 33.3). */
#include <anechoic/p5mon.h>

#define MSR_CESR 0x11
#define MSR_CTR0 0x12
#define MSR_CTR1 0x13

/* Each half of the CESR: event, control (kernel, user, clocks), a pin. */
#define ES(half)    (((half)&1) * 16)
#define CC(half)    (ES(half) + 6)
#define CC_KERNEL   1u
#define CC_USER     2u
#define CC_CLOCKS   4u
#define CESR_WRITES 0x03ff03ffu /* what is not reserved */
#define COUNTER_MAX ((1ULL << 40) - 1)

static int opened;

static ULONG rdmsr(unsigned msr)
{
    unsigned low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (ULONG)high << 32 | low;
}

static void wrmsr(unsigned msr, ULONG value)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"((unsigned)value), "d"((unsigned)(value >> 32)));
}

/* A Pentium of Intel's, at ring 0. */
static int is_there(void)
{
    unsigned a = 0, b, c = 0, d, selector;
    __asm__ volatile("mov %%cs, %0" : "=r"(selector));
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (selector & 3 || a < 1 || b != 0x756e6547 || d != 0x49656e69 || c != 0x6c65746e) return 0;
    a = 1;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (a >> 8 & 15) == 5;
}

/* The program is the user, though it runs where a kernel does: the two levels change places. */
static unsigned swap_levels(unsigned control)
{
    return (control & CC_CLOCKS) | (control & CC_KERNEL ? CC_USER : 0) | (control & CC_USER ? CC_KERNEL : 0);
}

static int is_event(EVENT e)
{
    const unsigned code = e;
    return code == count_clocks || code == event_disable ||
           (code <= data_read_or_write_miss && code != 0x10 && code != 0x11 && code != 0x20 && code != 0x21);
}

static int is_control(CNT_CTRL c) { return (unsigned)c <= clk_all && c != (CNT_CTRL)CC_CLOCKS; }

/* One half, at its place. */
static unsigned half_of(unsigned half, EVENT event, CNT_CTRL control)
{
    unsigned cc = event == event_disable ? 0 : (unsigned)control;
    if (event == count_clocks) cc = cc & 3 ? cc | CC_CLOCKS : 0;
    const unsigned code = event == count_clocks || event == event_disable ? 0 : (unsigned)event;
    return code << ES(half) | swap_levels(cc) << CC(half);
}

/* What becomes of a counter. */
enum { KEEP, CLEAR, INIT };
static const unsigned char becomes[][2] = {
    [clr_none] = {KEEP, KEEP},     [clr_0] = {CLEAR, KEEP},        [clr_1] = {KEEP, CLEAR},
    [clr_0_1] = {CLEAR, CLEAR},    [init_0_clr_1] = {INIT, CLEAR}, [init_1_clr_0] = {CLEAR, INIT},
    [init_0] = {INIT, KEEP},       [init_1] = {KEEP, INIT},        [init_0_1] = {INIT, INIT},
    [clear_only] = {CLEAR, CLEAR},
};

static void set(unsigned msr, unsigned how, ULONG value)
{
    if (how != KEEP) wrmsr(msr, how == INIT ? value : 0);
}

int p5mon_init(void)
{
    opened = is_there();
    return opened ? 0 : -1;
}

int p5mon_close(void)
{
    if (!opened) return -1;
    wrmsr(MSR_CESR, rdmsr(MSR_CESR) & ~(ULONG)CESR_WRITES);
    opened = 0;
    return 0;
}

int p5mon_clear(void)
{
    if (!opened) return -1;
    wrmsr(MSR_CTR0, 0);
    wrmsr(MSR_CTR1, 0);
    return 0;
}

int p5mon_config(CNT_CONFIG *c)
{
    if (!opened || (unsigned)c->clr > clear_only) return -1;
    if (c->clr == clear_only) return p5mon_clear();
    const unsigned char *how = becomes[c->clr];
    if (!is_event(c->event0) || !is_event(c->event1) || !is_control(c->ctrl0) || !is_control(c->ctrl1))
        return -1;
    if ((how[0] == INIT && c->init0 > COUNTER_MAX) || (how[1] == INIT && c->init1 > COUNTER_MAX)) return -1;
    const ULONG reserved = rdmsr(MSR_CESR) & ~(ULONG)CESR_WRITES;
    wrmsr(MSR_CESR, reserved); /* they stand still while they are written */
    set(MSR_CTR0, how[0], c->init0);
    set(MSR_CTR1, how[1], c->init1);
    wrmsr(MSR_CESR, reserved | half_of(0, c->event0, c->ctrl0) | half_of(1, c->event1, c->ctrl1));
    return 0;
}

int p5mon_read(ULONG *result)
{
    if (!opened) return -1;
    result[0] = rdmsr(MSR_CTR0) & COUNTER_MAX;
    result[1] = rdmsr(MSR_CTR1) & COUNTER_MAX;
    const unsigned cesr = (unsigned)rdmsr(MSR_CESR), levels = 7u << CC(0) | 7u << CC(1);
    result[2] =
        (cesr & ~levels) | swap_levels(cesr >> CC(0) & 7) << CC(0) | swap_levels(cesr >> CC(1) & 7) << CC(1);
    return 0;
}

void p5mon_gen_config(ULONG cesr, CNT_CONFIG *c)
{
    const unsigned cc0 = (unsigned)(cesr >> CC(0)) & 7, cc1 = (unsigned)(cesr >> CC(1)) & 7;
    *c = (CNT_CONFIG){.clr = clr_none};
    c->ctrl0 = cc0 & 3 ? (CNT_CTRL)cc0 : evt_disable;
    c->ctrl1 = cc1 & 3 ? (CNT_CTRL)cc1 : evt_disable;
    c->event0 = cc0 & 3 ? cc0 & CC_CLOCKS ? count_clocks : (EVENT)(cesr >> ES(0) & 63) : event_disable;
    c->event1 = cc1 & 3 ? cc1 & CC_CLOCKS ? count_clocks : (EVENT)(cesr >> ES(1) & 63) : event_disable;
}
