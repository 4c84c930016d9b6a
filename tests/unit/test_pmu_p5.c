/* The Pentium's driver against registers: exact writes in their order, restoring, and hardware that
 * misbehaves. */
#include "pmu/p5.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Numbers from the SDM (vol. 3B, order 325384-059, 18.23), not from the driver's header. */
enum { CESR = 0x11, CTR0 = 0x12, CTR1 = 0x13 };

/* CPL 0: counter control has bit 0 set, in the half of the counter. */
static bool counting(unsigned i) { return fake_pmu_value(CESR) >> (16 * i + 6) & 1; }

/* 40 bits of counter, 32 of CESR. */
static uint64_t store(uint32_t msr, uint64_t value)
{
    return value & (msr == CESR ? 0xffffffffull : 0xffffffffffull);
}
static const struct fake_pmu_rules rules = {{CTR0, CTR1}, counting, store};

static struct cpu_id intel(unsigned model, unsigned stepping, unsigned type)
{
    struct cpu_id id = {.vendor = "GenuineIntel", .family = 5, .model = model, .stepping = stepping};
    id.signature = type << 12 | 5u << 8 | model << 4 | stepping;
    return id;
}

/* A machine on which somebody was counting, with reserved bits of CESR set. */
#define FOUND_CESR                                                                          \
    0xa4015482u /* reserved 31:26 = 101001b, 15:10 = 010101b; counter 0 counts 02h at CPL 3 \
                 */

static void machine(void)
{
    fake_pmu_reset(&rules);
    fake_pmu_msr(CESR, FOUND_CESR);
    fake_pmu_msr(CTR0, 0x8000000001ull);
    fake_pmu_msr(CTR1, 77);
}

static int p5(void **state)
{
    (void)state;
    struct cpu_id id = intel(2, 12, 0);
    machine();
    probe(&id);
    fake_pmu_clear_log();
    return 0;
}

/* ---- detection ---- */

TEST(models)
{
    static const struct {
        unsigned model;
        const char *name;
        bool mmx;
    } want[] = {{0, "Pentium", false},   {1, "Pentium", false},    {2, "Pentium", false},
                {3, "Pentium", false},   {4, "Pentium MMX", true}, {7, "Pentium", false},
                {8, "Pentium MMX", true}};
    for (unsigned i = 0; i < N(want); i++) {
        struct cpu_id id = intel(want[i].model, 1, 0);
        machine();
        fake_pmu_rdpmc(want[i].mmx ? FAKE_RDPMC_READS : FAKE_RDPMC_UD);
        probe(&id);
        assert_string_equal(pmu.ops->family, "P5");
        assert_string_equal(pmu.model, want[i].name);
        assert_int_equal(pmu.counters, 2);
        assert_int_equal(pmu.width, 40);
        assert_int_equal(pmu.usable, 3);
        assert_int_equal(pmu.state[0], COUNTER_OK);
        assert_int_equal(pmu.state[1], COUNTER_OK);
        assert_int_equal(pmu.rdpmc, want[i].mmx);
        assert_int_equal(pmu.user_rdpmc, want[i].mmx);
        assert_int_equal(pmu.counter_msr[0], CTR0);
        assert_int_equal(pmu.counter_msr[1], CTR1);
        assert_false(pmu.pebs || pmu.ds || pmu.ibs || pmu.lbr);
    }
}

TEST(not_ours)
{
    struct cpu_id quark = intel(9, 0, 0), k5 = intel(1, 1, 0), i486 = intel(4, 0, 0);
    strcpy(k5.vendor, "AuthenticAMD");
    i486.family = 4;
    machine();
    fake_pmu_clear_log();
    assert_false(pmu_probe(&quark, &pmu));
    assert_false(pmu_probe(&k5, &pmu));
    assert_false(pmu_probe(&i486, &pmu));
    assert_null(pmu.ops);
    assert_int_equal(pmu.usable, 0);
    fake_pmu_assert_log(NULL, 0);
}

/* RDPMC that raises #UD on a CPU that should have it (Bochs' pentium_mmx), or that reads something else. */
TEST(rdpmc)
{
    struct cpu_id mmx = intel(4, 3, 0), plain = intel(2, 5, 0);
    machine();
    probe(&mmx);
    assert_int_equal(pmu.usable, 3);
    assert_false(pmu.rdpmc || pmu.user_rdpmc);
    machine();
    fake_pmu_rdpmc(FAKE_RDPMC_ZERO);
    probe(&mmx);
    assert_false(pmu.rdpmc || pmu.user_rdpmc);
    machine();
    fake_pmu_rdpmc(FAKE_RDPMC_READS); /* no Pentium has it, so it is not asked */
    probe(&plain);
    assert_false(pmu.rdpmc || pmu.user_rdpmc);
}

/* Model 4: stepping 4, and stepping 3 of the OverDrive. */
TEST(erratum_74)
{
    static const struct {
        unsigned model, stepping, type;
        bool user;
    } want[] = {{4, 3, 0, true}, {4, 3, 1, false}, {4, 4, 0, false}, {4, 1, 1, true}, {8, 4, 0, true}};
    for (unsigned i = 0; i < N(want); i++) {
        struct cpu_id id = intel(want[i].model, want[i].stepping, want[i].type);
        machine();
        fake_pmu_rdpmc(FAKE_RDPMC_READS);
        probe(&id);
        assert_true(pmu.rdpmc);
        assert_int_equal(pmu.user_rdpmc, want[i].user);
    }
}

TEST_WITH(probe_leaves_no_trace, p5, NULL)
{
    (void)state; /* p5() probed */
    assert_int_equal(fake_pmu_value(CESR), FOUND_CESR);
    assert_int_equal(fake_pmu_value(CTR0), 0x8000000001ull);
    assert_int_equal(fake_pmu_value(CTR1), 77);
}

/* ---- programming ---- */

/* Safford, figure B.1: CESR 0080_0083h is data read miss on counter 0 and data read on counter 1, both at
 * CPL 3. */
TEST(figure_b1)
{
    struct cpu_id id = intel(2, 12, 0);
    fake_pmu_reset(&rules);
    fake_pmu_msr(CESR, 0); /* reset's */
    fake_pmu_msr(CTR0, 0);
    fake_pmu_msr(CTR1, 0);
    probe(&id);
    struct pmu_code miss = code("data_read_miss:u"), read = code("data_read:u");
    fake_pmu_clear_log();
    assert_true(PROGRAM(&miss, &read));
    pmu_start(&pmu);
    pmu_stop(&pmu);
    static const struct fake_write want[] = {
        {CESR, 0},          /* stopped */
        {CTR0, 0},          /* cleared before another event is selected (18.23.1) */
        {CTR1, 0},          /**/
        {CESR, 0x00000003}, /* selected, counter control still 000 */
        {CESR, 0x00800083}, /* both started by one write */
        {CESR, 0x00000003},
    };
    fake_pmu_assert_log(want, N(want));
}

/* Survey of tools (seed 002) 3.1: AND FFFFFC00h OR 83h. Reserved bits are written as they were read, whatever
 * was selected before is gone. */
TEST_WITH(reserved_bits, p5, NULL)
{
    struct pmu_code miss = code("data_read_miss:u"), clocks = code("cycles"), kernel = code("branches:k");
    assert_true(PROGRAM(&miss, NULL));
    pmu_start(&pmu);
    const uint32_t kept = FOUND_CESR & 0xfe00fe00u; /* all but ES and CC of both halves */
    const struct fake_write want[] = {
        {CESR, kept}, {CTR0, 0}, {CTR1, 0}, {CESR, kept | 3}, {CESR, kept | 0x83}};
    fake_pmu_assert_log(want, N(want));

    fake_pmu_clear_log();
    assert_true(PROGRAM(&kernel, &clocks)); /* while the last group runs */
    pmu_start(&pmu);
    const struct fake_write then[] = {{CESR, kept},
                                      {CTR0, 0},
                                      {CTR1, 0},
                                      {CESR, kept | 0x01000012},  /* CC 100 is stopped as well */
                                      {CESR, kept | 0x01c00052}}; /* CC 111 and 001 */
    fake_pmu_assert_log(then, N(then));
    assert_true(PROGRAM(NULL, NULL));
    assert_int_equal(fake_pmu_value(CESR), kept);
}

TEST_WITH(counts_and_reads, p5, NULL)
{
    struct pmu_code instr = code("instructions:k"), user = code("instructions:u");
    assert_true(PROGRAM(&instr, &user));
    for (unsigned i = 0; i < 10; i++) hw_rdtsc(); /* not yet */
    assert_int_equal(pmu.ops->read(&pmu, 0), 0);
    pmu_start(&pmu);
    for (unsigned i = 0; i < 10; i++) hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 70); /* running */
    pmu_stop(&pmu);
    for (unsigned i = 0; i < 10; i++) hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 70);
    assert_int_equal(pmu.ops->read(&pmu, 1), 0); /* nothing ran at CPL 3 */
    pmu_start(&pmu);                             /* goes on where it was */
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 77);
    fake_pmu_msr(CTR0, 0xffffffffffffffffull); /* what lies beyond 40 bits is no count */
    assert_int_equal(pmu.ops->read(&pmu, 0), 0xffffffffffull);
}

/* CESR bits 9 and 25: 1 is overflow, 0 each increment (18.23.1), of both counters; a preset comes before. */
TEST_WITH(pins_as_told, p5, NULL)
{
    struct pmu_code a = code("flops"), b = code("bank_conflicts");
    pmu.pins = (struct pmu_pins){PINS_OVERFLOW, 1000};
    fake_pmu_clear_log();
    assert_true(PROGRAM(&a, &b));
    const uint32_t kept = FOUND_CESR & 0xfc00fc00u;
    const struct fake_write want[] = {{CESR, kept | 0x02000200},
                                      {CTR0, 0x10000000000ull - 1000},
                                      {CTR1, 0x10000000000ull - 1000},
                                      {CESR, kept | 0x020a0222}};
    fake_pmu_assert_log(want, N(want));
    pmu.pins = (struct pmu_pins){PINS_OVERFLOW, 0};
    assert_true(PROGRAM(&a, &b));
    assert_int_equal(fake_pmu_value(CESR) & 0x02000200, 0x02000200);
    assert_int_equal(fake_pmu_value(CTR0), 0);
    fake_pmu_msr(CESR, FOUND_CESR | 0x02000200);
    pmu.pins = (struct pmu_pins){PINS_INCREMENT, 0};
    assert_true(PROGRAM(&a, &b));
    assert_int_equal(fake_pmu_value(CESR) & 0x02000200, 0);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(CESR), FOUND_CESR);
}

TEST_WITH(release, p5, NULL)
{
    struct pmu_code a = code("flops"), b = code("bank_conflicts");
    assert_true(PROGRAM(&a, &b));
    pmu_start(&pmu);
    fake_pmu_clear_log();
    pmu.ops->release(&pmu);
    const uint32_t kept = FOUND_CESR & 0xfe00fe00u;
    const struct fake_write want[] = {{CESR, kept | 0x0a0022}, /* stopped first, started last */
                                      {CTR0, 0x8000000001ull},
                                      {CTR1, 77},
                                      {CESR, FOUND_CESR}};
    fake_pmu_assert_log(want, N(want));
}

/* ---- what goes wrong ---- */

TEST(wrong_counter)
{
    struct cpu_id id = intel(4, 3, 0);
    machine();
    probe(&id);
    struct pmu_code returns = code("returns");
    assert_false(PROGRAM(NULL, &returns));
    assert_string_equal(why, "returns cannot be counted on counter 1");
    assert_int_equal(fake_pmu_value(CESR) & 0x01c001c0, 0); /* nothing runs */
    assert_true(PROGRAM(&returns, NULL));
}

TEST(no_registers)
{
    struct cpu_id id = intel(2, 12, 0);
    fake_pmu_reset(&rules); /* as in Bochs: every one faults */
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    struct pmu_code c = code("cycles");
    assert_false(PROGRAM(&c, NULL));
    assert_string_equal(why, "MSR 11h faults when it is read");
}

/* As in QEMU: writes are swallowed, everything reads zero. */
TEST(deaf_registers)
{
    struct cpu_id id = intel(2, 12, 0);
    machine();
    fake_pmu_fault(CESR, FAKE_SWALLOWS);
    fake_pmu_fault(CTR0, FAKE_SWALLOWS);
    fake_pmu_fault(CTR1, FAKE_SWALLOWS);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    struct pmu_code c = code("instructions");
    assert_false(PROGRAM(&c, NULL));
    assert_string_equal(why, "MSR 11h does not keep the value written to it: 16h became 0h");
}

TEST(stuck_counter)
{
    struct cpu_id id = intel(2, 12, 0);
    machine();
    fake_pmu_fault(CTR0, FAKE_STUCK);
    probe(&id);
    assert_int_equal(pmu.state[0], COUNTER_NOT_ADVANCING);
    assert_int_equal(pmu.state[1], COUNTER_OK);
    assert_int_equal(pmu.usable, 2);
    assert_string_equal(pmu_state_text(pmu.state[0]), "not advancing");
    assert_string_equal(pmu_state_text(pmu.state[1]), "ok");
    assert_string_equal(pmu_state_text(pmu.state[2]), "absent");
}

TEST(one_counter_faults)
{
    struct cpu_id id = intel(2, 12, 0);
    machine();
    fake_pmu_fault(CTR1, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.state[0], COUNTER_OK);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    struct pmu_code c = code("cycles");
    assert_false(PROGRAM(NULL, &c));
    assert_string_equal(why, "MSR 13h faults when 0h is written to it");
    assert_true(PROGRAM(&c, NULL));

    machine();
    fake_pmu_fault(CTR0, FAKE_NO_READ);
    probe(&id);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_int_equal(pmu.state[1], COUNTER_OK);

    machine();
    fake_pmu_fault(CESR, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_false(PROGRAM(&c, NULL));
    assert_string_equal(why, "MSR 11h faults when A4005400h is written to it");
}
