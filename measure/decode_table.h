/* The table of opcodes for decode.c. Private to it. */
#pragma once
#include <stdint.h>

/* An opcode's word: VALID, the bytes that follow it, and its access to an r/m operand in memory (or to the
 * memory that its kind implies). */
enum {
    OP_VALID = 1 << 0,
    OP_MODRM = 1 << 1,
    OP_LOAD = 1 << 2,
    OP_STORE = 1 << 3,
    OP_WRITES_REG = 1 << 4, /* may write the general register of ModRM's reg field */
    OP_WRITES_AX = 1 << 5,

    /* immediate */
    OP_IMM = 7 << 6,
    IMM_8 = 1 << 6,
    IMM_Z = 2 << 6, /* 2 or 4 bytes by operand size */
    IMM_V = 3 << 6, /* 2, 4 or 8 */
    IMM_16 = 4 << 6,
    IMM_24 = 5 << 6,   /* ENTER's */
    IMM_FAR = 6 << 6,  /* IMM_Z and a selector */
    IMM_ADDR = 7 << 6, /* an address: MOV's moffs */

    /* width of the access */
    OP_WIDTH = 7 << 9,
    WIDTH_V = 0 << 9, /* 2, 4 or 8 by operand size */
    WIDTH_1 = 1 << 9,
    WIDTH_2 = 2 << 9,
    WIDTH_Y = 3 << 9, /* 4, with REX.W 8 */
    WIDTH_8 = 4 << 9,
    WIDTH_16 = 5 << 9,
    WIDTH_MMX = 6 << 9, /* 8, with 66 16 */
    WIDTH_SSE = 7 << 9, /* 16, with F3 4, with F2 8 */

    /* special cases */
    OP_KIND = 15 << 12,
    KIND_PLAIN = 0 << 12,
    KIND_PUSH = 1 << 12,   /* stores below the stack pointer; CALL */
    KIND_POP = 2 << 12,    /* loads from the stack; RET */
    KIND_STRING = 3 << 12, /* LOAD: from (rSI); STORE: to (rDI) */
    KIND_SCAN = 12 << 12,  /* CMPS and SCAS: load from (rDI); LOAD: and from (rSI) */
    KIND_GROUP = 4 << 12,  /* by ModRM's reg field: decode_group */
    KIND_X87 = 5 << 12,
    KIND_MOFFS = 6 << 12,
    KIND_XLAT = 7 << 12,
    KIND_LEAVE = 8 << 12,
    KIND_BRANCH = 9 << 12, /* its operand size means something else in long mode */
    KIND_BIT = 10 << 12,   /* a bit string's register offset */
    KIND_REG = 11 << 12,   /* mod is ignored: always a register */
    KIND_SSE = 13 << 12,   /* width by prefix: decode_sse */
};

/* Operations of the opcodes of KIND_GROUP, a bit for each value of ModRM's reg field. */
struct decode_group {
    uint16_t op; /* 100h: after 0F */
    uint8_t valid, load, store;
};

/* Bytes accessed by the opcodes of KIND_SSE, by the prefix: none, 66, F3, F2; 0: no such instruction, or
 * unknown. */
struct decode_sse {
    uint8_t op;
    uint8_t bytes[4];
};

extern const uint16_t decode_one[256]; /* one-byte opcodes */
extern const uint16_t decode_two[256]; /* 0F xx */
extern const char decode_not_long[];   /* one-byte opcodes that do not exist in long mode */
extern const struct decode_group decode_groups[];
extern const struct decode_sse decode_sses[];
extern const unsigned decode_group_count, decode_sse_count;

/* D8..DF with a memory operand, by reg: bytes, and X87_STORE where it stores; 0: no such instruction. The
 * environment (D9 /4, /6) and the state (DD /4, /6) are those of a 32-bit operand size: 14 bytes less
 * with 66. */
extern const uint8_t decode_x87[8 * 8];
#define X87_STORE 0x80
