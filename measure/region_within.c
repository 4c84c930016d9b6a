#include "measure/region_within.h"
#include <strings.h>

/* Each event of the first kind is, by its definition, one of the second. Sums and differences of events,
 * which bench=truth also tests, are not used here. Names are those of the command line. */
static const struct {
    const char *part, *whole;
} within[] = {
    /* Safford, tables D.1 and D.2: 13h in 14h; both are of branches, 12h. */
    {"btb_hits", "taken_branch_or_btb_hit"},
    {"btb_hits", "branches"},
    {"taken_branch_or_btb_hit", "branches"},
    {"taken_branches", "taken_branch_or_btb_hit"},
    {"taken_branches", "branches"}, /* of the P55C, as what follows */
    {"returns", "branches"},
    {"mispredicted_or_unpredicted_returns", "returns"},
    {"predicted_returns", "returns"},
    /* Heller, the P6. */
    {"itlb_miss", "ifu_ifetch_miss"},
    {"ifu_ifetch_miss", "ifu_ifetch"},
    {"dcu_m_lines_in", "dcu_lines_in"},
    {"l2_m_lines_inm", "l2_lines_in"},
    {"l2_m_lines_outm", "l2_lines_out"},
    {"l2_ifetch", "l2_rqsts"},
    {"l2_ld", "l2_rqsts"},
    {"l2_st", "l2_rqsts"},
    {"bus_tran_brd", "bus_tran_burst"},
    {"bus_tran_rfo", "bus_tran_burst"},
    {"bus_trans_wb", "bus_tran_burst"},
    {"bus_tran_ifetch", "bus_tran_burst"},
    {"br_taken_retired", "br_inst_retired"},
    {"br_miss_pred_retired", "br_inst_retired"},
    {"br_miss_pred_taken_ret", "br_taken_retired"},
    /* perf's words. */
    {"branch-misses", "branches"},
    {"cache-misses", "cache-references"},
};

static bool is_part(const char *part, const char *whole)
{
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        if (strcasecmp(within[i].part, part) == 0 && strcasecmp(within[i].whole, whole) == 0) return true;
    return false;
}

/* NaN, for a region without values, changes nothing. */
static void at_most(struct region_range *x, double most)
{
    if (most < x->most && most >= x->least) x->most = most;
}

static void at_least(struct region_range *x, double least)
{
    if (least > x->least && least <= x->most) x->least = least;
}

void regions_within(const struct run *run, unsigned id, unsigned k, unsigned conf, struct region_result *res)
{
    struct region_result other;
    struct region_range reps = {res->min, res->max};
    for (unsigned j = 1; j < run->n; j++) {
        if (j == k || k == 0 || !regions_result(run->regions, id, j, conf, &other)) continue;
        if (is_part(run->count[k].event, run->count[j].event)) {
            at_most(&res->total, other.total.most);
            at_most(&res->first, other.first.most);
            at_most(&reps, other.max);
        }
        if (is_part(run->count[j].event, run->count[k].event)) {
            at_least(&res->total, other.total.least);
            at_least(&res->first, other.first.least);
            at_least(&reps, other.min);
        }
    }
    res->min = reps.least;
    res->max = reps.most;
}

bool regions_reduce(const struct run *run, unsigned id, unsigned k, unsigned conf, struct region_result *res)
{
    if (!run->regions || !regions_result(run->regions, id, k, conf, res)) return false;
    regions_within(run, id, k, conf, res);
    return true;
}

struct region_rep regions_reduce_rep(const struct run *run, unsigned id, unsigned k, unsigned i,
                                     const struct region_result *res)
{
    struct region_rep rep = region_rep(run->regions, id, k, i);
    at_least(&rep.total, res->min);
    at_most(&rep.total, res->max);
    return rep;
}
