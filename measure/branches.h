/* What the last branches of many samples say: which were taken how often, how long the blocks between them
 * took, and who called whom. */
#pragma once
#include "measure/profile.h"

#define BRANCHES_CLASSES 17 /* of cycles: 0, 1, 2 to 3, 4 to 7, ... from 32768 on */

/* A branch, from its source to its target; or the block of code from one branch's target to the source of the
 * next branch that was taken, that branch included. */
struct branch_line {
    uint64_t from, to;
    uint32_t times;
    uint32_t predictions;  /* of a branch: so many times it is known whether it was mispredicted, */
    uint32_t mispredicted; /* and so many times it was */
    uint32_t timed;        /* of a block: so many times its core cycles are known; with the fields below */
    uint64_t cycles;       /* of all these times */
    uint16_t least, most;
    uint32_t histogram[BRANCHES_CLASSES];
    struct symbol symbol[2]; /* of from and to */
    bool named[2];
};

/* A function that was called, or runs. */
struct branch_function {
    uint64_t at; /* where it begins; of code without a name the address itself */
    bool named;
    struct symbol symbol;
};

/* A call stack: the payload's functions, the outermost first. */
struct branch_stack {
    const struct branch_function *function;
    unsigned depth;
    uint32_t times;
};

struct branches {
    uint64_t samples;           /* of the payload, with branches */
    uint64_t entries;           /* of their records: branches that were taken in the payload, */
    uint64_t outside;           /* and others, which are in no line */
    uint64_t impossible;        /* branches in a row of which the second lies before the first one's target */
    uint64_t aborted;           /* of transactions that were aborted, and the aborts; in no line */
    uint64_t unlisted;          /* branches, or call stacks, beyond BRANCHES_LISTED different ones; */
    uint64_t unlisted_blocks;   /* and blocks */
    struct branch_line *branch; /* most times first */
    unsigned n_branches;
    struct branch_line *block; /* likewise; none where a filter leaves branches out */
    unsigned n_blocks;
    uint64_t block_times, block_cycles; /* of all blocks, those in no line as well */
    struct branch_stack *stack;         /* likewise; with LBR_CALL_STACK, and then nothing else */
    unsigned n_stacks;
    uint64_t cut; /* stacks that filled the record: their outermost functions may be missing */
};
#define BRANCHES_LISTED 8192

/* what: enum lbr_branch, and deep entries of each record, as of struct sampling. fused: struct lbr. Lines lie
 * in the arena. False: it has no room. */
bool branches_reduce(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                     unsigned what, unsigned deep, bool fused, struct arena *arena, struct branches *out);
