#include "measure/isa.h"
#include "measure/decode_insn.h"
#include "measure/isa_table.h"
#include <stdio.h>

/* ---- the row ---- */

/* Rows are by map, opcode, and the conditions of isa_table.h. */
static bool modrm_fits(const struct isa_row *r, uint8_t modrm)
{
    const bool is_register = modrm >= 0xc0;
    const uint8_t m = is_register && !(r->when & GROUP) ? modrm : modrm & 0x3f;
    if (!r->modrm_last) return true;
    if (!(r->when & GROUP) && is_register != (r->modrm >= 0xc0)) return false;
    return m >= r->modrm && m <= r->modrm_last;
}

static bool fits(const struct isa_row *r, const struct insn *i, unsigned map, uint8_t op)
{
    const unsigned is = 1u << i->pp | (i->w ? W1 : W0) | (i->ll ? L1 : L0);
    const unsigned w = r->when & (W0 | W1), l = r->when & (L0 | L1);
    return r->map == map && op >= r->first && op <= r->last && r->when & is & ANY && (!w || w & is) &&
           (!l || l & is) && (i->long_mode || !(r->when & LONG)) && modrm_fits(r, i->modrm);
}

static const struct isa_row *find_row(const struct insn *i)
{
    const bool now = i->coding == LEGACY && i->map == 1 && i->last == 0x0f;
    const unsigned map = now ? NOW : (unsigned)i->coding << 4 | i->map;
    const uint8_t op = now ? (uint8_t)i->imm : i->last;
    for (const struct isa_row *r = isa_rows; r < isa_rows + isa_row_count; r++)
        if (fits(r, i, map, op)) return r;
    return NULL;
}

/* ---- what is missing ---- */

static bool has(const struct cpu_id *id, enum feature f)
{
    uint32_t word;
    if (isa_features[f].at == NO_CPUID) return true;
    memcpy(&word, (const char *)id + isa_features[f].at, sizeof word);
    return word >> isa_features[f].bit & 1;
}

/* The bits that must be set: of AVX and AVX-512 by the coding of an instruction that exists in several. */
static enum control control_of(const struct isa_row *r, const struct insn *i)
{
    const enum control c = r->control != C_DEFAULT ? r->control : isa_features[r->feature].control;
    if (c == C_VECTOR) return i->coding == LEGACY ? C_SSE : i->coding == EVEX ? C_AVX512 : C_AVX;
    return c;
}

/* EVEX: shorter than 512 bits? With a rounding mode LL has another meaning (SDM vol. 2A section 2.7.12). */
static bool needs_vl(const struct isa_row *r, const struct insn *i)
{
    return i->coding == EVEX && !(r->when & SCALAR) && i->ll < 2 && !(i->evex_b && i->modrm >= 0xc0);
}

/* The instruction's own feature, then those that its coding implies. INVALID: none is lacking. */
static enum feature lacking(const struct isa_row *r, const struct insn *i, const struct cpu_id *id)
{
    const enum control c = control_of(r, i);
    if (!has(id, r->feature)) return r->feature;
    if (c == C_AVX && !has(id, AVX)) return AVX;
    if (c == C_AVX512 && !has(id, AVX512F)) return AVX512F;
    if (c == C_AVX512 && needs_vl(r, i) && !has(id, AVX512VL)) return AVX512VL;
    if (c == C_TILE && !has(id, AMX_TILE)) return AMX_TILE;
    if (r->feature == AESKLE || r->feature == WIDEKL) return has(id, KL) ? INVALID : KL;
    return INVALID;
}

static bool find_bit(enum control c, const struct trap *t, struct isa_reason *r)
{
    const uint64_t reg[] = {[CR0] = t->cr0, [CR4] = t->cr4, [XCR0] = t->xcr0, [EFER] = t->efer};
    for (const struct isa_bit *b = isa_bits; b < isa_bits + isa_bit_count; b++) {
        if (b->control != c || (reg[b->reg] >> b->bit & 1) == b->set) continue;
        r->verdict = ISA_DISABLED;
        r->bit = b->name;
        r->is_set = !b->set;
        return true;
    }
    return false;
}

/* ---- by exception ---- */

static void name(struct isa_reason *r, enum isa_verdict verdict, const char *what)
{
    r->verdict = verdict;
    r->name = what;
}

static void invalid_opcode(const struct insn *i, const struct isa_row *row, const struct cpu_id *id,
                           const struct trap *t, struct isa_reason *r)
{
    static const struct isa_row apx = {.feature = APX};
    const bool user = t->cs & 3;
    if (i->rex2 && (!has(id, APX) || find_bit(C_APX, t, r))) row = &apx; /* whatever follows */
    if (!row) {
        if (i->long_mode && i->coding == LEGACY && i->map == 0 && strchr(decode_not_long, i->op) && i->op)
            r->verdict = ISA_NOT64;
        else if (i->lock)
            r->verdict = ISA_LOCKED;
        return;
    }
    if (row->feature == INVALID) {
        name(r, ISA_INVALID, i->last == 0x0b ? "UD2" : i->last == 0xb9 ? "UD1" : "UD0");
        return;
    }
    const enum feature f = lacking(row, i, id);
    r->name = isa_features[f ? f : row->feature].name;
    if (f)
        r->verdict = ISA_LACKING;
    else if (row->is & ONLY64 && !i->long_mode)
        r->verdict = ISA_ONLY64;
    else if (row->is & UD_USER && user)
        r->verdict = ISA_RING0;
    else if (row->feature == SMM)
        name(r, ISA_INVALID, "RSM, outside of system-management mode");
    else if (row->feature == RDPMC || row->feature == PADLOCK)
        /* No bit of CPUID says RDPMC, which Pentium and K6 lack, and only VIA's and Zhaoxin's leaves say
         * PadLock. */
        r->verdict = ISA_LACKING;
    else if (control_of(row, i) < C_IOPL && find_bit(control_of(row, i), t, r))
        return;
    else if (i->lock)
        r->verdict = ISA_LOCKED;
}

/* SDM vol. 2D, MOV CR and the like, "#GP(0) if the CPL is not 0"; vol. 3A section 6.12.1.2 (INT n through a
 * gate whose DPL is 0: the error code has the bit IDT, and the vector, which QEMU multiplies by 16 there). */
static void general_protection(const struct insn *i, const struct isa_row *row, const struct trap *t,
                               struct isa_reason *r)
{
    enum { IDT = 2 };
    const bool one = i->coding == LEGACY && i->map == 0;
    const uint8_t vector = i->op == 0xcd ? (uint8_t)i->imm : i->op == 0xce ? 4 : 3;
    if (one && i->op >= 0xcc && i->op <= 0xce && t->error & IDT) {
        r->verdict = ISA_INTERRUPT;
        r->vector = vector;
        return;
    }
    if (!row || !(t->cs & 3)) return;
    const enum control c = control_of(row, i);
    r->name = isa_features[row->feature].name;
    if (row->is & PRIVILEGED || (c == C_IOPL && (t->flags >> 12 & 3) < 3))
        r->verdict = ISA_RING0;
    else if (c > C_IOPL)
        find_bit(c, t, r);
}

/* SDM vol. 3A table 2-2; vol. 1 section 13.14 (IA32_XFD). */
static void no_device(const struct trap *t, struct isa_reason *r)
{
    enum { EM = 1 << 2, TS = 1 << 3 };
    r->verdict = ISA_DISABLED;
    r->bit = t->cr0 & EM ? "CR0.EM" : t->cr0 & TS ? "CR0.TS" : "a bit of IA32_XFD";
    r->is_set = true;
}

/* ---- public ---- */

void isa_explain(const uint8_t *code, unsigned n, bool long_mode, const struct cpu_id *id,
                 const struct trap *t, struct isa_reason *r)
{
    struct insn i;
    *r = (struct isa_reason){.verdict = ISA_UNKNOWN, .name = "", .bit = ""};
    if (decode_insn(&i, code, n, long_mode)) r->length = i.at;
    if (t->vector == VECTOR_NM) no_device(t, r);
    if (i.cut) return;
    const struct isa_row *row = find_row(&i);
    if (t->vector == VECTOR_UD) invalid_opcode(&i, row, id, t, r);
    if (t->vector == VECTOR_GP) general_protection(&i, row, t, r);
}

void isa_text(const struct isa_reason *r, const char *bytes, char *text, size_t cap)
{
    const char *named = *r->name ? " (" : "", *end = *r->name ? ")" : "", *set = r->is_set ? "set" : "clear";
    switch (r->verdict) {
    case ISA_LACKING:
        snprintf(text, cap, ": %s needs %s, which this CPU lacks", bytes, r->name);
        break;
    case ISA_DISABLED:
        if (*r->name)
            snprintf(text, cap, ": %s needs %s, but %s is %s", bytes, r->name, r->bit, set);
        else
            snprintf(text, cap, ": %s cannot run, because %s is %s", bytes, r->bit, set);
        break;
    case ISA_RING0:
        snprintf(text, cap, ": %s%s%s%s works only at ring 0", bytes, named, r->name, end);
        break;
    case ISA_ONLY64:
        snprintf(text, cap, ": %s%s%s%s exists only in 64-bit mode", bytes, named, r->name, end);
        break;
    case ISA_NOT64:
        snprintf(text, cap, ": %s does not exist in 64-bit mode", bytes);
        break;
    case ISA_INVALID:
        snprintf(text, cap, ": %s is %s, invalid on every CPU", bytes, r->name);
        break;
    case ISA_LOCKED:
        snprintf(text, cap, ": %s has a LOCK prefix, which this instruction does not take", bytes);
        break;
    case ISA_INTERRUPT:
        snprintf(text, cap, ": %s calls vector %u, which belongs to the kernel", bytes, r->vector);
        break;
    default:
        snprintf(text, cap, ": %s", bytes);
    }
}
