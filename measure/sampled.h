/* From a sampling run to its result: the cost of an interrupt, profiles, deductions from them, and the
 * figures of an experiment. */
#pragma once
#include "measure/branches.h"
#include "measure/experiment.h"
#include "measure/memory_profile.h"

/* The code of a payload, for a program that disassembles it. */
struct payload_code {
    uint64_t address; /* linear, of the first byte */
    const uint8_t *bytes;
    uint32_t size; /* at most: it may end in padding. 0: it is not in the sampled code */
    bool long_mode;
};

struct sampled {
    /* The cost of one interrupt: the difference of the two passes. Noise may make it negative; it is reported
     * like that. cost_known: there were interrupts, and no storm; counted: handler_instructions is valid. */
    bool cost_known, counted;
    double handler_tsc, handler_share, handler_instructions;
    bool few;                   /* fewer than half of the samples that the user requested */
    bool heavy;                 /* the handler's share is too large (sampling_heavy()) */
    struct payload_code code;   /* of the payload */
    bool by_ip;                 /* ip is valid */
    bool by_data;               /* data is valid: with PEBS, and ops by IBS */
    bool deduced;               /* deduction is: where the period is one of misses, or levels tell them */
    bool by_level;              /* memory is valid: some sample says more of an access than its address */
    struct profile ip;          /* by instruction, most samples first, with places */
    struct profile data;        /* by data address */
    struct deduction deduction; /* from data */
    struct memory_profile memory;
    struct experiments figures;
    bool by_branch; /* branches is valid: of branches= */
    struct branches branches;
};

/* code: the sampled code. Samples that have the next instruction's address are corrected first, where that is
 * certain (measure/cause.h). conf: of intervals, 95 or 99 (%). Profiles lie in the arena, after the samples,
 * until the next run. False: the arena has no room for a profile, and there are no figures; the rest is
 * valid. */
bool sampled_reduce(const struct sampling *s, const struct cpu *cpu, const struct code *code, unsigned conf,
                    struct arena *arena, struct sampled *out);
