/* Does code at CPL 0 see what code at CPL 3 has taught the branch predictor?
 *
 * A branch that was never taken before is predicted not taken. It is trained at CPL 3, at CPL 0 or not at
 * all, and then executed once at CPL 0, where its mispredictions are counted. */
#include "anechoic/experiment.h"

#define TRAIN 16    /* times */
#define PATH  "200" /* branches before it, always the same, so that a global history is the same each time */
#define JUMPS 16384 /* that make the predictor forget */
#define APART 4     /* bytes from one to the next */

#define MISPREDICTED                                                                            \
    "pipeline_flushes_due_to_wrong_branch_predictions|pipeline_flushes|mispred_branch_retired|" \
    "br_miss_pred_retired|br_mispred_ret|br_inst_retired_mispred|br_misp_retired:all_branches|branch-misses"

/* The branch is all that the first one has and the second one has not; both are trained, so that what
 * surrounds it is predicted alike. arg points to 0. */
LAB_CODE static void with_branch(void *arg)
{
    uint32_t left;
    __asm__ volatile("movl $" PATH ", %0\n1:\tdecl %0\n\tjnz 1b\n\t"
                     "cmpl $0, (%1)\n\tje 2f\n\tnop\n2:"
                     : "=&r"(left)
                     : "r"(arg)
                     : "cc", "memory");
}

LAB_CODE static void without_branch(void *arg)
{
    uint32_t left;
    __asm__ volatile("movl $" PATH ", %0\n1:\tdecl %0\n\tjnz 1b\n\t"
                     "cmpl $0, (%1)\n\tnop\n\tnop\n2:"
                     : "=&r"(left)
                     : "r"(arg)
                     : "cc", "memory");
}

enum trained { NOWHERE, AT_CPL3, AT_CPL0, TRAININGS };

struct history {
    uint32_t zero; /* what the branch looks at */
    enum trained trained;
    payload_fn *forget;
};

static payload_fn *jumps(struct lab *lab)
{
    uint8_t *code = lab_alloc(lab, JUMPS * APART, 64);
    for (uint32_t i = 0; i < JUMPS; i++) {
        code[i * APART] = 0xeb; /* JMP to the next one; the last one: to the RET behind them */
        code[i * APART + 1] = APART - 2;
    }
    return lab_write_code(lab, code, JUMPS * APART);
}

static void before(struct lab *lab, void *arg)
{
    const struct history *h = arg;
    h->forget(NULL);
    for (unsigned i = 0; h->trained != NOWHERE && i < TRAIN; i++) {
        lab_at_cpl(lab, h->trained == AT_CPL3 ? 3 : 0, with_branch, arg);
        lab_at_cpl(lab, h->trained == AT_CPL3 ? 3 : 0, without_branch, arg);
    }
}

static void run(struct lab *lab)
{
    static const char *const events[] = {MISPREDICTED, NULL};
    static const char *const name[TRAININGS] = {"never trained", "trained at CPL 3", "trained at CPL 0"};
    struct history *h = lab_alloc(lab, sizeof *h, 64);
    struct lab_counts counts[TRAININGS];
    const struct lab_program program = {
        .code = with_branch, .baseline = without_branch, .arg = h, .before = before};
    h->forget = jumps(lab);
    for (unsigned t = 0; t < TRAININGS; t++) {
        h->trained = (enum trained)t;
        lab_measure(lab, &program, events, &counts[t]);
        const struct lab_quantity q = lab_median(name[t], "mispredictions", &counts[t].event[0]);
        lab_value(lab, &q, NULL);
    }
    struct lab_quantity seen = {"seen at CPL 0", "", 0, LAB_COUNTS, counts[0].event[0].state};
    const double least = counts[AT_CPL0].event[0].median, most = counts[NOWHERE].event[0].median,
                 at3 = counts[AT_CPL3].event[0].median;
    if (seen.state != LAB_COUNTED) {
        lab_value(lab, &seen, "mispredictions cannot be counted here");
    } else if (most - least < 0.5) {
        seen.state = LAB_ABSENT;
        lab_value(lab, &seen, "training at CPL 0 makes no difference here, so nothing follows from CPL 3");
    } else {
        seen.value = at3 < (least + most) / 2;
        lab_value(lab, &seen,
                  seen.value != 0 ? "yes: a branch that was trained at CPL 3 is predicted at CPL 0"
                                  : "no: a branch that was trained at CPL 3 is as new at CPL 0");
    }
}

EXPERIMENT(branch_history) = {
    .program = {.name = "branch_history",
                .desc = "is a branch that was trained at CPL 3 predicted at CPL 0?"},
    .experiment = run,
    .op = "call",
    .cost = "1 on CPUs whose predictor does not know who trained it",
};
