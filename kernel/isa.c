#include "kernel/isa.h"
#include "kernel/isa_table.h"

/* ---- reading ---- */

struct insn {
    const uint8_t *code;
    unsigned n, at;
    bool cut;             /* needed more bytes */
    unsigned map, prefix; /* one of NP ... PF2, with W and L */
    uint8_t op, modrm;
};

static uint8_t next(struct insn *i)
{
    if (i->at < i->n) return i->code[i->at++];
    i->cut = true;
    return 0;
}

static bool is_legacy(uint8_t b)
{
    return b == 0x26 || b == 0x2e || b == 0x36 || b == 0x3e || (b >= 0x64 && b <= 0x67) || b == 0xf0 ||
           b == 0xf2 || b == 0xf3;
}

/* F2 and F3 come before 66, the last of them holds. */
static uint8_t prefixes(struct insn *i, bool long_mode)
{
    uint8_t b = next(i);
    for (; is_legacy(b); b = next(i)) {
        if (b == 0xf2 || b == 0xf3) i->prefix = b == 0xf2 ? PF2 : PF3;
        if (b == 0x66 && i->prefix == NP) i->prefix = P66;
    }
    if (long_mode && (b & 0xf0) == 0x40) {
        if (b & 8) i->prefix |= W;
        b = next(i);
    }
    return b;
}

/* SDM vol. 2A 2.3.5: two bytes or three, with the map, L and the prefix that they stand for. */
static void vex(struct insn *i, uint8_t first)
{
    static const uint8_t pp[] = {NP, P66, PF3, PF2};
    const uint8_t map = first == 0xc5 ? 1 : next(i) & 31;
    const uint8_t last = next(i);
    static const uint8_t maps[] = {0, M0F, M38, M3A};
    i->map = VEX | (map < sizeof maps ? maps[map] : 0);
    i->prefix = pp[last & 3] | (last & 4 ? L : 0);
    i->op = next(i);
}

static void opcode(struct insn *i, uint8_t b)
{
    i->map = ONE;
    i->op = b;
    if (b != 0x0f) return;
    i->map = M0F;
    i->op = next(i);
    if (i->op != 0x38 && i->op != 0x3a) return;
    i->map = i->op == 0x38 ? M38 : M3A;
    i->op = next(i);
}

static bool modrm_fits(const struct isa_row *r, uint8_t modrm)
{
    const bool is_register = modrm >= 0xc0;
    const uint8_t m = is_register ? modrm : modrm & 0x3f;
    return !r->modrm_last || (is_register == (r->modrm >= 0xc0) && m >= r->modrm && m <= r->modrm_last);
}

static bool fits(const struct isa_row *r, const struct insn *i, bool long_mode)
{
    const unsigned only = r->prefix & (W | L);
    return r->map == i->map && i->op >= r->first && i->op <= r->last && r->prefix & i->prefix & ANY &&
           (i->prefix & only) == only && (long_mode || !(r->prefix & LONG)) && modrm_fits(r, i->modrm);
}

static bool has(const struct cpu_id *id, enum feature f)
{
    uint32_t word;
    memcpy(&word, (const char *)id + isa_features[f].at, sizeof word);
    return word >> isa_features[f].bit & 1;
}

static enum isa_verdict judge(enum feature f, const struct cpu_id *id, const char **name)
{
    *name = isa_features[f].name;
    return has(id, f) ? ISA_UNKNOWN : ISA_LACKING;
}

enum isa_verdict isa_judge(const uint8_t *code, unsigned n, bool long_mode, const struct cpu_id *id,
                           const char **name)
{
    struct insn i = {.code = code, .n = n, .prefix = NP};
    const uint8_t b = prefixes(&i, long_mode);
    /* Outside of long mode these are LES, LDS, BOUND and POP with what is no register operand. */
    const bool vector = i.at < n && (long_mode || i.code[i.at] >= 0xc0);
    if (b == 0x62 && vector) return judge(AVX512F, id, name);
    if (b == 0x8f && vector && i.at < n && (i.code[i.at] & 31) >= 8) return judge(XOP, id, name);
    const bool is_vex = (b == 0xc4 || b == 0xc5) && vector;
    is_vex ? vex(&i, b) : opcode(&i, b);
    if (i.cut) return ISA_UNKNOWN;
    i.modrm = next(&i);
    for (const struct isa_row *r = isa_rows; r < isa_rows + isa_row_count; r++) {
        if (!fits(r, &i, long_mode)) continue;
        if (r->feature != INVALID) return judge(r->feature, id, name);
        *name = i.op == 0x0b ? "UD2" : i.op == 0xb9 ? "UD1" : "UD0";
        return ISA_INVALID;
    }
    return ISA_UNKNOWN;
}
