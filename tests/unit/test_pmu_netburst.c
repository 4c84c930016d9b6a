/* NetBurst's event words: every event by name, its unit masks and routes, and what each modifier becomes. */
#include "tests/unit/netburst_machines.h"
#include <ctype.h>
#include <stdlib.h>

/* ---- tables ---- */

static const struct pmu_event *named(const char *name)
{
    const struct pmu_event *e;
    char lower[64] = "";
    for (unsigned i = 0; name[i]; i++) lower[i] = (char)tolower(name[i]);
    for (unsigned i = 0; (e = pmu_event_at(&pmu, i)) && strcmp(e->name, lower) != 0; i++) {
    }
    return e;
}

/* Every event of the manual, each of its masks by name, and nothing else. */
static void events(void **state)
{
    (void)state;
    const struct pmu_event *e;
    unsigned rows = 0;
    while (pmu_event_at(&pmu, rows)) rows++;
    assert_int_equal(rows, N(nb_events) + N(nb_metrics) + 1); /* x87_simd_moves_uop */
    for (unsigned k = 0; k < N(nb_events); k++) {
        const struct nb_event *want = &nb_events[k];
        unsigned all = 0, masks = 0;
        e = named(want->name);
        if (!e) fail_msg("%s is missing", want->name);
        assert_int_equal(e->counters, want->counters);
        assert_int_equal((e->code & NB_TI) != 0, want->ti);
        for (const char *m = want->masks; m; m = strchr(m, ',') ? strchr(m, ',') + 1 : NULL, masks++) {
            char word[100], *end;
            unsigned bit = (unsigned)strtoul(m, &end, 10);
            all |= 1u << bit;
            if (strstr(want->name, "IOQ")) continue; /* fields: see below */
            snprintf(word, sizeof word, "NetBurst::%s:%.*s", want->name, (int)strcspn(end + 1, ","), end + 1);
            ACCEPTS(word, want->select << 25 | 1u << bit << 9 | 0xc, 0x30000 | want->esel << 13,
                    want->counters & ~2u);
        }
        assert_int_equal(e->umask & ~all, 0);
        assert_true(e->umask);
        unsigned own = 0;
        for (unsigned i = 0; i < PMU_NETBURST_UMASKS; i++) own += pmu_netburst_umasks[i].set == e->umasks;
        assert_int_equal(own, masks);
        for (unsigned c = 0; c < 18; c++) /* and it is counted through its ESCRs */
            if (want->counters >> c & 1) {
                unsigned msr = escr_of(c, want->esel << 13);
                assert_true(msr && (msr == want->escr[0] || msr == want->escr[1]));
                assert_int_equal(pmu_netburst_escr(c, want->esel), msr - 0x3a0);
            }
    }
    ACCEPTS("x87_simd_moves_uop", 0x2eu << 25 | 0x18 << 9 | 0xc, 0x32000, 0xf00);
    ACCEPTS("ioq_allocation", 0x0600000cu | 0xafe1 << 9, 0x3c000, 0xd);
    ACCEPTS("ioq_allocation:all_read:mem_uc:other", 0x0600000cu | 0xc0a1 << 9, 0x3c000, 0xd);
    ACCEPTS("ioq_active_entries:own", 0x3400000cu | 0xafe1 << 9, 0x3c000, 0xc);
}

static void routing(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 18; c++)
        for (unsigned e = 0; e < 8; e++) {
            unsigned want = escr_of(c, e << 13);
            assert_int_equal(pmu_netburst_escr(c, e), want ? (int)want - 0x3a0 : -1);
        }
}

static void metrics(void **state)
{
    (void)state;
    for (unsigned k = 0; k < N(nb_metrics); k++) {
        const struct nb_metric *m = &nb_metrics[k];
        char word[80];
        ACCEPTS(m->name, m->down << 25 | 1 << 9 | 0xc, 0x3a000u | 0x30000, 0x3f000);
        assert_int_equal((uint32_t)got.code.select2, m->enable);
        assert_int_equal(got.code.select2 >> 32 & 0xff, m->vert);
        snprintf(word, sizeof word, "%s:bogus:u", m->name);
        ACCEPTS(word, m->down << 25 | (m->down == 0x0c ? 0x10 : 2) << 9 | 4, 0x3a000u | 0x30000, 0x3f000);
        snprintf(word, sizeof word, "%s:0x3", m->name);
        ACCEPTS(word, m->down << 25 | (m->down == 0x0c ? 0x11 : 3) << 9 | 0xc, 0x3a000u | 0x30000, 0x3f000);
        static const unsigned other[] = {0, 4, 0x10, 0x11, 0xf, 0xffff}; /* nothing that a metric has */
        for (unsigned i = 0; i < N(other); i++) {
            snprintf(word, sizeof word, "%s:0x%x", m->name, other[i]);
            REFUSES(word, "mask of 1 (nbogus), 2 (bogus) or 3");
        }
        code(m->name);
        unsigned row = (unsigned)(got.code.select2 >> 40 & 0xff) - 1;
        assert_int_equal(row, k);
        const struct netburst_upstream *up = &pmu_netburst_upstream[row];
        assert_int_equal((uint32_t)up->select << 25 | (uint32_t)up->mask << 9, m->upstream);
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(up->sides >> side & 1 ? 0x3a0 + up->escr + side : 0, m->escr[side]);
    }
}

/* Models 3, 4 and 6 have instr_completed; IOQ_allocation has one ESCR below F27h. */
static void models(void **state)
{
    (void)state;
    static const struct {
        unsigned model, stepping;
        const char *name;
        bool completed, both, extended;
    } want[] = {{0, 7, "Pentium 4 (Willamette)", false, false, false},
                {1, 2, "Pentium 4 (Willamette)", false, false, false},
                {2, 4, "Pentium 4 (Northwood)", false, false, true},
                {2, 7, "Pentium 4 (Northwood)", false, true, true},
                {3, 3, "Pentium 4 (Prescott)", true, true, true},
                {4, 1, "Pentium 4 (Prescott)", true, true, true},
                {6, 2, "Pentium 4 (Cedar Mill)", true, true, true}};
    for (unsigned i = 0; i < N(want); i++) {
        plug(want[i].model, want[i].stepping);
        assert_string_equal(pmu.ops->family, "NetBurst");
        assert_string_equal(pmu.model, want[i].name);
        assert_int_equal(pmu.counters, 18);
        assert_int_equal(pmu.width, 40);
        assert_int_equal(pmu.usable, 0x3fffd);
        assert_int_equal(pmu.state[1], COUNTER_UNRELIABLE);
        assert_string_equal(pmu_state_text(pmu.state[1]), "unreliable");
        assert_true(pmu.rdpmc && pmu.user_rdpmc && pmu.fast_rdpmc && pmu.lbr && pmu.ds && pmu.pebs);
        assert_false(pmu.dtes64);
        for (unsigned c = 0; c < 18; c++) assert_int_equal(pmu.counter_msr[c], CTR0 + c);
        assert_int_equal(named("instr_completed") != NULL, want[i].completed);
        assert_int_equal(code("ioq_allocation").counters, want[i].both ? 0xd : 0x1);
        assert_int_equal(pmu_netburst_cascade(&pmu, 16, 12) != 0, want[i].extended);
        if (!want[i].completed) REFUSES("instr_completed", "another model");
        for (unsigned escr = 0x3ba; escr < 0x3bc; escr++) { /* up to model 2 */
            char word[40];
            snprintf(word, sizeof word, "/event=1,umask=1,escr=%#x/", escr);
            if (want[i].model < 3)
                ACCEPTS(word, 0x0200020c, 0x30000, escr == 0x3ba ? 0x13000 : 0x2c000);
            else
                REFUSES(word, "of this CPU");
        }
    }
    struct cpu_id id = intel(5, 1), amd = intel(4, 1);
    strcpy(amd.vendor, "AuthenticAMD");
    assert_false(pmu_probe(&id, &pmu));
    assert_false(pmu_netburst_ops.detect(&amd, &pmu));
}

/* 1A0h: b7 says whether there are counters, b12 that there is no PEBS; CPUID.1 whether there is a DS area. */
static void features(void **state)
{
    (void)state;
    struct cpu_id id = intel(3, 4);
    id.f1_ecx = 1u << 2;
    machine(3);
    fake_pmu_msr(MISC, 0x1080);
    assert_true(pmu_probe(&id, &pmu));
    assert_true(pmu.ds && pmu.dtes64 && !pmu.pebs);
    assert_int_equal(pmu.usable, 0x3fffd);

    id.f1_edx = 0;
    machine(3);
    assert_true(pmu_probe(&id, &pmu));
    assert_false(pmu.ds || pmu.pebs);

    machine(3);
    fake_pmu_msr(MISC, 1);
    assert_true(pmu_probe(&id, &pmu));
    assert_int_equal(pmu.counters, 0);
    assert_int_equal(pmu.usable, 0);
    fake_pmu_clear_log();
    pmu.ops->release(&pmu);
    fake_pmu_assert_log(NULL, 0);
}

/* ---- modifiers ---- */

static void modifiers(void **state)
{
    (void)state;
    ACCEPTS("instr_retired:nbogusntag", 0x0400020c, 0x38000, 0x3f000);
    ACCEPTS("netburst::instr_retired:NBOGUSNTAG:u", 0x04000204, 0x38000, 0x3f000);
    ACCEPTS("instr_retired:nbogusntag:k", 0x04000208, 0x38000, 0x3f000);
    ACCEPTS("instr_retired:0x5:t0", 0x04000a0c, 0x38000, 0x3f000);
    ACCEPTS("global_power_events:thr=15:cmpl", 0x2600020c, 0xffc000, 0xd);
    ACCEPTS("uops_retired:thr=2", 0x0200020c, 0x278000, 0x3f000);
    ACCEPTS("uops_retired:thr=0", 0x0200020c, 0x78000, 0x3f000);
    ACCEPTS("machine_clear:edge", 0x0400020c, 0x107a000, 0x3f000);
    ACCEPTS("uops_retired:edge:thr=1:cmpl:force_ovf", 0x0200020c, 0x31f8000, 0x3f000);
    ACCEPTS("packed_sp_uop:tag=5", 0x110000bc, 0x32000, 0xf00);
    ACCEPTS("packed_sp_retired:tag=5:nbogus:bogus", 0x1800000cu | 0x55 << 9, 0x3a000, 0x3f000);
    ACCEPTS("cycles", 0x2600020c, 0x3c000, 0xd);
    ACCEPTS("cycles:u", 0x26000204, 0x3c000, 0xd);
    ACCEPTS("instructions", 0x0400060c, 0x38000, 0x3f000);
    ACCEPTS("branches", 0x0c001e0c, 0x3a000, 0x3f000);
    ACCEPTS("cache-misses", 0x1800000cu | 0x700 << 9, 0x3e000, 0xd);
    ACCEPTS("/event=2,umask=1,escr=0x3b8/", 0x0400020c, 0x38000, 0x13000);
    ACCEPTS("/event=2,umask=1,escr=0x3b9,thr=1,edge/u", 0x04000204, 0x1178000, 0x2c000);

    REFUSES("instr_retired:cmask=1", "thr=");
    REFUSES("instr_retired:inv", "thr=");
    REFUSES("/clocks/", "cycles");
    REFUSES("instr_retired:cmpl", "thr=");
    REFUSES("instr_retired:thr=16", "15");
    REFUSES("instr_retired:thr=x", "number");
    REFUSES("instr_retired:thr", "number");
    REFUSES("instr_retired:edge=1", "no value");
    REFUSES("instr_retired:0x10000", "0xffff");
    REFUSES("instr_retired:t1", "Hyper-Threading");
    REFUSES("instr_retired:active=1", "Hyper-Threading");
    REFUSES("instr_retired:tag=1", "packed, scalar");
    REFUSES("sse_input_assist:tag=1", "packed, scalar");
    REFUSES("packed_sp_uop:tag=0", "1 to 15");
    REFUSES("packed_sp_uop:tag=16", "1 to 15");
    REFUSES("instr_retired:bogus", "it has nbogusntag, nbogustag, bogusntag, bogustag");
    REFUSES("/event=2/", "escr=");
    REFUSES("r0102", "escr=");
    REFUSES("/event=0x40,escr=0x3b8/", "0x3f");
    REFUSES("/event=2,escr=0x3bf/", "escr=");
    REFUSES("/event=2,escr=0x39f/", "escr=");          /* one below: no pair is there either */
    REFUSES("/event=0,umask=1,escr=0x3b8/", "from 1"); /* no event: nothing counts */
    REFUSES("/event=2,escr=0x3d0/", "escr=");
    REFUSES("/event=2,any/", "thr=, cmpl, force_ovf, active=, t0, t1, tag=, escr=");
    REFUSES("p6::inst_retired", "netburst::");
    REFUSES("instr_retird", "no event");
    assert_string_equal(got.near, "instr_retired");
    REFUSES("instr_retired+>uops_retired", "two events");
}

/* Facts 3.7: what IOQ and BSQ events ignore is refused. */
static void bus_queues(void **state)
{
    (void)state;
    for (unsigned stepping = 4; stepping < 10; stepping += 3) { /* F24h, F27h */
        plug(2, stepping);
        static const char *const active[] = {"ioq_active_entries:edge", "ioq_active_entries:thr=1:edge",
                                             "bsq_active_entries:edge"};
        for (unsigned k = 0; k < N(active); k++) REFUSES(active[k], "no edge");
        REFUSES("ioq_active_entries:u", "ignores privilege");
        REFUSES("ioq_active_entries:own:k", "ignores privilege");
        ACCEPTS("ioq_active_entries:uk", 0x3400000cu | 0xafe1 << 9, 0x3c000, 0xc);
        ACCEPTS("bsq_active_entries:0x40:u", 0x0c000004u | 0x40 << 9, 0x3e000, 0xc);
        ACCEPTS("bsq_allocation:0x40:edge:k", 0x0a000008u | 0x40 << 9, 0x107e000, 0x1);
        ACCEPTS("ioq_allocation:edge", 0x0600000cu | 0xafe1 << 9, 0x107c000, stepping < 7 ? 0x1 : 0xd);
        if (stepping < 7) {
            REFUSES("ioq_allocation:u", "ignores privilege");
            REFUSES("ioq_allocation:k", "ignores privilege");
        } else {
            ACCEPTS("ioq_allocation:u", 0x06000004u | 0xafe1 << 9, 0x3c000, 0xd);
        }
    }
}

/* Table 18-67 and 18.16.2: bits 3:2 are thread 0's, 1:0 thread 1's. */
static void hyper_threading(void **state)
{
    (void)state;
    for (unsigned apic = 0; apic < 2; apic++) {
        unsigned own = apic ? 0 : 2;
        threads(apic);
        ACCEPTS("uops_retired", 0x02000200 | 3u << own, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:u", 0x02000200 | 1u << own, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t0:k", 0x02000208, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t1:u", 0x02000201, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t0:t1", 0x0200020f, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:active=0", 0x02000200 | 3u << own, 0x08000, 0x3f000);
        ACCEPTS("uops_retired:active=1", 0x02000200 | 3u << own, 0x18000, 0x3f000);
        ACCEPTS("page_walk_type:t0:t1", 0x0200060f, 0x38000, 0xd);
        REFUSES("page_walk_type:t1", "thread-independent");
        REFUSES("uops_retired:active=4", "active to 3");

        struct pmu_code c = code("uops_retired");
        assert_true(program_one(&c, 12) && arm(12, 100));
        assert_int_equal(pmu.armed[12] >> 26 & 3, 1u << apic); /* OVF_PMI of the thread */
    }
}

/* CPUID.1:EBX[23:16] counts the package's logical processors, leaf 4 its cores. A Pentium D (model 4 or 6)
 * has two cores without Hyper-Threading; the Extreme Edition has both. */
static void two_cores(void **state)
{
    (void)state;
    for (unsigned apic = 0; apic < 4; apic++)
        for (unsigned logical = 2; logical < 5; logical += 2) {
            struct cpu_id id = intel(4, 4);
            id.f1_edx |= 1u << 28;
            id.f1_ebx = apic << 24 | logical << 16;
            id.f4_eax = 1u << 26 | 0x121;
            machine(4);
            assert_true(pmu_probe(&id, &pmu));
            if (logical == 4) {
                ACCEPTS("uops_retired", 0x02000200 | 3u << (apic & 1 ? 0 : 2), 0x38000, 0x3f000);
                continue;
            }
            ACCEPTS("uops_retired", 0x0200020c, 0x38000, 0x3f000);
            REFUSES("uops_retired:t1", "Hyper-Threading");
            REFUSES("uops_retired:active=1", "Hyper-Threading");
        }
}

/* ---- texts ---- */

static void texts(void **state)
{
    (void)state;
    const struct pmu_event *e;
    for (unsigned i = 0; (e = pmu_event_at(&pmu, i)); i++) {
        assert_true(e->desc[0] && strlen(e->desc) < 60);
        assert_int_equal(strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(e->name));
        code(e->name);
    }
    for (unsigned i = 0; i < PMU_NETBURST_UMASKS; i++) {
        const struct pmu_umask *u = &pmu_netburst_umasks[i];
        assert_true(u->value && u->field < 5);
        assert_true(u->name[strspn(u->name, "uk")]);
    }
    /* facts 3.7: a factor of two; the Optimization manual, table B-2: overcounts */
    assert_non_null(strstr(named("bsq_cache_reference")->desc, "half to twice"));
    assert_non_null(strstr(named("retired_branch_type")->desc, "too many"));
    /* what one source alone says, or sources say differently */
    static const char *const routed[] = {"b2b_cycles", "bnr", "snoop", "response"};
    for (unsigned i = 0; i < N(routed); i++)
        assert_non_null(strstr(named(routed[i])->desc, "routing unconfirmed"));
    assert_non_null(strstr(named("x87_simd_moves_uop")->desc, "undocumented"));
    assert_non_null(strstr(named("x87_simd_memory_moves_retired")->desc, "undocumented"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(events, prescott),
        cmocka_unit_test_setup(routing, prescott),
        cmocka_unit_test_setup(metrics, willamette),
        cmocka_unit_test(models),
        cmocka_unit_test(features),
        cmocka_unit_test_setup(modifiers, northwood),
        cmocka_unit_test(bus_queues),
        cmocka_unit_test(hyper_threading),
        cmocka_unit_test(two_cores),
        cmocka_unit_test_setup(texts, prescott),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
