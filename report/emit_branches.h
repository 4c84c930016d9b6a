/* Branches of samples as records: `branches`, `blocks` and `stacks` of docs/records.md. */
#pragma once
#include "report/emit_profile.h"
#include "report/record.h"

/* What the branches of all samples say: in several records, in the order of the lines; a table without lines
 * is one record. */
void emit_branches(const struct profile_source *from, const struct sampling *s, const struct branches *b);

/* The branches of one raw sample, as fields of it; nothing if it has none. at: BRANCHES_MOST of them. */
void emit_raw_branches(struct record *r, const struct sample *s, const struct branch *at);

/* The words of branches=lbr: for enum lbr_branch. */
const char *branches_words(unsigned what);
