/* NetBurst's event words: every event by name, its unit masks and routes. */
#include "tests/unit/netburst_machines.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

/* ---- tables ---- */

static const struct pmu_event *named(const char *name)
{
    const struct pmu_event *e;
    char lower[64] = "";
    for (unsigned i = 0; name[i]; i++) lower[i] = (char)tolower(name[i]);
    for (e = NULL; (e = pmu_event_next(&pmu, e)) && strcmp(e->name, lower) != 0;) {
    }
    return e;
}

/* Every event of the manual, each of its masks by name, and nothing else. */
TEST_WITH(events, prescott, NULL)
{
    const struct pmu_event *e;
    unsigned rows = 0;
    for (e = NULL; (e = pmu_event_next(&pmu, e));) rows++;
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
        assert_int_equal(own, masks + (strstr(want->name, "IOQ") ? 5 : 0)); /* libpfm4's TYPE_BIT0 to 4 */
        for (unsigned side = 0; side < 2; side++) { /* by its code and each of its ESCRs */
            char word[48];
            uint32_t counters = 0;
            if (!want->escr[side]) continue;
            for (unsigned c = 0; c < 18; c++)
                if (escr_of(c, want->esel << 13) == want->escr[side]) counters |= 1u << c;
            snprintf(word, sizeof word, "/event=%u,umask=1,escr=%#x/", want->select, want->escr[side]);
            ACCEPTS(word, want->select << 25 | 0x20c, 0x30000 | want->esel << 13, counters & ~2u);
        }
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
    ACCEPTS("ioq_allocation:type_bit1:type_bit4", 0x0600000cu | 0xaff2 << 9, 0x3c000, 0xd);
    ACCEPTS("ioq_active_entries:own", 0x3400000cu | 0xafe1 << 9, 0x3c000, 0xc);
}

/* What a word without a mask counts: all that an event can, or only what is named here: of what retires,
 * that which is not bogus; of bus transactions, the processor's own; of requests, demand reads of whole lines
 * of write-back memory, type 6. */
TEST_WITH(defaults, prescott, NULL)
{
    static const struct {
        const char *event, *masks;
    } part[] = {
        {"instr_retired", "nbogusntag,nbogustag"},
        {"front_end_event", "nbogus"},
        {"execution_event", "nbogus0,nbogus1,nbogus2,nbogus3"},
        {"replay_event", "nbogus"},
        {"uops_retired", "nbogus"},
        {"instr_completed", "nbogus"},
        {"machine_clear", "clear"},
        {"ioq_allocation", "default,all_read,all_write,mem_uc,mem_wc,mem_wt,mem_wp,mem_wb,own,prefetch"},
        {"ioq_active_entries", "default,all_read,all_write,mem_uc,mem_wc,mem_wt,mem_wp,mem_wb,own,prefetch"},
        {"bsq_allocation", "req_len0,req_len1,req_cache_type,req_dem_type,req_ord_type,mem_type1,mem_type2"},
        {"bsq_active_entries",
         "req_len0,req_len1,req_cache_type,req_dem_type,req_ord_type,mem_type1,mem_type2"},
    };
    for (unsigned row = 0; row < PMU_NETBURST_EVENTS - N(nb_metrics); row++) { /* of all models */
        const struct pmu_event *e = &pmu_netburst_events[row];
        const struct nb_event *manual = nb_events;
        const char *masks = NULL;
        uint32_t want = 0;
        while (manual < nb_events + N(nb_events) && strcasecmp(manual->name, e->name) != 0) manual++;
        if (manual == nb_events + N(nb_events)) continue; /* x87_simd_moves_uop, see above */
        assert_int_equal(e->code & 0x3f, manual->select);
        assert_int_equal(e->code >> 8 & 7, manual->esel);
        for (unsigned i = 0; i < N(part); i++)
            if (strcmp(part[i].event, e->name) == 0) masks = part[i].masks;
        for (const char *m = manual->masks; m; m = strchr(m, ',') ? strchr(m, ',') + 1 : NULL) {
            char *name;
            const unsigned bit = (unsigned)strtoul(m, &name, 10);
            const size_t len = strcspn(++name, ",");
            bool in = !masks;
            for (const char *d = masks; d && !in; d = strchr(d, ',') ? strchr(d, ',') + 1 : NULL)
                in = strcspn(d, ",") == len && strncasecmp(d, name, len) == 0;
            if (in) want |= 1u << bit;
        }
        if (e->umask != want) fail_msg("%s: 0x%x, not 0x%x", e->name, e->umask, want);
    }
}

/* A name replaces what the default has in its field (table 19-28: request type, read or write, memory type,
 * agent, prefetch) and leaves the other fields. */
TEST_WITH(fields_of_ioq, prescott, NULL)
{
    static const char *const names[16] = {
        "default", "type_bit1", "type_bit2", "type_bit3", "type_bit4", "all_read", "all_write", "mem_uc",
        "mem_wc",  "mem_wt",    "mem_wp",    "mem_wb",    NULL,        "own",      "other",     "prefetch"};
    static const uint32_t fields[] = {0x1f, 0x60, 0xf80, 0x6000, 0x8000};
    for (unsigned bit = 0; bit < 16; bit++) {
        char word[48];
        uint32_t want = 0xafe1;
        if (!names[bit]) continue;
        for (unsigned f = 0; f < N(fields); f++)
            if (fields[f] >> bit & 1) want = (want & ~fields[f]) | 1u << bit;
        snprintf(word, sizeof word, "ioq_allocation:%s", names[bit]);
        ACCEPTS(word, 0x0600000cu | want << 9, 0x3c000, 0xd);
    }
    ACCEPTS("ioq_allocation:type_bit0", 0x0600000cu | 0xafe1 << 9, 0x3c000, 0xd);
}

TEST_WITH(routing, prescott, NULL)
{
    for (unsigned c = 0; c < 18; c++)
        for (unsigned e = 0; e < 8; e++) {
            unsigned want = escr_of(c, e << 13);
            assert_int_equal(pmu_netburst_escr(c, e), want ? (int)want - 0x3a0 : -1);
        }
}

TEST_WITH(metrics, willamette, NULL)
{
    for (unsigned k = 0; k < N(nb_metrics); k++) {
        const struct nb_metric *m = &nb_metrics[k];
        char word[80];
        ACCEPTS(m->name, m->down << 25 | 1 << 9 | 0xc, 0x3a000u | 0x30000, 0x3f000);
        assert_int_equal(got.code.netburst.pebs_enable, m->enable);
        assert_int_equal(got.code.netburst.pebs_matrix, m->vert);
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
        unsigned row = got.code.netburst.upstream - 1u;
        assert_int_equal(row, k);
        const struct netburst_upstream *up = &pmu_netburst_upstream[row];
        assert_int_equal((uint32_t)up->select << 25 | (uint32_t)up->mask << 9, m->upstream);
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(up->sides >> side & 1 ? 0x3a0 + up->escr + side : 0, m->escr[side]);
    }
}

/* Every ESCR that an upstream event may have is what its block's counters reach by its ESEL; rows that need
 * none are empty. The companions' events are those that the manual's table 19-28 tells to program too. */
TEST_WITH(upstreams, prescott, NULL)
{
    for (unsigned row = 0; row < NB_UPSTREAMS; row++) {
        const struct netburst_upstream *up = &pmu_netburst_upstream[row];
        unsigned reached = 0;
        for (unsigned c = 0; c < 18; c++) {
            const int escr = pmu_netburst_escr(c, up->esel);
            if (NB_BLOCK(c) == up->block && escr >> 1 == up->escr >> 1) reached |= 1u << (escr & 1);
        }
        assert_int_equal(up->sides & ~reached, 0);
        if (!up->sides) assert_int_equal(up->escr | up->block | up->esel | up->select | up->mask, 0);
        if (row < NB_METRICS) continue;
        const struct pmu_event *with = named(row == NB_METRICS ? "ioq_allocation" : "bsq_allocation");
        assert_int_equal(up->select, with->code & 0x3f);
        assert_int_equal(up->esel, with->code >> 8 & 7);
        assert_int_equal(up->sides, 1); /* ESCR0 */
        assert_true(up->vert == 0 && up->enable == 0 && up->mask == NB_SAME_MASK);
    }
}

/* Models 3, 4 and 6 have instr_completed; IOQ_allocation has one ESCR below F27h. */
TEST(models)
{
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
    struct cpu_id amd = intel(4, 1);
    strcpy(amd.vendor, "AuthenticAMD");
    static const unsigned none[] = {5, 7, 8, 255};
    for (unsigned i = 0; i < N(none); i++) {
        struct cpu_id id = intel(none[i], 1);
        assert_false(pmu_probe(&id, &pmu));
    }
    assert_false(pmu_netburst_ops.detect(&amd, &pmu));
}

/* 1A0h: b7 says whether there are counters, b12 that there is no PEBS; CPUID.1 whether there is a DS area. */
TEST(features)
{
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

/* ---- texts ---- */

TEST_WITH(texts, prescott, NULL)
{
    const struct pmu_event *e;
    for (e = NULL; (e = pmu_event_next(&pmu, e));) {
        assert_true(e->desc[0] && strlen(e->desc) < 60);
        assert_int_equal(strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(e->name));
        code(e->name);
    }
    for (unsigned i = 0; i < PMU_NETBURST_UMASKS; i++) {
        const struct pmu_umask *u = &pmu_netburst_umasks[i];
        assert_true(u->value && u->field < 5);
        assert_true(u->name[strspn(u->name, "uk")]);
        bool before = !u->field; /* fields of a set count up from 0 */
        for (unsigned k = 0; k < i; k++)
            before |= pmu_netburst_umasks[k].set == u->set && pmu_netburst_umasks[k].field + 1 >= u->field;
        assert_true(before);
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
