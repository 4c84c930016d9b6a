/* The counters of a Linux process. To the drivers of pmu/ they are what they are on the bare machine: select
 * registers and counters. What is written to a select register becomes an event of this thread, at CPL 3
 * alone. Linux gives it whatever counter it likes, and RDPMC reads that one (hw_rdpmc_select()), since Linux
 * sets CR4.PCE for who has mapped an event. Without perf each of these registers faults, and the drivers find
 * no counters. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/hw.h"
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <string.h>

#define COUNTERS       8
#define FIXED          3
#define FIXED_USR      2          /* of a counter's four bits in FIXED_CTR_CTRL */
#define FIXED_INDEX    (1u << 30) /* RDPMC's */
#define SELECT_USR     (1u << 16)
#define SELECT_OS      (1u << 17)
#define SELECT_EN      (1u << 22)
#define SELECT_NO_CODE 0x7b0000u /* USR, OS, PC, INT, ANY, EN are not the event's; edge is */
#define MSR_DE_CFG     0xc0011029
#define DE_CFG_LFENCE  2 /* Linux makes LFENCE serialise on AMD's (init_amd()) */

struct counter {
    uint64_t select, base, held; /* its value: of the event, and base; while it is stopped, held */
    bool open;                   /* it has an event */
    int fd;                      /* the event's, which may be 0, where standard input is closed */
    const volatile struct perf_event_mmap_page *page;
};
/* Of each processor, which is a thread. */
static struct registers {
    struct counter counter[COUNTERS + FIXED];
    uint64_t global, fixed_control;
    bool has_global;
} registers[PROCESSORS_MAX];
static struct registers *mine(void) { return &registers[this_cpu()->index]; }
/* Linux' codes for what each fixed counter counts (arch/x86/events/intel/core.c). */
static const uint16_t fixed_event[FIXED] = {0x00c0, 0x003c, 0x0300};

static int error;
int hosted_perf_error(void) { return error; }

/* The first one says what is possible; a later one may only be an event that this processor lacks. */
static bool opened(int e)
{
    static bool known;
    if (!known) error = e;
    known = true;
    return e == 0;
}

enum hybrid hosted_hybrid(void)
{
    if (hw_cpuid(0, 0).eax < 0x1a || !(hw_cpuid(7, 0).edx >> 15 & 1)) return HYBRID_NONE;
    return hw_cpuid(0x1a, 0).eax >> 24 == 0x20 ? HYBRID_ATOM : HYBRID_CORE;
}

/* Linux counts raw events on the cores of PERF_TYPE_RAW's PMU alone, which are not the efficiency cores. */
static uint32_t event_type(void)
{
    const long atom = hosted_hybrid() == HYBRID_ATOM
                          ? hosted_number("/sys/bus/event_source/devices/cpu_atom/type", "")
                          : -1;
    return atom > 0 ? (uint32_t)atom : PERF_TYPE_RAW;
}

static bool open_event(struct counter *c)
{
    const struct perf_event_attr attr = {.type = event_type(),
                                         .size = PERF_ATTR_SIZE_VER5,
                                         .config = c->select & ~(uint64_t)SELECT_NO_CODE,
                                         .pinned = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    const long fd = sys_call(__NR_perf_event_open, &attr, 0L, -1L, -1L, 0L);
    if (sys_failed(fd)) return opened((int)-fd);
    const long at = sys_call(__NR_mmap, 0L, (long)PAGE_SIZE, (long)PROT_READ, (long)MAP_SHARED, fd, 0L);
    c->open = true;
    c->fd = (int)fd;
    c->page = sys_failed(at) ? NULL : (const volatile struct perf_event_mmap_page *)at;
    return opened(c->page && c->page->index && c->page->cap_user_rdpmc ? 0 : HOSTED_NO_RDPMC);
}

static void close_event(struct counter *c)
{
    if (!c->open) return;
    if (c->page) sys_call(__NR_munmap, c->page, (long)PAGE_SIZE);
    sys_call(__NR_close, (long)c->fd);
    c->open = false;
    c->page = NULL;
}

static uint64_t live(const struct counter *c)
{
    uint64_t value = 0;
    if (c->open) sys_call(__NR_read, (long)c->fd, &value, sizeof value);
    return value;
}

/* Not without USR: nothing is counted at other levels. */
static bool runs(const struct counter *c)
{
    const uint64_t needed = SELECT_EN | SELECT_USR;
    const struct registers *const r = mine();
    const unsigned i = (unsigned)(c - r->counter), bit = i < COUNTERS ? i : 32 + i - COUNTERS;
    return c->open && (c->select & needed) == needed && (!r->has_global || r->global >> bit & 1);
}

/* What happens at CPL 0 alone is not this process's. */
static bool set_select(struct counter *c, uint64_t value)
{
    if (value & SELECT_OS && !(value & SELECT_USR)) return false;
    if (runs(c)) c->held = c->base + live(c);
    const bool other = (c->select ^ value) & ~(uint64_t)SELECT_EN;
    c->select = value;
    if (other || !value) close_event(c);
    if (value && !c->open && !open_event(c)) return close_event(c), false;
    c->base = c->held - live(c);
    return true;
}

static bool set_fixed(uint64_t value)
{
    for (unsigned i = 0; i < FIXED; i++) {
        const uint64_t field = value >> 4 * i & 15;
        if (field && !(field & FIXED_USR)) return false;
    }
    mine()->fixed_control = value;
    for (unsigned i = 0; i < FIXED; i++) {
        struct counter *const c = &mine()->counter[COUNTERS + i];
        const uint64_t select = value >> 4 * i & FIXED_USR ? fixed_event[i] | SELECT_USR | SELECT_EN
                                                           : c->select & ~(uint64_t)SELECT_EN;
        if (select != c->select && !set_select(c, select)) return false;
    }
    return true;
}

static void set_global(uint64_t value)
{
    struct registers *const r = mine();
    struct counter *const end = r->counter + COUNTERS + FIXED;
    for (struct counter *c = r->counter; c < end; c++)
        if (runs(c)) c->held = c->base + live(c);
    r->has_global = true;
    r->global = value;
    for (struct counter *c = r->counter; c < end; c++) c->base = c->held - live(c);
}

/* ---- registers ---- */

enum kind { NONE, SELECT, COUNTER, FIXED_COUNTER, FIXED_CONTROL, GLOBAL, STATUS };
static const struct range {
    uint32_t first;
    uint8_t n, step;
    enum kind kind;
} ranges[] = {
    {0x186, COUNTERS, 1, SELECT},  {0xc1, COUNTERS, 1, COUNTER},
    {0x4c1, COUNTERS, 1, COUNTER}, {0xc0010200, 6, 2, SELECT},
    {0xc0010201, 6, 2, COUNTER},   {0xc0010000, 4, 1, SELECT},
    {0xc0010004, 4, 1, COUNTER},   {0x38f, 1, 1, GLOBAL},
    {0xc0000301, 1, 1, GLOBAL},    {0x38e, 1, 1, STATUS},
    {0x390, 1, 1, STATUS},         {0xc0000300, 1, 1, STATUS},
    {0xc0000302, 1, 1, STATUS},    {0x309, FIXED, 1, FIXED_COUNTER},
    {0x38d, 1, 1, FIXED_CONTROL},
};

static enum kind find(uint32_t msr, struct counter **c)
{
    for (const struct range *r = ranges; r < ranges + sizeof ranges / sizeof *ranges; r++) {
        const uint32_t at = msr - r->first;
        if (at >= (uint32_t)r->n * r->step || at % r->step) continue;
        *c = &mine()->counter[at / r->step + (r->kind == FIXED_COUNTER ? COUNTERS : 0)];
        return r->kind == FIXED_COUNTER ? COUNTER : r->kind;
    }
    return NONE;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    struct counter *c;
    if (msr == MSR_DE_CFG) return *value = DE_CFG_LFENCE, true;
    switch (find(msr, &c)) {
    case SELECT:
        *value = c->select;
        return true;
    case COUNTER:
        *value = runs(c) ? c->base + live(c) : c->held;
        return true;
    case FIXED_CONTROL:
        *value = mine()->fixed_control;
        return true;
    case GLOBAL:
        *value = mine()->global;
        return true;
    case STATUS:
        *value = 0;
        return true;
    default:
        return false;
    }
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    struct counter *c;
    switch (find(msr, &c)) {
    case SELECT:
        return set_select(c, value);
    case COUNTER:
        c->held = value;
        c->base = value - live(c);
        return true;
    case FIXED_CONTROL:
        return set_fixed(value);
    case GLOBAL:
        set_global(value);
        return true;
    case STATUS:
        return true;
    default:
        return false;
    }
}

/* RDPMC's index to the counter; NULL: there is none, or nothing is counted. */
static const struct counter *indexed(uint32_t index)
{
    const bool fixed = index & FIXED_INDEX;
    const uint32_t i = index & ~FIXED_INDEX;
    if (i >= (fixed ? FIXED : COUNTERS)) return NULL;
    const struct counter *c = &mine()->counter[i + (fixed ? COUNTERS : 0)];
    return c->page ? c : NULL;
}

bool rdpmc_safe(uint32_t counter, uint64_t *value)
{
    const struct counter *c = indexed(counter);
    if (c) *value = runs(c) ? c->base + live(c) : c->held;
    return c;
}

uint32_t hw_rdpmc_select(uint32_t counter)
{
    const struct counter *c = indexed(counter);
    return c ? c->page->index - 1 : counter;
}

void hw_rdmsrs(uint32_t first, unsigned n, uint64_t *to) { (void)first, memset(to, 0, n * sizeof *to); }
