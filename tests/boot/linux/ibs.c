/* AMD's instruction-based sampling, by Linux' own driver of it: what it says of each sampled op and fetch of
 * code whose every instruction is known. It samples both rings, so the kernel's own are left out by their
 * address.
 *
 * Records have the registers as the driver has read them (PERF_SAMPLE_RAW): numbers and bits are those of
 * AMD's manuals. */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/session.h"
#include "tests/boot/linux/sys.h"
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define PAGE         4096u
#define KERNEL_START 0xc0000000u

#define PERIOD   4080u /* a multiple of 16; of 4, the loop's instructions, only by the random part not */
#define RANDOM   127   /* the most that hardware takes off it */
#define BIT(n)   (UINT64_C(1) << (n))
#define CNT_CTL  BIT(19)
#define MOST     16 /* registers in a record */
#define CAP_ZEN4 BIT(11)

/* Registers in a record, by their place. */
enum { OP_CTL, OP_RIP, DATA1, DATA2, DATA3, DC_LIN, DC_PHYS, BR_TARGET };
enum { FETCH_CTL, FETCH_LIN, FETCH_PHYS };

/* A PERF_RECORD_SAMPLE with PERF_SAMPLE_IP, _ADDR, _RAW. */
struct sample {
    struct perf_event_header header;
    uint64_t ip, addr;
    uint32_t raw, caps; /* bytes from caps on; the driver's capabilities */
    uint64_t reg[MOST];
};

/* ---- sessions ---- */

/* /sys/bus/event_source/devices/NAME/type; 0: there is none. */
static uint32_t type_of(const char *file)
{
    char text[16];
    return file_text(file, text, sizeof text) ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static void sampled(struct session *s, struct perf_event_attr *attr, payload_fn *payload, unsigned n)
{
    attr->sample_period = PERIOD;
    attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW;
    session_run_on(s, 0, attr, payload, n); /* this kernel has it for CPUs only, not for tasks */
}

/* The next sample of ring 3; false at the end. *all: of both rings so far. */
static bool next(struct session *s, struct sample *x, unsigned *all)
{
    do {
        memset(x, 0, sizeof *x);
        if (!session_sample(s, x, sizeof *x)) return false;
        ++*all;
    } while (x->ip >= KERNEL_START);
    return true;
}

static bool exact(const struct sample *x) { return x->header.misc & PERF_RECORD_MISC_EXACT_IP; }

/* ---- ops ---- */

/* MOV load, ADD, DEC, JNZ: by their address. */
enum { LOAD, ADD, DEC, JNZ, PLACES };
static unsigned place(uint64_t ip)
{
    static const uint8_t at[PLACES] = {0, 2, 5, 6};
    unsigned k = 0;
    while (k < PLACES && ip != (uintptr_t)payload_walk_load + at[k]) k++;
    return k;
}

/* A load of the walk: the first of a line misses the L1D, the second one hits. Its source is memory, 3, or
 * the L3: 2 in Linux' table of Zen to Zen 3, 1 in that of Zen 4, and before Zen 1 by AMD's IBS toolkit
 * (ibs_decoder.c).
 *
 * From Zen on, the record shows an L2 hit, counted in *near. Such hits are rare and right: pseudo-LRU evicts
 * nothing from the half of a set that the kernel keeps using, so a line of the walk stays there. In a walk of
 * 65,536 lines the model counts 65,573 requests to the L2 and 65,538 misses. */
static bool load_right(const struct sample *x, unsigned *near)
{
    const uint64_t d3 = x->reg[DATA3], lin = x->reg[DC_LIN];
    const bool zen = x->caps & BIT(8), zen4 = x->caps & CAP_ZEN4;
    const unsigned source = (unsigned)(x->reg[DATA2] & 7), latency = (unsigned)(d3 >> 32 & 0xffff);
    const uint64_t flags = BIT(0) | BIT(17) | BIT(18) | (zen ? UINT64_C(3) << 22 : 0); /* 4 bytes */
    const uint64_t missed = lin % 64 == 0 ? BIT(7) | (zen ? BIT(20) : 0) : 0;
    if (lin < (uintptr_t)walk_area || lin >= (uintptr_t)walk_area + WALK_BYTES || lin % WALK_STEP)
        return false;
    if (x->addr != lin || x->reg[DC_PHYS] % PAGE != lin % PAGE || !x->reg[DC_PHYS]) return false;
    if (zen && missed && (d3 & 0xffffffff) == (flags | BIT(7))) {
        ++*near;
        return source == 0 && latency > 0;
    }
    if ((d3 & 0xffffffff) != (flags | missed)) return false;
    if (!missed) return source == 0 && latency == 0;
    return (source == 3 || source == (zen && !zen4 ? 2 : 1)) && latency > 0;
}

static bool branch_right(const struct sample *x)
{
    const uint64_t bits = x->reg[DATA1] >> 32;
    return x->reg[DATA3] == 0 && bits == (BIT(5) | BIT(3)) && /* retired, taken */
           (!(x->caps & BIT(5)) || x->reg[BR_TARGET] == (uintptr_t)payload_walk_load);
}

static bool plain_right(const struct sample *x) { return x->reg[DATA3] == 0 && x->reg[DATA1] >> 32 == 0; }

static bool op_right(const struct sample *x, unsigned k, unsigned *near)
{
    if (!exact(x) || x->reg[OP_RIP] != x->ip || !(x->reg[OP_CTL] & BIT(18))) return false;
    return k == LOAD ? load_right(x, near) : k == JNZ ? branch_right(x) : plain_right(x);
}

/* Ops, where the processor counts these; else cycles, which are the same in the model but for the kernel's
 * REPs. */
static void ops(uint32_t type, bool counts_ops)
{
    struct perf_event_attr attr = {.type = type, .config = counts_ops ? CNT_CTL : 0};
    const unsigned rounds = WALK_BYTES / WALK_STEP;
    unsigned n[PLACES + 1] = {0}, all = 0, right = 0, elsewhere = 0, spaced = 0, user = 0, near = 0,
                        gap_most = 0, gap_least = -1u;
    uint64_t last = 0;
    struct session s;
    struct sample x;
    sampled(&s, &attr, payload_walk, rounds);
    for (; next(&s, &x, &all); user++) {
        const unsigned k = place(x.ip);
        n[k]++;
        if (k == PLACES) {
            elsewhere++;
            continue;
        }
        if (op_right(&x, k, &near))
            right++;
        else
            say("  %llx: ctl %llx data1 %llx data2 %llx data3 %llx lin %llx phys %llx\n",
                (unsigned long long)x.ip, (unsigned long long)x.reg[OP_CTL], (unsigned long long)x.reg[DATA1],
                (unsigned long long)x.reg[DATA2], (unsigned long long)x.reg[DATA3],
                (unsigned long long)x.reg[DC_LIN], (unsigned long long)x.reg[DC_PHYS]);
        if (k != LOAD) continue;
        /* Two loads: a number of rounds apart that the interval, its random part and what the kernel executes
         * after it has restarted IBS allow, for each interval between. */
        if (last) {
            const unsigned gap = (unsigned)(x.reg[DC_LIN] - last) / WALK_STEP * PLACES;
            if (gap > gap_most) gap_most = gap;
            if (gap < gap_least) gap_least = gap;
            spaced += x.reg[DC_LIN] > last;
        }
        last = x.reg[DC_LIN];
    }
    say("  loads %u, ADD %u, DEC %u, JNZ %u, elsewhere %u; from load to load %u to %u instructions\n",
        n[LOAD], n[ADD], n[DEC], n[JNZ], elsewhere, gap_least, gap_most);
    check(user > rounds * PLACES / PERIOD * 9 / 10 && s.others == 0,
          "ibs_op, period %u: %u samples in ring 3 of %u instructions, %u in ring 0; %u other records",
          PERIOD, user, rounds * PLACES, all - user, s.others);
    check(right == user - elsewhere && elsewhere <= 2 && near <= 3,
          "%u of %u have the fields of their instruction, %u elsewhere; %u of %u loads had their line in the "
          "L2",
          right, user, elsewhere, near, n[LOAD]);
    check(n[LOAD] > 0 && spaced == n[LOAD] - 1, "loads in their order: %u of %u", spaced + 1, n[LOAD]);
    /* Only a random part spreads samples over a loop whose length divides the interval. */
    if (counts_ops)
        for (unsigned k = 0; k < PLACES; k++)
            check(n[k] * 8 > user, "instruction %u of the loop: %u of %u samples", k, n[k], user);
    check(all > 0 && s.nmi == all, "%u NMIs for %u samples", s.nmi, all);
    session_end(&s);
}

/* ---- cycles:pp ---- */

static void precise(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .precise_ip = 2};
    struct session s;
    struct sample x;
    unsigned all = 0, user = 0, right = 0;
    sampled(&s, &attr, payload_ten, 50000);
    for (; next(&s, &x, &all); user++)
        right += exact(&x) && x.ip == x.reg[OP_RIP] && x.ip >= (uintptr_t)payload_ten_loop &&
                 x.ip < (uintptr_t)payload_ten_end;
    check(s.fd >= 0 && user > 100 && right + 2 >= user,
          "cycles:pp: %u samples in ring 3, %u exact and in the loop", user, right);
    session_end(&s);
}

/* ---- fetches ---- */

static void fetches(uint32_t type)
{
    struct perf_event_attr attr = {.type = type};
    const unsigned rounds = 400000;
    struct session s;
    struct sample x;
    unsigned all = 0, user = 0, right = 0;
    sampled(&s, &attr, payload_spin, rounds);
    for (; next(&s, &x, &all); user++) {
        const uint64_t at = (uintptr_t)payload_spin, lin = x.reg[FETCH_LIN];
        right +=
            lin == at && x.ip == lin && x.reg[FETCH_PHYS] % PAGE == lin % PAGE &&
            (x.reg[FETCH_CTL] & (BIT(49) | BIT(50) | BIT(51) | BIT(52))) == (BIT(49) | BIT(50) | BIT(52));
    }
    /* Each round jumps, and is fetched. */
    check(user > rounds / PERIOD * 9 / 10 && right + 2 >= user && s.others == 0,
          "ibs_fetch, period %u: %u samples in ring 3 of %u fetches, %u of the loop and right; %u other "
          "records",
          PERIOD, user, rounds, right, s.others);
    check(all > 0 && s.nmi == all, "%u NMIs for %u samples", s.nmi, all);
    session_end(&s);
}

/* ---- public ---- */

void ibs_all(void)
{
    static char text[8192];
    mount_sys();
    const uint32_t op = type_of("/sys/bus/event_source/devices/ibs_op/type");
    const uint32_t fetch = type_of("/sys/bus/event_source/devices/ibs_fetch/type");
    const bool flag = file_text("/proc/cpuinfo", text, sizeof text) && strstr(text, " ibs ");
    const bool counts_ops =
        file_text("/sys/bus/event_source/devices/ibs_op/format/cnt_ctl", text, sizeof text);
    check(flag == (op != 0) && flag == (fetch != 0), "IBS is %sthere, ibs_op is PMU %u, ibs_fetch %u%s",
          flag ? "" : "not ", op, fetch, counts_ops ? ", and counts ops" : "");
    if (!op || !fetch) return;
    ops(op, false);
    if (counts_ops) ops(op, true);
    precise();
    fetches(fetch);
}
