/* The decoder against binutils' objdump: each opcode of both maps with each value of ModRM's reg field, with
 * a register and with two operands in memory, and with the prefixes that make it another instruction; and
 * each form of an address. From objdump's text come the length, the address and the width of the operand in
 * memory, whether it is read or written, and whether its address outlives the instruction. */
#include "measure/decode.h"
#include "measure/decode_table.h"
#include "tests/unit/unit.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cases ---- */

enum { SLOT = 16, SLOTS = 80000 }; /* a case, then NOPs: objdump is in step again at the next one */

static struct {
    uint8_t code[SLOT];
    uint8_t prefix;
    uint16_t op; /* 100h: after 0F */
    bool memory; /* the form of its operand */
    unsigned length;
    char text[80]; /* objdump's */
} slot[SLOTS];
static unsigned slots, bad;
static bool long_mode;

static void put(uint8_t prefix, unsigned op, uint8_t modrm, unsigned sib)
{
    assert_true(slots < SLOTS);
    memset(&slot[slots], 0, sizeof slot[slots]);
    uint8_t *code = memset(slot[slots].code, 0x90, SLOT);
    if (prefix) *code++ = prefix;
    if (op & 0x100) *code++ = 0x0f;
    *code++ = (uint8_t)op;
    *code++ = modrm;
    *code = (uint8_t)sib;
    slot[slots].prefix = prefix;
    slot[slots].memory = modrm < 0xc0;
    slot[slots++].op = (uint16_t)op;
}

/* Prefixes, and in long mode REX: they are judged by what stands behind them. */
static bool is_prefix(unsigned op)
{
    return op < 0x100 && (strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\x9b\xf0\xf2\xf3", (int)op) ||
                          (long_mode && op >> 4 == 4));
}

static void put_opcodes(void)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf2, 0xf3, 0x48},
                         operand[] = {0xc1, 0x03, 0x00}; /* CX, at BX, at AX */
    for (unsigned p = 0; p < (long_mode ? 5 : 4); p++)
        for (unsigned op = 0; op < 0x200; op++)
            for (unsigned i = 0; i < 24 && !is_prefix(op) && op != 0x0f; i++) {
                if (op < 0x100 && p > 1 && prefixes[p] != 0x48) break; /* REP: strings only */
                put(prefixes[p], op, (uint8_t)(operand[i % 3] | i / 3 << 3), 0x90);
            }
}

static void put_addresses(void)
{
    static const uint8_t prefixes[] = {0, 0x67, 0x41, 0x42, 0x43};
    for (unsigned p = 0; p < (long_mode ? 5 : 2); p++)
        for (unsigned form = 0; form < 24; form++)
            for (unsigned sib = 0; sib < (form % 8 == 4 ? 256 : 1); sib++)
                put(prefixes[p], 0x3b, (uint8_t)(form / 8 << 6 | 1 << 3 | form % 8),
                    form % 8 == 4 ? sib : 0x90);
}

static void disassemble(void)
{
    char command[128], line[256];
    FILE *out = tmpfile();
    assert_non_null(out);
    for (unsigned i = 0; i < slots; i++) fwrite(slot[i].code, 1, SLOT, out);
    fflush(out);
    snprintf(command, sizeof command, "objdump -D -z -b binary -m i386 -M intel%s --insn-width=16 /dev/fd/%d",
             long_mode ? ",x86-64" : "", fileno(out));
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char *at;
        const unsigned long i = strtoul(line, &at, 16);
        if (at[0] != ':' || at[1] != '\t' || i % SLOT || i / SLOT >= slots) continue;
        char *text = strchr(at + 2, '\t');
        if (!text) continue;
        for (at += 2; at + 2 < text && at[0] != ' '; at += 3) slot[i / SLOT].length++;
        snprintf(slot[i / SLOT].text, sizeof slot->text, "%.*s", (int)strcspn(text + 1, "\n#"), text + 1);
    }
    assert_int_equal(pclose(in), 0);
    fclose(out);
    for (unsigned i = 0; i < slots; i++) assert_true(slot[i].length);
}

static void differs(unsigned i, const char *what, unsigned got, unsigned want)
{
    if (bad++ >= 20) return;
    print_message("%u bits,", long_mode ? 64 : 32);
    for (unsigned k = 0; k < 6; k++) print_message(" %02x", slot[i].code[k]);
    print_message(" (%s): %s %u, not %u\n", slot[i].text, what, got, want);
}

/* ---- objdump's text ---- */

/* Is the word one of the list's, which are parted by blanks? One with a * stands for all that begin so. */
static bool listed(const char *list, const char *word)
{
    const size_t n = strcspn(word, " ,");
    for (const char *at = list; *at; at += *at == ' ') {
        const size_t k = strcspn(at, " ");
        if (at[k - 1] == '*' ? strncmp(at, word, k - 1) == 0 : k == n && strncmp(at, word, n) == 0)
            return true;
        at += k;
    }
    return false;
}

static const char *next_word(const char *text)
{
    text += strcspn(text, " ");
    return text + strspn(text, " ");
}

/* The mnemonic. ignored: a prefix without a meaning here stands before it. */
static const char *mnemonic(unsigned i, bool *ignored)
{
    const char *at = slot[i].text;
    for (*ignored = false; listed("data16 rex.* repz repnz bnd notrack xacquire xrelease", at);
         at = next_word(at))
        *ignored = true;
    return at;
}

/* ---- lengths ---- */

/* Instructions that the decoder does not know: test registers. */
static bool not_known(unsigned i)
{
    if (slot[i].op == 0x124 || slot[i].op == 0x126) return true;
    /* Intel and AMD differ in the meaning of 66 before a near branch. */
    if (!long_mode || slot[i].prefix != 0x66) return false;
    const unsigned op = slot[i].op, reg = slot[i].code[2] >> 3 & 7;
    return op == 0xc2 || op == 0xc3 || op == 0xe8 || op == 0xe9 || op >> 4 == 0x18 ||
           (op == 0xff && (reg == 2 || reg == 4));
}

/* Opcodes some forms of which do not exist, where the decoder is content with a length. */
static bool any_form(unsigned op)
{
    static const uint16_t list[] = {0x62,  0x8d,  0x8f,  0xc4,  0xc5,  0xd9,  0xda,  0xdb,  0xdc,  0xdd,
                                    0xde,  0xdf,  0xff,  0x100, 0x101, 0x10d, 0x113, 0x117, 0x11a, 0x11b,
                                    0x12b, 0x138, 0x13a, 0x150, 0x16c, 0x16d, 0x171, 0x172, 0x173, 0x178,
                                    0x179, 0x17c, 0x17d, 0x1a6, 0x1a7, 0x1ae, 0x1b2, 0x1b4, 0x1b5, 0x1b8,
                                    0x1c3, 0x1c5, 0x1c7, 0x1d0, 0x1d6, 0x1d7, 0x1e6, 0x1e7, 0x1f0, 0x1f7};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k] == op) return true;
    return false;
}

static void judge_length(unsigned i, const char *name)
{
    const bool none = strstr(name, "(bad)");
    if (long_mode && slot[i].op == 0xd5) return; /* older objdumps do not know REX2: test_decode_64.c */
    const unsigned got = decode_length(slot[i].code, SLOT, long_mode);
    const unsigned want = none || not_known(i) ? 0 : slot[i].length;
    if (none && (slot[i].prefix || any_form(slot[i].op))) return;
    if (got != want) differs(i, "length", got, want);
}

/* ---- the operand in memory ---- */

/* Each register has a value of its own, so that no two addresses are the same. */
static const struct sample sample = {.valid = SAMPLE_IP | SAMPLE_REGS,
                                     .ip = 0x40000000,
                                     .reg = {0x10000, 0x20100, 0x30300, 0x40700, 0x50f00, 0x61f00, 0x73f00,
                                             0x87f00, 0x9ff00, 0xaff10, 0xbff30, 0xcff70, 0xdfff0, 0xeffe1,
                                             0xfffe3, 0x10ffe7}};

static int register_of(const char *at, size_t n)
{
    static const char *const low[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    for (int r = 0; r < 8; r++)
        if (n == 3 && strncmp(at + 1, low[r], 2) == 0) return r;
    return at[0] == 'r' && at[1] <= '9' ? atoi(at + 1) : -1;
}

/* The value of "rax+rcx*4-0x10]" at that instruction. */
static uint64_t address_of(const char *at, unsigned length)
{
    uint64_t sum = 0;
    bool narrow = !long_mode;
    for (bool minus = false; *at && *at != ']';) {
        const size_t n = strcspn(at, "+-*]");
        char *end = NULL;
        uint64_t value = 0;
        if (*at == '0')
            value = strtoull(at, &end, 16);
        else if (strncmp(at + 1, "ip", 2) == 0)
            value = sample.ip + length;
        else if (strncmp(at + 1, "iz", 2) != 0)
            value = sample.reg[register_of(at, n)];
        narrow |= *at == 'e';
        at = end ? end : at + n;
        if (*at == '*') value *= strtoul(at + 1, &end, 10), at = end;
        sum += minus ? -value : value;
        minus = *at == '-';
        at += *at == '-' || *at == '+';
    }
    return narrow ? (uint32_t)sum : sum;
}

static unsigned width_of(const char *name)
{
    static const struct {
        const char *text;
        unsigned bytes;
    } widths[] = {{"XMMWORD PTR", 16}, {"OWORD PTR", 16}, {"DWORD PTR", 4}, {"QWORD PTR", 8},
                  {"TBYTE PTR", 10},   {"BYTE PTR", 1},   {"WORD PTR", 2}};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        if (strstr(name, widths[k].text)) return widths[k].bytes;
    /* objdump does not say it (SDM vol. 1, figures 8-9 to 8-12). */
    return listed("fldenv fnstenv", name)     ? 28
           : listed("fldenvw fnstenvw", name) ? 14
           : listed("frstor fnsave", name)    ? 108
           : listed("frstorw fnsavew", name)  ? 94
           : listed("lddqu", name)            ? 16
                                              : 0;
}

static bool finds(unsigned i, unsigned how, uint64_t address, unsigned *width)
{
    uint64_t at;
    uint8_t bytes;
    if (!decode_access(slot[i].code, SLOT, long_mode, &sample, how, &at, &bytes) || at != address)
        return false;
    *width = bytes;
    return true;
}

/* Is the operand the register of memory[0] (AX or BX), or a part of it? */
static bool is_of(const char *operand, char letter)
{
    const size_t n = strcspn(operand, ",");
    const char *at = n > 2 ? operand + 1 : operand;
    return n && n <= 3 && at[0] == letter && strchr("lhx", at[1]);
}

/* Instructions that access no memory, or in a way that the decoder does not represent. */
static bool no_access(unsigned i, const char *name)
{
    const unsigned reg = slot[i].code[slot[i].prefix ? 2 : 1] >> 3 & 7, op = slot[i].op;
    if (op == 0xff && (reg == 3 || reg == 5)) return true; /* far */
    if (op == 0x138 || op == 0x13a || (op == 0x63 && slot[i].prefix == 0x66)) return true;
    return not_known(i) || (slot[i].prefix == 0x67 && !long_mode) || strstr(name, "(bad)") ||
           listed("lea bound arpl les lds lss lfs lgs lar lsl sldt str lldt ltr verr verw sgdt* sidt* lgdt* "
                  "lidt* smsw lmsw invlpg prefetch* nop pf* bnd* cldemote vm* ud0 ud1 fxsave* fxrstor* "
                  "xsave* xrstor* clflush* clwb tpause umonitor ptwrite clrssbsy rstorssp lkgs",
                  name);
}

/* The decoder shall not find an access at all. */
static void judge_none(unsigned i)
{
    for (unsigned how = 0; how < 8; how++) {
        uint64_t at;
        uint8_t bytes;
        if (!decode_access(slot[i].code, SLOT, long_mode, &sample, how, &at, &bytes)) continue;
        differs(i, "access", bytes, 0);
        return;
    }
}

static void judge_access(unsigned i, const char *name, bool ignored)
{
    const char *operand = strchr(name, '['), *first = next_word(name), *second = strchr(first, ',');
    /* For these the decoder has a table of the prefixes that exist; of others it knows only a rule. */
    const bool by_prefix = slot[i].op >= 0x100 && (decode_two[slot[i].op & 0xff] & OP_KIND) == KIND_SSE;
    if (by_prefix && strstr(name, "(bad)")) judge_none(i);
    if (!slot[i].memory || !operand || operand[-1] == ':')
        return; /* implied: test_decode_32.c, test_decode_64.c */
    if (listed("bt bts btr btc", name) && !strstr(name, ",0x")) return; /* a bit string: there */
    const bool destination = !second || operand < second;
    const bool tests = listed("cmp test push call jmp bt mul imul div idiv fld* fadd* fsub* fmul* fdiv* "
                              "fcom* fi* fb* frstor* ldmxcsr",
                              name) &&
                       !listed("fist* fbstp", name);
    const bool sets = listed("mov* set* fst* fist* fbstp fn* stmxcsr pop", name);
    const bool none = no_access(i, name), reads = !destination || !sets, writes = destination && !tests;
    const uint64_t address = none ? 0 : address_of(operand + 1, slot[i].length);
    unsigned width = 0;
    if (none) {
        judge_none(i);
        return;
    }
    const bool load = finds(i, DECODE_BEFORE | DECODE_LOADS, address, &width);
    const bool store = finds(i, DECODE_BEFORE | DECODE_STORES, address, &width);
    if (ignored && !load && !store) return;
    if (load != reads) differs(i, "load", load, reads);
    if (store != writes) differs(i, "store", store, writes);
    if ((load || store) && width != width_of(name)) differs(i, "width", width, width_of(name));
    /* The address stays known unless the instruction writes the register that it comes from. */
    const char letter = operand[2];
    bool overwritten = is_of(first, letter) && !listed("cmp test", name);
    if (listed("xchg xadd", name)) overwritten |= is_of(second + 1, letter);
    if (letter == 'a' && destination)
        overwritten |= listed("cmpxchg* mul div idiv", name) || (listed("imul", name) && !second);
    /* The decoder takes some registers for others: MMX, and SPL to DIL for those of BH to AH. */
    if (listed("mm*", first) || (slot[i].prefix == 0x48 && strstr(name, "BYTE PTR"))) return;
    const bool after = finds(i, reads ? DECODE_LOADS : DECODE_STORES, address, &width);
    if (after != ((load || store) && !overwritten)) differs(i, "afterwards", after, !overwritten);
}

/* ---- the tests ---- */

static void judge(void)
{
    disassemble();
    for (unsigned i = 0; i < slots; i++) {
        bool ignored;
        const char *name = mnemonic(i, &ignored);
        judge_length(i, name);
        judge_access(i, name, ignored);
    }
    assert_int_equal(bad, 0);
}

TEST(opcodes)
{
    for (unsigned mode = 0; mode < 2; mode++) {
        long_mode = mode;
        slots = bad = 0;
        put_opcodes();
        judge();
    }
}

TEST(addresses)
{
    for (unsigned mode = 0; mode < 2; mode++) {
        long_mode = mode;
        slots = bad = 0;
        put_addresses();
        judge();
    }
}
