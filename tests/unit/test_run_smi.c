/* SMIs in runs of one plan item: their flag, the event that counts them, and their counter. */
#include "kernel/smi.h"
#include "tests/unit/run_drive.h"

/* A repetition in which SMIs came has the flag; where they cannot be counted none has. */
static unsigned smis;
PAYLOAD static void smi_in_the_third(void *arg)
{
    (void)arg;
    if (++smis == 2 + 3) fake_msr(0x34, 6); /* after the two warm-ups */
}

TEST_WITH(test_smi_flag, given, NULL)
{
    opt.reps = 5;
    opt.warmup = 2;
    for (unsigned counted = 0; counted < 2; counted++) {
        fake_reset();
        fake_msr(0x34, 5);
        smis = 0;
        smi_counter = counted;
        run(smi_in_the_third, 0, false);
        for (unsigned i = 0; i < opt.reps; i++)
            assert_int_equal(out.flags[i], counted && i == 2 ? REP_SMI : 0);
    }
}

/* Where an event counts SMIs: on the first counter that can count it and that the run leaves free, for the
 * run as a whole. */
static unsigned programmed, started, stopped; /* programmed: bit i: counter i */
static bool refuses_smis;
enum { SMI_COUNTERS = 1 << 2 | 1 << 3 };

static bool note_program(struct pmu *p, const struct pmu_code *const code[PMU_COUNTERS], char *why,
                         size_t cap)
{
    (void)p, (void)why, (void)cap;
    programmed = 0;
    for (unsigned i = 0; i < PMU_COUNTERS; i++) programmed |= (code[i] != NULL) << i;
    return !(refuses_smis && programmed & SMI_COUNTERS);
}

static bool encode_smis(const struct pmu *p, const struct pmu_fields *f, struct pmu_code *code, char *why,
                        size_t cap)
{
    (void)p, (void)why, (void)cap;
    assert_true(f->event == 0x2b && f->usr && f->os);
    *code = (struct pmu_code){.counters = SMI_COUNTERS};
    return true;
}

static void note_switching(const struct pmu *p, bool on, struct msr_list *out)
{
    (void)p, (void)out;
    on ? started++ : stopped++;
}
static uint64_t read_smis(const struct pmu *p, unsigned counter) { return (void)p, 40 + counter; }

TEST_WITH(test_smi_event, given, NULL)
{
    static const struct pmu_ops smi_ops = {
        .program = note_program, .encode = encode_smis, .switching = note_switching, .read = read_smis};
    static const struct {
        unsigned n;
        enum origin origin;
        bool msr, refuses;
        unsigned usable, programmed, smis;
    } cases[] = {
        {0, ORIGIN_SILICON, false, false, 0xf, 0x4, 42},    {1, ORIGIN_SILICON, false, false, 0xf, 0x5, 42},
        {3, ORIGIN_SILICON, false, false, 0xf, 0xf, 43},    {4, ORIGIN_SILICON, false, false, 0xf, 0xf, 0},
        {1, ORIGIN_SILICON, false, false, 0xb, 0x9, 43},    {1, ORIGIN_SILICON, false, false, 0x3, 0x1, 0},
        {1, ORIGIN_SILICON, true, false, 0xf, 0x1, 0}, /* the MSR is better */
        {1, ORIGIN_SILICON, false, true, 0xf, 0x1, 0}, /* which is no reason to count nothing */
        {0, ORIGIN_SILICON, false, true, 0xf, 0x4, 0},      {1, ORIGIN_EMULATED, false, false, 0xf, 0x1, 0},
        {1, ORIGIN_VIRTUALIZED, false, false, 0xf, 0x1, 0},
    };
    fake_reset();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmu.ops = &smi_ops;
        pmu.smi_event = 0x2b;
        pmu.usable = cases[i].usable;
        origin = cases[i].origin;
        smi_counter = cases[i].msr;
        refuses_smis = cases[i].refuses;
        programmed = started = stopped = 0;
        run(few, cases[i].n, false);
        assert_int_equal(out.counts_smis, cases[i].smis != 0);
        assert_int_equal(out.smis, cases[i].smis);
        assert_int_equal(programmed, cases[i].programmed);
        assert_int_equal(started, cases[i].n || cases[i].smis);
        assert_int_equal(stopped, cases[i].n || cases[i].smis);
        for (unsigned r = 0; r < opt.reps; r++) assert_int_equal(out.flags[r], 0);
    }
    pmu.smi_event = 0;
    run(few, 1, false);
    assert_false(out.counts_smis);
}

/* The counter of SMIs: by family and model, and by whether its MSR can be read. */
TEST(test_smi_counter)
{
    static const struct {
        uint32_t family, model;
        bool has;
    } cpus[] = {{6, 0x17, false}, {6, 0x1a, true}, {6, 0x1c, false}, {6, 0x37, true},
                {6, 0x8f, true},  {15, 4, false},  {5, 9, false},    {18, 1, true} /* Nova Lake */};
    fake_reset();
    fake_msr(0x34, 5);
    for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        struct cpu_id id = {.vendor = "GenuineIntel", .family = cpus[i].family, .model = cpus[i].model};
        if (smi_counter_present(&id) != cpus[i].has) fail_msg("family %u model %x", id.family, id.model);
        id.has_hypervisor = true;
        assert_false(smi_counter_present(&id));
    }
    fake_reset();
    assert_false(smi_counter_present(&(struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 0x1a}));
}
