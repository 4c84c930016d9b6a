/* Microcode and throttling: what is told, and where there is nothing to tell. */
#include "kernel/health.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"

#define THERM 0x19c

static struct cpu_id intel, amd;

static int begin(void **state)
{
    (void)state;
    fake_reset();
    intel = (struct cpu_id){.vendor = "GenuineIntel", .family = 6, .f1_edx = CPUID_1_EDX_ACPI};
    amd = (struct cpu_id){.vendor = "AuthenticAMD", .family = 0x17};
    return 0;
}

TEST_WITH(microcode, begin, NULL)
{
    uint32_t revision = 1;
    assert_int_equal(microcode_read(&intel, false, &revision), KNOWN_ABSENT); /* #GP */
    assert_int_equal(revision, 0);
    fake_msr(0x8b, 0x1234567800000009);
    assert_int_equal(microcode_read(&amd, false, &revision), KNOWN);
    assert_int_equal(revision, 9);
    assert_int_equal(microcode_read(&intel, true, &revision), KNOWN_UNMODELLED);
    assert_int_equal(revision, 0);
    fake_msr_loses(0x8b, UINT32_MAX); /* the upper half stays, as CPUID puts it there again */
    assert_int_equal(microcode_read(&intel, false, &revision), KNOWN);
    assert_int_equal(revision, 0); /* 0 was written first, and this fake's CPUID brings nothing back */
    intel.family = 5;
    assert_int_equal(microcode_read(&intel, false, &revision), KNOWN_ABSENT);
    amd.family = 6;
    assert_int_equal(microcode_read(&amd, false, &revision), KNOWN_ABSENT);
    assert_string_equal(known_text(KNOWN_ABSENT), "absent");
    assert_string_equal(known_text(KNOWN_UNMODELLED), "unmodelled");
    assert_null(known_text(KNOWN));
}

/* Log bits alone, and of those what this CPU has. */
TEST_WITH(throttling, begin, NULL)
{
    uint32_t logs = 1;
    assert_int_equal(throttle_read(&intel, false, false, &logs), KNOWN_ABSENT); /* #GP */
    fake_msr(THERM, 0x8800ffff);
    assert_int_equal(throttle_read(&intel, false, false, &logs), KNOWN);
    assert_int_equal(logs, THROTTLE_THERMAL | THROTTLE_PROCHOT | THROTTLE_CRITICAL);
    intel.f6_eax = CPUID_6_EAX_PLN | CPUID_6_EAX_HWP;
    assert_int_equal(throttle_read(&intel, false, false, &logs), KNOWN);
    assert_int_equal(logs, 0xa82a);
    assert_string_equal(throttle_name(logs, 0), "thermal");
    assert_string_equal(throttle_name(logs, 5), "cross domain");
    assert_null(throttle_name(logs, 6));
    assert_string_equal(throttle_name(THROTTLE_POWER_LIMIT, 0), "power limit");
    assert_null(throttle_name(0, 0));
    throttle_clear(&intel);
    assert_int_equal(throttle_read(&intel, false, false, &logs), KNOWN);
    assert_int_equal(logs, 0);
    uint64_t v = 0;
    assert_true(rdmsr_safe(THERM, &v) && v == (0x8800ffff & ~0xa82a)); /* all others as they were */
}

/* An emulator answers 0 for a register that it does not know, and a hypervisor may: neither is asked. */
TEST_WITH(nobody_real, begin, NULL)
{
    uint32_t logs = 1;
    fake_msr(THERM, 2);
    assert_int_equal(throttle_read(&intel, true, false, &logs), KNOWN_UNMODELLED);
    assert_int_equal(logs, 0);
    assert_int_equal(throttle_read(&intel, false, true, &logs), KNOWN_ABSENT);
    assert_int_equal(throttle_read(&amd, false, false, &logs), KNOWN_ABSENT);
    intel.f1_edx = 0;
    assert_int_equal(throttle_read(&intel, false, false, &logs), KNOWN_ABSENT);
}

TEST_WITH(clock_modulation, begin, NULL)
{
    assert_int_equal(clock_modulation_read(&intel, true), 0); /* #GP */
    fake_msr(0x19a, 0x0a);                                    /* not enabled */
    assert_int_equal(clock_modulation_read(&intel, true), 0);
    fake_msr(0x19a, 0x1b); /* 5 eighths; bit 0 is reserved */
    assert_int_equal(clock_modulation_read(&intel, true), 10);
    intel.f6_eax = 1u << 5;
    assert_int_equal(clock_modulation_read(&intel, true), 11);
    assert_int_equal(clock_modulation_read(&intel, false), 0); /* an emulator's */
    assert_int_equal(clock_modulation_read(&amd, true), 0);
    intel.f1_edx = 0;
    assert_int_equal(clock_modulation_read(&intel, true), 0);
}
