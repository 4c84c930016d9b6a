/* Driving PEBS of the architectural model in a test: guest memory with a DS area, registers after an
 * instruction, counters that record, instructions. */
#pragma once
#include "tests/unit/arch_drive.h"

#define DS       0x200u
#define BUFFER   0x1000u
#define PEBS_ON  0x3f1u
#define DATA_CFG 0x3f2u
#define LATENCY  0x3f6u
#define FRONTEND 0x3f7u
#define DS_AREA  0x600u
#define MINUS(n) (0 - (uint64_t)(n))
#define COUNT48  0xffffffffffffull

/* The models that have it. */
static const char *const with_pebs[] = {"core2", "sandybridge", "haswell", "skylake", "icelake", "tigerlake"};
#define EACH_MODEL(name) \
    for (const char *const *name = with_pebs; name < with_pebs + sizeof with_pebs / sizeof *with_pebs; name++)

static struct {
    uint8_t memory[0x8000];
    uint64_t unmapped; /* a page that is not there; 0: all are */
    bool long_mode;
    unsigned pmi;
    struct sim_registers after;
} guest;
static struct sim *sim;

static inline bool mapped(uint64_t lin, unsigned len)
{
    const bool there = !guest.unmapped || (lin + len - 1) / 0x1000 != guest.unmapped / 0x1000;
    return there && lin + len <= sizeof guest.memory;
}
static inline bool guest_read(void *ctx, uint64_t lin, void *data, unsigned len)
{
    (void)ctx;
    if (!mapped(lin, len)) return false;
    memcpy(data, guest.memory + lin, len);
    return true;
}
static inline bool guest_write(void *ctx, uint64_t lin, const void *data, unsigned len)
{
    (void)ctx;
    if (!mapped(lin, len)) return false;
    memcpy(guest.memory + lin, data, len);
    return true;
}
static inline void guest_pmi(void *ctx)
{
    (void)ctx;
    guest.pmi++;
}
static inline bool guest_long_mode(void *ctx)
{
    (void)ctx;
    return guest.long_mode;
}
static inline void guest_registers(void *ctx, struct sim_registers *after)
{
    (void)ctx;
    *after = guest.after;
}

static inline uint64_t at64(uint64_t address)
{
    uint64_t v;
    memcpy(&v, guest.memory + address, 8);
    return v;
}
static inline void put64(uint64_t address, uint64_t v) { memcpy(guest.memory + address, &v, 8); }
static inline uint64_t ds_index(void) { return at64(DS + 0x28); }

/* The format's record size; of format 4 the basic group. */
static inline unsigned record_bytes(void)
{
    static const unsigned bytes[] = {0x90, 0xb0, 0xc0, 0xc8, 0x20};
    return bytes[rd(sim, CAPABILITIES) >> 8 & 0xf];
}
/* Field at an offset of record k. */
static inline uint64_t field(unsigned k, unsigned offset)
{
    return at64(BUFFER + k * record_bytes() + offset);
}
static inline unsigned records(void) { return (unsigned)(ds_index() - BUFFER) / record_bytes(); }

/* A DS area for n records, the interrupt with the threshold-th. */
static inline void ds_area(unsigned n, unsigned threshold)
{
    put64(DS + 0x20, BUFFER);
    put64(DS + 0x28, BUFFER);
    put64(DS + 0x30, BUFFER + (uint64_t)n * record_bytes());
    put64(DS + 0x38, BUFFER + (uint64_t)threshold * record_bytes());
    wr(sim, DS_AREA, DS);
}
static inline void preset(unsigned slot, uint64_t v) { put64(DS + 0x40 + 8 * slot, v); }

static inline void given(const char *model)
{
    static const struct sim_host host = {.pmi = guest_pmi,
                                         .read = guest_read,
                                         .write = guest_write,
                                         .long_mode = guest_long_mode,
                                         .registers = guest_registers};
    memset(&guest, 0, sizeof guest);
    guest.long_mode = true;
    for (unsigned k = 0; k < 16; k++) {
        guest.after.reg[k] = 0x1111111100000000ull * k + 0x100 + k;
        guest.after.xmm[k][0] = 0xa000 + k;
        guest.after.xmm[k][1] = 0xb000 + k;
    }
    guest.after.flags = 0x246;
    guest.after.tsc = 0x123456789abc;
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    ds_area(16, 16);
}
static inline void finish(void)
{
    sim_free(sim);
    sim = NULL;
}

/* Counter n counts the code at all levels, from value on, and records; more: bits of its select. */
static inline void sample_more(unsigned n, unsigned code, uint64_t value, uint64_t reload, uint64_t more)
{
    wr(sim, SEL0 + n, 0);
    wr(sim, PMC0 + n, value);
    preset(n, reload);
    wr(sim, PEBS_ON, rd(sim, PEBS_ON) | BIT(n));
    wr(sim, SEL0 + n, code | BOTH | EN | more);
}
static inline void sample(unsigned n, unsigned code, uint64_t period)
{
    sample_more(n, code, MINUS(period), MINUS(period), 0);
}

/* An instruction of 3 bytes, with an access if kind is not 0. */
static inline void go(uint64_t lin, uint32_t op, uint64_t data, unsigned kind)
{
    struct sim_insn i = {
        .lin = lin, .phys = lin, .len = 3, .op = op, .target = 0x4321, .n_access = kind != 0};
    i.access[0] = (struct sim_access){.lin = data, .phys = data, .bytes = 4, .kind = (uint8_t)kind};
    sim_ticks(sim, 1, false, 0);
    sim_instruction(sim, &i);
}
static inline void nop_at(uint64_t lin) { go(lin, 0, 0, 0); }
static inline void branch_at(uint64_t lin) { go(lin, OP_BRANCH | OP_TAKEN, 0, 0); }
static inline void load_at(uint64_t lin, uint64_t data) { go(lin, 0, data, SIM_READ); }
