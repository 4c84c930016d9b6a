/* Counter 3 under the TSX microcode of 2019 to 2021, which clobbers it unless all transactions abort (Linux'
 * intel_tfa_commit_scheduling(); Intel's document 604224). */
#include "tests/unit/arch_machines.h"

/* Bits 1 and 2 of 10Fh are others (2021): they stay as they are. */
TEST(test_counter_3)
{
    struct cpu_id id = id_of(&kaby_lake);
    machine(&kaby_lake);
    fake_pmu_msr(FORCE_ABORT, 2);
    probe(&id);
    assert_int_equal(pmu.usable, 0x7f);
    assert_int_equal(fake_pmu_value(FORCE_ABORT), 2); /* the probe leaves nothing behind */
    struct pmu_code c = code("branches"), d = code("llc_misses");

    fake_pmu_clear_log();
    assert_true(PROGRAM(&c, NULL, NULL, &d));
    pmu_start(&pmu);
    hw_rdtsc();
    hw_rdtsc();
    pmu_stop(&pmu);
    assert_int_equal(pmu.ops->read(&pmu, 0), 14);
    assert_int_equal(pmu.ops->read(&pmu, 3), 14);
    const struct fake_write *log;
    assert_true(fake_pmu_log(&log) > 1);
    assert_int_equal(log[0].msr, FORCE_ABORT); /* before anything of counter 3 is touched */
    assert_int_equal(fake_pmu_value(FORCE_ABORT), 3);

    assert_true(PROGRAM(&c, &d)); /* without counter 3 transactions may go on */
    assert_int_equal(fake_pmu_value(FORCE_ABORT), 2);
    assert_true(PROGRAM(NULL, NULL, NULL, &c));
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(FORCE_ABORT), 2);
}

/* What was written to counter 3's registers is put back while they hold it. */
TEST(test_release_order)
{
    start_on(&kaby_lake);
    struct pmu_code c = code("branches");
    assert_true(PROGRAM(NULL, NULL, NULL, &c));
    fake_pmu_clear_log();
    pmu.ops->release(&pmu);
    const struct fake_write *log;
    size_t n = fake_pmu_log(&log), last = 0, abort = 0;
    for (size_t i = 0; i < n; i++) {
        if (log[i].msr == PMC0 + 3 || log[i].msr == A_PMC0 + 3 || log[i].msr == SEL0 + 3) last = i;
        if (log[i].msr == FORCE_ABORT && !(log[i].value & 1)) abort = i;
    }
    assert_true(abort > last && last > 0);
}

/* Of 10Fh that ignores what is written (bit 2 of the microcode of 2021 does that) or is not there, nothing
 * keeps the microcode off counter 3. */
TEST(test_cannot_be_held)
{
    static const enum fake_pmu_fault faults[] = {FAKE_SWALLOWS, FAKE_NO_READ, FAKE_NO_WRITE};
    struct cpu_id id = id_of(&kaby_lake);
    for (unsigned i = 0; i < N(faults); i++) {
        machine(&kaby_lake);
        fake_pmu_fault(FORCE_ABORT, faults[i]);
        probe(&id);
        assert_int_equal(pmu.state[3], COUNTER_UNRELIABLE);
        assert_int_equal(pmu.usable, 0x77);
    }
}

/* Where no transaction can run, or counter 3 is none of the microcode's, 10Fh is left alone. */
TEST(test_left_alone)
{
    struct cpu_id id = id_of(&kaby_lake);
    id.f7_edx |= 1u << 11;
    machine(&kaby_lake);
    clobbers = false;
    fake_pmu_msr(FORCE_ABORT, 1);
    fake_pmu_fault(FORCE_ABORT, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.usable, 0x7f);
    struct pmu_code c = code("branches");
    fake_pmu_clear_log();
    assert_true(PROGRAM(NULL, NULL, NULL, &c));
    const struct fake_write *log;
    for (size_t n = fake_pmu_log(&log); n--;) assert_int_not_equal(log[n].msr, FORCE_ABORT);
}
