/* The stand-in of fake_rates.h. */
#include "tests/unit/fake_rates.h"
#include <stdio.h>

struct rates_interval fake_rates_interval;
unsigned fake_rates_begun, fake_rates_intervals, fake_rates_ended, fake_rates_most = 100;
uint64_t fake_rates_ticks;
const char *fake_rates_why;

static const struct bench idle = {.program = {.name = "idle", .variant = ""}};

void fake_rates_reset(void)
{
    fake_rates_interval = (struct rates_interval){.slices = 8};
    fake_rates_begun = fake_rates_intervals = fake_rates_ended = 0;
    fake_rates_ticks = 0;
    fake_rates_most = 100;
    fake_rates_why = NULL;
}

bool rates_begin(struct rates *r, const struct plan_item *item, const struct options *opt,
                 const struct cpu *cpu, const struct group *group, struct arena *arena)
{
    (void)arena;
    fake_rates_begun++;
    *r = (struct rates){.idle = !item, .t = {.cpu = cpu}};
    r->item = item ? *item : (struct plan_item){.bench = &idle};
    r->run.item = &r->item;
    r->run.program = r->item.bench->program;
    r->run.program.variant = "";
    r->run.cpu = cpu;
    for (unsigned i = 0; group && i < group->n; i++)
        r->run.count[1 + i].event = opt->event[group->event[i]].name;
    r->run.n = 1 + (group ? group->n : 0);
    if (!fake_rates_why) return true;
    snprintf(r->run.bench.error, sizeof r->run.bench.error, "%s", fake_rates_why);
    r->run.status = RUN_PREPARE;
    return false;
}

bool rates_interval(struct rates *r, uint64_t ticks, struct rates_interval *out)
{
    const struct cpu *boot = r->run.cpu->machine->cpu[0];
    fake_rates_ticks = ticks;
    if (fake_rates_intervals >= fake_rates_most || (boot->cancelled && boot->cancelled())) {
        r->run.status = RUN_CANCELLED;
        return false;
    }
    fake_rates_intervals++;
    *out = fake_rates_interval;
    out->ticks = ticks;
    return true;
}

void rates_end(struct rates *r) { (void)r, fake_rates_ended++; }
