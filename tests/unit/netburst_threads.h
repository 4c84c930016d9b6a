/* Two threads of a modelled Prescott in a test: ways to program what they share, and to say facts of either.
 */
#pragma once
#include "sim/netburst.h"
#include "tests/unit/unit.h"
#include <string.h>

#define CCCR(n)                  (0x360u + (n))
#define COUNTER(n)               (0x300u + (n))
#define EVENT(sel, mask, levels) ((uint32_t)(sel) << 25 | (uint32_t)(mask) << 9 | (levels))
#define ESEL(n)                  ((uint32_t)(n) << 13)
#define ENABLE                   (1u << 12)
#define ANY                      (3u << 16)
#define OVF                      (1u << 31)
enum { CRU_ESCR0 = 0x3b8, CRU_ESCR1 = 0x3b9, CRU_ESCR2 = 0x3cc };
#define INSTR_RETIRED(levels) EVENT(0x02, 3, levels)
#define ON_IQ                 (ENABLE | ANY | ESEL(4))

#define MEMORY 0x4000u

static struct thread {
    struct sim *sim;
    unsigned pmi;
    bool inactive;
} thread[2];
static uint8_t memory[MEMORY]; /* of both */

static void on_pmi(void *ctx) { ((struct thread *)ctx)->pmi++; }
static bool inactive(void *ctx) { return ((const struct thread *)ctx)->inactive; }

static bool on_read(void *ctx, uint64_t lin, void *data, unsigned len)
{
    (void)ctx;
    if (lin > MEMORY || len > MEMORY - lin) return false;
    memcpy(data, memory + lin, len);
    return true;
}
static bool on_write(void *ctx, uint64_t lin, const void *data, unsigned len)
{
    (void)ctx;
    if (lin > MEMORY || len > MEMORY - lin) return false;
    memcpy(memory + lin, data, len);
    return true;
}

static inline int two_threads(void **state)
{
    (void)state;
    memset(thread, 0, sizeof thread);
    memset(memory, 0, sizeof memory);
    for (unsigned t = 0; t < 2; t++) {
        const struct sim_host host = {
            .ctx = &thread[t], .pmi = on_pmi, .read = on_read, .write = on_write, .inactive = inactive};
        thread[t].sim = t ? sim_thread(thread[0].sim, &host) : sim_new("prescott", NULL, &host);
        assert_non_null(thread[t].sim);
    }
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    sim_free(thread[1].sim);
    sim_free(thread[0].sim);
    return 0;
}

static inline void wr(unsigned t, uint32_t msr, uint64_t v)
{
    assert_int_equal(sim_wrmsr(thread[t].sim, msr, v), 1);
}
static inline void refused(unsigned t, uint32_t msr, uint64_t v)
{
    assert_int_equal(sim_wrmsr(thread[t].sim, msr, v), 0);
}
static inline uint64_t rd(unsigned t, uint32_t msr)
{
    uint64_t v = 0xdeadbeef;
    assert_int_equal(sim_rdmsr(thread[t].sim, msr, &v), 1);
    return v;
}

/* n instructions at 1000h, each with a load of the line at phys where that is not 0. */
static inline void retire(unsigned t, unsigned n, unsigned cpl, uint64_t phys, uint32_t op)
{
    struct sim_insn i = {
        .lin = 0x1000, .phys = 0x1000, .len = 2, .op = op, .cpl = (uint8_t)cpl, .cpl_after = (uint8_t)cpl};
    if (phys)
        i.access[i.n_access++] = (struct sim_access){.lin = phys, .phys = phys, .bytes = 4, .kind = SIM_READ};
    while (n--) {
        sim_ticks(thread[t].sim, 1, false, cpl);
        sim_instruction(thread[t].sim, &i);
    }
}
