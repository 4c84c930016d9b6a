/* perf's precise events: Linux programs PEBS and hands on what is in its records. Whether the samples are
 * right the oracle's trace decides (tests/boot/cases/linux.sh): each is printed,
 *
 *     run R: EVENT samples WHAT, period P, by NEXT, threshold T
 *     sample R K IP ADDRESS WEIGHT LEVEL
 *
 * WHAT is which occurrences it counts: "all", instructions; "tagged", loads that the hardware watches and
 * that take longer than T; "missed", loads that missed the L1; "taken", near branches. NEXT: "overflow", each
 * P-th is recorded, or "next", each P + 1st. IP is that of the instruction or of the next one ("after" in
 * place of "at"). ADDRESS, WEIGHT, LEVEL: - where the event has none. */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/session.h"
#include "tests/boot/linux/sys.h"

#define PERIOD      61u
#define DIST        131u  /* of PREC_DIST: Linux takes 128 and more on Haswell (erratum HSW11) */
#define LOADS       8192u /* two in each line: 256 KiB, the size of an L2 or a fraction of it */
#define TRIES       10u
#define EVENTING_IP 2 /* the format of PEBS from which on the record has the instruction's own address */
#define ROUNDS      2000u

enum data { NO_DATA, ADDRESS, LATENCY };

static const struct event {
    int first, last; /* formats of PEBS that have it */
    const char *name, *what;
    uint64_t config, threshold;
    bool same; /* PDIR */
    enum data data;
    payload_fn *payload;
    unsigned n, period, least; /* rounds; samples that are expected at least */
} events[] = {
    {0, 0, "INST_RETIRED.ANY_P", "all", 0x00c0, 0, false, NO_DATA, payload_ten, ROUNDS, PERIOD, 300},
    {1, 4, "INST_RETIRED.PREC_DIST", "all", 0x01c0, 0, true, NO_DATA, payload_ten, ROUNDS, DIST, 150},
    {1, 4, "BR_INST_RETIRED.NEAR_TAKEN", "taken", 0x20c4, 0, false, NO_DATA, payload_muls, ROUNDS, PERIOD,
     30},
    {0, 0, "MEM_LOAD_RETIRED.L1D_MISS", "missed", 0x01cb, 0, false, NO_DATA, payload_walk, LOADS, PERIOD, 30},
    {3, 4, "MEM_LOAD_RETIRED.L1_MISS", "missed", 0x08d1, 0, false, ADDRESS, payload_walk, LOADS, PERIOD, 30},
    {1, 4, "MEM_TRANS_RETIRED.LOAD_LATENCY", "tagged", 0x01cd, 3, false, LATENCY, payload_walk, LOADS, PERIOD,
     20},
    {1, 4, "MEM_TRANS_RETIRED.LOAD_LATENCY", "tagged", 0x01cd, 10, false, LATENCY, payload_walk, LOADS,
     PERIOD, 10},
};

/* A PERF_RECORD_SAMPLE with PERF_SAMPLE_IP, _ADDR, _WEIGHT, _DATA_SRC. */
struct sample {
    struct perf_event_header header;
    uint64_t ip, address, weight;
    union perf_mem_data_src source;
};

static const char *level_of(union perf_mem_data_src source)
{
    static const struct {
        unsigned level;
        const char *name;
    } levels[] = {{PERF_MEM_LVL_L1, "L1"},
                  {PERF_MEM_LVL_LFB, "LFB"},
                  {PERF_MEM_LVL_L2, "L2"},
                  {PERF_MEM_LVL_L3, "L3"},
                  {PERF_MEM_LVL_LOC_RAM, "memory"}};
    for (unsigned k = 0; k < sizeof levels / sizeof *levels; k++)
        if (source.mem_lvl == (levels[k].level | PERF_MEM_LVL_HIT)) return levels[k].name;
    return "other";
}

static void precise(const struct event *e, unsigned how)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
                                   .config = e->config,
                                   .config1 = e->threshold,
                                   .precise_ip = how,
                                   /* Linux goes back from the next instruction by the last branch, so that it
                                    * must see each record when it comes. */
                                   .wakeup_events = how > 1 && pmu->pebs < EVENTING_IP,
                                   .exclude_kernel = 1,
                                   .sample_period = e->period,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT |
                                                  PERF_SAMPLE_DATA_SRC};
    struct session s;
    struct sample x;
    unsigned n = 0, exact = 0;
    /* With another task in between perf begins a period anew, since its own count of what is left does not
     * know the occurrence that an overflow waits for. */
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (tries) session_end(&s);
        session_run(&s, 0, &attr, e->payload, e->n);
        if (s.fd < 0 || s.switches == 0) break;
    }
    check(s.fd >= 0, "%s:%.*s is taken (%d)", e->name, (int)how, "ppp", s.fd);
    if (s.fd < 0) return;
    say("run %u: %s:%.*s samples %s, period %u, by %s, %s, threshold %u\n", s.run, e->name, (int)how, "ppp",
        e->what, e->period, e->same ? "overflow" : "next", how > 1 ? "at" : "after", (unsigned)e->threshold);
    while (session_next(&s, &x, sizeof x)) {
        exact += (x.header.misc & PERF_RECORD_MISC_EXACT_IP) != 0;
        say("sample %u %u %llx", s.run, n++, (unsigned long long)x.ip);
        if (e->data == NO_DATA)
            say(" - - -\n");
        else if (e->data == ADDRESS)
            say(" %llx - -\n", (unsigned long long)x.address);
        else
            say(" %llx %llu %s\n", (unsigned long long)x.address, (unsigned long long)x.weight,
                level_of(x.source));
    }
    check(n >= e->least && s.others == 0, "%u samples, expected %u at least; %u other records", n, e->least,
          s.others);
    check(s.switches == 0, "%u other tasks ran", s.switches);
    check(exact == (how > 1 ? n : 0), "%u of them are exact", exact);
    session_end(&s);
}

void precise_all(void)
{
    /* A page that has not been written is the one of zeros, which all share. */
    for (unsigned k = 0; k < LOADS * WALK_STEP; k += 4096) walk_area[k] = 1;
    check(pmu->pebs >= 0, "the processor has PEBS, format %d", pmu->pebs);
    for (unsigned k = 0; k < sizeof events / sizeof *events; k++) {
        const struct event *e = &events[k];
        if (pmu->pebs < e->first || pmu->pebs > e->last) continue;
        precise(e, 1);
        precise(e, 2);
    }
}
