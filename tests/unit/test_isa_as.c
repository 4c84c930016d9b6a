/* The table of features against binutils: objdump says what each opcode is, and GNU as which of its
 * extensions
 * (-march=i586+sse2) accept that. An instruction belongs to the least of these: to one of which no other
 * accepts only a part. 32-bit code; REX.W's are in test_isa.c. */
#include "kernel/isa.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT = 16, SLOTS = 100000 }; /* a case, then NOPs: objdump is in step again at the next one */

static struct slot {
    uint8_t code[SLOT];
    char text[80];     /* objdump's; empty: none */
    uint64_t accepted; /* by the extensions with these numbers */
} slot[SLOTS], *by_text[SLOTS];
static unsigned slots;

/* As's name and ours. The first: all that a Pentium has, of which our table names what a 486 lacks. */
static const struct {
    const char *as, *feature;
} extension[] = {
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
    {"+sse4a", "SSE4a"},
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
    {"+3dnowa", "3DNow! SSE"},
    {"+avx", "AVX"},
    {"+avx2", "AVX2"},
    {"+fma", "FMA"},
    {"+fma4", "FMA4"},
    {"+f16c", "F16C"},
    {"+bmi", "BMI1"},
    {"+bmi2", "BMI2"},
    {"+avx512f", "AVX-512"},
    {"+avx512bw", "AVX-512"},
    {"+avx512dq", "AVX-512"},
};
enum { EXTENSIONS = sizeof extension / sizeof *extension };

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

/* ---- binutils ---- */

static void disassemble(void)
{
    char command[128], line[256];
    FILE *out = tmpfile();
    assert_non_null(out);
    for (unsigned i = 0; i < slots; i++) fwrite(slot[i].code, 1, SLOT, out);
    fflush(out);
    snprintf(command, sizeof command,
             "objdump -D -z -b binary -m i386 -M att --insn-width=16 --no-show-raw-insn /dev/fd/%d",
             fileno(out));
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char *at;
        const unsigned long i = strtoul(line, &at, 16);
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
    char command[160], line[512];
    memset(refused, 0, sizeof refused);
    snprintf(command, sizeof command, "as --32 -march=i586%s -o /dev/null /dev/fd/%d 2>&1", extension[e].as,
             fileno(texts));
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
    for (unsigned e = 0; e < EXTENSIONS; e++) assemble(e, texts);
    fclose(texts);
}

/* ---- the judgement ---- */

static uint64_t larger[EXTENSIONS]; /* the extensions that accept all that this one does, and more */

static void compare_extensions(void)
{
    uint64_t all[EXTENSIONS]; /* what accepts all that this one does */
    memset(all, 0xff, sizeof all);
    for (unsigned i = 0; i < slots; i++)
        for (unsigned e = 0; e < EXTENSIONS; e++)
            if (slot[i].accepted >> e & 1) all[e] &= slot[i].accepted;
    for (unsigned e = 0; e < EXTENSIONS; e++)
        for (unsigned k = 0; k < EXTENSIONS; k++)
            if (all[e] >> k & 1 && !(all[k] >> e & 1)) larger[e] |= 1ull << k;
}

static uint64_t least(uint64_t accepted)
{
    uint64_t left = accepted;
    for (unsigned e = 0; e < EXTENSIONS; e++)
        if (accepted >> e & 1) left &= ~larger[e];
    return left;
}

static bool names(uint64_t extensions, const char *feature)
{
    for (unsigned e = 0; e < EXTENSIONS; e++)
        if (extensions >> e & 1 && strstr(extension[e].feature, feature)) return true;
    return false;
}

/* Where as cannot judge: a prefix without a meaning is not looked through by our table; TZCNT is BSF where it
 * is lacking, and no invalid opcode; FFREEP is undocumented and on all of them; and as takes the shorter of
 * two forms of PEXTRW, which SSE2 has. */
static bool no_case(const struct slot *s)
{
    static const uint8_t pextrw[] = {0x66, 0x0f, 0x3a, 0x15};
    return strncmp(s->text, "data16", 6) == 0 || strncmp(s->text, "tzcnt", 5) == 0 ||
           strncmp(s->text, "ffreep", 6) == 0 ||
           (memcmp(s->code, pextrw, sizeof pextrw) == 0 && s->code[4] >= 0xc0);
}

static void features(void **state)
{
    static const struct cpu_id none;
    unsigned judged = 0, wrong = 0;
    (void)state;
    put_legacy();
    put_one_byte();
    put_vex();
    disassemble();
    ask_as();
    compare_extensions();
    for (unsigned i = 0; i < slots; i++) {
        const char *name = "no feature";
        /* None, of another extension, or as and objdump disagree. */
        if (!slot[i].accepted || no_case(&slot[i])) continue;
        judged++;
        const enum isa_verdict verdict = isa_judge(slot[i].code, SLOT, false, &none, &name);
        const uint64_t of = least(slot[i].accepted);
        if (verdict == ISA_LACKING ? names(of, name) : (of & 1) != 0) continue;
        if (wrong++ > 40) continue;
        print_message("%s (%02x %02x %02x %02x %02x): %s, as says", slot[i].text, slot[i].code[0],
                      slot[i].code[1], slot[i].code[2], slot[i].code[3], slot[i].code[4], name);
        for (unsigned e = 0; e < EXTENSIONS; e++)
            if (of >> e & 1) print_message(" i586%s", extension[e].as);
        print_message("\n");
    }
    assert_int_equal(wrong, 0);
    assert_true(judged > 10000); /* else the texts were not understood */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(features)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
