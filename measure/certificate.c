#include "measure/certificate.h"
#include "kernel/hw.h"
#include "kernel/smi.h"

static enum known throttle(const struct cpu *cpu, uint32_t *logs)
{
    const enum origin origin = cpu->machine->time_origin;
    return throttle_read(&cpu->id, origin == ORIGIN_EMULATED, origin == ORIGIN_VIRTUALIZED, logs);
}

void certificate_begin(struct certificate *c, const struct cpu *cpu)
{
    uint32_t logs;
    *c = (struct certificate){.cpu = cpu};
    c->throttle = throttle(cpu, &logs);
    if (logs) throttle_clear(&cpu->id);
    throttle(cpu, &c->stuck);
    if (cpu->smi_counter) c->smis = smi_counter_read();
    c->began = hw_rdtsc();
}

void certificate_run(struct certificate *c, const struct run *run, const struct disturbance *d, bool again)
{
    const double core = run->core_per_tsc;
    c->runs++;
    c->disturbed += disturbed(d);
    c->again += again;
    if (run->counts_smis) {
        c->by_event = true;
        c->smis += run->smis;
    }
    if (d->max - d->median > c->over_median) c->over_median = d->max - d->median;
    if (core > 0 && (c->core_least <= 0 || core < c->core_least)) c->core_least = core;
    if (core > c->core_most) c->core_most = core;
}

void certificate_end(struct certificate *c)
{
    c->elapsed = hw_rdtsc() - c->began;
    if (c->cpu->smi_counter) c->smis = smi_counter_read() - c->smis;
    throttle(c->cpu, &c->throttled);
    c->throttled &= ~c->stuck;
}

bool certificate_clock_moved(const struct certificate *c)
{
    return c->core_most > c->core_least * (1 + CORE_CLOCK_PERCENT / 100.0);
}
