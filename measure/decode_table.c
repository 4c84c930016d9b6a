/* The opcode maps: SDM vol. 2D, tables A-2 and A-3 (one and two bytes), A-6 (groups), A-7 to A-22 (x87). */
#include "measure/decode_table.h"

#define M    (OP_VALID | OP_MODRM)
#define RM   (M | OP_LOAD)            /* reads r/m */
#define RM_R (RM | OP_WRITES_REG)     /* ... into reg */
#define W_M  (M | OP_STORE)           /* writes r/m */
#define RW_M (M | OP_LOAD | OP_STORE) /* both */
#define V    OP_VALID                 /* no operand in memory */
#define PUSH (V | OP_STORE | KIND_PUSH)
#define POP  (V | OP_LOAD | KIND_POP)
#define B    WIDTH_1

/* ADD and similar: r/m by reg, reg by r/m, accumulator by immediate. */
#define ALU(op)                                                                                           \
    [op] = RW_M | B, [(op) + 1] = RW_M, [(op) + 2] = RM_R | B, [(op) + 3] = RM_R, [(op) + 4] = V | IMM_8, \
    [(op) + 5] = V | IMM_Z

const uint16_t decode_one[256] = {
    ALU(0x00),
    [0x06] = PUSH,
    [0x07] = POP,
    ALU(0x08),
    [0x0e] = PUSH,
    ALU(0x10),
    [0x16] = PUSH,
    [0x17] = POP,
    ALU(0x18),
    [0x1e] = PUSH,
    [0x1f] = POP,
    ALU(0x20),
    [0x27] = V,
    ALU(0x28),
    [0x2f] = V,
    ALU(0x30),
    [0x37] = V,
    [0x38] = RM | B,
    [0x39] = RM,
    [0x3a] = RM | B,
    [0x3b] = RM,
    [0x3c] = V | IMM_8,
    [0x3d] = V | IMM_Z,
    [0x3f] = V,
    [0x40 ... 0x4f] = V, /* INC, DEC; REX in long mode */
    [0x50 ... 0x57] = PUSH,
    [0x58 ... 0x5f] = POP,
    [0x60] = V,
    [0x61] = V, /* PUSHA, POPA: eight words each */
    [0x62] = M, /* BOUND, two words */
    [0x63] = M, /* ARPL; MOVSXD in long mode: decode.c */
    [0x68] = PUSH | IMM_Z,
    [0x69] = RM_R | IMM_Z,
    [0x6a] = PUSH | IMM_8,
    [0x6b] = RM_R | IMM_8,
    [0x6c ... 0x6f] = V, /* INS, OUTS */
    [0x70 ... 0x7f] = V | IMM_8,
    [0x80] = M | B | IMM_8 | KIND_GROUP,
    [0x81] = M | IMM_Z | KIND_GROUP,
    [0x82] = M | B | IMM_8 | KIND_GROUP,
    [0x83] = M | IMM_8 | KIND_GROUP,
    [0x84] = RM | B,
    [0x85] = RM,
    [0x86] = RW_M | OP_WRITES_REG | B,
    [0x87] = RW_M | OP_WRITES_REG,
    [0x88] = W_M | B,
    [0x89] = W_M,
    [0x8a] = RM_R | B,
    [0x8b] = RM_R,
    [0x8c] = W_M | WIDTH_2,
    [0x8d] = M,
    [0x8e] = RM | WIDTH_2,
    [0x8f] = M | KIND_GROUP,
    [0x90 ... 0x99] = V,
    [0x9a] = V | IMM_FAR,
    [0x9b] = V,
    [0x9c] = PUSH,
    [0x9d] = POP,
    [0x9e] = V,
    [0x9f] = V,
    [0xa0] = V | OP_LOAD | B | IMM_ADDR | KIND_MOFFS,
    [0xa1] = V | OP_LOAD | IMM_ADDR | KIND_MOFFS,
    [0xa2] = V | OP_STORE | B | IMM_ADDR | KIND_MOFFS,
    [0xa3] = V | OP_STORE | IMM_ADDR | KIND_MOFFS,
    [0xa4] = V | OP_LOAD | OP_STORE | B | KIND_STRING,
    [0xa5] = V | OP_LOAD | OP_STORE | KIND_STRING,
    [0xa6] = V | OP_LOAD | B | KIND_SCAN,
    [0xa7] = V | OP_LOAD | KIND_SCAN,
    [0xa8] = V | IMM_8,
    [0xa9] = V | IMM_Z,
    [0xaa] = V | OP_STORE | B | KIND_STRING,
    [0xab] = V | OP_STORE | KIND_STRING,
    [0xac] = V | OP_LOAD | B | KIND_STRING,
    [0xad] = V | OP_LOAD | KIND_STRING,
    [0xae] = V | B | KIND_SCAN,
    [0xaf] = V | KIND_SCAN,
    [0xb0 ... 0xb7] = V | IMM_8,
    [0xb8 ... 0xbf] = V | IMM_V,
    [0xc0] = RW_M | B | IMM_8,
    [0xc1] = RW_M | IMM_8,
    [0xc2] = POP | IMM_16,
    [0xc3] = POP,
    [0xc4] = M,
    [0xc5] = M, /* LES, LDS */
    [0xc6] = M | B | IMM_8 | KIND_GROUP,
    [0xc7] = M | IMM_Z | KIND_GROUP,
    [0xc8] = V | IMM_24,
    [0xc9] = V | OP_LOAD | KIND_LEAVE,
    [0xca] = V | IMM_16,
    [0xcb] = V,
    [0xcc] = V,
    [0xcd] = V | IMM_8,
    [0xce] = V,
    [0xcf] = V,
    [0xd0] = RW_M | B,
    [0xd1] = RW_M,
    [0xd2] = RW_M | B,
    [0xd3] = RW_M,
    [0xd4] = V | IMM_8,
    [0xd5] = V | IMM_8,
    [0xd7] = V | OP_LOAD | B | KIND_XLAT,
    [0xd8 ... 0xdf] = M | KIND_X87,
    [0xe0 ... 0xe7] = V | IMM_8,
    [0xe8] = PUSH | IMM_Z,
    [0xe9] = V | IMM_Z | KIND_BRANCH,
    [0xea] = V | IMM_FAR,
    [0xeb] = V | IMM_8,
    [0xec ... 0xef] = V,
    [0xf1] = V,
    [0xf4] = V,
    [0xf5] = V,
    [0xf6] = M | B | KIND_GROUP,
    [0xf7] = M | KIND_GROUP,
    [0xf8 ... 0xfd] = V,
    [0xfe] = M | B | KIND_GROUP,
    [0xff] = M | KIND_GROUP,
};

#define SSE (RM | WIDTH_SSE)
#define MMX (RM | WIDTH_MMX)

const uint16_t decode_two[256] = {
    [0x00] = M,
    [0x01] = M,
    [0x02] = M | OP_WRITES_REG,
    [0x03] = M | OP_WRITES_REG,
    [0x05 ... 0x09] = V,
    [0x0b] = V,
    [0x0d] = M,
    [0x0e] = V,
    [0x0f] = M | IMM_8,
    [0x10] = SSE,
    [0x11] = W_M | WIDTH_SSE,
    [0x12] = RM | KIND_SSE,
    [0x13] = W_M | KIND_SSE,
    [0x14] = SSE,
    [0x15] = SSE,
    [0x16] = RM | KIND_SSE,
    [0x17] = W_M | KIND_SSE,
    [0x18 ... 0x1f] = M, /* PREFETCH, NOP */
    [0x20 ... 0x23] = M | KIND_REG,
    [0x28] = SSE,
    [0x29] = W_M | WIDTH_SSE,
    [0x2a] = RM | KIND_SSE,
    [0x2b] = W_M | WIDTH_SSE,
    [0x2c] = RM_R | KIND_SSE,
    [0x2d] = RM_R | KIND_SSE,
    [0x2e] = RM | KIND_SSE,
    [0x2f] = RM | KIND_SSE,
    [0x30 ... 0x35] = V,
    [0x37] = V,
    [0x40 ... 0x4f] = RM_R,
    [0x50] = M,
    [0x51 ... 0x59] = SSE,
    [0x5a] = RM | KIND_SSE,
    [0x5b] = RM | WIDTH_16,
    [0x5c ... 0x5f] = SSE,
    [0x60 ... 0x62] = RM | KIND_SSE,
    [0x63 ... 0x6d] = MMX,
    [0x6e] = RM | WIDTH_Y,
    [0x6f] = RM | KIND_SSE,
    [0x70] = RM | IMM_8 | KIND_SSE,
    [0x71 ... 0x73] = M | IMM_8,
    [0x74 ... 0x76] = MMX,
    [0x77] = V,
    [0x78] = M, /* VMREAD; with a prefix SSE4A's: decode.c */
    [0x79] = M,
    [0x7c] = RM | WIDTH_16,
    [0x7d] = RM | WIDTH_16,
    [0x7e] = W_M | WIDTH_Y, /* with F3 a load: decode.c */
    [0x7f] = W_M | KIND_SSE,
    [0x80 ... 0x8f] = V | IMM_Z | KIND_BRANCH,
    [0x90 ... 0x9f] = W_M | B,
    [0xa0] = PUSH,
    [0xa1] = POP,
    [0xa2] = V,
    [0xa3] = RM | KIND_BIT,
    [0xa4] = RW_M | IMM_8,
    [0xa5] = RW_M,
    [0xa6] = M, /* PadLock, VIA's and Zhaoxin's */
    [0xa7] = M,
    [0xa8] = PUSH,
    [0xa9] = POP,
    [0xaa] = V,
    [0xab] = RW_M | KIND_BIT,
    [0xac] = RW_M | IMM_8,
    [0xad] = RW_M,
    [0xae] = M | KIND_GROUP,
    [0xaf] = RM_R,
    [0xb0] = RW_M | OP_WRITES_AX | B,
    [0xb1] = RW_M | OP_WRITES_AX,
    [0xb2] = M,
    [0xb3] = RW_M | KIND_BIT,
    [0xb4] = M,
    [0xb5] = M,
    [0xb6] = RM_R | B,
    [0xb7] = RM_R | WIDTH_2,
    [0xb8] = RM_R,
    [0xb9] = M, /* UD1 */
    [0xba] = M | IMM_8 | KIND_GROUP,
    [0xbb] = RW_M | KIND_BIT,
    [0xbc] = RM_R,
    [0xbd] = RM_R,
    [0xbe] = RM_R | B,
    [0xbf] = RM_R | WIDTH_2,
    [0xc0] = RW_M | OP_WRITES_REG | B,
    [0xc1] = RW_M | OP_WRITES_REG,
    [0xc2] = SSE | IMM_8,
    [0xc3] = W_M | WIDTH_Y,
    [0xc4] = RM | WIDTH_2 | IMM_8,
    [0xc5] = M | IMM_8,
    [0xc6] = SSE | IMM_8,
    [0xc7] = M | WIDTH_8 | KIND_GROUP,
    [0xc8 ... 0xcf] = V,
    [0xd0] = RM | WIDTH_16,
    [0xd1 ... 0xd5] = MMX,
    [0xd6] = W_M | KIND_SSE,
    [0xd7] = M,
    [0xd8 ... 0xe5] = MMX,
    [0xe6] = RM | KIND_SSE,
    [0xe7] = W_M | WIDTH_MMX,
    [0xe8 ... 0xef] = MMX,
    [0xf0] = RM | KIND_SSE,
    [0xf1 ... 0xf6] = MMX,
    [0xf7] = M,
    [0xf8 ... 0xfe] = MMX,
    [0xff] = M, /* UD0 */
};

const char decode_not_long[] =
    "\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x62\x82\x9a\xc4\xc5\xce\xd4"
    "\xd5\xea";

const struct decode_group decode_groups[] = {
    {0x080, 0xff, 0xff, 0x7f}, /* /7: CMP */
    {0x081, 0xff, 0xff, 0x7f}, {0x082, 0xff, 0xff, 0x7f},
    {0x083, 0xff, 0xff, 0x7f}, {0x08f, 0x01, 0x00, 0x01}, /* POP, which loads from the stack besides */
    {0x0c6, 0x01, 0x00, 0x01}, {0x0c7, 0x01, 0x00, 0x01}, /* MOV */
    {0x0f6, 0xff, 0xff, 0x0c}, {0x0f7, 0xff, 0xff, 0x0c}, /* /2, /3: NOT, NEG */
    {0x0fe, 0x03, 0x03, 0x03},                            /* INC, DEC */
    {0x0ff, 0x7f, 0x57, 0x03},                            /* /2 CALL, /4 JMP, /6 PUSH; /3, /5 are far */
    {0x1ae, 0xff, 0x04, 0x08},                            /* LDMXCSR, STMXCSR */
    {0x1ba, 0xf0, 0xf0, 0xe0},                            /* /4: BT */
    {0x1c7, 0xff, 0x02, 0x02},                            /* CMPXCHG8B */
};
const unsigned decode_group_count = sizeof decode_groups / sizeof *decode_groups;

const struct decode_sse decode_sses[] = {
    {0x12, {8, 8, 16, 8}},  {0x13, {8, 8, 0, 0}},    {0x16, {8, 8, 16, 0}},  {0x17, {8, 8, 0, 0}},
    {0x2a, {8, 8, 0, 0}}, /* with F3 and F2 from a general operand: decode.c */
    {0x2c, {8, 16, 4, 8}},  {0x2d, {8, 16, 4, 8}},   {0x2e, {4, 8, 0, 0}},   {0x2f, {4, 8, 0, 0}},
    {0x5a, {8, 16, 4, 8}},  {0x60, {4, 16, 0, 0}},   {0x61, {4, 16, 0, 0}},  {0x62, {4, 16, 0, 0}},
    {0x6f, {8, 16, 16, 0}}, {0x70, {8, 16, 16, 16}}, {0x7f, {8, 16, 16, 0}}, {0xd6, {0, 8, 0, 0}},
    {0xe6, {0, 16, 8, 16}}, {0xf0, {0, 0, 0, 16}},
};
const unsigned decode_sse_count = sizeof decode_sses / sizeof *decode_sses;

#define S X87_STORE
const uint8_t decode_x87[8 * 8] = {
    4, 4,     4,     4,     4,   4,  4,       4,      /* D8 */
    4, 0,     S | 4, S | 4, 28,  2,  S | 28,  S | 2,  /* D9: FLD, FST(P), environment, control word */
    4, 4,     4,     4,     4,   4,  4,       4,      /* DA */
    4, S | 4, S | 4, S | 4, 0,   10, 0,       S | 10, /* DB */
    8, 8,     8,     8,     8,   8,  8,       8,      /* DC */
    8, S | 8, S | 8, S | 8, 108, 0,  S | 108, S | 2,  /* DD: ..., state, status word */
    2, 2,     2,     2,     2,   2,  2,       2,      /* DE */
    2, S | 2, S | 2, S | 2, 10,  8,  S | 10,  S | 8,  /* DF */
};
