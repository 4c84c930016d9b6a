/* One sample from any facility: an interrupt handler, PEBS of any layout, IBS. Consumers use the validity
 * bits and never a facility's raw record. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum sample_valid {
    SAMPLE_IP = 1 << 0,      /* address of an instruction */
    SAMPLE_PRECISE = 1 << 1, /* ... and this instruction caused the event; it is not a later one */
    SAMPLE_REGS = 1 << 2,
    SAMPLE_COUNTER = 1 << 3,
    SAMPLE_TSC = 1 << 4,
    SAMPLE_DATA = 1 << 5,    /* linear data address */
    SAMPLE_LATENCY = 1 << 6, /* core cycles */
    SAMPLE_OUTSIDE = 1 << 7, /* not of the payload: kept for users of raw samples, but in no profile */
};

struct sample {
    uint32_t valid; /* enum sample_valid */
    uint16_t cpu;
    uint16_t counter; /* which counter overflowed */
    uint64_t ip;
    uint64_t flags;   /* RFLAGS; with SAMPLE_REGS */
    uint64_t reg[16]; /* in encoding order: rax rcx rdx rbx rsp rbp rsi rdi r8-r15; the upper ones 0 in 32-bit
                         mode */
    uint64_t tsc;
    uint64_t data;
    uint32_t latency;
};

/* A buffer of them. */
struct samples {
    struct sample *at; /* in the order in which they came */
    unsigned n, cap;
    uint64_t lost; /* came when it was full */
    bool more;     /* an unknown number was lost: a buffer of the hardware was full */
};

/* The methods: sample= and timer=. TIMER_AUTO: the local APIC's timer, else the 8254. */
enum sampling_by { SAMPLE_BY_NONE, SAMPLE_BY_PMI, SAMPLE_BY_PEBS, SAMPLE_BY_TIMER, SAMPLE_BY_NMI };
enum sampling_timer { TIMER_AUTO, TIMER_APIC, TIMER_PIT, TIMER_RTC };
