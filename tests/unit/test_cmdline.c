/* Words and their places; the first word by loader; exit= and console= in the raw line. */
#include "kernel/cmdline.h"
#include "kernel/exit.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct words words;

static void expect_word(unsigned i, const char *text, unsigned column)
{
    assert_true(i < words.n);
    assert_int_equal(words.w[i].len, strlen(text));
    assert_memory_equal(words.w[i].text, text, strlen(text));
    assert_int_equal(words.w[i].column, column);
    assert_int_equal(words.w[i].index, i + 1);
}

/* What each loader really passes (seen in the boots of tests/boot). */
TEST(test_loaders)
{
    cmdline_split("build/i586/anechoic.elf bench=all  reps=3 ", "qemu", &words);
    assert_int_equal(words.n, 2);
    expect_word(0, "bench=all", 25);
    expect_word(1, "reps=3", 36);
    cmdline_split("bench=all reps=3", "GRUB 2.06-13+deb12u1", &words);
    assert_int_equal(words.n, 2);
    expect_word(0, "bench=all", 1);
    cmdline_split("/boot/anechoic.elf bench=all", "iPXE 1.21.1+", &words);
    assert_int_equal(words.n, 1);
    expect_word(0, "bench=all", 20);
    cmdline_split("anechoic.elf reps=1", "SYSLINUX 6.04", &words);
    assert_int_equal(words.n, 1);
}

TEST(test_edges)
{
    char line[3 * CMDLINE_WORDS + 16] = "";
    cmdline_split("", "GRUB", &words);
    assert_int_equal(words.n, 0);
    cmdline_split("kernel", "qemu", &words);
    assert_int_equal(words.n, 0);
    cmdline_split(" \t a\tb ", "GRUB 2", &words);
    assert_int_equal(words.n, 2);
    expect_word(1, "b", 6);
    for (unsigned i = 0; i < CMDLINE_WORDS; i++) strcat(line, "x ");
    cmdline_split(line, "GRUB", &words);
    assert_int_equal(words.n, CMDLINE_WORDS);
    assert_false(words.too_many);
    strcat(line, "x");
    cmdline_split(line, "GRUB", &words);
    assert_true(words.too_many);
}

TEST(test_raw)
{
    const char *line = "kernel noexit=halt exit=qemu console=com2,9600";
    assert_int_equal(exit_parse(cmdline_raw_find(line, "exit")), EXIT_QEMU);
    assert_string_equal(cmdline_raw_find(line, "console"), "com2,9600");
    assert_null(cmdline_raw_find(line, "records"));
    assert_null(cmdline_raw_find("exit", "exit"));
    assert_string_equal(cmdline_raw_find("exit=halt noexit=qemu", "exit"), "halt noexit=qemu");
    assert_int_equal(exit_parse(cmdline_raw_find("exit=halt exit=reboot", "exit")), EXIT_REBOOT);
    assert_int_equal(exit_parse("qemux"), EXIT_COUNT);
    assert_int_equal(exit_parse(""), EXIT_COUNT);
}
