/* Where in the user's code a trap was: the instruction, and the part and the copy of the snippet that it is
 * in. */
#pragma once
#include "measure/run.h"

enum place_part {
    PLACE_OTHER, /* the payload is not a snippet */
    PLACE_COPY,
    PLACE_INIT,
    PLACE_LATE,
    PLACE_ONCE,
    PLACE_BEFORE, /* in what the payload has around the parts */
    PLACE_AFTER,
    PLACE_OUTSIDE, /* the snippet jumped out */
};

struct fault_place {
    uint64_t address; /* of the instruction that trapped: #BP, #OF, ICEBP and INT n save the next one's */
    bool has_address; /* an instruction was fetched from there */
    enum place_part part;
    uint32_t copy, byte; /* copy: from 1; byte: of the copy or the part, from 0 */
};

/* run: RUN_TRAP or RUN_ENDED. */
void fault_place(const struct run *run, struct fault_place *place);

/* ", byte 3 of copy 1", or nothing. */
void fault_place_text(const struct fault_place *place, char *text, size_t cap);

/* "init", as a record names the part; NULL: a copy, or none. */
const char *fault_place_part(const struct fault_place *place);
