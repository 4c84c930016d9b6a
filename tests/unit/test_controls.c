/* Turbo and prefetchers: which register on which CPU, and that nothing else in it changes. */
#include "kernel/controls.h"
#include "tests/unit/fake_cpus.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* Bits from pmu-facts 6.4. */
#define CORE2_OFF (1ull << 9 | 1ull << 19 | 1ull << 37 | 1ull << 39)
#define TURBO_OFF (1ull << 38)

static struct cpu_id id;
static struct control control[CONTROLS];
static const char *why;

static uint64_t msr(uint32_t number)
{
    uint64_t v = 0;
    assert_true(rdmsr_safe(number, &v));
    return v;
}

static void find(const char *cpu, const char *turbo, const char *prefetch)
{
    fake_cpu(cpu);
    cpu_identify(&id);
    controls_find(&id, false, control);
    assert_string_equal(control_state_text(control_state(&control[CONTROL_TURBO])), turbo);
    assert_string_equal(control_state_text(control_state(&control[CONTROL_PREFETCH])), prefetch);
}

static bool off(enum control_id which)
{
    why = control[which].trouble;
    return control_off(&control[which]);
}

TEST(skylake)
{
    fake_reset();
    fake_msr(0x1a0, 0x850089);
    fake_msr(0x1a4, 0x20);
    find("skylake", "on", "on");
    assert_int_equal(control[CONTROL_TURBO].found, 0x850089);
    assert_int_equal(control[CONTROL_PREFETCH].found, 0x20);
    assert_true(off(CONTROL_TURBO) && off(CONTROL_PREFETCH));
    assert_int_equal(msr(0x1a0), 0x850089 | TURBO_OFF);
    assert_int_equal(msr(0x1a4), 0x2f);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_OFF);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_OFF);
    controls_restore(control);
    assert_int_equal(msr(0x1a0), 0x850089);
    assert_int_equal(msr(0x1a4), 0x20);
    fake_msr(0x1a4, 0xf); /* no longer ours */
    controls_restore(control);
    assert_int_equal(msr(0x1a4), 0xf);
}

/* CPUID's leaf 6 says that there is turbo, unless it is switched off, which the register shows. */
TEST(turbo)
{
    fake_reset();
    fake_msr(0x1a0, 0x850089);
    find("skylake", "on", "unknown");
    id.max_leaf = 6;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_ON);
    id.max_leaf = 5;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_NONE);
    id.max_leaf = 6;
    id.f6_eax &= ~CPUID_6_EAX_TURBO;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_NONE);
    fake_msr(0x1a0, 0x850089 | TURBO_OFF);
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_OFF);
}

/* A register that takes a write and keeps only some of its bits, or none: it is left as it was found. */
TEST(forgetful)
{
    for (uint64_t lost = 1; lost < 0x10; lost++) {
        fake_reset();
        fake_msr(0x1a0, 0x850089);
        fake_msr(0x1a4, 0x21);
        find("skylake", "on", "mixed");
        fake_msr_loses(0x1a4, lost & ~1ull);
        const bool works = lost == 1;
        assert_int_equal(off(CONTROL_PREFETCH), works);
        assert_string_equal(why, works ? "" : "MSR 1A4h does not keep the value written to it");
        assert_int_equal(msr(0x1a4), works ? 0x2f : 0x21);
        controls_restore(control);
        assert_int_equal(msr(0x1a4), 0x21);
        fake_msr_loses(0x1a0, TURBO_OFF);
        assert_false(off(CONTROL_TURBO));
        assert_string_equal(why, "MSR 1A0h does not keep the value written to it");
        assert_int_equal(msr(0x1a0), 0x850089);
    }
}

/* Two controls in one register; some prefetchers were off before. */
TEST(core_2)
{
    fake_reset();
    fake_msr(0x1a0, 1ull << 39 | 1 << 16);
    find("conroe", "none", "mixed");
    assert_true(off(CONTROL_TURBO)); /* there is none to switch off */
    assert_true(off(CONTROL_PREFETCH));
    assert_int_equal(msr(0x1a0), CORE2_OFF | 1 << 16);
    fake_msr(0x1a0, msr(0x1a0) | 1 << 18); /* somebody else's bit */
    controls_restore(control);
    assert_int_equal(msr(0x1a0), 1ull << 39 | 1 << 16 | 1 << 18);
}

TEST(netburst)
{
    fake_reset();
    fake_msr(0x1a0, 0x89);
    find("northwood", "none", "on");
    assert_true(off(CONTROL_PREFETCH));
    assert_int_equal(msr(0x1a0), 0x89 | 1 << 9 | 1 << 19);
}

TEST(amd)
{
    fake_reset();
    fake_msr(0xc0010015, 0x9000010);
    find("ryzen_1800x", "none", "unknown"); /* this one's firmware hides boost */
    id.x7_edx |= 1u << 9;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_ON);
    assert_true(off(CONTROL_TURBO));
    assert_int_equal(msr(0xc0010015), 0x9000010 | 1 << 25);
    assert_false(off(CONTROL_PREFETCH));
    assert_string_equal(why, "this CPU has no documented way");
    controls_restore(control);
    assert_int_equal(msr(0xc0010015), 0x9000010);

    id.family = 0x19;
    id.model = 0x61;
    fake_msr(0xc0000108, 0x3c0);
    controls_find(&id, false, control);
    assert_true(off(CONTROL_PREFETCH));
    assert_int_equal(msr(0xc0000108), 0x3ef);
    controls_restore(control);
    assert_int_equal(msr(0xc0000108), 0x3c0);
}

/* What a hypervisor does not show may be there all the same, and what it answers 0 for need not be. */
TEST(guests)
{
    fake_reset();
    fake_msr(0x1a0, 0x850089);
    find("conroe", "none", "on");
    id.has_hypervisor = true;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_UNKNOWN);
    assert_false(off(CONTROL_TURBO));
    id.f6_eax |= CPUID_6_EAX_TURBO; /* shown: then it can be switched */
    id.max_leaf = 0xb;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_ON);

    fake_reset();
    fake_msr(0xc0010015, 0);
    fake_msr(0xc0000108, 0);
    find("ryzen_1800x", "none", "unknown");
    id.family = 0x19;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_ON);
    id.has_hypervisor = true;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_TURBO]), CONTROL_UNKNOWN);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_UNKNOWN);
    id.x21_eax = 1u << 13;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_ON);
}

/* Prefetchers that have no certain switch: what can be is switched off, and nobody says that all are. */
TEST(golden_cove)
{
    fake_reset();
    fake_msr(0x1a0, 0x850089);
    fake_msr(0x1a4, 0x10);
    find("skylake", "on", "on");
    id.model = 0x8f;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_ON);
    assert_true(off(CONTROL_PREFETCH));
    assert_int_equal(msr(0x1a4), 0x3f);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_MIXED);
    controls_restore(control);
    assert_int_equal(msr(0x1a4), 0x10);
}

/* The bits that switch the prefetchers of family 6 off, by model; no other model has documented ones, nor has
 * the Atom core of any hybrid part. */
TEST(models)
{
    static const struct {
        uint64_t off;
        const char *models;
    } documented[] = {
        {CORE2_OFF, "0f 16 17 1d "},
        {0xf, "1a 1e 1f 2e 25 2c 2f "                           /* Nehalem, Westmere */
              "2a 2d 3a 3e 3c 45 46 3f 3d 47 4f 56 "            /* Sandy Bridge to Broadwell */
              "4e 5e 8e 9e a5 a6 55 66 7d 7e 8c 8d a7 6a 6c "}, /* Skylake to Rocket Lake */
        {0x2f, "8f cf 97 9a b7 ba bf "},                        /* Golden Cove */
        {5, "37 4a 4d 5a 5d 4c 75 "},                           /* Silvermont */
    };
    fake_reset();
    fake_msr(0x1a0, 0);
    fake_msr(0x1a4, 0);
    find("skylake", "on", "on");
    for (unsigned model = 0; model < 0x200; model++) {
        char name[5];
        uint64_t off = 0;
        snprintf(name, sizeof name, "%02x ", model);
        for (unsigned i = 0; i < sizeof documented / sizeof *documented; i++)
            if (strstr(documented[i].models, name) && model < 0x100) off = documented[i].off;
        id.model = model;
        for (unsigned atom = 0; atom < 2; atom++) {
            id.f7_edx = atom << 15;
            id.f1a_eax = atom ? 0x20000001 : 0x40000001;
            controls_find(&id, false, control);
            assert_int_equal(control[CONTROL_PREFETCH].off, atom ? 0 : off);
            assert_int_equal(control[CONTROL_PREFETCH].msr != 0, !atom && off);
        }
    }
    id.f7_edx = 0;
    id.family = 18; /* of another family model 0fh is no Core 2 */
    id.model = 0x0f;
    controls_find(&id, false, control);
    assert_int_equal(control_state(&control[CONTROL_PREFETCH]), CONTROL_UNKNOWN);
}

TEST(no_registers)
{
    fake_reset();
    find("skylake", "unknown", "unknown");
    assert_int_equal(control[CONTROL_TURBO].msr | control[CONTROL_PREFETCH].msr, 0);
    assert_false(off(CONTROL_TURBO));
    assert_string_equal(why, "this CPU has no documented way");
    find("coppermine", "none", "unknown");
    find("k5", "none", "unknown");
    find("isaiah", "unknown", "unknown");
}

/* An emulator keeps what is written to the registers, and has neither turbo nor prefetchers: it must not be
 * said that they are off. */
TEST(emulated)
{
    fake_reset();
    fake_msr(0x1a0, 0x850089);
    fake_msr(0x1a4, 0);
    find("skylake", "on", "on");
    controls_find(&id, true, control);
    for (unsigned i = 0; i < CONTROLS; i++) {
        assert_true(off(i));
        assert_string_equal(control_state_text(control_state(&control[i])), "unmodelled");
    }
    assert_int_equal(msr(0x1a4), 0);
}
