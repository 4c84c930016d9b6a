/* The table of features against binutils: objdump says what each opcode is, and GNU as which of its
 * extensions (-march=i586+sse2) accept that. An instruction belongs to the least of these: to one of which no
 * other accepts only a part. 64-bit code too, for EVEX and what exists only there. */
#include "measure/isa.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PP_SLOTS = 2 * 256 * 8 };    /* in put_evex(): lengths, opcodes, forms */
enum { SLOT = 16, SLOTS = 400000 }; /* a case, then NOPs: objdump is in step again at the next one */

static struct slot {
    uint8_t code[SLOT];
    char text[80];     /* objdump's; empty: none */
    unsigned length;   /* by objdump */
    uint64_t accepted; /* by the extensions with these numbers */
} slot[SLOTS], *by_text[SLOTS];
static unsigned slots;

/* As's name and ours. The first: what its processor has, of which our table names what older ones lack. */
struct extension {
    const char *as, *feature;
};

static const struct extension extensions32[] = {
    {"", "the TSC MSRs CMPXCHG8B"},
    {"+cmov", "CMOV"},
    {"+687+cmov", "CMOV"},
    {"+687", "CMOV"}, /* FCOMI, which CPUID's bits CMOV and FPU announce together (SDM vol. 2A, FCOMI) */
    {"+mmx", "MMX"},
    {"+fxsr", "FXSAVE"},
    {"+sse", "SSE"},
    {"+sse2", "SSE2"},
    {"+sse3", "SSE3 MONITOR"}, /* as has one name for both */
    {"+ssse3", "SSSE3"},
    {"+sse4.1", "SSE4.1"},
    {"+sse4.2", "SSE4.2"},
    {"+sse4a", "SSE4A"},
    {"+popcnt", "POPCNT"},
    {"+movbe", "MOVBE"},
    {"+aes", "AES"},
    {"+pclmul", "PCLMULQDQ"},
    {"+sha", "SHA"},
    {"+adx", "ADX"},
    {"+rdrnd", "RDRAND"},
    {"+rdseed", "RDSEED"},
    {"+rdpid", "RDPID"},
    {"+clflush", "CLFLUSH"},
    {"+clflushopt", "CLFLUSHOPT"},
    {"+clwb", "CLWB"},
    {"+xsave", "XSAVE"},
    {"+rdtscp", "RDTSCP"},
    {"+serialize", "SERIALIZE"},
    {"+rtm", "RTM"},
    {"+prfchw", "PREFETCHW"},
    {"+syscall", "SYSCALL"},
    {"+3dnow", "3DNow!"},
    {"+3dnowa", "3DNow! extensions SSE"},
    {"+avx", "AVX"},
    {"+avx2", "AVX2"},
    {"+fma", "FMA"},
    {"+fma4", "FMA4"},
    {"+f16c", "F16C"},
    {"+bmi", "BMI1"},
    {"+bmi2", "BMI2"},
    {"+avx512f", "AVX512F"},
    {"+avx512bw", "AVX512BW"},
    {"+avx512dq", "AVX512DQ"},
    {"+fma4+xop", "XOP"},
    {"+lwp", "LWP"},
    {"+tbm", "TBM"},
    {"+vmx", "VMX"},
    {"+svme", "SVM SKINIT"},
    {"+smx", "SMX"},
    {"+gfni", "GFNI"},
    {"+vaes", "VAES"},
    {"+vpclmulqdq", "VPCLMULQDQ"},
    {"+aes+avx", "AES"}, /* from as 2.41 on +vaes accepts the 128-bit forms, too */
    {"+pclmul+avx", "PCLMULQDQ"},
    {"+waitpkg", "WAITPKG"},
    {"+enqcmd", "ENQCMD"},
    {"+movdiri", "MOVDIRI"},
    {"+movdir64b", "MOVDIR64B"},
};

/* Only what the other list has no case of. generic64 has SSE2. */
static const struct extension extensions64[] = {
    {"", "the TSC MSRs CMPXCHG8B CMOV MMX FXSAVE SSE SSE2 SYSCALL CLFLUSH"},
    {"+avx512f", "AVX512F"},
    {"+avx512cd", "AVX512CD"},
    {"+avx512bw", "AVX512BW"},
    {"+avx512dq", "AVX512DQ"},
    {"+avx512vl", "AVX512F"}, /* which our table names first: lengths() */
    {"+avx512bw+avx512vl", "AVX512BW"},
    {"+avx512dq+avx512vl", "AVX512DQ"},
    {"+avx512cd+avx512vl", "AVX512CD"},
    {"+avx512ifma", "AVX512_IFMA"},
    {"+avx512ifma+avx512vl", "AVX512_IFMA"},
    {"+avx512vbmi", "AVX512_VBMI"},
    {"+avx512vbmi+avx512vl", "AVX512_VBMI"},
    {"+avx512_vbmi2", "AVX512_VBMI2"},
    {"+avx512_vbmi2+avx512vl", "AVX512_VBMI2"},
    {"+avx512_vnni", "AVX512_VNNI"},
    {"+avx512_vnni+avx512vl", "AVX512_VNNI"},
    {"+avx512_bitalg", "AVX512_BITALG"},
    {"+avx512_bitalg+avx512vl", "AVX512_BITALG"},
    {"+avx512_vpopcntdq", "AVX512_VPOPCNTDQ"},
    {"+avx512_vpopcntdq+avx512vl", "AVX512_VPOPCNTDQ"},
    {"+avx512_bf16", "AVX512_BF16"},
    {"+avx512_bf16+avx512vl", "AVX512_BF16"},
    {"+avx512_fp16", "AVX512_FP16"},
    {"+avx512_fp16+avx512vl", "AVX512_FP16"},
    {"+avx512_vp2intersect", "AVX512_VP2INTERSECT"},
    {"+avx512_vp2intersect+avx512vl", "AVX512_VP2INTERSECT"},
    {"+avx512er", "AVX512ER"},
    {"+avx512pf", "AVX512PF"},
    {"+avx512_4vnniw", "AVX512_4VNNIW"},
    {"+avx512_4fmaps", "AVX512_4FMAPS"},
    {"+avx512f+gfni", "GFNI"},
    {"+avx512vl+gfni", "GFNI"},
    {"+avx512f+vaes", "VAES"},
    {"+avx512vl+vaes", "VAES"},
    {"+avx512f+vpclmulqdq", "VPCLMULQDQ"},
    {"+avx512vl+vpclmulqdq", "VPCLMULQDQ"},
    {"+avx", "AVX"},
    {"+avx2", "AVX2"},
    {"+fma", "FMA"},
    {"+f16c", "F16C"},
    {"+bmi", "BMI1"},
    {"+bmi2", "BMI2"},
    {"+aes+avx", "AES"},
    {"+pclmul+avx", "PCLMULQDQ"},
    {"+fma4", "FMA4"},
    {"+xop", "XOP"},
    {"+vaes", "VAES"},
    {"+vpclmulqdq", "VPCLMULQDQ"},
    {"+gfni+avx", "GFNI"},
    {"+avx_vnni", "AVX-VNNI"},
    {"+avx_ifma", "AVX-IFMA"},
    {"+avx_vnni_int8", "AVX-VNNI-INT8"},
    {"+avx_ne_convert", "AVX-NE-CONVERT"},
    {"+amx_tile", "AMX-TILE"},
    {"+amx_int8", "AMX-INT8"},
    {"+amx_bf16", "AMX-BF16"},
    {"+amx_fp16", "AMX-FP16"},
    {"+cmpccxadd", "CMPCCXADD"},
};
enum { EXTENSIONS = 64 };

static const struct extension *extension;
static unsigned extension_count, bits;

/* ---- the cases ---- */

static void put(const uint8_t *code, unsigned n)
{
    assert_true(slots < SLOTS);
    memset(slot[slots].code, 0x90, SLOT);
    memcpy(slot[slots++].code, code, n);
}

static void put_legacy(void)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2}, maps[] = {0, 0x38, 0x3a};
    for (unsigned p = 0; p < 4; p++)
        for (unsigned m = 0; m < 3; m++)
            for (unsigned op = 0; op < 256; op++)
                for (unsigned modrm = 0; modrm < 256; modrm++) {
                    uint8_t code[SLOT];
                    unsigned n = 0;
                    const bool all = m == 0 && op == 1 && modrm >= 0xc0;
                    if (!all && (modrm & 0xc7) != 0xc1 && (modrm & 0xc7) != 3) continue;
                    if (m && modrm >> 3 & 7) continue; /* there are no groups */
                    if (prefixes[p]) code[n++] = prefixes[p];
                    code[n++] = 0x0f;
                    if (maps[m]) code[n++] = maps[m];
                    code[n++] = (uint8_t)op;
                    code[n++] = (uint8_t)modrm;
                    put(code, n);
                }
}

static void put_one_byte(void)
{
    static const uint8_t opcodes[] = {0xc6, 0xc7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf};
    for (unsigned op = 0; op < sizeof opcodes; op++)
        for (unsigned modrm = 0; modrm < 256; modrm++)
            if (modrm >= 0xc0 || (modrm & 0xc7) == 3) put((const uint8_t[]){opcodes[op], (uint8_t)modrm}, 2);
}

static void put_vex(void)
{
    static const uint8_t modrm[] = {0xc1, 0xc9, 0xd1, 0xd9, 0xe1, 0xf1, 0x03};
    for (unsigned map = 1; map < 4; map++)
        for (unsigned last = 0; last < 256; last++) /* W, vvvv, L and pp */
            for (unsigned op = 0; op < 256; op++)
                for (unsigned i = 0; i < sizeof modrm; i++) {
                    const unsigned vvvv = last >> 3 & 15;
                    const bool group = (map == 1 && op >= 0x71 && op <= 0x73) || (map == 2 && op == 0xf3);
                    if ((vvvv != 15 && vvvv != 14) || (i % 6 && !group)) continue;
                    put((const uint8_t[]){0xc4, (uint8_t)(0xe0 | map), (uint8_t)last, (uint8_t)op, modrm[i]},
                        5);
                }
}

/* Registers from 16 on have no shorter form, and opmask 1 is what gathers need: as then chooses EVEX. */
static void put_evex(void)
{
    static const uint8_t maps[] = {1, 2, 3, 5, 6};
    static const struct {
        uint8_t p0, p2, modrm;
    } forms[] = {{0xf0, 0x00, 0xc1}, {0xe0, 0x08, 0xc1}, {0xb0, 0x08, 0xc1}, {0xf0, 0x00, 0x03},
                 {0xe0, 0x08, 0x03}, {0xe0, 0x09, 0x04}, {0xf0, 0x09, 0x0c}, {0xb0, 0x08, 0xd9}};
    for (unsigned m = 0; m < sizeof maps; m++)
        for (unsigned wpp = 0; wpp < 8; wpp++)
            for (unsigned ll = 0; ll < 3; ll += 2)
                for (unsigned op = 0; op < 256; op++)
                    for (unsigned f = 0; f < sizeof forms / sizeof *forms; f++) {
                        const bool vvvv = !(forms[f].p2 & 8);
                        put((const uint8_t[]){0x62, (uint8_t)(forms[f].p0 | maps[m]),
                                              (uint8_t)(wpp >> 2 << 7 | (vvvv ? 0x74 : 0x7c) | (wpp & 3)),
                                              (uint8_t)(ll << 5 | forms[f].p2), (uint8_t)op, forms[f].modrm,
                                              0x11},
                            7);
                    }
}

static void put_xop(void)
{
    static const uint8_t last[] = {0x78, 0x70, 0x7c, 0xf8};
    for (unsigned map = 8; map < 11; map++)
        for (unsigned op = 0; op < 256; op++)
            for (unsigned modrm = 0xc1; modrm < 0x100; modrm += 8)
                for (unsigned k = 0; k < sizeof last; k++)
                    put((const uint8_t[]){0x8f, (uint8_t)(0xe0 | map), last[k], (uint8_t)op, (uint8_t)modrm},
                        5);
}

/* ---- binutils ---- */

static void disassemble(void)
{
    char command[160], line[256];
    FILE *out = tmpfile();
    assert_non_null(out);
    for (unsigned i = 0; i < slots; i++) fwrite(slot[i].code, 1, SLOT, out);
    fflush(out);
    snprintf(command, sizeof command,
             "objdump -D -z -b binary -m %s -M att --insn-width=16 --no-show-raw-insn /dev/fd/%d",
             bits == 64 ? "i386:x86-64" : "i386", fileno(out));
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char *at;
        const unsigned long i = strtoul(line, &at, 16), before = i ? (i - 1) / SLOT : 0;
        if (at[0] == ':' && i && before < slots && !slot[before].length)
            slot[before].length = (unsigned)(i - before * SLOT);
        if (at[0] != ':' || at[1] != '\t' || i % SLOT || i / SLOT >= slots || strstr(at, "(bad)")) continue;
        snprintf(slot[i / SLOT].text, sizeof slot->text, "%.*s", (int)strcspn(at + 2, "\n#<"), at + 2);
    }
    assert_int_equal(pclose(in), 0);
    fclose(out);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp((*(struct slot *const *)a)->text, (*(struct slot *const *)b)->text);
}

static bool is_new(unsigned i) { return !i || strcmp(by_text[i]->text, by_text[i - 1]->text) != 0; }

/* Each text once to as, which tells the lines that it refuses. */
static void assemble(unsigned e, FILE *texts)
{
    static bool refused[SLOTS + 1];
    char command[600], line[512];
    memset(refused, 0, sizeof refused);
    snprintf(command, sizeof command, "as --%u -march=%s%s -o /dev/null /dev/fd/%d 2>&1", bits,
             bits == 64 ? "generic64" : "i586", extension[e].as, fileno(texts));
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        const char *error = strstr(line, ": Error:");
        if (!error && (strstr(line, "Fatal") || strstr(line, "invalid -march"))) fail_msg("%s", line);
        if (!error) continue;
        const char *number = error;
        while (number > line && number[-1] != ':') number--;
        const unsigned long n = strtoul(number, NULL, 10);
        assert_in_range(n, 1, slots);
        refused[n] = true;
    }
    pclose(in);
    for (unsigned i = 0, n = 0; i < slots; i++) {
        n += is_new(i);
        if (by_text[i]->text[0] && !refused[n]) by_text[i]->accepted |= 1ull << e;
    }
}

static void ask_as(void)
{
    FILE *texts = tmpfile();
    assert_non_null(texts);
    for (unsigned i = 0; i < slots; i++) by_text[i] = &slot[i];
    qsort(by_text, slots, sizeof *by_text, compare_texts);
    for (unsigned i = 0; i < slots; i++)
        if (is_new(i)) fprintf(texts, "%s\n", by_text[i]->text);
    fflush(texts);
    for (unsigned e = 0; e < extension_count; e++) assemble(e, texts);
    fclose(texts);
}

/* ---- the judgement ---- */

static uint64_t larger[EXTENSIONS]; /* the extensions that accept all that this one does, and more */

static void compare_extensions(void)
{
    uint64_t all[EXTENSIONS]; /* what accepts all that this one does */
    memset(all, 0xff, sizeof all);
    for (unsigned i = 0; i < slots; i++)
        for (unsigned e = 0; e < extension_count; e++)
            if (slot[i].accepted >> e & 1) all[e] &= slot[i].accepted;
    for (unsigned e = 0; e < extension_count; e++)
        for (unsigned k = 0; k < extension_count; k++)
            if (all[e] >> k & 1 && !(all[k] >> e & 1)) larger[e] |= 1ull << k;
}

static uint64_t least(uint64_t accepted)
{
    uint64_t left = accepted;
    for (unsigned e = 0; e < extension_count; e++)
        if (accepted >> e & 1) left &= ~larger[e];
    return left;
}

/* Whole words only: AVX is no part of AVX2. */
static bool has_words(const char *list, const char *words)
{
    const size_t n = strlen(words);
    for (const char *at = list; (at = strstr(at, words)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static bool names(uint64_t extensions, const char *feature)
{
    for (unsigned e = 0; e < extension_count; e++)
        if (extensions >> e & 1 && has_words(extension[e].feature, feature)) return true;
    return false;
}

/* EVEX: does the text have what VEX lacks? Else as would assemble that. */
static bool is_evex(const char *text)
{
    if (strchr(text, '{') || strstr(text, "zmm")) return true;
    for (const char *at = text; (at = strstr(at, "mm")); at += 2)
        if (strtoul(at + 2, NULL, 10) >= 16) return true;
    return false;
}

/* Where as cannot judge EVEX: objdump passes over prefixes that some instructions do not have. */
static bool no_evex_case(const struct slot *s)
{
    const unsigned pp = s->code[2] & 3;
    const struct slot *with66 = s - ((int)pp - 1) * PP_SLOTS; /* the same but for the prefix */
    if (s->code[0] != 0x62) return false;
    return !is_evex(s->text) || (pp != 1 && strcmp(s->text, with66->text) == 0);
}

/* Where as cannot judge: a prefix without a meaning is not looked through by our table; TZCNT is BSF where it
 * is lacking, and no invalid opcode; FFREEP is undocumented and on all of them; and as takes the shorter of
 * two forms of PEXTRW, which SSE2 has. */
static bool no_case(const struct slot *s)
{
    static const uint8_t pextrw[] = {0x66, 0x0f, 0x3a, 0x15};
    return no_evex_case(s) || strncmp(s->text, "data16", 6) == 0 || strncmp(s->text, "tzcnt", 5) == 0 ||
           strncmp(s->text, "ffreep", 6) == 0 ||
           (memcmp(s->code, pextrw, sizeof pextrw) == 0 && s->code[4] >= 0xc0);
}

/* Every bit of a control register is as it may be. */
static const struct trap ud = {.vector = 6,
                               .cs = 8,
                               .cr0 = 0x80000011,
                               .cr4 = ~(1ull << 2 | 1ull << 11),
                               .xcr0 = UINT64_MAX,
                               .efer = UINT64_MAX};

static void differs(const struct slot *s, const char *name, uint64_t of)
{
    print_message("%s (%02x %02x %02x %02x %02x %02x): %s, as says", s->text, s->code[0], s->code[1],
                  s->code[2], s->code[3], s->code[4], s->code[5], name);
    for (unsigned e = 0; e < extension_count; e++)
        if (of >> e & 1) print_message(" %s", e ? extension[e].as : "none");
    print_message("\n");
}

/* Features of rows that are wider than what objdump knows with VEX: of prefixes, W, L and vvvv that are
 * invalid there, or newer. All others have no opcode that does not exist. */
#define WIDE                                                                                               \
    "AES AMX-BF16 AMX-COMPLEX AMX-FP16 AMX-INT8 AMX-TILE AVX AVX-NE-CONVERT AVX-VNNI-INT16 AVX2 AVX512BW " \
    "AVX512DQ AVX512F BMI1 BMI2 CMPCCXADD F16C GFNI SHA512 SM3 SM4"

static void judge(void)
{
    static const struct cpu_id none;
    unsigned judged = 0, wrong = 0;
    disassemble();
    ask_as();
    compare_extensions();
    for (unsigned i = 0; i < slots; i++) {
        struct isa_reason r;
        if (slot[i].code[0] == 0xc4 && !slot[i].text[0]) {
            isa_explain(slot[i].code, SLOT, bits == 64, &none, &ud, &r);
            if (r.verdict == ISA_LACKING && !has_words(WIDE, r.name) && wrong++ < 60)
                differs(&slot[i], r.name, 0);
        }
        /* None, of another extension, or as and objdump disagree. */
        if (!slot[i].accepted || no_case(&slot[i])) continue;
        judged++;
        isa_explain(slot[i].code, SLOT, bits == 64, &none, &ud, &r);
        if (r.length != slot[i].length && strncmp(slot[i].text, "ud0", 3) != 0)
            fail_msg("%s: %u bytes, not %u", slot[i].text, r.length, slot[i].length);
        const uint64_t of = least(slot[i].accepted);
        if (r.verdict == ISA_LACKING ? names(of, r.name) : (of & 1) != 0) continue;
        if (wrong++ < 60) differs(&slot[i], *r.name ? r.name : "no feature", of);
    }
    assert_int_equal(wrong, 0);
    assert_true(judged > 10000); /* else the texts were not understood */
}

static void begin(unsigned mode, const struct extension *list, unsigned n)
{
    bits = mode;
    extension = list;
    extension_count = n;
    slots = 0;
    memset(slot, 0, sizeof slot);
    memset(larger, 0, sizeof larger);
}

TEST(features)
{
    begin(32, extensions32, sizeof extensions32 / sizeof *extensions32);
    put_legacy();
    put_one_byte();
    put_vex();
    put_xop();
    judge();
}

TEST(features64)
{
    begin(64, extensions64, sizeof extensions64 / sizeof *extensions64);
    put_evex();
    put_vex();
    judge();
}

/* The first opcodes of FP16's maps; rows of the later ones are wider. If objdump knows no form of a prefix
 * and an opcode, the table has no feature for them. */
TEST(half_precision_only)
{
    static const struct cpu_id none;
    static const unsigned end[] = {0x50, 0x2c}; /* opcodes of maps 5 and 6 */
    static bool exists[2][4][0x50];
    unsigned absent = 0, wrong = 0;
    begin(64, extensions64, sizeof extensions64 / sizeof *extensions64);
    put_evex();
    disassemble();
    for (unsigned judging = 0; judging < 2; judging++)
        for (unsigned i = 0; i < slots; i++) {
            const unsigned map = slot[i].code[1] & 7, op = slot[i].code[4];
            if (map < 5 || op >= end[map - 5]) continue;
            bool *const it = &exists[map - 5][slot[i].code[2] & 3][op];
            *it |= !judging && slot[i].text[0];
            if (!judging || *it) continue;
            struct isa_reason r;
            isa_explain(slot[i].code, SLOT, true, &none, &ud, &r);
            absent++;
            if (r.verdict == ISA_LACKING && wrong++ < 60) differs(&slot[i], r.name, 0);
        }
    assert_int_equal(wrong, 0);
    assert_true(absent > 1000);
}

#define BUT_VL                                                                                             \
    "+avx512f+avx512cd+avx512bw+avx512dq+avx512ifma+avx512vbmi+avx512_vbmi2+avx512_vnni+avx512_bitalg"     \
    "+avx512_vpopcntdq+avx512_bf16+avx512_fp16+avx512_vp2intersect+gfni+vaes+vpclmulqdq+avx512er+avx512pf" \
    "+avx512_4vnniw+avx512_4fmaps"

/* From 2.41 on as takes the EVEX forms of these, of 128 and 256 bits, without AVX512VL, which the SDM
 * demands. */
static bool as_forgets_vl(const char *text)
{
    static const char *const begin[] = {"vpermilp",   "vbroadcastss", "vpbroadcastd", "vpsrlv",  "vpsrav",
                                        "vpsllv",     "vfmadd",       "vfmsub",       "vfnmadd", "vfnmsub",
                                        "vgf2p8mulb", "vaes",         "vpclmul"};
    if (strstr(text, "zmm")) return false;
    for (unsigned i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(text, begin[i], strlen(begin[i])) == 0) return true;
    return false;
}

/* AVX512VL: as accepts the instruction only with it. */
TEST(lengths)
{
    static const struct extension list[] = {{BUT_VL, ""}, {BUT_VL "+avx512vl", ""}};
    struct cpu_id but_vl;
    unsigned judged = 0, wrong = 0;
    memset(&but_vl, 0xff, sizeof but_vl);
    but_vl.f7_ebx &= ~(1u << 31);
    begin(64, list, 2);
    put_evex();
    disassemble();
    ask_as();
    for (unsigned i = 0; i < slots; i++) {
        struct isa_reason r;
        if (!(slot[i].accepted & 2) || no_case(&slot[i])) continue;
        judged++;
        isa_explain(slot[i].code, SLOT, true, &but_vl, &ud, &r);
        const bool needs = r.verdict == ISA_LACKING && strcmp(r.name, "AVX512VL") == 0;
        if (needs == !(slot[i].accepted & 1) || (needs && as_forgets_vl(slot[i].text))) continue;
        if (wrong++ < 60) differs(&slot[i], *r.name ? r.name : "no feature", slot[i].accepted);
    }
    assert_int_equal(wrong, 0);
    assert_true(judged > 5000);
}
