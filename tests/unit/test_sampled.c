/* From a sampling run to its result: costs, doubts and profiles, and what is there when memory ends. */
#include "kernel/model.h"
#include "measure/sampled.h"
#include "pmu/lbr.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/profile_samples.h"
#include "tests/unit/unit.h"

static struct pmu pmu = {.pebs_before = true};
static const struct cpu cpu = {
    .pmu = &pmu,
    .caches = {.c = {{.level = 1, .kind = CACHE_DATA, .bytes = 8192, .line = 64, .ways = 4}}, .n = 1}};
static const struct bench bench = {.program = {.name = "l1_profile"},
                                   .target = (void *)(uintptr_t)0x080484c3};
static const struct plan_item item = {.bench = &bench};

/* 800 precise samples; 790 interrupts in the payload's time, and 10 lost. */
static struct sampling sampling(enum sampling_by by)
{
    take_table_1();
    return (struct sampling){.by = by,
                             .event = "misses",
                             .samples = samples,
                             .inside = samples.n,
                             .interrupts = 1000,
                             .late = 200,
                             .period = 99999,
                             .wanted = 1000,
                             .tsc = {1000000, 1016200},
                             .counted = true,
                             .instructions = {100, 8100},
                             .run = {.item = &item}};
}

TEST_WITH(costs, prepare, NULL)
{
    struct sampled r;
    struct sampling s = sampling(SAMPLE_BY_PMI);
    s.samples.lost = 10;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.cost_known && r.counted);
    assert_true(r.handler_tsc == 20);          /* of 810 */
    assert_true(r.handler_instructions == 10); /* of 800: not of the late ones */
    assert_true(r.handler_share == 16200 / 1016200.0);
    s.by = SAMPLE_BY_PEBS;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.handler_tsc == 16.2 && r.handler_instructions == 8); /* of 1,000 */
    s.by = SAMPLE_BY_IBS;
    s.dropped = 90; /* interrupts as well */
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.handler_tsc == 18);
    s.counted = false;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.cost_known && !r.counted);
    s.storm = true;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.cost_known);
    s.storm = false;
    const struct samples some = s.samples;
    s.samples.n = s.samples.lost = 0; /* none came in the payload */
    s.inside = 0;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.cost_known);
    s.samples = some;
    s.interrupts = 0;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.cost_known);
}

TEST_WITH(doubts, prepare, NULL)
{
    struct sampled r;
    struct sampling s = sampling(SAMPLE_BY_PMI);
    s.hoped = true;
    s.wanted = 1600;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.few || r.heavy);
    s.wanted = 1601;
    s.tsc[1] = 1112000; /* 10.07 % more */
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.few && r.heavy);
    s.hoped = false;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.few);
    s.hoped = s.storm = true;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.few || r.heavy);
}

TEST_WITH(profiles, prepare, NULL)
{
    struct sampled r;
    struct sampling s = sampling(SAMPLE_BY_PEBS);
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.by_ip && r.by_data);
    assert_int_equal(r.ip.n, 1);
    assert_true(r.ip.place[0].has_target && r.ip.place[0].bytes == 0);
    assert_true(r.ip.place[0].decoded && r.ip.place[0].instructions == 0);
    assert_false(r.ip.place[0].named);
    assert_int_equal(r.data.n, 8);
    assert_null(r.data.place);
    assert_int_equal(r.deduction.verdict, DEDUCE_CONFLICT);
    assert_int_equal(r.deduction.period, 99999);
    assert_int_equal(r.figures.n, 0); /* it is no experiment */
    s.jitter = 5;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_int_equal(r.deduction.period, 0); /* which no warning comes of */
    s.by = SAMPLE_BY_PMI;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.by_ip && !r.by_data);
}

/* A negative distance, in instructions of two bytes. */
TEST_WITH(places, prepare, NULL)
{
    struct sampled r;
    struct sampling s = sampling(SAMPLE_BY_PMI);
    take_none();
    take(0x080484c3 - 4);
    s.samples = samples;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.ip.place[0].bytes == -4 && r.ip.place[0].instructions == -2);
}

/* The payload's own code; where it is not in the code that can be decoded, nothing but its address. */
TEST_WITH(code_of_payload, prepare, NULL)
{
    struct sampled r;
    struct bench here = bench;
    const struct plan_item of_here = {.bench = &here};
    struct sampling s = sampling(SAMPLE_BY_PMI);
    s.run.item = &of_here;
    for (unsigned outside = 0; outside < 2; outside++) {
        const uintptr_t at = (uintptr_t)article.base + (outside ? sizeof bytes : 10);
        here.program.payload = (payload_fn *)at;
        assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
        assert_true(r.code.address == at && r.code.long_mode == article.long_mode);
        assert_int_equal(r.code.size, outside ? 0 : sizeof bytes - 10);
        assert_ptr_equal(r.code.bytes, outside ? NULL : bytes + 10);
    }
}

/* Registers from after the instruction, which has overwritten the one of the address. */
TEST_WITH(registers_after, prepare, NULL)
{
    struct sampled r;
    const struct sampling s = sampling(SAMPLE_BY_PEBS);
    pmu.pebs_before = false;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    pmu.pebs_before = true;
    assert_true(r.by_data && r.data.n == 0 && r.data.unknown == 800);
}

/* What there was room for is kept. */
TEST_WITH(memory_ends, prepare, NULL)
{
    struct sampled r;
    const struct sampling s = sampling(SAMPLE_BY_PEBS);
    const size_t ip = 800 * sizeof(uint64_t) + sizeof(struct profile_line) + sizeof(struct profile_place);
    arena.size = ip - 1;
    assert_false(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.by_ip || r.by_data);
    assert_true(r.cost_known);
    arena = (struct arena){memory, ip + 800 * sizeof(uint64_t), 0};
    assert_false(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.by_ip && !r.by_data);
    assert_int_equal(r.figures.n, 0);
}

static struct sample *op(uint64_t ip, uint64_t data, unsigned level)
{
    struct sample *s = take(ip);
    s->valid |= SAMPLE_PRECISE | SAMPLE_RETIRE;
    s->retire = 9;
    if (!data) return s; /* no access */
    s->valid |= SAMPLE_DATA | (level ? SAMPLE_LEVEL : 0);
    s->data = data;
    s->level = (uint8_t)level;
    return s;
}

/* IBS: ops that are no accesses are in the profile by instruction alone; the deduction is of misses, where
 * levels tell them from hits. */
TEST_WITH(tagged_ops, prepare, NULL)
{
    struct sampled r;
    struct sampling s = sampling(SAMPLE_BY_IBS);
    take_none();
    for (unsigned i = 0; i < 80; i++) op(0x080484c3, 0x8000 + i % 8 * 0x2000, LEVEL_L2);
    for (unsigned i = 0; i < 500; i++) op(ip_behind(1), 0x100, LEVEL_L1);
    for (unsigned i = 0; i < 20; i++) op(ip_behind(2), 0, 0);
    s.samples = samples;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_int_equal(r.ip.samples, 600);
    assert_true(r.by_data && r.by_level && r.deduced);
    assert_int_equal(r.data.samples, 580);
    assert_int_equal(r.data.n, 9);
    assert_int_equal(r.deduction.addresses, 8);
    assert_int_equal(r.deduction.left_out, 1); /* which was hit, though it has most samples */
    assert_int_equal(r.deduction.verdict, DEDUCE_CONFLICT);
    assert_int_equal(r.deduction.period, 0); /* of ops, not of misses */
    assert_int_equal(r.memory.samples, 600);
    assert_int_equal(r.memory.all.samples, 580);
    assert_int_equal(r.memory.level[LEVEL_L2].samples, 80);
    assert_int_equal(r.memory.level[LEVEL_L2].retire.median, 9);
    take_none();
    for (unsigned i = 0; i < 20; i++) op(ip_behind(1), 0x100, LEVEL_L1);
    s.samples = samples;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.by_data && !r.deduced); /* hits alone */
    take_none();
    for (unsigned i = 0; i < 20; i++) op(ip_behind(1), 0x100, 0);
    s.samples = samples;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_true(r.by_data && !r.by_level && !r.deduced); /* hits or misses: nobody knows */
    s.by = SAMPLE_BY_IBS_FETCH;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.by_data);
}

/* A model without TLBs records that one had each page: this is no finding. */
TEST_WITH(model_without_tlbs, prepare, NULL)
{
    static const struct fake_cpuid model[] = {
        {1, FAKE_ANY_SUBLEAF, {.ecx = 1u << 31}}, /* the leaves of the model are answered */
        {MODEL_LEAF, FAKE_ANY_SUBLEAF, {MODEL_LEAF_PARTS, MODEL_SIGNATURE}},
        {MODEL_LEAF_PARTS, FAKE_ANY_SUBLEAF, {.eax = MODEL_NO_TLBS}}};
    struct sampled r;
    struct sampling s = sampling(SAMPLE_BY_PEBS);
    take_loads();
    s.samples = samples;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    assert_false(r.memory.no_tlbs);
    assert_int_equal(r.memory.tlb[TLB_WALK].samples, 9);
    fake_cpuid(model, N(model));
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    fake_reset();
    assert_true(r.memory.no_tlbs);
    assert_int_equal(r.memory.tlb[TLB_UNKNOWN].samples, 100);
    assert_int_equal(r.memory.level[LEVEL_MEMORY].samples, 9);
    for (unsigned i = 0; i < samples.n; i++) assert_false(samples.at[i].valid & SAMPLE_TLB);
}

/* Registers after the load, and the address of the next instruction: 15 times 8B 0B comes first. */
TEST_WITH(next_instruction, prepare, NULL)
{
    struct sampled r;
    struct bench here = bench;
    const struct plan_item of_here = {.bench = &here};
    struct sampling s = sampling(SAMPLE_BY_PEBS);
    here.program.payload = (payload_fn *)(uintptr_t)article.base;
    s.run.item = &of_here;
    pmu.pebs_before = false;
    take_none();
    for (unsigned i = 0; i < 10; i++) {
        struct sample *x = take(article.base + 4); /* mov (%ebx),%ecx twice */
        x->valid |= SAMPLE_NEXT | SAMPLE_REGS;
        x->reg[3] = 0x8000 + i % 2 * 0x2000;
    }
    s.samples = samples;
    assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
    pmu.pebs_before = true;
    assert_int_equal(r.ip.n, 1);
    assert_int_equal(r.ip.line[0].key, article.base + 2);
    assert_int_equal(r.ip.corrected[CORRECTED_BY_CODE], 10);
    assert_int_equal(r.data.n, 2);
    assert_int_equal(r.data.line[0].key, 0x8000);
    assert_true(r.data.registers && !r.data.hardware && !r.by_level);
    assert_int_equal(r.deduction.difference, 0x2000);
}

/* The last branch names the instruction if it is the last of all kinds; else the code before it does. */
TEST_WITH(last_branches, prepare, NULL)
{
    static const struct {
        unsigned branches;
        enum sample_corrected how;
    } cases[] = {{LBR_RING0 | LBR_ANY, CORRECTED_BY_BRANCHES},
                 {LBR_RING0 | (LBR_ANY & ~LBR_FAR), CORRECTED_BY_CODE},
                 {LBR_RING0 | LBR_ANY | LBR_CALL_STACK, CORRECTED_BY_CODE}};
    static struct branch pool[BRANCHES_MOST];
    struct sampled r;
    struct bench here = bench;
    const struct plan_item of_here = {.bench = &here};
    here.program.payload = (payload_fn *)(uintptr_t)article.base;
    pool[0] = (struct branch){.from = article.base + 20, .to = article.base + 4};
    for (unsigned i = 0; i < N(cases); i++) {
        struct sampling s = sampling(SAMPLE_BY_PEBS);
        take_none();
        struct sample *x = take(article.base + 4);
        x->valid |= SAMPLE_NEXT | SAMPLE_BRANCHES;
        x->branches = 1;
        samples.branch = pool;
        s.samples = samples;
        s.run.item = &of_here;
        s.branches = cases[i].branches;
        s.branches_deep = 16;
        assert_true(sampled_reduce(&s, &cpu, &article, 95, &arena, &r));
        assert_int_equal(x->corrected, cases[i].how);
        assert_int_equal(x->ip - article.base, cases[i].how == CORRECTED_BY_BRANCHES ? 20 : 2);
    }
}
