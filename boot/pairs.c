#include "boot/pairs.h"
#include "boot/items.h"
#include "boot/notes.h"
#include "report/emit_pair.h"
#include <string.h>

/* One benchmark of the pair on its processor. */
struct side {
    const struct load *load;
    const struct cpu *cpu;
    struct pair_side alone, together;
};

/* As an item of a plan; beside: the other one's, or NULL. False: it failed, which was reported. */
static bool measure_side(const struct options *opt, struct side *s, const struct side *beside,
                         struct pair_side *keep)
{
    static struct options with;
    static struct group group[EVENTS_MAX];
    struct plan_item item = {.cpu = s->cpu->index, .bench = s->load->bench, .variant = s->load->variant};
    unsigned lacking = s->cpu->index;
    const unsigned failed = items.failed;
    memcpy(item.param, s->load->param, sizeof item.param);
    options_elsewhere(opt, s->cpu->pmu, tell_lacks, &lacking, &with);
    with.n_with = 0;
    if (beside) {
        with.with[with.n_with] = *beside->load;
        with.with[with.n_with++].cpu = beside->cpu->index;
    }
    const unsigned groups = schedule_groups(s->cpu->pmu, with.event, with.n_events, group);
    items.cpu = s->cpu;
    items.keep = keep;
    keep->n = 0;
    measure_item(&with, &item, group, groups);
    items.keep = NULL;
    return items.failed == failed && !items.cancelled;
}

static void compare(const struct options *opt, int how, const struct side *s, const struct side *other)
{
    for (unsigned i = 0; i < s->together.n && i < s->alone.n; i++)
        emit_pair(&(struct pair_figure){.m = items.m,
                                        .how = how,
                                        .load = s->load,
                                        .cpu = s->cpu->index,
                                        .beside = other->load,
                                        .beside_cpu = other->cpu->index,
                                        .alone = &s->alone,
                                        .together = &s->together,
                                        .event = i},
                  opt);
}

bool measure_pair(const struct options *opt, const struct load pair[2], int how, unsigned a, unsigned b,
                  struct pair_side together[2])
{
    static struct side side[2];
    side[0].load = &pair[0];
    side[0].cpu = items.m->cpu[a];
    side[1].load = &pair[1];
    side[1].cpu = items.m->cpu[b];
    bool good = true;
    for (unsigned i = 0; i < 2 && good; i++) {
        emit_measuring(&items.m->topology, side[i].cpu->index);
        good = measure_side(opt, &side[i], NULL, &side[i].alone);
    }
    for (unsigned i = 0; i < 2 && good; i++) {
        emit_measuring(&items.m->topology, side[i].cpu->index);
        good = measure_side(opt, &side[i], &side[!i], &side[i].together);
    }
    for (unsigned i = 0; i < 2 && good; i++) {
        compare(opt, how, &side[i], &side[!i]);
        if (together) together[i] = side[i].together;
    }
    return good;
}

void measure_pairs(const struct options *opt)
{
    const struct topology *t = &items.m->topology;
    unsigned ways = 0;
    for (int how = 0; how < TOPOLOGY_PAIRS && !items.cancelled; how++) {
        char why[160];
        unsigned a, b;
        if (topology_pair(t, (enum topology_pair)how, &a, &b, why, sizeof why)) {
            measure_pair(opt, opt->pair, how, a, b, NULL);
            ways++;
        } else {
            report_note("pair", "not measured: %s", why);
        }
    }
    if (!ways && !items.cancelled) measure_pair(opt, opt->pair, PAIR_CORES, 0, 1, NULL);
}
