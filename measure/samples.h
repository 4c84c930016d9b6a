/* A buffer of samples, and how they are taken. */
#pragma once
#include "measure/sample.h"
#include <stdbool.h>

/* sample= */
/* AUTO: the local APIC's, else the 8254. */
enum sampling_timer { TIMER_AUTO, TIMER_APIC, TIMER_PIT, TIMER_RTC };
enum sampling_by { SAMPLE_BY_NONE, SAMPLE_BY_PMI, SAMPLE_BY_PEBS, SAMPLE_BY_TIMER, SAMPLE_BY_NMI };

struct samples {
    struct sample *at; /* in the order in which they came */
    unsigned n, cap;
    uint64_t lost; /* came when it was full */
    bool more;     /* were lost, nobody knows how many: a buffer of the hardware's was full */
};
