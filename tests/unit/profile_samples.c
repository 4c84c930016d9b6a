#include "tests/unit/profile_samples.h"
#include "tests/unit/unit.h"
#include <string.h>

uint8_t memory[1 << 18] __attribute__((aligned(8)));
struct arena arena;
const struct profile_filter all = {.counter = -1};
const struct cache p4 = {.level = 1, .kind = CACHE_DATA, .bytes = 8192, .line = 64, .ways = 4};

/* ---- code ---- */

uint8_t bytes[400];
struct code article = {bytes, 0x080484c3 - TARGET_AT, sizeof bytes, false, sizeof bytes, NULL, NULL};

int prepare(void **state)
{
    static const uint8_t far_load[] = {0x8b, 0x8b, 0x00, 0x10, 0x00, 0x00}; /* mov 0x1000(%ebx),%ecx */
    (void)state;
    arena = (struct arena){memory, sizeof memory, 0};
    memset(memory, 0xff, sizeof memory); /* what is read before it is written shows */
    for (unsigned i = 0; i < TARGET_AT; i += 2) bytes[i] = 0x8b, bytes[i + 1] = 0x0b;
    bytes[TARGET_AT] = 0x8b; /* mov (%eax),%eax */
    bytes[TARGET_AT + 1] = 0x00;
    for (unsigned i = TARGET_AT + 2; i + 6 <= sizeof bytes; i += 6) memcpy(bytes + i, far_load, 6);
    return 0;
}

uint64_t ip_behind(unsigned instructions)
{
    return 0x080484c3 + (instructions ? 2 + 6 * (instructions - 1) : 0);
}

/* ---- samples ---- */

static struct sample taken[4096];
struct samples samples;

void take_none(void) { samples = (struct samples){taken, 0, N(taken), 0}; }

struct sample *take(uint64_t ip)
{
    struct sample *s = &taken[samples.n++];
    assert_true(samples.n <= N(taken));
    *s = (struct sample){.valid = SAMPLE_IP | SAMPLE_COUNTER, .ip = ip, .counter = 16};
    return s;
}

struct sample *take_load(unsigned level, unsigned tlb, uint32_t latency)
{
    struct sample *s = take(0x080484c3);
    s->valid |= SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_PRECISE;
    s->level = (uint8_t)level;
    s->tlb = (uint8_t)tlb;
    s->latency = latency;
    s->traits = SAMPLE_LOAD;
    s->data = 0x10000 + 0x2000 * level;
    return s;
}

void take_loads(void)
{
    take_none();
    for (unsigned i = 0; i < 60; i++) take_load(LEVEL_L2, TLB_L1, i == 59 ? 20 : 14);
    for (unsigned i = 0; i < 30; i++) take_load(LEVEL_L3, TLB_L2, 40 + i);
    for (unsigned i = 0; i < 9; i++) take_load(LEVEL_MEMORY, TLB_WALK, 300)->traits |= SAMPLE_LOCKED;
    take_load(LEVEL_UNKNOWN, TLB_L1, 0)->valid &= ~(uint32_t)(SAMPLE_LEVEL | SAMPLE_LATENCY);
}

const struct profile_line table_1[8] = {
    {.key = 0x08049760, .count = 102}, {.key = 0x0804b760, .count = 88},  {.key = 0x0804d760, .count = 106},
    {.key = 0x0804f760, .count = 102}, {.key = 0x08051760, .count = 100}, {.key = 0x08053760, .count = 100},
    {.key = 0x08055760, .count = 101}, {.key = 0x08057760, .count = 101},
};

void take_table_1(void)
{
    unsigned left[N(table_1)] = {0}, i = 0;
    for (unsigned k = 0; k < N(table_1); k++) left[k] = (unsigned)table_1[k].count;
    take_none();
    for (unsigned n = 0; n < 800; n++) {
        do i = (i + 5) % N(table_1);
        while (!left[i]);
        left[i]--;
        struct sample *s = take(0x080484c3);
        s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
        s->reg[0] = table_1[i].key;
    }
}
