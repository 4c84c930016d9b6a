#include "measure/decode.h"
#include "measure/decode_insn.h"
#include <string.h>

/* ---- private ---- */

static uint8_t next(struct insn *i)
{
    if (i->at < i->len) return i->code[i->at++];
    i->cut = true;
    return 0;
}

/* Little-endian, of n bytes, sign-extended. */
static linear number(struct insn *i, unsigned n)
{
    linear v = 0;
    unsigned drop = 8 * (sizeof v - n);
    if (n == 0) return 0;
    for (unsigned k = 0; k < n; k++) v |= (linear)next(i) << 8 * k;
    return (linear)((intptr_t)(v << drop) >> drop);
}

/* The byte after D5 of REX2: M0, the map; R, X and B of r16 to r31; W, R, X and B as in REX (Intel's
 * 355828, 3.1.2.1). The opcode follows at once. */
static void rex2(struct insn *i)
{
    const uint8_t payload = next(i);
    i->rex2 = true;
    i->rex = 0x40 | (payload & 15);
    i->two = payload >> 7;
    i->op = next(i);
}

/* Prefixes up to the opcode. REX counts only right before it. */
static void prefixes(struct insn *i)
{
    for (;;) {
        uint8_t b = next(i);
        if (i->cut) return;
        if (b == 0x66)
            i->opsize = true;
        else if (b == 0x67)
            i->addrsize = true;
        else if (b == 0xf2 || b == 0xf3)
            i->rep = b;
        else if (b == 0x64 || b == 0x65)
            i->fs_gs = true;
        else if (IS_LONG(i) && (b & 0xf0) == 0x40) {
            i->rex = b;
            continue;
        } else if (IS_LONG(i) && b == 0xd5) {
            rex2(i);
            return;
        } else if (b == 0xf0)
            i->lock = true;
        else if (b != 0x26 && b != 0x2e && b != 0x36 && b != 0x3e) {
            i->op = b;
            return;
        }
        i->rex = 0;
    }
}

/* Does a prefix of vector instructions begin with op? Outside of long mode C4, C5 and 62 are LES, LDS and
 * BOUND, unless their operand were a register; 8F is POP, unless the map's number is 8 or more (APM vol. 3
 * section 1.2.7). */
static bool is_vector(const struct insn *i)
{
    if (i->at >= i->len) return false;
    const uint8_t b = i->code[i->at];
    if (i->op == 0x8f) return (b & 31) >= 8;
    return (i->op == 0xc4 || i->op == 0xc5 || i->op == 0x62) && (IS_LONG(i) || b >= 0xc0);
}

/* Is there an immediate byte in map 1 of VEX and EVEX? (SDM vol. 2D, table A-3.) */
static bool has_imm_map1(uint8_t op)
{
    return (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
}

/* Map 4 of EVEX has integer instructions, with the immediates that they have without EVEX (Intel's 355828,
 * chapter 3). */
static uint16_t promoted(struct insn *i)
{
    enum { MODRM = OP_VALID | OP_MODRM };
    static const char bytes[] = "\x24\x2c\x6b\x80\x83\xc0\xc1\xd4"; /* SHLD, SHRD, IMUL ..., SHA1RNDS4 */
    i->opsize = i->pp == 1;
    if (i->w) i->rex = REX_W;
    if ((i->last | 1) == 0xf7) i->op = i->last; /* TEST, with an immediate */
    if (i->last == 0x69 || i->last == 0x81) return MODRM | IMM_Z;
    return i->last && strchr(bytes, i->last) ? MODRM | IMM_8 : MODRM;
}

/* VEX, EVEX and XOP (SDM vol. 2A sections 2.3 and 2.7; APM vol. 3 section 1.2.7). To the word, without an
 * access: addresses of vector instructions stay unknown. 0: no such map, or one whose lengths are not known.
 */
static uint16_t vector(struct insn *i)
{
    enum { MODRM = OP_VALID | OP_MODRM };
    const uint8_t first = i->op, b = first == 0xc5 ? 1 : next(i), pp = next(i);
    i->coding = first == 0x62 ? EVEX : first == 0x8f ? XOP : VEX;
    i->op = 0;
    i->map = b & (i->coding == EVEX ? 7 : 31);
    i->pp = pp & 3;
    i->w = first == 0xc5 ? 0 : pp >> 7;
    i->ll = pp >> 2 & 1;
    if (i->coding == EVEX) {
        const uint8_t last = next(i);
        i->ll = last >> 5 & 3;
        i->evex_b = last >> 4 & 1;
    }
    i->last = next(i);
    switch (i->map) {
    case 1:
        if (i->coding == VEX && i->last == 0x77) return OP_VALID; /* VZEROUPPER, VZEROALL */
        return has_imm_map1(i->last) ? MODRM | IMM_8 : MODRM;
    case 2:
    case 5:
    case 6:
    case 9:
        return MODRM;
    case 3:
    case 8:
        return MODRM | IMM_8;
    case 4:
        return i->coding == EVEX ? promoted(i) : 0;
    case 7:
    case 10:
        return MODRM | IMM_Z;
    default:
        return 0;
    }
}

/* After REX2: rows of the two maps are reserved, of which A1 is JMPABS. No other prefix may follow, nor an
 * escape to another map. */
static uint16_t after_rex2(struct insn *i)
{
    const unsigned row = i->op >> 4;
    i->map = i->two;
    if (i->two) return row == 3 || row == 8 ? 0 : decode_two[i->op];
    if (i->op == 0xa1 && !i->w) return OP_VALID | IMM_ADDR;
    if (row == 4 || row == 7 || row == 0xa || row == 0xe ||
        memchr(decode_not_long, i->op, strlen(decode_not_long)))
        return 0;
    return i->op == 0x63 ? OP_VALID | OP_MODRM : decode_one[i->op];
}

/* The opcode's word; 0 where it is not known. */
static uint16_t opcode(struct insn *i)
{
    if (!i->rex2 && is_vector(i)) return vector(i);
    i->pp = i->rep == 0xf2 ? 3 : i->rep ? 2 : i->opsize;
    i->w = REX(i) & REX_W ? 1 : 0;
    i->last = i->op;
    if (i->rex2) return after_rex2(i);
    if (i->op == 0x0f) {
        i->two = true;
        i->map = 1;
        i->last = i->op = next(i);
        if (i->op == 0x38 ||
            i->op == 0x3a) { /* the three-byte maps: a ModRM byte each, 3A with an immediate */
            i->map = i->op == 0x38 ? 2 : 3;
            i->last = next(i);
            return i->op == 0x3a ? OP_VALID | OP_MODRM | IMM_8 : OP_VALID | OP_MODRM;
        }
        /* EXTRQ and INSERTQ of SSE4A with two immediates (APM vol. 4). */
        if (i->op == 0x78 && i->pp & 1) return OP_VALID | OP_MODRM | IMM_16;
        if (i->op == 0x7e && i->rep == 0xf3) return OP_VALID | OP_MODRM | OP_LOAD | WIDTH_8;
        return decode_two[i->op];
    }
    if (IS_LONG(i) && memchr(decode_not_long, i->op, strlen(decode_not_long))) return 0;
    if (IS_LONG(i) && i->op == 0x63) return OP_VALID | OP_MODRM | OP_LOAD | OP_WRITES_REG;
    return decode_one[i->op];
}

/* The memory operand after ModRM: SDM vol. 2A tables 2-1 to 2-3, 2-7. */
static void operand(struct insn *i)
{
    unsigned mod = i->modrm >> 6, rm = i->modrm & 7, disp = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (!IS_LONG(i) && i->addrsize) { /* 16-bit forms: only their length is known */
        number(i, mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0);
        return;
    }
    i->index = NO_REG;
    i->base = rm;
    if (rm == SP) {
        uint8_t sib = next(i);
        unsigned index = (sib >> 3 & 7) | (REX(i) & REX_X ? 8 : 0);
        i->base = sib & 7;
        i->scale = sib >> 6;
        if (index != SP) i->index = index;
        if (i->base == BP && mod == 0) i->base = NO_REG;
    } else if (rm == BP && mod == 0)
        i->base = IS_LONG(i) ? IP_REG : NO_REG;
    if (i->base >= NO_REG)
        disp = 4;
    else if (REX(i) & REX_B)
        i->base |= 8;
    i->disp = number(i, disp);
}

static unsigned immediate_bytes(const struct insn *i)
{
    unsigned z = i->opsize && !(REX(i) & REX_W) ? 2 : 4;
    if (!i->two && (i->op | 1) == 0xf7 && reg_field(i) < 2) return i->op == 0xf6 ? 1 : z; /* TEST */
    switch (i->word & OP_IMM) {
    case IMM_8:
        return 1;
    case IMM_Z:
        return z;
    case IMM_V:
        return word_size(i);
    case IMM_16:
        return 2;
    case IMM_24:
        return 3;
    case IMM_FAR:
        return z + 2;
    case IMM_ADDR:
        return IS_LONG(i) ? i->addrsize ? 4 : 8 : i->addrsize ? 2 : 4;
    default:
        return 0;
    }
}

/* Adds the operation of the group's member to the word. False: there is no such member. */
static bool group(struct insn *i)
{
    const struct decode_group *g = decode_groups;
    unsigned reg = reg_field(i);
    if (!i->two && (i->op | 1) == 0xc7 && i->modrm == 0xf8) return true; /* XABORT, XBEGIN */
    while (g->op != (i->op | i->two << 8)) g++;                          /* each KIND_GROUP is listed */
    if (!(g->valid >> reg & 1)) return false;
    if (g->load >> reg & 1) i->word |= OP_LOAD;
    if (g->store >> reg & 1) i->word |= OP_STORE;
    return true;
}

static bool near_branch(const struct insn *i)
{
    if ((i->word & OP_KIND) == KIND_BRANCH) return true;
    if (i->two) return false;
    return i->op == 0xe8 || i->op == 0xc2 || i->op == 0xc3 ||
           (i->op == 0xff && (reg_field(i) & 5) != 1 && reg_field(i) >= 2 && reg_field(i) <= 4);
}

/* ---- public ---- */

bool decode_insn(struct insn *i, const uint8_t *code, unsigned len, bool long_mode)
{
    *i = (struct insn){.code = code, .len = len < DECODE_MAX_BYTES ? len : DECODE_MAX_BYTES};
    i->long_mode = long_mode;
    if (IS_LONG(i) != long_mode) return false;
    prefixes(i);
    if (i->cut) return false;
    i->word = opcode(i);
    if (i->cut || !(i->word & OP_VALID)) return false;
    if (i->word & OP_MODRM) {
        i->modrm = next(i);
        if ((i->word & OP_KIND) == KIND_GROUP && !group(i)) return false;
        if (in_memory(i)) operand(i);
    }
    /* Intel ignores 66 before a near branch of long mode, AMD does not. */
    if (long_mode && i->opsize && near_branch(i)) return false;
    unsigned bytes = immediate_bytes(i);
    if ((i->word & OP_IMM) == IMM_FAR) { /* longer than a number of 32-bit code */
        i->at += bytes;
        return i->at <= i->len;
    }
    i->imm = number(i, bytes);
    return !i->cut;
}

unsigned decode_length(const uint8_t *code, unsigned len, bool long_mode)
{
    struct insn i;
    return decode_insn(&i, code, len, long_mode) ? i.at : 0;
}
