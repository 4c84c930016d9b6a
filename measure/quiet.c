#include "measure/quiet.h"
#include "kernel/smi.h"

void quiet_check(const struct cpu *cpu, struct quiet *q, unsigned ms)
{
    const uint64_t hz = cpu->machine->clock.tsc_hz;
    q->shares = machine_lost(&q->lost);
    watch_begin(&q->watch, hz);
    q->smi_counter = cpu->smi_counter;
    const uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0;
    const bool runs = watch_for(&q->watch, hz / 1000 * ms);
    q->smis = cpu->smi_counter ? smi_counter_read() - smis : 0;
    q->verdict = !runs ? QUIET_UNKNOWN : q->watch.gaps || q->smis ? QUIET_DISTURBED : QUIET_YES;
}
