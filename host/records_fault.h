/* What is wrong with a capture: faults, and gaps in the numbers, which may turn out to be none. Private to
 * host/records*.c. */
#pragma once
#include "host/records.h"

/* About the records from first to last. Gaps that were held are told before it. */
__attribute__((format(printf, 5, 6))) void records_fault(struct records *r, enum damage damage,
                                                         long long first, long long last, const char *format,
                                                         ...);

/* Held until the session's end, where it is known why; told at once where a fault has come before. */
void records_add_gap(struct records *r, long long first, long long last);
/* Record n comes late: it is not missing any more. What is left of its gap goes on behind it. */
void records_fill_gap(struct records *r, long long n);
void records_tell_gaps(struct records *r); /* they were not left out on purpose */
void records_forget_gaps(struct records *r);
