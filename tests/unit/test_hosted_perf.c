/* Events of perf's in the place of select registers: codes, errors, processors. */
#include "tests/unit/hosted_perf_drive.h"
#include <asm/errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- errors: each case in a process of its own, since the first event's error is kept for good ---- */

static const struct {
    int open[2], map; /* of the first event and of the second one */
    bool no_rdpmc;
    uint32_t index;
    bool works[2];
    int error;
} openings[] = {
    {{0, 0}, 0, false, 1, {true, true}, 0},
    {{EACCES, EACCES}, 0, false, 1, {false, false}, EACCES},
    {{EPERM, 0}, 0, false, 1, {false, true}, EPERM},
    {{ENOSYS, ENOSYS}, 0, false, 1, {false, false}, ENOSYS},
    {{ENOENT, ENOSYS}, 0, false, 1, {false, false}, ENOENT},
    {{ENOENT, 0}, 0, false, 1, {false, true}, ENOENT},
    {{0, ENOENT}, 0, false, 1, {true, false}, 0},
    {{0, EACCES}, 0, false, 1, {true, false}, 0},
    {{0, 0}, 0, true, 1, {false, false}, HOSTED_NO_RDPMC},
    {{0, 0}, 0, false, 0, {false, false}, HOSTED_NO_RDPMC}, /* it is on no counter */
    {{0, 0}, EPERM, false, 1, {false, false}, HOSTED_NO_RDPMC},
};

static bool opens_so(unsigned at)
{
    if (hosted_perf_error()) return false;
    fake_map_error = openings[at].map;
    fake_user_rdpmc = !openings[at].no_rdpmc;
    fake_index = openings[at].index;
    for (unsigned i = 0; i < 2; i++) {
        fake_open_error = openings[at].open[i];
        if (write_msr(PERFEVTSEL0 + i, EN | USR | 0xc0) != openings[at].works[i]) return false;
        if (hosted_perf_error() != openings[at].error) return false;
    }
    for (unsigned i = 0; i < fake_events_opened; i++) /* nothing is left of what did not work */
        if (!fake_events[i].mapped != !fake_events[i].open) return false;
    unsigned open = 0;
    for (unsigned i = 0; i < fake_events_opened; i++) open += fake_events[i].open;
    return open == openings[at].works[0] + 0u + openings[at].works[1];
}

TEST_WITH(first_error_is_kept, started, NULL)
{
    for (unsigned i = 0; i < N(openings); i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0) _exit(opens_so(i) ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) fail_msg("case %u", i);
    }
}

/* ---- events ---- */

static const struct {
    uint32_t msr;
    uint64_t value, config;
} codes[] = {
    {0x186, EN | USR | 0x00c0, 0x00c0},                       /* instructions */
    {0x187, EN | USR | 0x2ec5, 0x2ec5},                       /* a mask of units */
    {0x189, USR | 0x003c, 0x003c},                            /* it does not count yet */
    {0x18d, EN | USR | OS | INT | PC | ANY | 0x412e, 0x412e}, /* bits that are no code */
    {0x186, EN | USR | 0x010401c3, 0x010401c3},               /* edge and counter mask: starts */
    {0x186, EN | USR | 0x0180010e, 0x0180010e},               /* inverted: cycles without */
    {0x186, EN | USR | 0xff00003cu, 0xff00003c},              /* all of the mask */
    {0xc0010000, EN | USR | 0x00c0, 0x00c0},                  /* before family 15h */
    {0xc0010003, EN | USR | 0x0076, 0x0076},
    {0xc0010200, EN | USR | OS | 0x00c0, 0x00c0},
    {0xc001020a, 1ull << 32 | EN | USR | 0x02d0, 0x1000002d0}, /* event 1D0h */
};

TEST_WITH(select_becomes_an_event, started, NULL)
{
    for (unsigned i = 0; i < N(codes); i++) {
        started(NULL);
        set(codes[i].msr, codes[i].value);
        assert_int_equal(fake_events_opened, 1);
        const struct fake_event *e = &fake_events[0];
        /* Bits and fields that are not named are 0: it counts from now on, one number, of this thread alone.
         */
        const struct perf_event_attr want = {.type = PERF_TYPE_RAW,
                                             .size = e->attr.size,
                                             .config = codes[i].config,
                                             .pinned = 1,
                                             .exclude_kernel = 1,
                                             .exclude_hv = 1};
        assert_int_equal(e->attr.config, codes[i].config);
        assert_memory_equal(&e->attr, &want, sizeof want);
        assert_int_equal(e->pid, 0);
        assert_int_equal(e->cpu, -1);
        assert_int_equal(e->group, -1);
        assert_int_equal(e->flags, 0);
        assert_true(e->open && e->mapped);
        assert_int_equal(msr(codes[i].msr), codes[i].value);
    }
}

/* What happens at CPL 0 is not this process's; the register keeps what it has. */
TEST_WITH(ring0_is_refused, started, NULL)
{
    static const uint32_t selects[] = {0x186, 0x18d, 0xc0010000, 0xc0010200};
    for (unsigned i = 0; i < N(selects); i++) {
        started(NULL);
        assert_false(write_msr(selects[i], EN | OS | 0xc0));
        assert_int_equal(fake_events_opened, 0);
        assert_int_equal(msr(selects[i]), 0);
        set(selects[i], EN | USR | 0xc0);
        assert_false(write_msr(selects[i], EN | OS | 0xc4));
        assert_true(fake_events_opened == 1 && fake_events[0].open);
        assert_int_equal(msr(selects[i]), EN | USR | 0xc0);
    }
}

TEST_WITH(an_event_serves_its_code, started, NULL)
{
    set(PERFEVTSEL0, EN | USR | 0xc0);
    set(PERFEVTSEL0, USR | 0xc0);
    set(PERFEVTSEL0, EN | USR | 0xc0);
    assert_int_equal(fake_events_opened, 1);
    set(PERFEVTSEL0, EN | USR | 0xc4);
    assert_int_equal(fake_events_opened, 2);
    assert_false(fake_events[0].open || fake_events[0].mapped);
    assert_true(fake_events[1].open && fake_events[1].mapped);
    set(PERFEVTSEL0 + 1, EN | USR | 0xc5); /* beside it */
    assert_true(fake_events_opened == 3 && fake_events[1].open && fake_events[2].open);
    set(PERFEVTSEL0, 0);
    assert_false(fake_events[1].open || fake_events[1].mapped);
    assert_true(fake_events_opened == 3 && fake_events[2].open);
    set(PERFEVTSEL0, 0);
    assert_int_equal(fake_events_opened, 3);
}

/* Where standard input is closed, Linux gives this number to what is opened first. */
TEST_WITH(descriptor_zero, started, NULL)
{
    fake_next_fd = 0;
    set(PERFEVTSEL0, EN | USR | 0xc0);
    set(PMC0, 0);
    fake_events[0].count += 5;
    assert_int_equal(msr(PMC0), 5);
    set(PERFEVTSEL0, USR | 0xc0);
    assert_int_equal(fake_events_opened, 1);
    set(PERFEVTSEL0, 0);
    assert_false(fake_events[0].open || fake_events[0].mapped);
}

/* ---- which registers, which processor ---- */

TEST_WITH(registers_that_exist, started, NULL)
{
    static const uint32_t none[] = {0x10,       0xc0,  0xc9,  0x185,  0x18e,      0x30c,
                                    0x345,      0x3f1, 0x4c0, 0x4c9,  0xc0010008, 0xc000ffff,
                                    0xc001020c, 0x1b,  0x1d9, 0x1a0u, 0xc0010015, 0xc0000303};
    static const uint32_t status[] = {0x38e, 0x390, 0xc0000300, 0xc0000302};
    uint64_t value, many[4] = {1, 1, 1, 1};
    for (unsigned i = 0; i < N(none); i++) {
        value = 5;
        assert_false(read_msr(none[i], &value) || write_msr(none[i], 0));
        assert_int_equal(value, 5);
    }
    for (unsigned i = 0; i < N(status); i++) {
        set(status[i], 1);
        assert_int_equal(msr(status[i]), 0); /* nothing overflows */
    }
    assert_int_equal(msr(0xc0011029) & 2, 2); /* DE_CFG[1]: LFENCE serialises (APM vol. 3, LFENCE) */
    assert_false(write_msr(0xc0011029, 2));
    read_msrs(0x680, 4, many);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(many[i], 0);
}

TEST_WITH(each_processor_has_its_own, started, NULL)
{
    set(PERFEVTSEL0, EN | USR | 0xc0);
    set(GLOBAL_CTRL, 1);
    executing = &processor[1];
    assert_int_equal(msr(PERFEVTSEL0), 0);
    assert_int_equal(msr(GLOBAL_CTRL), 0);
    fake_index = 3;
    set(PERFEVTSEL0, EN | USR | 0xc4);
    assert_int_equal(fake_events_opened, 2); /* a thread's event counts that thread */
    fake_events[0].count = 10, fake_events[1].count = 20;
    assert_int_equal(msr(PMC0), 20);
    assert_int_equal(selected(0), 2);
    set(PERFEVTSEL0, 0);
    assert_false(fake_events[1].open);
    executing = &processor[0];
    assert_true(fake_events[0].open);
    assert_int_equal(msr(PERFEVTSEL0), EN | USR | 0xc0);
    assert_int_equal(msr(GLOBAL_CTRL), 1);
    assert_int_equal(msr(PMC0), 10);
    assert_int_equal(selected(0), 0);
}

/* ---- several kinds of cores: CPUID.7:EDX[15]; CPUID.1AH:EAX[31:24] is 20h on an Atom, 40h on a Core ---- */

TEST_WITH(hybrid, started, NULL)
{
    static const struct {
        uint32_t leaves, f7_edx, f1a_eax;
        long file;
        enum hybrid kind;
        uint32_t type;
    } at[] = {
        {0x20, 1u << 15, 0x20000001, 10, HYBRID_ATOM, 10}, {0x20, 1u << 15, 0x40000001, 10, HYBRID_CORE, 4},
        {0x20, 1u << 15, 0x20000001, -1, HYBRID_ATOM, 4},  {0x20, 0, 0x20000001, 10, HYBRID_NONE, 4},
        {0x16, 1u << 15, 0x20000001, 10, HYBRID_NONE, 4},  {0x1a, 1u << 15, 0x20000001, 12, HYBRID_ATOM, 12},
    };
    for (unsigned i = 0; i < N(at); i++) {
        const struct fake_cpuid leaf[] = {{0, 0, {at[i].leaves, 0x756e6547, 0x6c65746e, 0x49656e69}},
                                          {7, 0, {0, 0, 0, at[i].f7_edx}},
                                          {0x1a, 0, {at[i].f1a_eax, 0, 0, 0}}};
        started(NULL);
        fake_cpuid(leaf, N(leaf));
        atom_type = at[i].file;
        assert_int_equal(hosted_hybrid(), at[i].kind);
        set(PERFEVTSEL0, EN | USR | 0xc0);
        assert_int_equal(fake_events[0].attr.type, at[i].type);
        assert_int_equal(fake_events[0].attr.config, 0xc0);
    }
}
