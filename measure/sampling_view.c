#include "measure/sampling.h"

void sampling_view(struct sampling *s, unsigned e)
{
    if (!s->at_once) return;
    const struct sampling_event *of = &s->each[e];
    s->event = of->code->name;
    s->errata = of->code->errata;
    s->counter = of->counter;
    s->period = of->period;
    s->jitter = of->jitter;
    s->occurred = of->occurred;
    s->clocked = of->clocked;
    s->inside = of->inside;
    s->outside = of->outside;
    s->late = of->late;
    s->unanswered = of->unanswered;
    s->samples.lost = of->lost;
    s->interrupts = (uint32_t)(sampling_came(s) + s->outside - s->unanswered);
}
