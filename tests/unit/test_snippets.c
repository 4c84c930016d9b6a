/* From the user's text to a module, and back by the kernel's own reader: files of snippets, what the
 * assembler makes of them, and what is refused. */
#include "host/assemble.h"
#include "host/command.h"
#include "host/module.h"
#include "kernel/module.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static char why[512], said[4096];
static size_t lines;

static bool read_text(struct snippets *s, const char *text, size_t len)
{
    FILE *in = len ? fmemopen((void *)text, len, "r") : fopen("/dev/null", "r");
    *s = (struct snippets){0};
    why[0] = '\0';
    const bool good = snippets_read(s, "list", in, why, sizeof why);
    fclose(in);
    return good;
}

static bool reads(struct snippets *s, const char *text) { return read_text(s, text, strlen(text)); }

static void say(void *ctx, const char *what)
{
    (void)ctx;
    lines++;
    if (strlen(said) + strlen(what) + 2 < sizeof said) strcat(strcat(said, what), "\n");
}

static int assembled(struct snippets *s, unsigned bits)
{
    struct assembling how = {.bits = bits, .say = say};
    said[0] = '\0';
    lines = 0;
    return assemble(s, &how);
}

static void code_is(const struct snippet *s, enum snippet_part part, const char *hex)
{
    char have[256] = "";
    for (size_t i = 0; i < s->code[part].n && i < sizeof have / 2 - 1; i++)
        sprintf(have + 2 * i, "%02x", s->code[part].bytes[i]);
    assert_string_equal(have, hex);
}

/* ---- text ---- */

TEST(parts_and_lines)
{
    struct snippets s;
    assert_true(reads(&s, "# one\n\na b , c:  nop  \n  --init x\n# two\n\ty\n --late-init\n  z\ne:\n"));
    assert_int_equal(s.n, 2);
    assert_string_equal(s.at[0].name, "a b , c");
    assert_string_equal(s.at[0].source[SNIPPET_BODY].text, "  nop  ");
    assert_int_equal(s.at[0].source[SNIPPET_BODY].line, 3);
    assert_string_equal(s.at[0].source[SNIPPET_INIT].text, " x\n\n\ty"); /* the lines stay the file's */
    assert_int_equal(s.at[0].source[SNIPPET_INIT].line, 4);
    assert_string_equal(s.at[0].source[SNIPPET_LATE].text, "\n  z");
    assert_null(s.at[0].source[SNIPPET_ONE_TIME].text);
    assert_string_equal(s.at[1].name, "e");
    assert_string_equal(s.at[1].source[SNIPPET_BODY].text, "");
    assert_true(snippets_default(&s, SNIPPET_INIT, "cld"));
    assert_string_equal(s.at[0].source[SNIPPET_INIT].text, " x\n\n\ty");
    assert_string_equal(s.at[1].source[SNIPPET_INIT].text, "cld");
    assert_string_equal(s.at[1].source[SNIPPET_INIT].where, "--init");
    snippets_free(&s);
}

TEST(bad_text)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "list: there is no snippet in it"},
        {"# nothing\n\n", "list: there is no snippet in it"},
        {"nop\n", "list, line 1: no name"},
        {" nop\n", "list, line 1: it goes on"},
        {"  :x\n", "list, line 1: it goes on"},
        {": nop\n", "a name has 1 to 63 characters, not 0"},
        {"\xc3\xa4: nop\n", "list, line 1: a name is printable ASCII"},
        {"a: nop\n\na : nop\n", "list, line 3: the name \"a\" is there already, in line 1"},
        {"a: nop\n --inits x\n", "list, line 2: unknown part --inits"},
        {"a: nop\n --init x\n --init y\n", "list, line 3: \"a\" has --init already"},
        {"123456789012345678901234567890123456789012345678901234567890abcd: nop", "not 64"},
    };
    struct snippets s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(reads(&s, bad[i].text));
        if (!strstr(why, bad[i].why)) fail_msg("\"%s\" without \"%s\"", why, bad[i].why);
        snippets_free(&s);
    }
    assert_false(read_text(&s, "a: n\0p\n", 7));
    assert_non_null(strstr(why, "list, line 1: a NUL byte"));
    snippets_free(&s);
    assert_true(reads(&s, "123456789012345678901234567890123456789012345678901234567890abc: nop\r\n"));
    assert_int_equal(strlen(s.at[0].name), 63);
    assert_string_equal(s.at[0].source[SNIPPET_BODY].text, " nop");
    snippets_free(&s);
}

TEST(names_of_options)
{
    static const struct {
        const char *code, *name;
    } rows[] = {
        {"imul rax, rbx", "imul rax, rbx"},
        {"  add\trax,\n 1 ", "add rax, 1"},
        {"", "(empty)"},
        {" \n", "(empty)"},
        {"nop # \xc3\xa4", "nop # ??"},
        {"1234567890123456789012345678901234567890123456789012345678901234",
         "123456789012345678901234567890123456789012345678901234567890..."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct snippets s = {0};
        assert_true(snippets_from_option(&s, rows[i].code));
        assert_string_equal(s.at[0].name, rows[i].name);
        assert_string_equal(s.at[0].source[SNIPPET_BODY].text, rows[i].code);
        snippets_free(&s);
    }
}

/* ---- code ---- */

TEST(code_of_all)
{
    struct snippets s;
    assert_true(reads(&s, "plain: nop\n --init hlt\n --late-init cld; std\n --one-time-init int3\n"
                          "label: 1: dec ecx\n jnz 1b\n --init 1: jmp 1b\n"
                          "empty:\n"
                          "segment: mov rax, fs:[rax]\n"
                          "also plain: add rax, rbx\n"
                          "same label: x: jmp x\n"
                          "again: x: jmp x\n"
                          "own data: lea rax, [rip + y]; y:\n"
                          "last:\n --init sti\n"));
    assert_int_equal(assembled(&s, 64), STATUS_GOOD);
    assert_string_equal(said, "");
    static const char *const wanted[][SNIPPET_PARTS] = {
        /* once, init, late, body */
        {"cc", "f4", "fcfd", "90"}, {"", "ebfe", "", "ffc975fc"},   {"", "", "", ""},
        {"", "", "", "64488b00"},   {"", "", "", "4801d8"},         {"", "", "", "ebfe"},
        {"", "", "", "ebfe"},       {"", "", "", "488d0500000000"}, {"", "fb", "", ""},
    };
    for (size_t i = 0; i < s.n; i++)
        for (int part = 0; part < SNIPPET_PARTS; part++)
            code_is(&s.at[i], (enum snippet_part)part, wanted[i][part]);
    snippets_free(&s);
}

TEST(modes_and_syntax)
{
    struct assembling att = {.bits = 64, .att = true, .say = say};
    struct snippets s;
    assert_true(reads(&s, "a: push 5; inc eax\n"));
    assert_int_equal(assembled(&s, 32), STATUS_GOOD);
    code_is(&s.at[0], SNIPPET_BODY, "6a0540"); /* one byte, which 64 bits have for something else */
    snippets_free(&s);
    assert_true(reads(&s, "a: imul %rbx, %rax\nb: movq $1, (%rdi)\n"));
    assert_int_equal(assemble(&s, &att), STATUS_GOOD);
    code_is(&s.at[0], SNIPPET_BODY, "480fafc3");
    code_is(&s.at[1], SNIPPET_BODY, "48c70701000000");
    snippets_free(&s);
}

/* Each in its line, wherever in the batch it is; the good ones around it do not matter. */
TEST(bad_code)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"a: nop\nb: foo\nc: nop\n", "list, line 2: no such instruction: `foo': foo\n"},
        {"a: nop\n --init nop\n  bar baz\n", "list, line 3: no such instruction: `bar baz': bar baz\n"},
        {"a: nop\nb: call f\nc: nop\n", "list, line 2: undefined symbol: f\n"},
        {"a: nop\n --late-init mov rax, [g]\n", "list, line 2: undefined symbol: g\n"},
        {"a: x: nop\nb: jmp x\n", "list, line 2: undefined symbol: x\n"},
        {"a: mov rax, offset x; x:\n", "list, line 1: it has the address of a place of its own"},
        {"a: 1: nop\n --init jmp 1f\n", "list, line 2: it has the address of"},
        {"a: x: nop\n --init jmp x\n", "list, line 2: it has the address of"},
        {"a: call 0x1000\n", "list, line 1: it has the address of"},
        {"a: nop; .data; .long 1\n", "\"a\" has something in section .data"},
        {"a: nop; .bss; .zero 100\n", "\"a\" has something in section .bss"},
        {"a: .if 0\n", "end of file inside conditional"},
        {"a: nop; .end\n", "list, line 1: \"a\" does not end"},
        {"a: nop\n --init .macro x\n", "end of file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct snippets s;
        assert_true(reads(&s, bad[i].text));
        assert_int_equal(assembled(&s, 64), STATUS_USAGE);
        if (!strstr(said, bad[i].said)) fail_msg("\"%s\" without \"%s\"", said, bad[i].said);
        assert_null(strstr(said, "/tmp"));
        snippets_free(&s);
    }
}

TEST(many_faults)
{
    char text[100 * 16], *at = text;
    struct snippets s;
    for (int i = 0; i < 100; i++) at += sprintf(at, "s%d: foo\n", i);
    assert_true(reads(&s, text));
    assert_int_equal(assembled(&s, 64), STATUS_USAGE);
    assert_int_equal(lines, ASSEMBLE_FAULTS + 1);
    assert_non_null(strstr(said, "100 faults in all"));
    snippets_free(&s);
}

/* ---- modules, as the kernel reads them ---- */

static _Alignas(8) uint8_t memory[1 << 20];

static void *module_opened(const struct snippets *s)
{
    struct arena scratch = {memory, sizeof memory, 0};
    size_t size;
    uint8_t *module = module_of_snippets(s, MODULE_BITS, &size);
    char reason[200] = "";
    assert_non_null(module);
    modules_close();
    if (!module_open(module, size, scratch, reason, sizeof reason)) fail_msg("%s", reason);
    assert_int_equal(((const struct module_header *)(const void *)module)->bytes, size);
    return module;
}

TEST(the_kernel_reads_it)
{
    struct snippets s;
    assert_true(
        reads(&s, "a: nop\n --init cld; std\nb (x, y):\nc: ud2\n --one-time-init hlt\n --late-init int3\n"));
    assert_int_equal(assembled(&s, 64), STATUS_GOOD);
    void *module = module_opened(&s);
    assert_int_equal(module_snippets(), s.n);
    for (unsigned i = 0; i < s.n; i++) {
        assert_string_equal(module_snippet_name(module_snippet(i)), s.at[i].name);
        for (int part = 0; part < SNIPPET_PARTS; part++) {
            const struct module_bytes b = module_snippet_part(module_snippet(i), (enum snippet_part)part);
            assert_int_equal(b.n, s.at[i].code[part].n);
            if (b.n) assert_memory_equal(b.at, s.at[i].code[part].bytes, b.n);
        }
    }
    modules_close();
    free(module);
    snippets_free(&s);
}

TEST(twelve_thousand)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    struct snippets s;
    for (int i = 0; i < 12000; i++) fprintf(to, "s%d: add eax, %d\n", i, 1000 + i);
    fclose(to);
    assert_true(reads(&s, text));
    assert_int_equal(assembled(&s, 64), STATUS_GOOD);
    for (uint32_t i = 0; i < 12000; i++) {
        uint32_t value;
        assert_int_equal(s.at[i].code[SNIPPET_BODY].n, 5);
        memcpy(&value, s.at[i].code[SNIPPET_BODY].bytes + 1, sizeof value);
        assert_int_equal(value, 1000 + i);
    }
    void *module = module_opened(&s);
    assert_int_equal(module_snippets(), 12000);
    modules_close();
    free(module);
    free(text);
    snippets_free(&s);
}
