/* A batch counts what its instructions count one by one: the same random streams both ways, on each model. */
#include "tests/unit/p5_drive.h"
#include <stdlib.h>
#include <string.h>

#define UNCACHED  0x200000 /* addresses from here on */
#define CODE_SIZE 0x6000
#define STEPS_MAX 300

/* Code and data fight for a few sets of an L2: their addresses are multiples of this apart. */
#define APART 0x10000
static bool crowded;

/* The same on every host. */
static uint64_t seed;
static unsigned any(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 20) % n;
}

static uint64_t code_at(void *ctx, uint64_t lin)
{
    (void)ctx;
    return lin ^ 0x80000; /* linear and physical are told apart */
}

static bool is_uncached(void *ctx, uint64_t phys)
{
    (void)ctx;
    return phys >= UNCACHED;
}

/* What instructions there are; the kinds of a batch are these. */
static const struct sim_kind kinds[] = {
    {0, 0, 0},
    {0, 0, 1},
    {OP_X87 | OP_FLOP, 0, 0},
    {OP_X87 | OP_FLOP | OP_FMUL, 0, 0},
    {OP_X87 | OP_FCOM, 0, 0},
    {OP_IMUL, 0, 0},
    {OP_IDIV, 0, 0},
    {OP_SSE, 0, 0},
    {OP_SSE | OP_SCALAR_SP, 0, 0, SIMD_SCALAR | SIMD_COMPUTES},
    {OP_SSE | OP_PACKED_SP, 0, 0, SIMD_COMPUTES},
    {OP_BRANCH | OP_COND, 0, 0},
    {OP_BRANCH | OP_TAKEN, 0, 0},
    {OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0},
    {OP_BRANCH | OP_TAKEN | OP_RET, 0, 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static struct sim_access any_access(void)
{
    static const uint8_t sizes[] = {1, 2, 4, 4, 4, 8, 10, 16};
    uint64_t lin = 0x100000 + any(4) * 0x3000 + any(any(8) ? 256 : 0x3000);
    if (crowded) lin = 0x100000 + any(16) * APART + any(64);
    if (any(40) == 0) lin = UNCACHED + any(64);
    return (struct sim_access){.lin = lin,
                               .phys = lin,
                               .phys_high = ((lin | 4095) + 1) ^ 0x40000,
                               .bytes = sizes[any(sizeof sizes)],
                               .kind = (uint8_t)(1 + any(3)),
                               .uncached = lin >= UNCACHED};
}

/* An instruction at lin; which is next comes out of target. */
static struct sim_insn any_insn(uint64_t lin, unsigned cpl)
{
    const struct sim_kind *k = &kinds[any(4) ? 0 : any(KINDS)];
    struct sim_insn i = {.lin = lin,
                         .phys = code_at(NULL, lin),
                         .phys_high = code_at(NULL, (lin | 4095) + 1),
                         .op = k->op,
                         .seg_loads = k->seg_loads,
                         .simd = k->simd,
                         .len = (uint8_t)(1 + any(9)),
                         .cpl = (uint8_t)cpl,
                         .cpl_after = (uint8_t)cpl};
    if (i.op & OP_COND && any(2)) i.op |= OP_TAKEN;
    if (i.op & OP_TAKEN) i.target = 0x10000 + (any(6) ? any(16) * 40 : any(CODE_SIZE));
    if (i.op & OP_TAKEN && crowded) i.target = 0x10000 + any(15) * APART + any(64);
    for (unsigned n = any(i.op & OP_RET ? 2 : 3); n; n--) i.access[i.n_access++] = any_access();
    return i;
}

static void add_to_batch(struct sim_batch *b, struct sim_step *steps, struct sim_kind *sums,
                         const struct sim_insn *i)
{
    const uint64_t end = i->lin + i->len;
    for (unsigned n = 0; n < i->n_access; n++) {
        steps[b->n_steps] = (struct sim_step){.access = i->access[n], .end = end};
        steps[b->n_steps++].access.uncached = 0; /* b->uncached() is to be asked */
    }
    if (i->op & OP_BRANCH)
        steps[b->n_steps++] =
            (struct sim_step){.access = {.lin = i->target}, .lin = i->lin, .end = end, .op = i->op};
    for (unsigned k = 0; k < KINDS; k++) {
        uint32_t op = i->op & OP_COND ? i->op & ~(uint32_t)OP_TAKEN : i->op;
        if (sums[k].op == op && sums[k].seg_loads == i->seg_loads) sums[k].n++;
    }
    b->end = i->op & OP_TAKEN ? i->target : end;
}

static char *lines[2];
static void keep(void *ctx, const char *line) { *(char **)ctx = strdup(line); }

static void program(struct sim *s)
{
    if (s->family == &sim_amd_family) {
        assert_int_equal(sim_wrmsr(s, 0xc0010000, 0x4300c0), 1);
        assert_int_equal(sim_wrmsr(s, 0xc0010001, 0x430040), 1);
    } else if (s->family == &sim_p5_family) {
        assert_int_equal(sim_wrmsr(s, CESR, (ANY_CPL | DATA_READ) | (ANY_CPL | BTB_HITS) << 16), 1);
    } else if (s->family == &sim_netburst_family) { /* tagged loads on counter 12, instructions on 13 */
        static const uint32_t msr[][2] = {{0x3bc, 0x02 << 25 | 1 << 10 | 0xc}, /* RAT_ESCR0: uop_type */
                                          {0x3cc, 0x08 << 25 | 1 << 9 | 0xc}, /* CRU_ESCR2: front_end_event */
                                          {0x3b8, 0x02 << 25 | 3 << 9 | 0xc}, /* CRU_ESCR0: instr_retired */
                                          {0x36c, 3 << 16 | 5 << 13 | 1 << 12}, /* CCCRs */
                                          {0x36d, 3 << 16 | 4 << 13 | 1 << 12},
                                          {0x370, 3 << 16 | 2 << 13 | 1 << 12}}; /* RAT_ESCR0's power */
        for (unsigned i = 0; i < sizeof msr / sizeof *msr; i++)
            assert_int_equal(sim_wrmsr(s, msr[i][0], msr[i][1]), 1);
    } else if (s->family == &sim_arch_family) {
        assert_int_equal(sim_wrmsr(s, 0x186, 0x4300c0), 1);
        assert_int_equal(sim_wrmsr(s, 0x187, 0x4300c4), 1);
    } else {
        assert_int_equal(sim_wrmsr(s, 0x187, 0x300c0), 1);
        assert_int_equal(sim_wrmsr(s, 0x186, 0x430043), 1);
    }
}

static bool records;

static void record(struct sim *s)
{
    const uint32_t msr[][2] = {{0x1c8, 1 << 2}, {0x1d9, 1}, {0xc000010e, 1 << 3}, {0xc000010f, 1 << 6}};
    for (unsigned k = 0; k < 4; k++) sim_wrmsr(s, msr[k][0], msr[k][1]); /* those that it has */
    assert_true(s->lbr.on);
}

static uint64_t counter(struct sim *s, unsigned n)
{
    uint64_t value;
    const uint32_t first = s->family == &sim_amd_family        ? 0xc0010004
                           : s->family == &sim_p5_family       ? CTR0
                           : s->family == &sim_netburst_family ? 0x30c
                                                               : 0xc1;
    assert_int_equal(sim_rdmsr(s, first + n, &value), 1);
    return value;
}

/* The same last branches are in both stacks. */
static void same_branches(const struct sim *one, const struct sim *many)
{
    struct sim_lbr_entry e[2][SIM_LBR_DEPTH];
    const unsigned n = sim_lbr_entries(one, e[0], SIM_LBR_DEPTH);
    assert_int_equal(sim_lbr_entries(many, e[1], SIM_LBR_DEPTH), n);
    for (unsigned k = 0; k < n; k++) {
        assert_int_equal(e[0][k].from, e[1][k].from);
        assert_int_equal(e[0][k].to, e[1][k].to);
    }
}

static void same_counts(const char *model)
{
    struct sim *one = sim_new(model, NULL, NULL), *many = sim_new(model, NULL, NULL);
    uint64_t lin = 0x10000;
    seed = UINT64_C(88172645463325252);
    assert_non_null(one);
    assert_non_null(many);
    program(one);
    program(many);
    if (records) record(one), record(many);
    sim_oracle_begin(one, "x");
    sim_oracle_begin(many, "x");
    for (unsigned n = 0; n < 400; n++) {
        struct sim_step steps[STEPS_MAX];
        struct sim_kind sums[KINDS];
        unsigned length = 1 + any(80), cpl = any(2) * 3;
        struct sim_batch b = {.lin = lin,
                              .steps = steps,
                              .kinds = sums,
                              .n_kinds = KINDS,
                              .cpl = cpl,
                              .ticks = length,
                              .code = code_at,
                              .uncached = is_uncached};
        memcpy(sums, kinds, sizeof sums);
        assert_int_not_equal(sim_batches(many), SIM_BATCH_NONE);
        for (unsigned k = 0; k < length; k++) {
            struct sim_insn i = any_insn(lin, cpl);
            sim_ticks(one, 1, false, cpl);
            sim_instruction(one, &i);
            add_to_batch(&b, steps, sums, &i);
            lin = b.end;
        }
        sim_batch(many, &b);
        /* What comes between batches. */
        switch (any(12)) {
        case 0:
            sim_tlb_flush(one), sim_tlb_flush(many);
            break;
        case 1:
            sim_cache_flush(one, true), sim_cache_flush(many, true);
            break;
        case 2:
            sim_tlb_invalidate(one, lin), sim_tlb_invalidate(many, lin);
            break;
        case 3:
            sim_interrupt(one, 0x40, false, cpl), sim_interrupt(many, 0x40, false, cpl);
            break;
        }
        assert_int_equal(counter(one, 0), counter(many, 0));
        assert_int_equal(counter(one, 1), counter(many, 1));
        same_branches(one, many);
    }
    if (records) assert_true(one->lbr.entry[one->lbr.depth - 1].from != 0);
    assert_true(counter(one, 0) > 1000 && counter(one, 1) > 100);
    sim_oracle_end(one, keep, &lines[0], NULL);
    sim_oracle_end(many, keep, &lines[1], NULL);
    assert_string_equal(lines[0], lines[1]);
    assert_non_null(strstr(lines[0], "\"insns\":1"));
    for (unsigned k = 0; k < 2; k++) free(lines[k]);
    sim_free(one);
    sim_free(many);
}

/* What is in an L2 depends on the order of code and data. */
TEST(test_crowded)
{
    static const char *const models[] = {"ppro", "p3", "willamette", "core2", "skylake", "k8", "zen4"};
    crowded = true;
    for (unsigned k = 0; k < sizeof models / sizeof *models; k++) same_counts(models[k]);
    crowded = false;
}

/* Last branch records, with those filtered of one kind. */
TEST(test_records)
{
    records = true;
    same_counts("core2");
    same_counts("haswell");
    same_counts("zen4");
    records = false;
}

TEST(test_p5) { same_counts("p5"); }
TEST(test_p55c) { same_counts("p55c"); }
TEST(test_ppro) { same_counts("ppro"); }
TEST(test_p3) { same_counts("p3"); }
TEST(test_willamette) { same_counts("willamette"); }
TEST(test_k8) { same_counts("k8"); }
TEST(test_fam10h) { same_counts("fam10h"); }
TEST(test_bulldozer) { same_counts("bulldozer"); }
TEST(test_zen) { same_counts("zen"); }
TEST(test_zen4) { same_counts("zen4"); }
TEST(test_core2) { same_counts("core2"); }
TEST(test_haswell) { same_counts("haswell"); }
TEST(test_skylake) { same_counts("skylake"); }
TEST(test_icelake) { same_counts("icelake"); }

/* ---- where instructions come one by one ---- */

static void pmi(void *ctx) { (void)ctx; }
static void pin(void *ctx, unsigned n, bool overflow) { (void)ctx, (void)n, (void)overflow; }

TEST(test_interrupt_soon)
{
    struct sim *s = sim_new("p3", NULL, &(struct sim_host){.pmi = pmi});
    sim_wrmsr(s, 0xc1, (uint32_t)-1000);
    sim_wrmsr(s, 0x186, 0x5300c0);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_wrmsr(s, 0x186, 0x4300c0); /* without the interrupt nobody sees when it overflows */
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, 0xc1, 0);
    sim_wrmsr(s, 0x186, 0x5300c0); /* far from it */
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_free(s);
}

TEST(test_amd_interrupt_soon)
{
    struct sim *s = sim_new("zen4", NULL, &(struct sim_host){.pmi = pmi});
    sim_wrmsr(s, 0xc0010004, (uint64_t)-1000);
    sim_wrmsr(s, 0xc0010000, 0x5300c0);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_wrmsr(s, 0xc0000301, 0x3e); /* that counter is off */
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, 0xc0000301, 0x3f);
    sim_wrmsr(s, 0xc0010000, 0x4300c0);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, 0xc0010004, 0);
    sim_wrmsr(s, 0xc0010000, 0x5300c0);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_free(s);
}

TEST(test_arch_interrupt_soon)
{
    struct sim *s = sim_new("skylake", NULL, &(struct sim_host){.pmi = pmi});
    sim_wrmsr(s, 0x38f, 0x700000001);
    sim_wrmsr(s, 0xc1, (uint32_t)-1000);
    sim_wrmsr(s, 0x186, 0x5300c0);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_wrmsr(s, 0x186, 0x4300c0); /* without the interrupt only the status tells that it overflowed */
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, 0x4c1, 0);
    sim_wrmsr(s, 0x186, 0x5300c0);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, 0x309, 0xffffffffff00);
    sim_wrmsr(s, 0x38d, 0xb);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_wrmsr(s, 0x38f, 1);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    /* 32 Mi: enough for what any instruction may make. */
    sim_wrmsr(s, 0x4c1, 0xfffffe000000);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    /* What only steps make is bounded by these: 100 Ki is far for taken branches, but not for all kinds of
     * them. */
    sim_wrmsr(s, 0x4c1, 0xfffffffe7000);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_wrmsr(s, 0x186, 0x5308c4);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, 0x186, 0x5300c4);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_free(s);
}

/* One load, in a loop of its own: each time round it is another instruction. */
TEST(test_arch_loads)
{
    struct sim *s = sim_new("skylake", NULL, NULL);
    const struct sim_step
        load = {.access = {.lin = 0x100000, .phys = 0x100000, .bytes = 4, .kind = SIM_READ}, .end = 0x10003},
        loop = {.access = {.lin = 0x10000}, .lin = 0x10003, .end = 0x10005, .op = OP_BRANCH | OP_TAKEN},
        pop = {.access = {.lin = 0x100008, .phys = 0x100008, .bytes = 4, .kind = SIM_READ}, .end = 0x10005};
    /* load; jmp, twice; and as ret, which loads too */
    const struct sim_step steps[] = {load, load, loop, load, pop, loop, load, pop, loop};
    const struct sim_kind sums[] = {{0, 3, 0}, {OP_BRANCH | OP_TAKEN, 3, 0}};
    uint64_t loads;
    sim_wrmsr(s, 0x186, 0x4381d0);
    sim_batch(s, &(struct sim_batch){.lin = 0x10000,
                                     .end = 0x10000,
                                     .steps = steps,
                                     .kinds = sums,
                                     .n_steps = sizeof steps / sizeof *steps,
                                     .n_kinds = 2,
                                     .ticks = 6,
                                     .code = code_at,
                                     .uncached = is_uncached});
    sim_rdmsr(s, 0xc1, &loads);
    assert_int_equal(loads, 5);
    sim_free(s);
}

TEST(test_pin)
{
    struct sim *s = sim_new("p5", NULL, &(struct sim_host){.pin = pin});
    sim_wrmsr(s, CESR, ANY_CPL | INSNS);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_wrmsr(s, CESR, ANY_CPL | INSNS | 0x200); /* on overflow only */
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_wrmsr(s, CTR0, MASK - 5);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_free(s);
}

TEST(test_breakpoint)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    sim_wrmsr(s, CESR, ANY_CPL | INSNS);
    sim_debug_registers(s, (const uint64_t[4]){0}, 0);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_debug_registers(s, (const uint64_t[4]){0, 0x1234}, 0);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_free(s);
}

TEST(test_histogram)
{
    struct sim *s = sim_new("p3", NULL, NULL);
    char *line = NULL;
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE); /* nobody wants facts */
    assert_true(sim_oracle_begin_histogram(s, "h", "INST_RETIRED"));
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_oracle_begin(s, "inner");
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_oracle_end(s, keep, &line, NULL);
    free(line);
    sim_oracle_end(s, keep, &line, NULL);
    free(line);
    sim_oracle_begin(s, "sums only");
    assert_int_equal(sim_batches(s), SIM_BATCH_NO_X87); /* it shows which x87 instructions needed an assist */
    sim_free(s);
}
