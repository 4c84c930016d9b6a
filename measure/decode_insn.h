/* A decoded instruction, between decode.c and decode_access.c. Private to them. */
#pragma once
#include "measure/decode_table.h"
#include <stdbool.h>

/* A kernel decodes code of its own mode only, so the compiler removes the other half of the decoder. */
typedef uintptr_t linear;
#ifdef HOST
#define IS_LONG(i) ((i)->long_mode)
#else
#define IS_LONG(i) (sizeof(void *) == 8)
#endif
#define REX(i) (IS_LONG(i) ? (i)->rex : 0u)

enum { AX, CX, DX, BX, SP, BP, SI, DI, NO_REG = 16, IP_REG = 17 };
enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

struct insn {
    const uint8_t *code;
    unsigned len, at; /* readable bytes; bytes read so far, at the end the length */
    bool cut;         /* needed more bytes */
    bool long_mode, opsize, addrsize, fs_gs;
    bool lock;
    uint8_t rep; /* F2, F3 or 0 */
    bool rex2;   /* APX: rex has its W, and R, X and B of the registers below r16 */
    uint8_t rex, op, modrm;
    bool two; /* in the 0F map; of 0F 38 and 0F 3A op is that second byte, and `last` the third */
    enum { LEGACY, VEX, EVEX, XOP } coding; /* not LEGACY: op is 0 */
    uint8_t map;       /* 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, or the prefix's number */
    uint8_t last;      /* the opcode's last byte */
    uint8_t pp, w, ll; /* of the prefix: 0 none, 1 66, 2 F3, 3 F2; W; vector length */
    bool evex_b;       /* rounding, or broadcast */
    uint16_t word;
    unsigned base, index, scale; /* of a memory operand */
    linear disp, imm;
};

static inline bool in_memory(const struct insn *i)
{
    return i->word & OP_MODRM && i->modrm < 0xc0 && (i->word & OP_KIND) != KIND_REG;
}
static inline unsigned reg_field(const struct insn *i) { return i->modrm >> 3 & 7; }

static inline unsigned word_size(const struct insn *i) { return REX(i) & REX_W ? 8 : i->opsize ? 2 : 4; }

/* Decode the instruction at code, of which len bytes can be read. False: unknown, or cut off. */
bool decode_insn(struct insn *i, const uint8_t *code, unsigned len, bool long_mode);
