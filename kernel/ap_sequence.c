#include "kernel/ap_sequence.h"
#include "kernel/hw.h"

volatile uint32_t ap_stack;
volatile uint32_t ap_uninvited;

/* A wait: by the TSC where its rate is known, else by readings of port 80h, of about 1 us each. */
struct deadline {
    uint64_t ticks, from;
    uint32_t reads, us;
};

static struct deadline in(const struct clock *clock, uint32_t us)
{
    return (struct deadline){clock->tsc_hz / 1000000 * us, hw_rdtsc(), 0, us};
}

static bool over(struct deadline *d)
{
    if (d->ticks) {
        hw_pause();
        return hw_rdtsc() - d->from >= d->ticks;
    }
    hw_inb(0x80);
    return d->reads++ >= d->us;
}

void ap_stop(const struct apic *a, uint32_t id)
{
    apic_ipi(a, id, IPI_INIT);
    if (a->mode == APIC_XAPIC) apic_ipi(a, id, IPI_INIT_DEASSERT);
}

unsigned ap_init(const struct apic *a, const struct clock *clock, const struct processors_found *f,
                 unsigned from, unsigned n)
{
    for (; n && from < f->n; from++) {
        if (f->p[from].state != PROCESSOR_LISTED) continue;
        ap_stop(a, f->p[from].apic_id);
        n--;
    }
    for (struct deadline d = in(clock, INIT_US); !over(&d);) {
    }
    return from;
}

static bool answers(const struct clock *clock, uint32_t us)
{
    for (struct deadline d = in(clock, us); ap_stack;)
        if (over(&d)) return ap_stack == 0;
    return true;
}

static enum processor_state started(const struct apic *a, const struct clock *clock, uint32_t id,
                                    uint32_t page, uint32_t answer_us,
                                    const volatile enum processor_state *state)
{
    const uint32_t command = IPI_STARTUP | page >> 12, uninvited = ap_uninvited;
    apic_ipi(a, id, command);
    if (!answers(clock, STARTUP_US)) apic_ipi(a, id, command);
    if (!answers(clock, answer_us)) return PROCESSOR_SILENT;
    for (struct deadline d = in(clock, READY_US); *state == PROCESSOR_LISTED;)
        if (over(&d) && *state == PROCESSOR_LISTED) return PROCESSOR_STUCK;
    return *state == PROCESSOR_UP && ap_uninvited != uninvited ? PROCESSOR_TWICE : *state;
}

enum processor_state ap_start(const struct apic *a, const struct clock *clock, uint32_t id, uint32_t page,
                              uint32_t stack, uint32_t answer_us, const volatile enum processor_state *state)
{
    ap_stack = stack;
    const enum processor_state s = started(a, clock, id, page, answer_us, state);
    ap_stack = 0;
    if (s != PROCESSOR_UP) ap_stop(a, id);
    return s;
}
