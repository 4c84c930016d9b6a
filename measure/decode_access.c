/* The accesses of a decoded instruction: addresses and widths. */
#include "measure/decode.h"
#include "measure/decode_insn.h"
#include <stddef.h>

/* ---- private ---- */

/* An instruction, the registers, and the accesses found: at most two. */
struct look {
    struct insn i;
    const struct sample *s;
    bool before; /* the registers are those before it */
    unsigned n;
    struct access {
        linear address;
        unsigned dir, bytes; /* dir: OP_LOAD and OP_STORE */
        bool known;
    } a[2];
};

static linear reg(const struct look *k, unsigned r) { return (linear)k->s->reg[r]; }

static linear truncate(const struct insn *i, linear address)
{
    return IS_LONG(i) && !i->addrsize ? address : (uint32_t)address;
}

/* Registers that the instruction may have written, a bit each. A byte register without REX may be the second
 * byte of another. */
static unsigned written(const struct insn *i)
{
    unsigned mask = 0, reg = reg_field(i) | (REX(i) & REX_R ? 8 : 0), kind = i->word & OP_KIND;
    if (i->word & OP_WRITES_REG) mask |= 1u << reg;
    if (mask && (i->word & OP_WIDTH) == WIDTH_1 && (!i->two || i->op == 0xc0)) mask |= 1u << (reg & 3);
    if (i->word & OP_WRITES_AX) mask |= 1u << AX;
    if (kind == KIND_GROUP && (i->two ? i->op == 0xc7 : (i->op | 1) == 0xf7 && reg_field(i) >= 4))
        mask |= 1u << AX | 1u << DX; /* CMPXCHG8B; MUL, DIV */
    return mask;
}

static bool address_16(const struct insn *i) { return i->addrsize && !IS_LONG(i); }

/* Bytes of the r/m or implied operand; 0: not known. */
static unsigned width(const struct insn *i)
{
    unsigned prefix = i->rep == 0xf3 ? 2 : i->rep == 0xf2 ? 3 : i->opsize;
    switch (i->word & OP_KIND) {
    case KIND_X87: {
        unsigned bytes = decode_x87[(i->op & 7) * 8 + reg_field(i)] & ~X87_STORE;
        return bytes >= 28 && i->opsize ? bytes - 14 : bytes;
    }
    case KIND_SSE:
        if (i->op == 0x2a && prefix >= 2) return REX(i) & REX_W ? 8 : 4;
        for (unsigned k = 0; k < decode_sse_count; k++)
            if (decode_sses[k].op == i->op) return decode_sses[k].bytes[prefix];
        return 0;
    default:
        break;
    }
    if (IS_LONG(i) && !i->two && i->op == 0x63) return i->opsize ? 0 : 4;
    if (i->two && i->op == 0xae) return 4; /* MXCSR */
    switch (i->word & OP_WIDTH) {
    case WIDTH_1:
        return 1;
    case WIDTH_2:
        return 2;
    case WIDTH_Y:
        return REX(i) & REX_W ? 8 : 4;
    case WIDTH_8: /* CMPXCHG8B, 16B */
        return REX(i) & REX_W ? 16 : 8;
    case WIDTH_16:
        return 16;
    case WIDTH_MMX:
        return i->opsize ? 16 : 8;
    case WIDTH_SSE:
        return prefix < 2 ? 16 : prefix == 2 ? 4 : 8;
    default:
        return word_size(i);
    }
}

static void add(struct look *k, unsigned dir, bool known, linear address, unsigned bytes)
{
    k->a[k->n++] = (struct access){address, dir, bytes, known && bytes};
}

/* An access at a complete address, through a segment that may be FS or GS. */
static void add_data(struct look *k, unsigned dir, bool known, linear address, unsigned bytes)
{
    add(k, dir, known && !k->i.fs_gs && !address_16(&k->i), truncate(&k->i, address), bytes);
}

/* The access of a string instruction at (rSI) or (rDI), r, in one iteration: with REP the next one, if there
 * is one. After the instruction nothing is certain. */
static void string(struct look *k, unsigned dir, unsigned r)
{
    enum { DF = 1 << 10 };
    unsigned bytes = width(&k->i);
    bool known = !k->i.rep || (k->before && truncate(&k->i, reg(k, CX)));
    linear step = k->before ? 0 : (unsigned)k->s->flags & DF ? -(linear)bytes : bytes;
    add_data(k, dir, known, reg(k, r) - step, bytes);
}

/* The instruction's access to the stack. */
static void stack(struct look *k, unsigned kind, unsigned bytes)
{
    const struct insn *i = &k->i;
    bool pops_sp = kind == KIND_POP && !i->two && !(REX(i) & REX_B) &&
                   (i->op == 0x5c || (i->op == 0x8f && !in_memory(i) && (i->modrm & 7) == SP));
    linear sp = reg(k, k->before && kind == KIND_LEAVE ? BP : SP);
    if (k->before && kind == KIND_PUSH)
        sp -= bytes;
    else if (!k->before && kind != KIND_PUSH)
        sp -= bytes + (i->op == 0xc2 && !i->two ? (unsigned)i->imm & 0xffff : 0);
    add(k, kind == KIND_PUSH ? OP_STORE : OP_LOAD, k->before || !pops_sp, IS_LONG(i) ? sp : (uint32_t)sp,
        bytes);
}

/* The register offset of a bit string, in bytes: SDM vol. 2A, table 3-2 and BT. */
static linear bit_offset(const struct look *k)
{
    unsigned bytes = word_size(&k->i);
    linear v = reg(k, reg_field(&k->i) | (REX(&k->i) & REX_R ? 8 : 0));
    intptr_t bit = bytes == 2 ? (int16_t)v : bytes == 4 ? (int32_t)v : (intptr_t)v;
    return (linear)(bit >> 3) & -(linear)bytes;
}

/* The r/m operand. bytes: its width. shift: the change of the stack pointer before the address is computed.
 */
static void rm(struct look *k, unsigned bytes, unsigned shift)
{
    const struct insn *i = &k->i;
    unsigned dir = i->word & (OP_LOAD | OP_STORE), used = 0, kind = i->word & OP_KIND;
    linear address = i->disp;
    if (kind == KIND_X87) dir = decode_x87[(i->op & 7) * 8 + reg_field(i)] & X87_STORE ? OP_STORE : OP_LOAD;
    if (!in_memory(i) || dir == 0) return;
    if (i->base < NO_REG) {
        address += reg(k, i->base);
        used = 1u << i->base;
    }
    if (i->base == SP) address += shift;
    if (i->base == IP_REG) address += (linear)k->s->ip + i->at;
    if (i->index < NO_REG) {
        address += reg(k, i->index) << i->scale;
        used |= 1u << i->index;
    }
    if (kind == KIND_BIT) address += bit_offset(k);
    add_data(k, dir, k->before || !(used & written(i)), address, bytes);
}

static void accesses(struct look *k)
{
    const struct insn *i = &k->i;
    unsigned kind = i->word & OP_KIND, bytes = i->opsize ? 2 : IS_LONG(i) ? 8 : 4; /* of a push */
    switch (kind) {
    case KIND_PUSH:
    case KIND_POP:
    case KIND_LEAVE:
        stack(k, kind, bytes);
        return;
    case KIND_STRING:
    case KIND_SCAN:
        if (i->word & OP_LOAD) string(k, OP_LOAD, SI);
        if (i->word & OP_STORE) string(k, OP_STORE, DI);
        if (kind == KIND_SCAN) string(k, OP_LOAD, DI);
        return;
    case KIND_XLAT:
        add_data(k, OP_LOAD, k->before, reg(k, BX) + (uint8_t)reg(k, AX), 1);
        return;
    case KIND_MOFFS:
        add_data(k, i->word & (OP_LOAD | OP_STORE), true, i->imm, width(i));
        return;
    case KIND_GROUP:
        if (!i->two && i->op == 0x8f) { /* the address is computed after the stack pointer has moved */
            stack(k, KIND_POP, bytes);
            rm(k, bytes, k->before ? bytes : 0);
            return;
        }
        if (!i->two && i->op == 0xff && reg_field(i) >= 2) { /* before it moves */
            bool pushes =
                reg_field(i) == 2 || reg_field(i) == 6; /* CALL, PUSH; the far ones have no access */
            if (pushes) stack(k, KIND_PUSH, bytes);
            rm(k, bytes, pushes && !k->before ? bytes : 0);
            return;
        }
    }
    rm(k, width(i), 0);
}

/* ---- public ---- */

bool decode_access(const uint8_t *code, unsigned len, bool long_mode, const struct sample *s, unsigned how,
                   uint64_t *address, uint8_t *bytes)
{
    enum { NEEDS = SAMPLE_IP | SAMPLE_REGS };
    unsigned want = (how & DECODE_LOADS ? OP_LOAD : 0) | (how & DECODE_STORES ? OP_STORE : 0);
    const struct access *found = NULL;
    struct look k = {.s = s, .before = how & DECODE_BEFORE};
    if ((s->valid & NEEDS) != NEEDS || !decode_insn(&k.i, code, len, long_mode)) return false;
    if (k.i.rex2) return false; /* samples have no r16 to r31 */
    accesses(&k);
    if (want == 0) want = OP_LOAD | OP_STORE;
    for (const struct access *a = k.a; a < k.a + k.n; a++) {
        if (!(a->dir & want)) continue;
        if (found) return false;
        found = a;
    }
    if (!found || !found->known) return false;
    *address = found->address;
    *bytes = (uint8_t)found->bytes;
    return true;
}
