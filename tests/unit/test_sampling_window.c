/* Which samples are the payload's, alone: borders of time and of code, and where the next overflow is. */
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/sampling_job.h"
#include "tests/unit/sampling_machine.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

/* Nothing is run here. */
void user_call(void *top, user_fn *bracket, void *code, void *arg, void *reading)
{
    (void)top, (void)bracket, (void)code, (void)arg, (void)reading;
}

enum { PAYLOADS = 0x1000, PAYLOADS_END = 0x2000, BRACKET = 0x1800, BACK = 0x1840, BRACKET_END = 0x1880 };

static const struct machine machine = {.payloads = PAYLOADS, .payloads_end = PAYLOADS_END};
static const struct pmu_code event;
static struct reading reading = {.tsc = {100, 200}};
static struct sample buffer[32];
static _Alignas(64) uint8_t records[4096];
static struct options opt;
static struct sampling out;
static struct job j;

/* ---- a driver ---- */

static uint32_t which;
static uint64_t left;
static unsigned stops;
static bool refuses;
static uint32_t overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    (void)pmu, (void)pmi;
    return which;
}
static void switching(const struct pmu *pmu, bool on, struct msr_list *out)
{
    (void)pmu, (void)out;
    if (!on) stops++;
}
static bool arm(struct pmu *pmu, unsigned counter, uint64_t events, char *why, size_t cap)
{
    (void)pmu, (void)counter, (void)why, (void)cap;
    left = events;
    return !refuses;
}
static const struct pmu_ops ops = {.overflowed = overflowed, .switching = switching, .arm = arm};
static struct pmu pmu = {.ops = &ops};
static struct cpu cpu = {.machine = &machine, .pmu = &pmu};

static void given(bool by_event)
{
    plug("p3", NULL);
    cpu.apic = m.apic;
    memset(&out, 0, sizeof out);
    opt = (struct options){.sample = by_event ? SAMPLE_BY_PMI : SAMPLE_BY_TIMER};
    j = (struct job){.opt = &opt, .cpu = &cpu, .out = &out, .event = by_event ? &event : NULL};
    j.x.reading = &reading;
    j.bracket_code = (struct bracket_code){.begin = BRACKET, .back = BACK, .end = BRACKET_END};
    out.samples = (struct samples){.at = buffer, .cap = N(buffer)};
    sampler_begin(&j.sampler, &out.samples, &cpu.apic);
    stops = 0;
    which = 0;
    left = 0;
    refuses = false;
}

static const struct {
    uint64_t tsc, ip;
    bool precise, in;
} cases[] = {
    {99, PAYLOADS, 0, 0},       {100, PAYLOADS, 0, 1},
    {199, PAYLOADS_END, 0, 1}, /* a late one: wherever the payload has gone on */
    {200, PAYLOADS, 0, 0},      {150, BRACKET - 1, 0, 1},
    {150, BRACKET, 0, 0},       {150, BACK - 1, 0, 0}, /* before its CALL */
    {150, BACK, 0, 1},                                 /* behind it */
    {0, PAYLOADS - 1, 1, 0},                           /* a precise one has no time */
    {0, PAYLOADS, 1, 1},        {0, PAYLOADS_END - 1, 1, 1},
    {0, PAYLOADS_END, 1, 0},    {0, BRACKET - 1, 1, 1},
    {0, BRACKET, 1, 0},         {0, BACK, 1, 0},
    {0, BRACKET_END - 1, 1, 0}, {0, BRACKET_END, 1, 1},
};

/* In two calls, of which the second looks at its own alone. */
TEST(borders)
{
    for (unsigned all = 0; all < 2; all++) {
        unsigned in = 0, kept = 0;
        given(false);
        opt.all = all;
        for (unsigned i = 0; i < N(cases); i++) {
            *j.sampler.next++ = (struct sample){.valid = cases[i].precise ? SAMPLE_PRECISE : SAMPLE_TSC,
                                                .tsc = cases[i].tsc,
                                                .ip = cases[i].ip,
                                                .data = i};
            if (i == N(cases) / 2) assert_true(sampling_close(&j));
        }
        assert_true(sampling_close(&j));
        for (unsigned i = 0; i < N(cases); i++) {
            in += cases[i].in;
            if (!cases[i].in && !all) continue;
            assert_int_equal(buffer[kept].data, i);
            assert_int_equal((buffer[kept].valid & SAMPLE_OUTSIDE) != 0, !cases[i].in);
            kept++;
        }
        assert_int_equal(out.samples.n, kept);
        assert_ptr_equal(j.sampler.next, buffer + kept);
        assert_true(out.inside == in && out.outside == N(cases) - in);
        assert_true(j.sampler.closed && stops == 0 && left == 0);
        sampler_off(&j.sampler);
    }
}

/* Drawn from the whole period by Knuth's generator; 1 where nothing else is possible. */
TEST(next_overflow)
{
    static const uint32_t periods[] = {1, 2, 3, 1000, INT32_MAX};
    for (unsigned i = 0; i < N(periods); i++) {
        uint32_t r = 1;
        given(true);
        j.random = 1;
        out.period = periods[i];
        for (unsigned k = 1; k <= 100; k++) {
            which = k <= 3; /* detected without their interrupts */
            assert_true(sampling_close(&j));
            r = r * 1664525u + 1013904223u;
            uint32_t expected = 1 + (uint32_t)((uint64_t)r * periods[i] / 0x100000000);
            if (expected == 1 && periods[i] > 1) expected = 2;
            assert_int_equal(left, expected);
            assert_int_equal(stops, k);
            assert_int_equal(out.unanswered, k < 3 ? k : 3);
            assert_int_equal(j.sampler.due, out.unanswered);
        }
        assert_int_equal(pmu.period[0], periods[i]);
        refuses = true;
        assert_false(sampling_close(&j));
        assert_int_equal(out.run.status, RUN_PMU);
        j.sampler.stopped = true; /* nothing is armed any more */
        left = 0;
        assert_true(sampling_close(&j));
        assert_true(left == 0 && stops == 101);
        sampler_off(&j.sampler);
    }
}

/* PEBS: by the instruction alone, whatever the time stamp. One that names the next instruction is the
 * payload's RET where that is the bracket's after the CALL. */
TEST(records_of_pebs)
{
    static const struct {
        uint64_t ip;
        bool next, in;
    } of[] = {{PAYLOADS - 1, 0, 0}, {PAYLOADS, 0, 1}, {BRACKET, 0, 0},     {BACK, 0, 0},
              {PAYLOADS, 1, 1},     {BACK, 1, 1},     {BACK + 1, 1, 0},    {BRACKET, 1, 0},
              {PAYLOADS_END, 1, 0}, {BACK - 1, 1, 0}, {PAYLOADS_END, 0, 0}};
    for (unsigned i = 0; i < N(of); i++) {
        given(true);
        opt.sample = SAMPLE_BY_PEBS;
        j.sampler.pebs = &j.pebs;
        pebs_plain(&j.pebs, 0, true);
        pebs_init(&j.pebs, records, 1, 2);
        opt.all = true;
        out.samples.n = 1;
        buffer[0] = (struct sample){
            .valid = SAMPLE_IP | SAMPLE_TSC | (of[i].next ? SAMPLE_NEXT : 0), .tsc = 150, .ip = of[i].ip};
        j.sampler.stopped = true; /* nothing is to be armed */
        assert_true(sampling_close(&j));
        assert_int_equal(out.inside, of[i].in);
        j.sampler.pebs = NULL;
        sampler_off(&j.sampler);
    }
}

/* A sample that moves up takes along what belongs to it. */
TEST(company)
{
    static struct branch branch[4 * BRANCHES_MOST];
    static uint64_t xmm[4][16][2];
    static uint64_t counts[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    given(false);
    out.samples.branch = branch;
    out.samples.xmm = xmm;
    out.samples.counts = counts;
    for (unsigned i = 0; i < 4; i++) {
        *j.sampler.next++ = (struct sample){.valid = SAMPLE_TSC, .tsc = i & 1 ? 150 : 99, .ip = PAYLOADS};
        for (unsigned k = 0; k < BRANCHES_MOST; k++) branch[i * BRANCHES_MOST + k].from = 100 * i + k;
        for (unsigned k = 0; k < 32; k++) xmm[i][k / 2][k % 2] = 1000 * i + k;
    }
    assert_true(sampling_close(&j));
    assert_int_equal(out.samples.n, 2);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < BRANCHES_MOST; k++)
            assert_int_equal(branch[i * BRANCHES_MOST + k].from, 100 * (2 * i + 1) + k);
        for (unsigned k = 0; k < 32; k++) assert_int_equal(xmm[i][k / 2][k % 2], 1000 * (2 * i + 1) + k);
        assert_true(counts[i][0] == 4 * i + 3 && counts[i][1] == 4 * i + 4);
    }
    sampler_off(&j.sampler);
}

/* What a pass comes to: late interrupts and unanswered overflows are outside of the payload. */
TEST(totals)
{
    for (unsigned k = 0; k < 4; k++) {
        const bool pebs = k & 1, stopped = k & 2;
        given(true);
        if (pebs) opt.sample = SAMPLE_BY_PEBS;
        out.inside = 10, out.outside = 5, out.unanswered = 2;
        out.samples.lost = 90;
        j.sampler.late = 3, j.sampler.lost = 4, j.sampler.drains = 7;
        j.sampler.stopped = stopped;
        for (unsigned again = 0; again < 2; again++) {
            sampling_off(&j);
            assert_true(out.inside == 10 && out.outside == 10 && out.late == 3 && out.storm == stopped);
            assert_int_equal(out.samples.lost, pebs ? 90 : 4);
            assert_int_equal(out.interrupts, pebs ? 7 : 10 + 5 + 3 + 4); /* unanswered ones did not come */
        }
    }
}

/* A pass begins with nothing, armed with the whole period; the drawn ones are its neighbours. */
TEST(begins)
{
    given(true);
    sampler_off(&j.sampler);
    out.inside = out.outside = out.unanswered = j.judged = 5;
    out.period = 1000;
    out.jitter = 100;
    opt.jitter_seed = 77;
    assert_true(sampling_on(&j));
    assert_true(out.inside + out.outside + out.unanswered + j.judged == 0 && left == 1000);
    assert_true(j.sampler.least == 900 && j.sampler.range == 201 && j.sampler.random == 77);
    assert_int_equal(*j.sampler.period, 1000);
    sampling_off(&j);
    out.jitter = 0;
    assert_true(sampling_on(&j));
    assert_int_equal(j.sampler.range, 0);
    sampling_off(&j);
    refuses = true;
    assert_false(sampling_on(&j));
    assert_int_equal(out.run.status, RUN_PMU);
    sampling_off(&j);
}

/* A timer is waited for: a second, or as long as the pass without interrupts took if that is longer. */
TEST(answers)
{
    static const uint64_t cases[][3] = {
        {100000, 0, 100000}, {100000, 300000, 300000}, {300000, 100000, 300000}};
    for (unsigned i = 0; i < N(cases); i++) {
        given(false);
        j.ticks = REPEAT_S * cases[i][0];
        out.tsc[0] = cases[i][1];
        const uint64_t begun = hw_rdtsc();
        assert_false(sampling_timer_answers(&j));
        assert_in_range(hw_rdtsc() - begun, cases[i][2], cases[i][2] + cases[i][2] / 10);
        j.sampler.late = 1;
        const uint64_t again = hw_rdtsc();
        assert_true(sampling_timer_answers(&j));
        assert_true(hw_rdtsc() - again < cases[i][2] / 10);
        assert_int_equal(j.sampler.late, 0);
        sampler_off(&j.sampler);
    }
}
