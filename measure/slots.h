/* Reading many counters: one unrolled sequence for the start and one for the end, shared by the bracket and
 * the markers of regions (measure/slot_code.S), and their control data (slots_prepare() in
 * measure/bracket.h). Shared by C and assembly: offsets in bytes.
 *
 * Each sequence has a slot for each of 18 counters. An indirect call enters it n slots before its end: no
 * branch depends on data, and one copy of the code serves every n, serialisation and user. A slot subtracts
 * its reading from a sum at the start and adds it to the same sum at the end, so that the sum is the
 * difference. */
#pragma once

#define SLOTS_COUNTERS 18 /* == PMU_COUNTERS */

#define SLOTS_FENCE        0
#define SLOTS_INNER        8
#define SLOTS_START        16
#define SLOTS_END          24
#define SLOTS_START_SELECT 32
#define SLOTS_END_SELECT   40
#define SLOTS_SHIFT        48
#define SLOTS_BYTES        56

#define SLOT_CODE 11 /* bytes of a slot's instructions, the same on both flavours */

/* Displacements of the sums and the selects from the registers that point to them. All fit into a byte, and
 * none is 0, which has a shorter encoding. */
#define SLOTS_SUMS    -62
#define SLOTS_SELECTS 4

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

typedef void slots_fn(void); /* none has C's calling convention */

/* Registers are pointer-sized and lie 8 bytes apart in both flavours. */
struct slots {
    _Alignas(8) slots_fn *fence;        /* orders the readings; clobbers EAX to EDX at most */
    _Alignas(8) slots_fn *inner;        /* after the first readings */
    _Alignas(8) slots_fn *start;        /* the slot to enter at */
    _Alignas(8) slots_fn *end;          /* likewise */
    _Alignas(8) uintptr_t start_select; /* BX for the start */
    _Alignas(8) uintptr_t end_select;   /* BX for the end */
    _Alignas(8) uintptr_t shift;        /* SI for the start is this much below BP for the end */
};

_Static_assert(offsetof(struct slots, inner) == SLOTS_INNER, "slots.h");
_Static_assert(offsetof(struct slots, start) == SLOTS_START, "slots.h");
_Static_assert(offsetof(struct slots, end) == SLOTS_END, "slots.h");
_Static_assert(offsetof(struct slots, start_select) == SLOTS_START_SELECT, "slots.h");
_Static_assert(offsetof(struct slots, end_select) == SLOTS_END_SELECT, "slots.h");
_Static_assert(offsetof(struct slots, shift) == SLOTS_SHIFT, "slots.h");
_Static_assert(sizeof(struct slots) == SLOTS_BYTES, "slots.h");
#endif
