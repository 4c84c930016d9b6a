/* The start of processors that answer, do not, answer twice, or trap: what is sent to whom, and when. */
#include "kernel/ap_sequence.h"
#include "tests/unit/unit.h"
#include <string.h>

#define PAGE 0x6000u
#define MHZ  100u /* the clock's: a microsecond takes so many ticks */

/* The processors, seen through an x2APIC: MSR 830h is the interrupt command register. */
static struct sent {
    uint32_t id, command;
    uint64_t at;
} sent[64];
static unsigned n_sent;
static uint64_t now;   /* ticks */
static unsigned reads; /* of port 80h */

enum { ON_FIRST, ON_SECOND, NEVER, LATE, TWICE, TRAPS, NEVER_READY };
static int how;
static volatile enum processor_state state_of;
static uint64_t answers_at;

bool rdmsr_safe(uint32_t msr, uint64_t *value) { return (void)msr, (void)value, false; }
bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    assert_int_equal(msr, 0x830);
    assert_true(n_sent < 64);
    sent[n_sent++] = (struct sent){(uint32_t)(value >> 32), (uint32_t)value, now};
    const bool startup = ((uint32_t)value & 0x700) == 0x600;
    unsigned startups = 0;
    for (unsigned i = 0; i < n_sent; i++) startups += (sent[i].command & 0x700) == 0x600;
    if (startup && (how == ON_SECOND ? startups == 2 : how != NEVER && startups == 1))
        answers_at = now + (how == LATE ? (ANSWER_US - 1) : 20) * (uint64_t)MHZ;
    return true;
}

static void pass(unsigned ticks)
{
    now += ticks;
    if (!answers_at || now < answers_at || !ap_stack) return;
    ap_stack = 0;
    ap_uninvited += how == TWICE;
    if (how != NEVER_READY) state_of = how == TRAPS ? PROCESSOR_FAULTED : PROCESSOR_UP;
}
uint64_t hw_rdtsc(void)
{
    pass(10);
    return now;
}
uint8_t hw_inb(uint16_t port)
{
    assert_int_equal(port, 0x80);
    reads++;
    pass(MHZ);
    return 0xff;
}

/* What the archive's apic.c would also ask for. */
struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    return (void)leaf, (void)subleaf, (struct cpuid_regs){0, 0, 0, 0};
}

static const struct apic x2apic = {.mode = APIC_X2APIC};
static struct clock clock_known = {.tsc_hz = MHZ * 1000000ull};

static enum processor_state start(int behaviour)
{
    how = behaviour;
    n_sent = 0;
    answers_at = 0;
    state_of = PROCESSOR_LISTED;
    return ap_start(&x2apic, &clock_known, 0x1234, PAGE, 0x500000, ANSWER_US, &state_of);
}

static void is_startup(unsigned i)
{
    assert_true(i < n_sent);
    assert_int_equal(sent[i].id, 0x1234);
    assert_int_equal(sent[i].command, 0x4600 | PAGE >> 12);
}

static void is_init(unsigned i)
{
    assert_int_equal(n_sent, i + 1);
    assert_int_equal(sent[i].id, 0x1234);
    assert_int_equal(sent[i].command, 0xc500);
}

TEST(test_answers)
{
    assert_int_equal(start(ON_FIRST), PROCESSOR_UP);
    is_startup(0);
    assert_int_equal(n_sent, 1); /* a second one only where the first is not answered */
    assert_int_equal(start(ON_SECOND), PROCESSOR_UP);
    is_startup(1);
    assert_int_equal(n_sent, 2);
    const uint64_t apart = (sent[1].at - sent[0].at) / MHZ;
    assert_true(apart >= STARTUP_US && apart < 2 * STARTUP_US);
    assert_int_equal(start(LATE), PROCESSOR_UP);
    assert_int_equal(n_sent, 2);
}

/* INIT in the end: it cannot come later and take another one's stack. */
TEST(test_silent)
{
    const uint64_t from = now;
    assert_int_equal(start(NEVER), PROCESSOR_SILENT);
    is_startup(0);
    is_startup(1);
    is_init(2);
    assert_int_equal(ap_stack, 0);
    const uint64_t us = (now - from) / MHZ;
    assert_true(us >= ANSWER_US && us < ANSWER_US + 2 * STARTUP_US);
}

TEST(test_faults)
{
    assert_int_equal(start(TWICE), PROCESSOR_TWICE);
    is_init(1);
    assert_int_equal(start(TRAPS), PROCESSOR_FAULTED);
    is_init(1);
    const uint64_t from = now;
    assert_int_equal(start(NEVER_READY), PROCESSOR_STUCK);
    is_init(1);
    assert_true((now - from) / MHZ >= READY_US);
    assert_int_equal(start(ON_FIRST), PROCESSOR_UP); /* what came before does not matter */
}

TEST(test_init)
{
    static struct processors_found f = {.n = 4};
    static const enum processor_state s[] = {PROCESSOR_BOOT, PROCESSOR_LISTED, PROCESSOR_DISABLED,
                                             PROCESSOR_LISTED};
    for (unsigned i = 0; i < 4; i++) f.p[i] = (struct processor_found){.apic_id = 0x100 + i, .state = s[i]};
    n_sent = 0;
    how = NEVER;
    const uint64_t from = now;
    assert_int_equal(ap_init(&x2apic, &clock_known, &f, 0, 5), 4);
    assert_int_equal(n_sent, 2); /* and no de-assertion with x2APIC */
    assert_int_equal(sent[0].id, 0x101);
    assert_int_equal(sent[1].id, 0x103);
    assert_int_equal(sent[0].command, 0xc500);
    assert_true((now - from) / MHZ >= INIT_US && (now - from) / MHZ < INIT_US + 100);
}

/* Those that are not wanted are left as they are; the next ones get it when others have failed. */
TEST(test_init_some)
{
    static struct processors_found f = {.n = 5};
    for (unsigned i = 0; i < 5; i++)
        f.p[i] = (struct processor_found){.apic_id = i, .state = i ? PROCESSOR_LISTED : PROCESSOR_BOOT};
    n_sent = 0;
    how = NEVER;
    assert_int_equal(ap_init(&x2apic, &clock_known, &f, 0, 2), 3);
    assert_int_equal(n_sent, 2);
    assert_int_equal(sent[1].id, 2);
    assert_int_equal(ap_init(&x2apic, &clock_known, &f, 3, 1), 4);
    assert_int_equal(n_sent, 3);
    assert_int_equal(sent[2].id, 3);
    assert_int_equal(ap_init(&x2apic, &clock_known, &f, 4, 0), 4);
    assert_int_equal(n_sent, 3);
}

/* Waits are counted in readings of port 80h then. */
TEST(test_no_clock)
{
    clock_known.tsc_hz = 0;
    reads = 0;
    assert_int_equal(start(NEVER), PROCESSOR_SILENT);
    assert_true(reads >= ANSWER_US && reads <= ANSWER_US + 2 * STARTUP_US);
    assert_int_equal(start(ON_SECOND), PROCESSOR_UP);
    clock_known.tsc_hz = MHZ * 1000000ull;
}
