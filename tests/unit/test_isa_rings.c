/* Which instructions work only at ring 0 and only in 64-bit mode, against binutils: objdump names each
 * opcode, and the names of the privileged ones are listed here (SDM vol. 3A section 6.9, "Privileged
 * instructions", and the pages of vol. 2; APM vol. 3, chapter 4). What objdump does not know has no feature.
 */
#include "measure/isa.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cases ---- */

enum { SLOT = 16, SLOTS = 80000 }; /* a case, then NOPs: objdump is in step again at the next one */

static struct {
    uint8_t code[SLOT];
    char text[2][40]; /* objdump's, in 32-bit and 64-bit mode; empty: none */
} slot[SLOTS];
static unsigned slots;

static void put(uint8_t prefix, unsigned map, unsigned op, unsigned modrm)
{
    assert_true(slots < SLOTS);
    uint8_t *code = memset(slot[slots++].code, 0x90, SLOT);
    if (prefix) *code++ = prefix;
    if (map) *code++ = 0x0f;
    if (map > 1) *code++ = (uint8_t)map;
    *code++ = (uint8_t)op;
    *code = (uint8_t)modrm;
}

/* All opcodes of the legacy maps, with a register and an operand in memory for each value of ModRM's reg
 * field; 0F 01 and 0F AE with every register. */
static void put_all(void)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2}, maps[] = {0, 1, 0x38, 0x3a};
    for (unsigned p = 0; p < 4; p++)
        for (unsigned m = 0; m < 4; m++)
            for (unsigned op = 0; op < 256; op++)
                for (unsigned modrm = 0; modrm < 256; modrm++) {
                    const bool group = maps[m] == 1 && (op == 0x01 || op == 0xae) && modrm >= 0xc0;
                    if (m == 0 && (p > 1 || op == 0x0f || op == 0x66)) continue;
                    if (m == 1 && (op == 0x38 || op == 0x3a)) continue;
                    if (!group && (modrm & 0xc7) != 0xc0 && (modrm & 0xc7) != 0x03) continue;
                    put(prefixes[p], maps[m], op, modrm);
                }
}

static void disassemble(unsigned mode)
{
    char command[160], line[256];
    FILE *out = tmpfile();
    assert_non_null(out);
    for (unsigned i = 0; i < slots; i++) fwrite(slot[i].code, 1, SLOT, out);
    fflush(out);
    snprintf(command, sizeof command,
             "objdump -D -z -b binary -m %s -M intel --insn-width=16 --no-show-raw-insn /dev/fd/%d",
             mode ? "i386:x86-64" : "i386", fileno(out));
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char *at;
        const unsigned long i = strtoul(line, &at, 16);
        if (at[0] != ':' || at[1] != '\t' || i % SLOT || i / SLOT >= slots || strstr(at, "(bad)")) continue;
        snprintf(slot[i / SLOT].text[mode], sizeof slot->text[0], "%.*s", (int)strcspn(at + 2, "\n#<"),
                 at + 2);
    }
    assert_int_equal(pclose(in), 0);
    fclose(out);
}

/* ---- names ---- */

/* Is the text's first word among those of the list, which are parted by blanks? */
static bool listed(const char *list, const char *text)
{
    const size_t n = strcspn(text, " ");
    for (const char *at = list; *at; at += *at == ' ') {
        const size_t k = strcspn(at, " ");
        if (n == k && strncmp(at, text, n) == 0) return true;
        at += k;
    }
    return false;
}

/* objdump passes over prefixes without a meaning; our table knows which there are. */
static bool prefix_ignored(const char *text) { return listed("data16 repz repnz rep rex.W", text); }

#define AT_RING0                                                                                            \
    "clrssbsy clts encls enqcmds hlt hreset invd invept invlpg invlpga invlpgb invpcid invvpid lgdt lgdtd " \
    "lgdtw "                                                                                                \
    "lidt lidtd lidtw lkgs lldt lmsw loadiwkey ltr clgi stgi pconfig psmash pvalidate rdmsr rdmsrlist "     \
    "rmpadjust rmpquery rmpupdate setssbsy skinit swapgs sysexit sysexitd sysret sysretd tlbsync vmclear "  \
    "vmlaunch vmload vmptrld vmptrst vmread vmresume vmrun vmsave vmwrite vmxoff vmxon wbinvd wbnoinvd "    \
    "wrmsr wrmsrlist wrmsrns wrussd wrussq xrstors xrstors64 xsaves xsaves64 xsetbv pbndkb erets eretu"
#define BY_IOPL  "cli sti in ins out outs" /* and IOPL is 0 here */
#define UD_THERE "clac stac monitor mwait" /* #UD in place of #GP */
#define ONLY_64                                                                                       \
    "swapgs rdfsbase rdgsbase wrfsbase wrgsbase clui stui testui uiret senduipi rdmsrlist wrmsrlist " \
    "lkgs erets eretu pbndkb uwrmsr urdmsr psmash rmpadjust rmpquery rmpupdate"
/* Newer than objdump 2.40, or of rows for prefixes that do not go with each of their opcodes. */
#define NEWER "FRED LKGS PBNDKB SVM SEV-SNP"
#define WIDE \
    "SSE SSE2 SSE4.1 MMX PadLock" /* features of whole ranges of opcodes, also of those that do not exist */

/* Features that test_isa_as.c does not ask for, and all their instructions. */
static const struct {
    const char *name, *instructions;
} features[] = {
    {"SMAP", "clac stac"},
    {"SGX", "encls enclu enclv"},
    {"MONITORX", "monitorx mwaitx"},
    {"CLZERO", "clzero"},
    {"RDPRU", "rdpru"},
    {"MCOMMIT", "mcommit"},
    {"INVLPGB", "invlpgb tlbsync"},
    {"SEV-SNP", "psmash pvalidate rmpadjust rmpquery rmpupdate"},
    {"PKU", "rdpkru wrpkru"},
    {"TSXLDTRK", "xsusldtrk xresldtrk"},
    {"UINTR", "clui senduipi stui testui uiret"},
    /* RDSSP does nothing without it. */
    {"CET_SS", "clrssbsy incsspd incsspq rstorssp saveprevssp setssbsy wrssd wrssq wrussd wrussq"},
    {"WRMSRNS", "wrmsrns"},
    {"MSRLIST", "rdmsrlist wrmsrlist"},
    {"PCONFIG", "pconfig"},
    {"INVPCID", "invpcid"},
    {"HRESET", "hreset"},
    {"PTWRITE", "ptwrite"},
    {"FSGSBASE", "rdfsbase rdgsbase wrfsbase wrgsbase"},
    {"XSAVEOPT", "xsaveopt"},
    {"XSAVEC", "xsavec"},
    {"XSAVES", "xrstors xsaves"},
    {"KL", "loadiwkey"},
    {"AESKLE", "aesdec128kl aesdec256kl aesenc128kl aesenc256kl encodekey128 encodekey256"},
    {"WIDE_KL", "aesdecwide128kl aesdecwide256kl aesencwide128kl aesencwide256kl"},
    {"WBNOINVD", "wbnoinvd"},
    {"SYSENTER", "sysenter sysexit sysexitd"},
    {"SYSCALL", "syscall sysret sysretd"},
    {"SMX", "getsec"},
    {"VMX",
     "invept invvpid vmcall vmclear vmfunc vmlaunch vmptrld vmptrst vmread vmresume vmwrite vmxoff vmxon"},
    {"SVM", "clgi invlpga stgi vmgexit vmload vmmcall vmrun vmsave"},
    {"SKINIT", "skinit"},
};

static bool at_ring0(const char *text)
{
    const bool control = listed("mov", text) && (strstr(text, "cr") || strstr(text, "dr"));
    return control || listed(AT_RING0, text) || listed(BY_IOPL, text);
}

/* ---- the judgement ---- */

static struct cpu_id all, none;
static unsigned wrong;

static struct isa_reason explain(unsigned i, unsigned mode, unsigned vector, unsigned ring,
                                 const struct cpu_id *id)
{
    const struct trap t = {.vector = vector,
                           .cs = ring ? 0x43 : 8,
                           .cr0 = 0x80000011,
                           .cr4 = ~(1ull << 2 | 1ull << 11), /* every bit as it may be */
                           .xcr0 = UINT64_MAX,
                           .efer = UINT64_MAX};
    struct isa_reason r;
    isa_explain(slot[i].code, SLOT, mode, id, &t, &r);
    return r;
}

static void differs(unsigned i, unsigned mode, const char *what, bool got)
{
    if (wrong++ >= 40) return;
    print_message("%u bits,", mode ? 64 : 32);
    for (unsigned k = 0; k < 6; k++) print_message(" %02x", slot[i].code[k]);
    print_message(" (%s): %s%s\n", slot[i].text[mode], got ? "" : "not ", what);
}

static int setup(void **state)
{
    (void)state;
    memset(&all, 0xff, sizeof all);
    put_all();
    disassemble(0);
    disassemble(1);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    wrong = 0;
    return 0;
}

TEST_WITH(privileged, begin, NULL)
{
    unsigned judged = 0;
    for (unsigned i = 0; i < slots; i++)
        for (unsigned mode = 0; mode < 2; mode++) {
            const char *text = slot[i].text[mode];
            if (!text[0] || prefix_ignored(text)) continue;
            judged++;
            const bool gp = explain(i, mode, 13, 3, &all).verdict == ISA_RING0,
                       ud = explain(i, mode, 6, 3, &all).verdict == ISA_RING0;
            if (gp != at_ring0(text)) differs(i, mode, "at ring 0 only", gp);
            if (ud != listed(UD_THERE, text)) differs(i, mode, "undefined at ring 3", ud);
        }
    assert_int_equal(wrong, 0);
    assert_true(judged > 20000);
}

TEST_WITH(only_in_64_bit_mode, begin, NULL)
{
    for (unsigned i = 0; i < slots; i++) {
        const char *text = slot[i].text[1];
        if (!text[0] || prefix_ignored(text)) continue;
        const bool got = explain(i, 0, 6, 0, &all).verdict == ISA_ONLY64;
        if (got != listed(ONLY_64, text)) differs(i, 0, "in 64-bit mode only", got);
        if (explain(i, 1, 6, 0, &all).verdict == ISA_ONLY64) differs(i, 1, "in 64-bit mode only", true);
    }
    assert_int_equal(wrong, 0);
}

/* UD0, UD1 and UD2 (SDM vol. 2B, UD), and RSM, which is one outside of system-management mode (vol. 2B, RSM).
 */
TEST_WITH(invalid_on_every_cpu, begin, NULL)
{
    for (unsigned i = 0; i < slots; i++)
        for (unsigned mode = 0; mode < 2; mode++) {
            const char *text = slot[i].text[mode];
            if (text[0] && prefix_ignored(text)) continue;
            const bool got = explain(i, mode, 6, 0, &all).verdict == ISA_INVALID;
            if (got != listed("rsm ud0 ud1 ud2", text)) differs(i, mode, "invalid", got);
        }
    assert_int_equal(wrong, 0);
}

TEST_WITH(each_of_these_instructions_has_its_feature, begin, NULL)
{
    for (unsigned i = 0; i < slots; i++)
        for (unsigned mode = 0; mode < 2; mode++) {
            const char *text = slot[i].text[mode];
            if (!text[0] || prefix_ignored(text)) continue;
            const struct isa_reason r = explain(i, mode, 6, 0, &none);
            for (unsigned f = 0; f < sizeof features / sizeof *features; f++) {
                const bool has = r.verdict == ISA_LACKING && strcmp(r.name, features[f].name) == 0;
                if (has != listed(features[f].instructions, text)) differs(i, mode, features[f].name, has);
            }
        }
    assert_int_equal(wrong, 0);
}

/* Where the cases end that have this prefix and opcode, whatever ModRM is; with 0F 01 that is a part of it.
 */
static unsigned same_opcode(unsigned from)
{
    const uint8_t *a = slot[from].code;
    unsigned n = 1, end = from;
    if (a[0] == 0x66 || a[0] == 0xf2 || a[0] == 0xf3) n++;
    if (a[n - 1] == 0x0f) n += a[n] == 0x38 || a[n] == 0x3a || a[n] == 0x01 ? 2 : 1;
    while (end < slots && memcmp(slot[end].code, a, n) == 0) end++;
    return end;
}

TEST_WITH(what_does_not_exist_has_no_feature, begin, NULL)
{
    unsigned judged = 0;
    for (unsigned i = 0, end; i < slots; i = end) {
        bool exists = false;
        end = same_opcode(i);
        for (unsigned k = i; k < end; k++) exists |= slot[k].text[0][0] || slot[k].text[1][0];
        for (unsigned k = i; k < end && !exists; k++)
            for (unsigned mode = 0; mode < 2; mode++) {
                const struct isa_reason r = explain(k, mode, 6, 0, &none);
                const bool has = r.verdict == ISA_LACKING && !listed(WIDE " " NEWER, r.name);
                if (has) differs(k, mode, r.name, true);
                judged++;
            }
    }
    assert_int_equal(wrong, 0);
    assert_true(judged > 10000);
}

AROUND_ALL(setup, NULL);
