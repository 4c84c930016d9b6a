/* IBS' driver on the model of AMD's processors: each sample comes exactly where its period and the part of
 * the count that begins at random put it. */
#include "tests/unit/ibs_drive.h"
#undef IBS_PHYSICAL /* the model's mask of an address; the driver's is a bit of DATA3 */
#include "pmu/ibs_take.h"
#include "tests/unit/sim_hw.h"

#define OP_LEAST 0x90u
#define PATTERNS 128u /* of the seven random bits, and as many of the maximum's lowest seven */

static const struct {
    unsigned family, model;
} of[WITH_IBS] = {{0x10, 2}, {0x15, 2}, {0x17, 1}, {0x19, 0x61}};

static struct sim *s;
static struct ibs ibs;

static void begin(unsigned m, struct ibs_asked asked)
{
    struct cpu_id id;
    char why[160];
    s = ibs_machine(with_ibs[m]);
    sim_hw_plug(s, &id);
    id = (struct cpu_id){.vendor = "AuthenticAMD",
                         .family = of[m].family,
                         .model = of[m].model,
                         .x1_ecx = CPUID_X1_ECX_IBS,
                         .x1b_eax = m ? ((struct amd *)s->state)->traits->ibs->caps : 0};
    if (!ibs_init(&ibs, &id, &asked, with_ibs[m], why, sizeof why)) fail_msg("%s", why);
}

static void end(void)
{
    ibs_stop(&ibs);
    const unsigned before = interrupts.n;
    for (unsigned k = 0; k < 0x400; k++) one(s, 0x100000 + 32 * k);
    assert_int_equal(interrupts.n, before);
    sim_free(s);
}

/* Instructions until there is a sample: how many came before the one that it is of? */
static unsigned next(unsigned step)
{
    const unsigned before = interrupts.n;
    unsigned n = 0;
    while (interrupts.n == before && n < 0x4000) one(s, 0x100000 + step * n++);
    assert_int_equal(interrupts.n, before + 1);
    return n - 1;
}

/* As the handler does (measure/sampler_interrupt.c). n: which instruction it has to be of. */
static void take(unsigned n, unsigned step)
{
    struct sample got = {0};
    uint32_t high;
    const uint32_t low = hw_rdmsr_halves(ibs.control, &high);
    assert_true(ibs_has(ibs.asked.fetch, low, high));
    ibs_read(&ibs, ibs.asked.fetch, low, high, &got);
    assert_int_equal(got.ip, 0x100000 + step * n);
    ibs_go_on(&ibs, ibs.asked.fetch, ibs.special, high);
}

static unsigned random_part(void) { return rd(s, OPCTL) >> 32 & 0x7f; }

/* The processor has preloaded this pattern when it took the sample. */
static void preloaded(unsigned pattern)
{
    wr(s, OPCTL, (rd(s, OPCTL) & ~CUR(0x7f)) | CUR(pattern));
    assert_int_equal(random_part(), pattern);
}

/* Every maximum's lowest seven bits, with what the processor itself begins at; and every pattern of that. */
TEST(ops)
{
    for (unsigned m = 1; m < WITH_IBS; m++) {
        unsigned char seen[PATTERNS] = {0};
        begin(m, (struct ibs_asked){0});
        for (unsigned k = 0; k < PATTERNS; k++) {
            const unsigned period = OP_LEAST + 16 * k;
            const bool all = k % 32 == 0; /* each takes so long */
            ibs_arm(&ibs, period, period);
            ibs_start(&ibs);
            unsigned n = next(4);
            assert_int_equal(n, period);
            for (unsigned r = 0; r < (all ? PATTERNS : 8); r++) {
                if (all) preloaded(r);
                const unsigned part = random_part();
                take(n, 4);
                n = next(4);
                assert_int_equal(n, period - part);
                seen[random_part()]++;
            }
        }
        assert_int_equal(seen[0], 0); /* "between 1 and 127" */
        for (unsigned r = 1; r < PATTERNS; r++) assert_true(seen[r]);
        end();
    }
}

/* The first one comes where it is asked for, whatever its lower bits. */
TEST(first_op)
{
    for (unsigned m = 1; m < WITH_IBS; m++) {
        begin(m, (struct ibs_asked){0});
        for (unsigned first = OP_LEAST - 15; first < OP_LEAST + PATTERNS; first++) {
            ibs_arm(&ibs, first, 0x400);
            ibs_start(&ibs);
            assert_int_equal(next(4), first);
            const unsigned part = random_part();
            take(first, 4);
            assert_int_equal(next(4), 0x400 - part);
        }
        end();
    }
}

/* In cycles, of which an instruction takes one here, nothing is random. */
TEST(cycles)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        begin(m, (struct ibs_asked){.cycles = true});
        for (unsigned k = 0; k < PATTERNS; k++) {
            const unsigned period = OP_LEAST + 16 * k;
            ibs_arm(&ibs, period, period);
            ibs_start(&ibs);
            for (unsigned i = 0; i < 4; i++) {
                assert_int_equal(next(4), period);
                take(period, 4);
            }
        }
        end();
    }
}

/* Fetches begin at 0 to 15, which no register shows: the model's own count does. */
TEST(fetches)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        unsigned char seen[16] = {0};
        begin(m, (struct ibs_asked){.fetch = true});
        const struct ibs_interval *count = &((const struct amd *)s->state)->ibs.fetch;
        for (unsigned k = 1; k <= PATTERNS; k++) {
            const unsigned period = 16 * k;
            ibs_arm(&ibs, period, period);
            ibs_start(&ibs);
            for (unsigned i = 0; i < 4; i++) {
                const unsigned part = count->count;
                assert_true(part < 16);
                seen[part]++;
                const unsigned n = next(32);
                assert_int_equal(n, period - part);
                take(n, 32);
            }
            ibs_stop(&ibs);
        }
        for (unsigned r = 0; r < 16; r++) assert_true(seen[r]);
        end();
    }
}
