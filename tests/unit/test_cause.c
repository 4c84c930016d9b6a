/* From the recorded next instruction to the one that caused a sample: where it is certain, and where not. */
#include "measure/cause.h"
#include "tests/unit/profile_samples.h"
#include "tests/unit/unit.h"
#include <string.h>

#define BASE 0x400000u

/* ---- where control goes ---- */

TEST(flows)
{
    static const struct {
        const char *code;
        unsigned length, mode; /* 32, 64; 0: both */
        enum decode_flow flow;
        int32_t to; /* from the end of the instruction */
    } cases[] = {
        {"\x8b\x00", 2, 0, FLOW_ON, 0},       /* mov (%eax),%eax */
        {"\x74\x10", 2, 0, FLOW_MAYBE, 16},   /* je */
        {"\x7f\x80", 2, 0, FLOW_MAYBE, -128}, /* jg */
        {"\xe2\xfc", 2, 0, FLOW_MAYBE, -4},   /* loop */
        {"\xe3\x01", 2, 0, FLOW_MAYBE, 1},    /* jecxz */
        {"\x0f\x85\x00\x01\x00\x00", 6, 0, FLOW_MAYBE, 256},
        {"\xeb\xfe", 2, 0, FLOW_JUMP, -2},
        {"\xe9\xfb\xff\xff\xff", 5, 0, FLOW_JUMP, -5},
        {"\xe8\x00\x10\x00\x00", 5, 0, FLOW_CALL, 4096},
        {"\x66\xe9\x00\x10", 4, 32, FLOW_INDIRECT, 0}, /* to 16 bits */
        {"\xff\xe0", 2, 0, FLOW_INDIRECT, 0},          /* jmp *%eax */
        {"\xff\x24\x85\x00\x00\x00\x00", 7, 0, FLOW_INDIRECT, 0},
        {"\xff\xd0", 2, 0, FLOW_AWAY, 0}, /* call *%eax */
        {"\xff\xc0", 2, 0, FLOW_ON, 0},   /* inc */
        {"\xff\x30", 2, 0, FLOW_ON, 0},   /* push (%eax) */
        {"\xff\x28", 2, 0, FLOW_AWAY, 0}, /* far jmp */
        {"\xc3", 1, 0, FLOW_AWAY, 0},
        {"\xc2\x08\x00", 3, 0, FLOW_AWAY, 0},
        {"\xcb", 1, 0, FLOW_AWAY, 0},
        {"\xcf", 1, 0, FLOW_AWAY, 0},
        {"\xcc", 1, 0, FLOW_AWAY, 0},
        {"\xcd\x80", 2, 0, FLOW_AWAY, 0},
        {"\xce", 1, 32, FLOW_AWAY, 0}, /* into */
        {"\xf1", 1, 0, FLOW_AWAY, 0},  /* int1 */
        {"\xea\x00\x00\x00\x00\x10\x00", 7, 32, FLOW_AWAY, 0},
        {"\x0f\x05", 2, 64, FLOW_AWAY, 0},
        {"\x0f\x34", 2, 0, FLOW_AWAY, 0},
        {"\x0f\x0b", 2, 0, FLOW_AWAY, 0},
        {"\xf3\xa4", 2, 0, FLOW_REPEATED, 0},
        {"\xf2\xae", 2, 0, FLOW_REPEATED, 0}, /* scas, then all of them */
        {"\xf3\xaf", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xa5", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xa6", 2, 0, FLOW_REPEATED, 0},
        {"\xf2\xa7", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xaa", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xab", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xac", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xad", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\x6f", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\xa8\x01", 3, 0, FLOW_ON, 0}, /* test $1,%al */
        {"\xf3\xb0\x01", 3, 0, FLOW_ON, 0}, /* mov $1,%al */
        {"\xa4", 1, 0, FLOW_ON, 0},
        {"\xf3\x6c", 2, 0, FLOW_REPEATED, 0},
        {"\xf3\x90", 2, 0, FLOW_ON, 0}, /* pause */
        {"\xf3\xc3", 2, 0, FLOW_AWAY, 0},
        {"\xf4", 1, 0, FLOW_ON, 0},
        {"\xc7\xf8\x10\x00\x00\x00", 6, 0, FLOW_MAYBE, 16}, /* xbegin */
        {"\xc6\xf8\x01", 3, 0, FLOW_AWAY, 0},               /* xabort */
        {"\xc7\x00\x10\x00\x00\x00", 6, 0, FLOW_ON, 0},
        {"\x9a\x00\x00\x00\x00\x10\x00", 7, 32, FLOW_AWAY, 0},
        {"\x0f\xa2", 2, 0, FLOW_ON, 0},
        {"\xc5\xf8\x77", 3, 0, FLOW_ON, 0},                                     /* vzeroupper */
        {"\xc5\xf8\x28\x00", 4, 0, FLOW_ON, 0},                                 /* vmovaps (%eax),%xmm0 */
        {"\xd5\x18\xff\xc0", 4, 64, FLOW_ON, 0},                                /* inc %r16 */
        {"\xd5\x10\xff\xe0", 4, 64, FLOW_INDIRECT, 0},                          /* jmp *%r16 */
        {"\xd5\x10\xff\xd0", 4, 64, FLOW_AWAY, 0},                              /* call *%r16 */
        {"\xd5\x00\xa1\x00\x10\x00\x00\x00\x00\x00\x00", 11, 64, FLOW_AWAY, 0}, /* jmpabs */
        {"\xd5\x80\x84\x00\x01\x00\x00", 7, 64, FLOW_UNKNOWN, 0},               /* je: no REX2 */
        {"\xe9\x00\x00", 3, 0, FLOW_UNKNOWN, 0},                                /* cut off */
    };
    for (unsigned i = 0; i < N(cases); i++)
        for (unsigned mode = 32; mode <= 64; mode += 32) {
            unsigned length = 99;
            uint64_t target = 0x1234;
            if (cases[i].mode && cases[i].mode != mode) continue;
            const enum decode_flow flow = decode_flow((const uint8_t *)cases[i].code, cases[i].length,
                                                      mode == 64, BASE, &length, &target);
            if (flow != cases[i].flow) fail_msg("case %u, %u bits: flow %d", i, mode, flow);
            assert_int_equal(length, flow == FLOW_UNKNOWN ? 0 : cases[i].length);
            const bool to = flow == FLOW_MAYBE || flow == FLOW_JUMP || flow == FLOW_CALL;
            assert_int_equal(target, to ? BASE + cases[i].length + (uint64_t)(int64_t)cases[i].to : 0x1234);
        }
    unsigned length;
    uint64_t target; /* over the end of 32 bits */
    decode_flow((const uint8_t *)"\xeb\x7e", 2, false, 0xffffffc0, &length, &target);
    assert_int_equal(target, 0x40);
}

/* ---- from the code ---- */

static uint8_t text[256];
static struct code code = {.bytes = text, .base = BASE, .size = sizeof text, .long_mode = true};
static struct cause_code in = {.code = &code, .payload = BASE, .bytes = sizeof text};

static void write_code(const char *bytes_of, unsigned n)
{
    memset(text, 0, sizeof text); /* filler */
    memcpy(text, bytes_of, n);
    in = (struct cause_code){.code = &code, .payload = BASE, .bytes = sizeof text};
    take_none();
}
#define CODE(s) write_code(s, sizeof(s) - 1)

static struct sample *next(uint32_t at)
{
    struct sample *s = take(BASE + at);
    s->valid |= SAMPLE_NEXT | SAMPLE_REGS;
    return s;
}

static void assert_cause(const struct sample *s, uint32_t ip, enum sample_corrected how, uint32_t recorded)
{
    assert_int_equal(s->corrected, how);
    assert_int_equal(s->ip, BASE + ip);
    assert_int_equal(s->recorded, how ? BASE + recorded : 0);
    assert_int_equal(!(s->valid & SAMPLE_NEXT), how != CORRECTED_NOT);
    assert_int_equal(!!(s->valid & SAMPLE_PRECISE), how != CORRECTED_NOT);
}

/* Sprunt's loop, for registers after the instruction: the load is certain, and so are the others but for the
 * loop's head, which has two before it. */
TEST_WITH(loop, prepare, NULL)
{
    CODE("\x90"         /* 0: nop */
         "\x48\x8b\x10" /* 1: mov (%rax),%rdx */
         "\x48\x89\xd0" /* 4: mov %rdx,%rax */
         "\xe2\xf8"     /* 7: loop 1 */
         "\xc3");       /* 9: ret */
    struct sample *head = next(1), *load = next(4), *move = next(7), *end = next(9), *call = next(0),
                  *behind = next(10);
    struct sample *plain = take(BASE + 4), *between = next(5);
    assert_true(cause_find(&samples, &in, &arena));
    assert_int_equal(arena.used, 0);
    assert_cause(load, 1, CORRECTED_BY_CODE, 4);
    assert_cause(move, 4, CORRECTED_BY_CODE, 7);
    assert_cause(end, 7, CORRECTED_BY_CODE, 9);
    assert_cause(head, 1, CORRECTED_NOT, 0);    /* nop or loop */
    assert_cause(call, 0, CORRECTED_NOT, 0);    /* the payload's first: its call */
    assert_cause(behind, 10, CORRECTED_NOT, 0); /* ret does not go there */
    assert_cause(between, 5, CORRECTED_NOT, 0); /* no instruction begins there */
    assert_int_equal(plain->corrected, CORRECTED_NOT);
    assert_int_equal(plain->ip, BASE + 4);
}

/* Behind what comes back by another way, or goes elsewhere. */
TEST_WITH(behind_branches, prepare, NULL)
{
    CODE("\xe8\x00\x01\x00\x00" /* 0: call, out of the function */
         "\x90"                 /* 5 */
         "\xcd\x80"             /* 6: int */
         "\x90"                 /* 8 */
         "\xeb\x01"             /* 9: jmp 12 */
         "\x90"                 /* 11: never */
         "\x90"                 /* 12 */
         "\x74\x01"             /* 13: je 16 */
         "\x90"                 /* 15 */
         "\x90"                 /* 16 */
         "\xf3\xa4"             /* 17: rep movsb */
         "\x90"                 /* 19 */
         "\xc3");
    struct {
        uint32_t at, cause;
    } cases[] = {{5, 0},   {6, 5},   {8, 0},  {9, 8},  {11, 0},  {12, 0},
                 {13, 12}, {15, 13}, {16, 0}, {17, 0}, {19, 17}, {20, 19}};
    for (unsigned i = 0; i < N(cases); i++) next(cases[i].at);
    assert_true(cause_find(&samples, &in, &arena));
    for (unsigned i = 0; i < N(cases); i++)
        if (cases[i].cause)
            assert_cause(&samples.at[i], cases[i].cause, CORRECTED_BY_CODE, cases[i].at);
        else
            assert_cause(&samples.at[i], cases[i].at, CORRECTED_NOT, 0);
}

/* Where the code does not tell all branches, nothing is certain. */
TEST_WITH(not_certain, prepare, NULL)
{
    CODE("\x90\x90\xff\xe0"); /* nop; nop; jmp *%rax */
    assert_cause(next(1), 1, CORRECTED_NOT, 0);
    assert_true(cause_find(&samples, &in, &arena));
    assert_cause(&samples.at[0], 1, CORRECTED_NOT, 0);
    CODE("\x90\x90\xc3\x0f\x0a\x90"); /* not an instruction */
    next(1);
    assert_true(cause_find(&samples, &in, &arena));
    assert_cause(&samples.at[0], 1, CORRECTED_NOT, 0);
    CODE("\x90\x90\xc3");
    in.bytes = 0; /* the payload is not in the code */
    next(1);
    assert_true(cause_find(&samples, &in, &arena));
    assert_cause(&samples.at[0], 1, CORRECTED_NOT, 0);
    in.bytes = 3;
    assert_true(cause_find(&samples, &in, &arena));
    assert_cause(&samples.at[0], 0, CORRECTED_BY_CODE, 1);
    assert_true(cause_find(&samples, &in, &arena)); /* once */
    assert_cause(&samples.at[0], 0, CORRECTED_BY_CODE, 1);
}

/* ---- from the last branch ---- */

static struct branch branches[16 * BRANCHES_MOST];

static void last_branch(unsigned i, uint64_t from, uint64_t to)
{
    branches[i * BRANCHES_MOST] = (struct branch){.from = from, .to = to};
    samples.at[i].valid |= SAMPLE_BRANCHES;
    samples.at[i].branches = 1;
}

TEST_WITH(by_branches, prepare, NULL)
{
    CODE("\x90"         /* 0 */
         "\x48\x8b\x10" /* 1 */
         "\x48\x89\xd0" /* 4 */
         "\xe2\xf8"     /* 7: loop 1 */
         "\x90"         /* 9 */
         "\xeb\xf4"     /* 10: jmp 0 */
         "\x0f\x0a\x90" /* 12: not an instruction: by the code nothing is certain */
    );
    memset(branches, 0, sizeof branches);
    samples.branch = branches;
    in.every_branch = true;
    next(1), last_branch(0, BASE + 7, BASE + 1);     /* the loop itself */
    next(1), last_branch(1, BASE + 10, BASE);        /* from the front: nop */
    next(7), last_branch(2, BASE + 7, BASE + 1);     /* a straight way */
    next(9), last_branch(3, BASE + 7, BASE + 1);     /* the loop, which ended */
    next(0), last_branch(4, BASE - 0x1000, BASE);    /* the call, from outside of the code */
    next(4), last_branch(5, BASE + 10, BASE + 3);    /* does not meet it */
    next(1), last_branch(6, BASE + 7, BASE + 4);     /* it lies behind */
    next(12), last_branch(7, BASE + 7, BASE + 1);    /* over a jump: one is missing */
    next(4), samples.at[8].valid |= SAMPLE_BRANCHES; /* no entry */
    assert_true(cause_find(&samples, &in, &arena));
    static const uint32_t cause[] = {7, 0, 4, 7};
    static const uint32_t at[] = {1, 1, 7, 9, 0, 4, 1, 12, 4};
    for (unsigned i = 0; i < 4; i++) assert_cause(&samples.at[i], cause[i], CORRECTED_BY_BRANCHES, at[i]);
    assert_int_equal(samples.at[4].ip, BASE - 0x1000);
    assert_int_equal(samples.at[4].corrected, CORRECTED_BY_BRANCHES);
    for (unsigned i = 5; i < N(at); i++) assert_cause(&samples.at[i], at[i], CORRECTED_NOT, 0);
}

/* With some kinds of branches left out, the newest one is not the last that was taken. */
TEST_WITH(filtered_branches, prepare, NULL)
{
    CODE("\x90\x90\xc3\x0f\x0a\x90");
    memset(branches, 0, sizeof branches);
    samples.branch = branches;
    next(1), last_branch(0, BASE + 100, BASE);
    assert_true(cause_find(&samples, &in, &arena));
    assert_cause(&samples.at[0], 1, CORRECTED_NOT, 0);
}

TEST_WITH(arena_full, prepare, NULL)
{
    CODE("\x90\x90\xc3");
    for (unsigned i = 0; i < 10; i++) next(1);
    arena.size = 79;
    assert_false(cause_find(&samples, &in, &arena));
    arena.size = 80 + 33; /* a line, and no room for its place */
    assert_false(cause_find(&samples, &in, &arena));
    assert_int_equal(arena.used, 0);
    assert_cause(&samples.at[9], 1, CORRECTED_NOT, 0);
    take_none();
    take(BASE);
    arena.size = 0; /* no sample needs it */
    assert_true(cause_find(&samples, &in, &arena));
}
