/* Driving the NetBurst model in a test: a processor with some guest memory, ways to program its counters, and
 * ways to say facts. Addresses are linear = physical. */
#pragma once
#include "sim/core.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The i-th processor of the family; NULL after the last. */
static inline const char *model_at(unsigned i) { return sim_family_model("netburst", i); }

#define COUNTER(n) (0x300u + (n))
#define CCCR(n)    (0x360u + (n))
#define MASK40     ((UINT64_C(1) << 40) - 1)

/* ESCR and CCCR by the manual's figures. */
#define USR             (1u << 2)
#define OS              (1u << 3)
#define BOTH            (USR | OS)
#define TAG(value)      (1u << 4 | (uint32_t)(value) << 5)
#define EVENT(sel, msk) ((uint32_t)(sel) << 25 | (uint32_t)(msk) << 9)
#define THREAD          (3u << 16)
#define ENABLE          (1u << 12 | THREAD)
#define ESEL(n)         ((uint32_t)(n) << 13)
#define COMPARE         (1u << 18)
#define COMPLEMENT      (1u << 19)
#define THRESHOLD(n)    ((uint32_t)(n) << 20)
#define EDGE            (1u << 24)
#define FORCE_OVF       (1u << 25)
#define OVF_PMI         (1u << 26)
#define CASCADE         (1u << 30 | THREAD)
#define CASCNT          (1u << 11 | THREAD)
#define OVF             (1u << 31)

/* CRU_ESCR0 and 1 are at ESEL 4, CRU_ESCR2 and 3 at 5 of the IQ counters. */
enum { CRU_ESCR0 = 0x3b8, CRU_ESCR1 = 0x3b9, CRU_ESCR2 = 0x3cc, CRU_ESCR3 = 0x3cd };
#define INSTR_RETIRED EVENT(0x02, 1)
#define FRONT_END     EVENT(0x08, 1)
#define EXECUTION(m)  EVENT(0x0c, m)
#define REPLAY        EVENT(0x09, 1)

#define MEMORY 0x4000u

static struct sim *sim;

static struct {
    unsigned pmi;
    uint64_t at; /* instructions that had retired at the last one */
    bool masks;  /* the local APIC is there: delivery masks its entry */
    bool masked;
    bool long_mode, unmapped;
    uint8_t memory[MEMORY];
} host;

static void host_pmi(void *ctx)
{
    assert_ptr_equal(ctx, &host);
    if (host.masked) return;
    host.masked = host.masks;
    host.pmi++;
    host.at = sim->retired;
}

static bool host_read(void *ctx, uint64_t lin, void *data, unsigned len)
{
    (void)ctx;
    if (host.unmapped || lin > MEMORY || len > MEMORY - lin) return false;
    memcpy(data, host.memory + lin, len);
    return true;
}

static bool host_write(void *ctx, uint64_t lin, const void *data, unsigned len)
{
    (void)ctx;
    if (host.unmapped || lin > MEMORY || len > MEMORY - lin) return false;
    memcpy(host.memory + lin, data, len);
    return true;
}

static bool host_long_mode(void *ctx)
{
    (void)ctx;
    return host.long_mode;
}

static inline void given(const char *model, const char *errata)
{
    static const struct sim_host h = {&host, host_pmi, NULL, host_read, host_write, host_long_mode};
    sim_free(sim);
    memset(&host, 0, sizeof host);
    host.masks = true;
    sim = sim_new(model, errata, &h);
    assert_non_null(sim);
}

static inline int teardown(void **state)
{
    (void)state;
    sim_free(sim);
    sim = NULL;
    return 0;
}

static inline uint64_t rd(uint32_t msr)
{
    uint64_t value = 0xdeadbeefdeadbeef;
    assert_int_equal(sim_rdmsr(sim, msr, &value), 1);
    return value;
}

static inline void wr(uint32_t msr, uint64_t value) { assert_int_equal(sim_wrmsr(sim, msr, value), 1); }

/* Something within that many happenings has to be seen at its instruction. */
static inline bool exact(uint64_t happenings) { return sim->family->exact(sim, happenings); }

/* Counter n counts the event of this ESCR from 0. */
static inline void count(unsigned n, uint32_t escr_msr, uint32_t escr, uint32_t cccr)
{
    wr(CCCR(n), 0);
    wr(escr_msr, escr);
    wr(COUNTER(n), 0);
    wr(CCCR(n), cccr | ENABLE);
}

/* Counter n counts instructions from preset, with these bits of CCCR besides. */
static inline void arm_counter(unsigned n, uint64_t preset, uint32_t cccr)
{
    count(n, n < 14 || n == 16 ? CRU_ESCR0 : CRU_ESCR1, INSTR_RETIRED | BOTH, 0);
    wr(CCCR(n), 0);
    wr(COUNTER(n), preset);
    wr(CCCR(n), ENABLE | ESEL(4) | cccr);
}

static inline struct sim_access mem(uint64_t lin, unsigned bytes, unsigned kind)
{
    return (struct sim_access){.lin = lin,
                               .phys = lin,
                               .phys_high = (lin | 4095) + 1,
                               .bytes = (uint8_t)bytes,
                               .kind = (uint8_t)kind};
}

/* One instruction at lin, in one clock, with at most one access (a may be NULL). */
static inline void insn_at(uint64_t lin, uint32_t op, const struct sim_access *a, unsigned cpl)
{
    struct sim_insn i = {.lin = lin, .phys = lin, .len = 2, .op = op};
    i.cpl = i.cpl_after = (uint8_t)cpl;
    if (a) i.access[i.n_access++] = *a;
    for (unsigned k = 0; k < 16; k++) i.reg[k] = UINT64_C(0x0123456700000000) + (lin << 8) + k;
    i.flags = 0x202;
    sim_ticks(sim, 1, false, cpl);
    sim_instruction(sim, &i);
}

static inline void retire(unsigned n)
{
    while (n--) insn_at(0x1000, 0, NULL, 0);
}
