/* Driving the P6 model in a test: its registers, and a way to program them. */
#pragma once
#include "sim/p6.h"
#include "tests/unit/sim_drive.h"

enum { CTR0 = 0xc1, CTR1 = 0xc2, SEL0 = 0x186, SEL1 = 0x187 };
#define USR      (1u << 16)
#define OS       (1u << 17)
#define E        (1u << 18)
#define PC       (1u << 19)
#define INT      (1u << 20)
#define EN       (1u << 22)
#define INV      (1u << 23)
#define CMASK(n) ((uint32_t)(n) << 24)
#define BOTH     (USR | OS)
#define MASK40   0xffffffffffull

static const char *const models[] = {"ppro", "p2", "p3"};

/* Program one counter, the enable being where it is. */
static inline void program(struct sim *s, unsigned n, uint32_t select)
{
    wr(s, SEL0, n == 0 ? select | EN : EN);
    wr(s, SEL1, n == 1 ? select : 0);
    wr(s, CTR0, 0);
    wr(s, CTR1, 0);
}
