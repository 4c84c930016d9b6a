/* Branches of samples made by hand: how often each was taken, blocks and their cycles, call stacks. */
#include "measure/branches.h"
#include "pmu/lbr.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static uint8_t memory[1 << 23] __attribute__((aligned(8)));
static struct arena arena;
static struct branches out;
static const struct profile_filter all = {-1, 0};

/* ---- code ---- */

#define BASE 0x100000
static uint8_t bytes[0x400];
static struct bench outer = {.program = {.name = "outer", .payload = (payload_fn *)(uintptr_t)BASE},
                             .op = "x"},
                    inner = {.program = {.name = "inner", .payload = (payload_fn *)(uintptr_t)(BASE + 0x100)},
                             .op = "x"};
static const struct bench *const list[] = {&outer, &inner};
static const struct code code = {bytes, BASE, sizeof bytes, true, 0x300, list, list + 2};

/* ---- samples ---- */

static struct sample taken[10000];
static struct branch branch[10000 * BRANCHES_MOST];
static struct samples samples;

static struct sample *sample(uint64_t ip)
{
    struct sample *s = &taken[samples.n++];
    *s = (struct sample){.valid = SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_BRANCHES, .ip = ip};
    return s;
}

#define IN      (BRANCH_FROM_PAYLOAD | BRANCH_TO_PAYLOAD)
#define CALLED  (BRANCH_FROM_BRACKET | BRANCH_TO_PAYLOAD) /* by the bracket */
#define BACK    (BRANCH_FROM_PAYLOAD | BRANCH_TO_BRACKET)
#define RESUMED BRANCH_TO_PAYLOAD /* after an interrupt */

/* One more of the last sample, older than those before it. */
static struct branch *older(uint64_t from, uint64_t to, unsigned known)
{
    struct sample *s = &taken[samples.n - 1];
    struct branch *b = &branch[(samples.n - 1) * BRANCHES_MOST + s->branches++];
    *b = (struct branch){.from = from, .to = to, .known = (uint8_t)known};
    return b;
}

static struct branch *timed(uint64_t from, uint64_t to, unsigned known, unsigned cycles)
{
    struct branch *b = older(from, to, known | BRANCH_CYCLES);
    b->cycles = (uint16_t)cycles;
    return b;
}

static int begin(void **state)
{
    (void)state;
    arena = (struct arena){memory, sizeof memory, 0};
    memset(memory, 0xff, sizeof memory); /* what is read before it is written shows */
    memset(bytes, 0x90, sizeof bytes);
    samples = (struct samples){.at = taken, .cap = N(taken), .branch = branch};
    return 0;
}

static void reduce(unsigned what)
{
    assert_true(branches_reduce(&samples, &all, &code, what, 4, false, &arena, &out));
}

static void is(const struct branch_line *l, uint64_t from, uint64_t to, unsigned times)
{
    assert_int_equal(l->from, from);
    assert_int_equal(l->to, to);
    assert_int_equal(l->times, times);
}

/* ---- branches ---- */

TEST_WITH(counted, begin, NULL)
{
    for (unsigned i = 0; i < 3; i++) {
        sample(BASE + 4);
        older(BASE + 0x20, BASE + 4, IN | BRANCH_PREDICTION)->mispredicted = i == 1;
        older(BASE + 0x20, BASE + 4, IN | BRANCH_PREDICTION);
        older(BASE + 0x20, BASE + 0x104, IN);
        older(0x8000, BASE, CALLED);
    }
    sample(BASE + 4)->valid |= SAMPLE_OUTSIDE;
    older(BASE + 0x20, BASE + 4, IN);
    sample(BASE + 4)->valid &= ~(uint32_t)SAMPLE_BRANCHES;
    reduce(LBR_ANY);
    assert_int_equal(out.samples, 3);
    assert_int_equal(out.entries, 9);
    assert_int_equal(out.outside, 3);
    assert_int_equal(out.unlisted, 0);
    assert_int_equal(out.n_branches, 2);
    is(&out.branch[0], BASE + 0x20, BASE + 4, 6);
    assert_int_equal(out.branch[0].predictions, 6);
    assert_int_equal(out.branch[0].mispredicted, 1);
    is(&out.branch[1], BASE + 0x20, BASE + 0x104, 3);
    assert_int_equal(out.branch[1].predictions, 0);
    assert_true(out.branch[1].named[0] && out.branch[1].named[1]);
    assert_ptr_equal(out.branch[1].symbol[0].bench, &outer);
    assert_int_equal(out.branch[1].symbol[0].offset, 0x20);
    assert_ptr_equal(out.branch[1].symbol[1].bench, &inner);
    assert_int_equal(out.branch[1].symbol[1].offset, 4);
}

/* Of one counter of several. */
TEST_WITH(filtered, begin, NULL)
{
    for (unsigned i = 0; i < 5; i++) {
        sample(BASE)->counter = (uint16_t)(i % 2);
        older(BASE + 2, BASE, IN);
    }
    const struct profile_filter first = {0, 0};
    assert_true(branches_reduce(&samples, &first, &code, LBR_ANY, 4, false, &arena, &out));
    assert_int_equal(out.samples, 3);
    assert_int_equal(out.branch[0].times, 3);
}

/* Most times first, then by address; each once, however many there are. */
TEST_WITH(ranked, begin, NULL)
{
    const unsigned n = 3000;
    for (unsigned i = 0; i < 2 * n; i++) {
        const unsigned k = i * 7 % n;
        sample(BASE);
        older(BASE + k, BASE, IN);
        if (k % 3 == 0) older(BASE + k, BASE, IN);
    }
    reduce(LBR_COND);
    assert_int_equal(out.n_branches, n);
    for (unsigned i = 0; i < n; i++) {
        const unsigned k = i < n / 3 ? 3 * i : (i - n / 3) / 2 * 3 + (i - n / 3) % 2 + 1;
        is(&out.branch[i], BASE + k, BASE, i < n / 3 ? 4 : 2);
    }
    assert_null(out.block); /* branches between these are missing */
    assert_int_equal(out.n_blocks, 0);
}

/* The sort must end with neighbours, whatever gaps it begins with. */
TEST_WITH(ranked_in_any_number, begin, NULL)
{
    for (unsigned n = 1; n <= 130; n++) {
        begin(NULL);
        for (unsigned k = n; k-- > 0;) {
            sample(BASE);
            older(BASE + k, BASE, IN);
        }
        reduce(LBR_COND);
        assert_int_equal(out.n_branches, n);
        for (unsigned i = 0; i < n; i++) is(&out.branch[i], BASE + i, BASE, 1);
    }
}

TEST_WITH(too_many, begin, NULL)
{
    for (unsigned i = 0; i < BRANCHES_LISTED + 100; i++) {
        sample(BASE);
        timed(BASE + i, BASE, IN, 2);
        timed(BASE + i, BASE, IN, 2);
    }
    reduce(LBR_ANY);
    assert_int_equal(out.n_branches, BRANCHES_LISTED);
    assert_int_equal(out.unlisted, 2 * 100);
    assert_int_equal(out.entries, 2 * (BRANCHES_LISTED + 100));
    assert_int_equal(out.n_blocks, BRANCHES_LISTED);
    assert_int_equal(out.unlisted_blocks, 100);
    assert_int_equal(out.block_times, BRANCHES_LISTED + 100);
    assert_int_equal(out.block_cycles, 2 * (BRANCHES_LISTED + 100));
    arena.size = 1 << 16;
    arena.used = 0;
    assert_false(branches_reduce(&samples, &all, &code, LBR_ANY, 4, false, &arena, &out));
}

TEST_WITH(none, begin, NULL)
{
    reduce(LBR_ANY);
    assert_int_equal(out.samples + out.entries + out.outside + out.n_branches + out.n_blocks, 0);
    sample(BASE);
    reduce(LBR_ANY);
    assert_int_equal(out.samples, 1);
    assert_int_equal(out.n_branches, 0);
}

/* ---- transactions ---- */

#define TX (IN | BRANCH_IN_TX)

/* What an abort undid is in no line, nor is the abort; the code that follows it is a block. What was
 * committed counts. */
TEST_WITH(transactions, begin, NULL)
{
    sample(BASE);
    timed(BASE + 0x90, BASE, IN, 3);                       /* 80 to 90: after the abort */
    timed(BASE + 0x55, BASE + 0x80, IN | BRANCH_ABORT, 9); /* within 50 */
    timed(BASE + 0x58, BASE + 0x50, TX, 5);                /* undone */
    timed(BASE + 0x58, BASE + 0x50, TX, 5);                /* undone */
    timed(BASE + 0x48, BASE + 0x50, IN, 6);                /* 40 to 48 */
    timed(BASE + 0x38, BASE + 0x40, TX, 7);                /* committed: 30 to 38 */
    timed(BASE + 0x28, BASE + 0x30, IN, 8);
    reduce(LBR_ANY);
    assert_int_equal(out.aborted, 3);
    assert_int_equal(out.entries, 4);
    assert_int_equal(out.outside, 0);
    assert_int_equal(out.n_branches, 4);
    is(&out.branch[0], BASE + 0x28, BASE + 0x30, 1);
    is(&out.branch[1], BASE + 0x38, BASE + 0x40, 1);
    is(&out.branch[2], BASE + 0x48, BASE + 0x50, 1);
    is(&out.branch[3], BASE + 0x90, BASE, 1);
    assert_int_equal(out.n_blocks, 3);
    is(&out.block[0], BASE + 0x30, BASE + 0x38, 1);
    is(&out.block[1], BASE + 0x40, BASE + 0x48, 1);
    is(&out.block[2], BASE + 0x80, BASE + 0x90, 1);
    assert_int_equal(out.block_cycles, 7 + 6 + 3);

    /* A sample within a transaction aborts it: its newest entries are undone, and none before them. */
    begin(NULL);
    samples.n = 0;
    sample(BASE);
    timed(BASE + 0x58, BASE + 0x50, TX, 5);
    timed(BASE + 0x48, BASE + 0x50, IN, 6);
    timed(BASE + 0x38, BASE + 0x40, TX, 7);
    reduce(LBR_ANY);
    assert_int_equal(out.aborted, 1);
    assert_int_equal(out.entries, 2);
    assert_int_equal(out.n_blocks, 1);
    is(&out.block[0], BASE + 0x40, BASE + 0x48, 1);
    /* An abort as the last that is known of. */
    begin(NULL);
    sample(BASE);
    for (unsigned i = 0; i < BRANCHES_MOST; i++) timed(BASE + 0x20, BASE, i ? TX : IN | BRANCH_ABORT, 1);
    reduce(LBR_ANY);
    assert_int_equal(out.aborted, BRANCHES_MOST);
    assert_int_equal(out.entries + out.n_branches + out.n_blocks, 0);
}

/* ---- blocks ---- */

/* A loop of two blocks, called by the bracket and left back to it. */
TEST_WITH(blocks, begin, NULL)
{
    static const unsigned cycles[] = {10, 0, 3, 4, 65535};
    for (unsigned i = 0; i < N(cycles); i++) {
        sample(BASE);
        timed(BASE + 0x30, 0x8002, BACK, 5);         /* 8 to 30 */
        timed(BASE + 0x20, BASE + 8, IN, cycles[i]); /* 8 to 20 */
        timed(BASE + 0x20, BASE + 8, IN, 1000);      /* 0 to 20 */
        timed(0x8000, BASE, CALLED, 77);             /* the bracket's own */
        older(0x7000, 0x7100, 0);
    }
    reduce(LBR_ANY | LBR_RING3);
    assert_int_equal(out.block_times, 15);
    assert_int_equal(out.block_cycles, 5 * 5 + 5 * 1000 + 10 + 3 + 4 + 65535);
    assert_int_equal(out.impossible, 0);
    assert_int_equal(out.n_blocks, 3);
    is(&out.block[0], BASE, BASE + 0x20, 5);
    is(&out.block[1], BASE + 8, BASE + 0x20, 5);
    is(&out.block[2], BASE + 8, BASE + 0x30, 5);
    const struct branch_line *b = &out.block[1];
    assert_int_equal(b->timed, 5);
    assert_int_equal(b->cycles, 65552);
    assert_int_equal(b->least, 0);
    assert_int_equal(b->most, 65535);
    for (unsigned i = 0; i < BRANCHES_CLASSES; i++) /* 0; 1; 2-3; 4-7; 8-15; ... 32768 on */
        assert_int_equal(b->histogram[i], i == 0 || i == 2 || i == 3 || i == 4 || i == 16);
}

/* No block: from where an interrupt went on, to where one came, and where the second branch lies before the
 * first one's target. */
TEST_WITH(no_blocks, begin, NULL)
{
    sample(BASE);
    older(BASE + 0x20, BASE + 8, IN); /* 18 to 20: it went on at 18 */
    older(0x9000, BASE + 0x18, RESUMED);
    older(BASE + 0x18, 0x9800, BRANCH_FROM_PAYLOAD); /* 8 to 18: interrupted at 18 */
    older(BASE + 0x20, BASE + 8, IN);
    sample(BASE);
    older(BASE + 4, BASE, IN); /* before 8 */
    older(BASE + 0x20, BASE + 8, IN);
    sample(BASE);
    older(BASE + 8, BASE, IN); /* a block of one instruction */
    older(BASE + 0x20, BASE + 8, IN);
    reduce(LBR_ANY | LBR_RING3);
    assert_int_equal(out.impossible, 1);
    assert_int_equal(out.block_times, 1);
    assert_int_equal(out.block_cycles, 0);
    assert_int_equal(out.n_blocks, 1);
    is(&out.block[0], BASE + 8, BASE + 8, 1);
    assert_int_equal(out.block[0].timed, 0);
}

/* ---- fused branches ---- */

TEST_WITH(fused, begin, NULL)
{
    static const struct {
        uint8_t code[9];
        unsigned moved;
    } at[] = {
        {{0x39, 0xd8, 0x75, 0xf0}, 2},                               /* cmp %ebx,%eax; jne */
        {{0x48, 0xff, 0xc9, 0x0f, 0x85, 0xf0, 0xff, 0xff, 0xff}, 3}, /* dec %rcx; jne */
        {{0x85, 0xc0, 0x2e, 0x74, 0x10}, 2},                         /* test; jz with a hint */
        {{0x39, 0xd8, 0x90, 0x75, 0xf0}, 0},                         /* cmp; nop */
        {{0x75, 0xf0, 0x75, 0xf0}, 0},                               /* jne; jne */
        {{0x0f, 0x84, 1, 0, 0, 0, 0x75, 0xf0}, 0},                   /* jz; jne */
        {{0xeb, 0x10, 0x75, 0xf0}, 0},                               /* jmp; jne */
        {{0xe8, 0, 0, 0, 0, 0x75, 0xf0}, 0},                         /* call; jne */
        {{0xff, 0xd0, 0x75, 0xf0}, 0},                               /* call *%rax; jne */
        {{0x41, 0xff, 0xe4, 0x75, 0xf0}, 0},                         /* jmp *%r12; jne */
        {{0xff, 0x20, 0x75, 0xf0}, 0},                               /* jmp *(%rax); jne */
        {{0xc3, 0x75, 0xf0}, 0},                                     /* ret; jne */
        {{0xf3, 0xc3, 0x75, 0xf0}, 0},                               /* rep ret */
        {{0xe2, 0xf0, 0x75, 0xf0}, 0},                               /* loop; jne */
        {{0x0f, 0x05, 0x75, 0xf0}, 0},                               /* syscall; jne */
        {{0xff, 0xc1, 0x75, 0xf0}, 2},                               /* inc %ecx; jne */
        {{0xf3, 0xa4, 0x75, 0xf0}, 0},                               /* rep movsb; jne */
    };
    for (unsigned i = 0; i < N(at); i++) {
        begin(NULL);
        memcpy(bytes + 0x40, at[i].code, sizeof at[i].code);
        sample(BASE);
        older(BASE + 0x40, BASE + 0x10, IN);
        older(BASE + 0x40, BASE + 0x10, IN);
        assert_true(branches_reduce(&samples, &all, &code, LBR_ANY, 4, true, &arena, &out));
        is(&out.branch[0], BASE + 0x40 + at[i].moved, BASE + 0x10, 2);
        is(&out.block[0], BASE + 0x10, BASE + 0x40 + at[i].moved, 1);
        reduce(LBR_ANY);
        is(&out.branch[0], BASE + 0x40, BASE + 0x10, 2);
    }
    begin(NULL);
    memset(bytes + sizeof bytes - 2, 0x39, 2); /* the end of what can be read */
    sample(BASE);
    older(BASE + sizeof bytes - 2, BASE, IN);
    older(BASE + sizeof bytes, BASE, IN);
    assert_true(branches_reduce(&samples, &all, &code, LBR_ANY, 4, true, &arena, &out));
    is(&out.branch[0], BASE + sizeof bytes - 2, BASE, 1);
}

/* ---- call stacks ---- */

TEST_WITH(stacks, begin, NULL)
{
    const unsigned what = LBR_CALL_STACK | LBR_REL_CALL | LBR_IND_CALL | LBR_RET | LBR_RING3;
    for (unsigned i = 0; i < 5; i++) { /* outer calls inner, which runs */
        sample(BASE + 0x110 + i);
        older(BASE + 0x10 + i, BASE + 0x100, IN);
        older(0x8000, BASE, CALLED);
        older(0x7000, 0x8000, 0);
    }
    sample(BASE + 0x10); /* outer runs */
    older(0x8000, BASE, CALLED);
    sample(BASE + 0x3f0); /* something without a name, which outer has jumped to */
    older(0x8000, BASE, CALLED);
    sample(BASE + 0x110); /* the record is full of inner, which calls itself */
    for (unsigned i = 0; i < 4; i++) older(BASE + 0x120, BASE + 0x100, IN);
    reduce(what);
    assert_int_equal(out.samples, 8);
    assert_int_equal(out.outside, 5);
    assert_int_equal(out.cut, 1);
    assert_int_equal(out.n_stacks, 4);
    assert_int_equal(out.n_branches + out.n_blocks, 0);
    assert_int_equal(out.stack[0].times, 5);
    assert_int_equal(out.stack[0].depth, 2);
    assert_ptr_equal(out.stack[0].function[0].symbol.bench, &outer);
    assert_ptr_equal(out.stack[0].function[1].symbol.bench, &inner);
    unsigned seen = 0;
    for (unsigned i = 1; i < 4; i++) {
        const struct branch_stack *s = &out.stack[i];
        assert_int_equal(s->times, 1);
        seen |= 1u << s->depth;
        if (s->depth == 1) assert_ptr_equal(s->function[0].symbol.bench, &outer);
        if (s->depth == 2) assert_int_equal(s->function[1].at, BASE + 0x3f0);
        if (s->depth == 2) assert_false(s->function[1].named);
        for (unsigned k = 0; s->depth == 4 && k < 4; k++) assert_int_equal(s->function[k].at, BASE + 0x100);
    }
    assert_int_equal(seen, 1 << 1 | 1 << 2 | 1 << 4);
    arena.size = 1 << 10;
    arena.used = 0;
    assert_false(branches_reduce(&samples, &all, &code, what, 4, false, &arena, &out));
}

/* Each sample runs at another place that has no name, which outer has jumped to. */
TEST_WITH(too_many_stacks, begin, NULL)
{
    const unsigned what = LBR_CALL_STACK | LBR_REL_CALL | LBR_IND_CALL | LBR_RET | LBR_RING3;
    for (unsigned i = 0; i < BRANCHES_LISTED + 100; i++) {
        sample(BASE + sizeof bytes + i);
        older(0x8000, BASE, CALLED);
    }
    reduce(what);
    assert_int_equal(out.samples, BRANCHES_LISTED + 100);
    assert_int_equal(out.n_stacks, BRANCHES_LISTED);
    assert_int_equal(out.unlisted, 100);
}
