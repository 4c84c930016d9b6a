/* Traps in words: names of vectors and registers, and what error codes say (SDM vol. 3A 6.13 and 6.15). */
#include "kernel/fpu.h"
#include "kernel/trap.h"
#include "tests/unit/unit.h"
#include <string.h>

static unsigned fpu_inits;
bool fpu_init(void) { return ++fpu_inits; }

/* SDM vol. 3A table 6-1 and, from 28 on, APM vol. 2 table 8-1; "--": without a mnemonic, "..": reserved. */
TEST(names)
{
    static const char mnemonics[] = "DEDB--BPOFBRUDNMDF--TSNPSSGPPF..MFACMCXMVECP............HVVCSX..";
    for (unsigned v = 0; v < 32; v++) {
        const char *name = trap_name(v), *is = mnemonics + 2 * v;
        assert_int_equal(strncmp(name, "reserved", 8) == 0, is[0] == '.');
        if (name[0] == '#')
            assert_memory_equal(name + 1, is, 2);
        else
            assert_true(is[0] == '-' || is[0] == '.');
    }
    assert_string_equal(trap_name(2), "NMI");
    assert_string_equal(trap_name(15), "reserved vector 15");
    assert_string_equal(trap_name(31), "reserved vector 31");
    assert_string_equal(trap_name(32), "not an exception");
    assert_string_equal(trap_name(UINT32_MAX), "not an exception");
    assert_string_equal(trap_reg_name(0), "rax");
    assert_string_equal(trap_reg_name(TRAP_REGS - 1), "r15");
    assert_string_equal(trap_reg_name(TRAP_REGS), "?");
}

TEST(error_codes)
{
    static const struct {
        uint32_t vector;
        uint64_t error;
        const char *text;
    } cases[] = {
        {14, 0x00, "read of a page not present, 0xc0ffee, CPL 0-2"},
        {14, 0x01, "read of a protected page, 0xc0ffee, CPL 0-2"},
        {14, 0x02, "write to a page not present, 0xc0ffee, CPL 0-2"},
        {14, 0x07, "write to a protected page, 0xc0ffee, CPL 3"},
        {14, 0x09, "read of a page with reserved bits set, 0xc0ffee, CPL 0-2"},
        {14, 0x10, "fetch from a page not present, 0xc0ffee, CPL 0-2"},
        {14, 0x15, "fetch from a protected page, 0xc0ffee, CPL 3"},
        {14, 0x25, "read of a protected page, 0xc0ffee, CPL 3, protection key"},
        {14, 0xffffffffffffffc0, "read of a page not present, 0xc0ffee, CPL 0-2"},
        {8, 0, "stack pointer 0x1000: stack overflow?"},
        {10, 0, "no selector"},
        {11, 0x18, "GDT entry 3"},
        {12, 0x0c, "LDT entry 1"},
        {13, 0x01, "GDT entry 0, external event"},
        {13, 0x102, "IDT entry 32"},
        {13, 0xffff, "IDT entry 8191, external event"},
    };
    char text[80], part[8];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct trap t = {
            .vector = cases[i].vector, .error = cases[i].error, .cr2 = 0xc0ffee, .sp = 0x1000};
        trap_error_text(&t, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        trap_error_text(&t, part, sizeof part); /* no more than there is room for */
        assert_int_equal(strlen(part), sizeof part - 1);
        assert_memory_equal(part, text, sizeof part - 1);
    }
    for (uint32_t vector = 0; vector < 34;
         vector++) { /* which vectors it says nothing of, or not in this way */
        const struct trap t = {.vector = vector, .error = 0x18};
        trap_error_text(&t, text, sizeof text);
        assert_int_equal(strcmp(text, "GDT entry 3") == 0, vector >= 10 && vector <= 13);
        assert_int_equal(text[0] != '\0', vector == 8 || (vector >= 10 && vector <= 14));
    }
}

/* The code that trapped may have left anything in the FPU. */
TEST(after_a_trap)
{
    fpu_inits = 0;
    trap_guard_after(&(struct trap_guard){0});
    assert_int_equal(fpu_inits, 1);
}
