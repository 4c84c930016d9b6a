/* Calls of a processor that hears them, that hears an NMI only, that hears nothing, and that never returns.
 */
#include "kernel/processors.c"
#include "tests/unit/fake_trap.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { HZ = 1000000, INIT = 0xc500, NMI = 0x4400, WAKE = 0x4000 | VECTOR_WAKE };

static struct machine m;
static struct cpu booted_cpu;
static _Alignas(4096) struct processor other;

/* The other processor: what it hears, and how often it was sent what. */
static enum { HEARS_STORES, HEARS_IPIS, HEARS_NMIS, HEARS_NOTHING } hears;
static bool returns, stops;
static unsigned inits, nmis, wakes;
static uint64_t now;

static bool at_rest(void) { return other.percpu.call.ended == other.percpu.call.begun; }

/* As processor_serve(). */
static void begin_call(void)
{
    struct call *c = &other.percpu.call;
    if (!at_rest() || c->begun == c->asked) return;
    c->begun = c->asked;
    if (!returns) return;
    c->how = execute(&other);
    c->ended = c->ended + 1;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value) { return (void)msr, (void)value, false; }
bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    const uint32_t command = (uint32_t)value;
    assert_int_equal(msr, 0x830);
    assert_int_equal(value >> 32, 7);
    inits += command == INIT;
    wakes += command == WAKE;
    if (command == WAKE && hears == HEARS_IPIS) begin_call();
    if (command != NMI) return true;
    nmis++;
    if (hears <= HEARS_NMIS) begin_call();
    if (stops && !at_rest()) {
        other.percpu.call.how = PROCESSOR_STOPPED;
        other.percpu.call.ended = other.percpu.call.ended + 1;
    }
    return true;
}
uint64_t hw_rdtsc(void)
{
    if (hears == HEARS_STORES) begin_call();
    return now += 100;
}
struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    return (void)leaf, (void)subleaf, (struct cpuid_regs){0, 0, 0, 0};
}
uint8_t hw_inb(uint16_t port) { return (void)port, 0xff; }
void trap_guard_after(struct trap_guard *g) { (void)g; }

static unsigned executed;
static void count(void *arg) { executed += *(unsigned *)arg; }
static unsigned one = 1;

static int machine(void **state)
{
    (void)state;
    memset(&other, 0, sizeof other);
    m = (struct machine){.cpus = 2, .clock = {.tsc_hz = HZ}};
    booted_cpu = (struct cpu){.machine = &m, .apic = {.mode = APIC_X2APIC}};
    other.cpu = (struct cpu){.machine = &m, .index = 1, .apic = {.id = 7}};
    other.rest = REST_MWAIT;
    m.cpu[0] = &booted_cpu;
    m.cpu[1] = &other.cpu;
    hears = HEARS_STORES;
    returns = true;
    stops = false;
    inits = nmis = wakes = executed = 0;
    return 0;
}

static enum processor_end call(void)
{
    processor_begin(&other.cpu, count, &one);
    return processor_end(&other.cpu, 0);
}

TEST_WITH(test_hears, machine, NULL)
{
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(call(), PROCESSOR_RETURNED);
        assert_int_equal(executed, i);
    }
    assert_int_equal(nmis + wakes + inits, 0);
    other.rest = REST_HLT;
    hears = HEARS_IPIS;
    assert_int_equal(call(), PROCESSOR_RETURNED);
    assert_int_equal(wakes, 1);
    assert_int_equal(nmis, 0);
    assert_int_equal(other.cpu.wakes_missed, 0);
    assert_false(processor_busy(&other.cpu));
}

/* After a second an NMI; from then on it rests in HLT. */
TEST_WITH(test_misses_stores, machine, NULL)
{
    hears = HEARS_NMIS;
    const uint64_t from = now;
    assert_int_equal(call(), PROCESSOR_RETURNED);
    assert_int_equal(executed, 1);
    assert_int_equal(nmis, 1);
    assert_in_range(now - from, HZ, HZ + HZ / 10);
    assert_int_equal(other.rest, REST_HLT);
    assert_int_equal(other.cpu.wakes_missed, 1);
    hears = HEARS_IPIS;
    assert_int_equal(call(), PROCESSOR_RETURNED);
    assert_int_equal(nmis, 1);
    assert_int_equal(wakes, 1);
}

/* It is never waited for without end, by whatever waits; nothing runs on it later. */
TEST_WITH(test_hears_nothing, machine, NULL)
{
    hears = HEARS_NOTHING;
    const uint64_t from = now;
    assert_int_equal(call(), PROCESSOR_LOST);
    assert_in_range(now - from, 10 * HZ, 11 * HZ);
    assert_int_equal(inits, 1);
    assert_int_equal(nmis, WAKES_MOST);
    const uint64_t after = now;
    assert_int_equal(call(), PROCESSOR_LOST);
    assert_int_equal(processor_call(&other.cpu, count, &one), PROCESSOR_LOST);
    assert_false(processor_busy(&other.cpu));
    assert_true(now - after < HZ);
    assert_int_equal(inits, 1);
    assert_int_equal(executed, 0);

    machine(state);
    hears = HEARS_NOTHING;
    m.clock.tsc_hz = 0;
    processor_begin(&other.cpu, count, &one);
    unsigned polls = 0;
    while (processor_busy(&other.cpu)) polls++;
    assert_true(polls > 1000);
    assert_int_equal(processor_end(&other.cpu, 0), PROCESSOR_LOST);
}

TEST_WITH(test_never_returns, machine, NULL)
{
    returns = false;
    stops = true;
    const uint64_t from = now;
    assert_int_equal(processor_call(&other.cpu, count, &one), PROCESSOR_STOPPED);
    assert_in_range(now - from, CALL_S * HZ, (CALL_S + 1) * HZ);
    assert_int_equal(inits, 0);
    stops = false;
    assert_int_equal(processor_call(&other.cpu, count, &one), PROCESSOR_LOST);
    assert_int_equal(inits, 1);
    assert_int_equal(nmis, 2);
}

/* A stop that comes before the call has begun: nothing is executed. */
TEST_WITH(test_stopped_before, machine, NULL)
{
    hears = HEARS_NMIS;
    processor_begin(&other.cpu, count, &one);
    processor_stop(&other.cpu);
    assert_int_equal(processor_end(&other.cpu, 0), PROCESSOR_STOPPED);
    assert_int_equal(executed, 0);
    assert_int_equal(processor_trap(&other.cpu)->vector, VECTOR_NMI);
}

/* However seldom somebody asks: one NMI a second at most, and none to one that is lost. */
TEST_WITH(test_spaced, machine, NULL)
{
    hears = HEARS_NOTHING;
    processor_begin(&other.cpu, count, &one);
    now += 5 * HZ;
    for (unsigned i = 0; i < 5; i++) assert_true(processor_busy(&other.cpu));
    assert_int_equal(nmis, 1);
    now += 5 * HZ;
    assert_true(processor_busy(&other.cpu));
    assert_int_equal(nmis, 2);
    other.lost = true;
    now += 5 * HZ;
    assert_false(processor_busy(&other.cpu));
    assert_int_equal(nmis, 2);
}
