/* The monitor's table of commands, what of a line is wrong, and its prompt. The machine, the console and the
 * measuring are stand-ins. */
#include "monitor/complete.h"
#include "monitor/prompt.h"
#include "tests/unit/monitor_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define SCREEN_ROWS 22 /* of 24: the line that was typed, and the next prompt */

/* ---- the table ---- */

/* Words of "ADDR [WIDTH [COUNT]]": how many are needed, how many there are. */
static void count(const char *arguments, unsigned *least, unsigned *most)
{
    bool optional = false;
    *least = *most = 0;
    for (const char *c = arguments; *c; c++) {
        if (c > arguments && c[-1] != ' ') continue;
        optional |= *c == '[';
        *least += !optional;
        ++*most;
    }
}

TEST_WITH(table, begin, NULL)
{
    for (unsigned i = 0; i < commands_n; i++) {
        const struct command *c = &commands[i];
        char line[64];
        unsigned least, most;
        for (unsigned k = 0; k < i; k++) assert_string_not_equal(commands[k].name, c->name);
        assert_in_range(strlen(c->name), 1, 8); /* `help GROUP` has columns */
        assert_true(strlen(c->help) <= 50 && c->more[0] && c->run && c->group < GROUPS &&
                    c->least <= c->most);
        count(c->arguments, &least, &most);
        if (!strstr(c->arguments, "WORDS") && !strstr(c->arguments, "...")) {
            if (c->least != least || c->most != most)
                fail_msg("%s: arguments are not those of its help", c->name);
        }
        snprintf(line, sizeof line, "help %s", c->name);
        says(line, c->help);
        assert_true(console_lines <= SCREEN_ROWS);
    }
}

TEST_WITH(argument_counts, begin, NULL)
{
    m.unsafe = true;
    for (unsigned i = 0; i < commands_n; i++) {
        const struct command *c = &commands[i];
        char line[1024], valid[128];
        snprintf(valid, sizeof valid, "Valid: %s%s%s ", c->name, c->arguments[0] ? " " : "", c->arguments);
        for (unsigned few = 0; few < 2; few++) {
            if (few ? c->least == 0 : c->most >= ANY_NUMBER) continue;
            strcpy(line, c->name);
            for (unsigned k = 0; k < (few ? c->least - 1 : c->most + 1); k++) strcat(line, " 1");
            says(line, valid);
            assert_int_equal(m.end, MONITOR_STAYS);
            assert_int_equal(requests, 0);
        }
    }
    assert_int_equal(port_reads + port_writes, 0);
}

TEST_WITH(helps, begin, NULL)
{
    unsigned listed = 0;
    static const char *const groups[] = {"measure", "watch", "look", "change", "session"};
    _Static_assert(sizeof groups / sizeof *groups == GROUPS, "all groups");
    answer("help");
    assert_true(console_lines <= SCREEN_ROWS);
    for (unsigned i = 0; i < commands_n; i++) assert_non_null(strstr(console_said, commands[i].name));
    for (unsigned g = 0; g < GROUPS; g++) {
        char line[32];
        snprintf(line, sizeof line, "help %s", groups[g]);
        answer(line);
        assert_in_range(console_lines, 1, SCREEN_ROWS);
        listed += console_lines;
    }
    assert_int_equal(listed, commands_n);
    says("help nonsense", "There is no command \"nonsense\". Valid: run, ");
    says("?", "measure  ask a question");
    says("help quit", "exit: leave the prompt");
}

/* ---- what cannot be obeyed ---- */

TEST_WITH(errors, begin, NULL)
{
    static const char *const rows[][2] = {
        {"nonsense", "There is no command \"nonsense\". Valid: run, "},
        {"RUN", "There is no command \"RUN\""},
        {"bench=l1_miss reps=3", "To measure, put `run` in front of such words."},
        {"\x80\xff", "There is no command \"\\x80\\xff\""},
        {"rdmsr 0x100000000", "MSR: \"0x100000000\" is not a number from 0 to 0xffffffff"},
        {"rdmsr -1", "MSR: \"-1\" is not a number"},
        {"rdmsr 0x", "MSR: \"0x\" is not a number"},
        {"rdmsr h", "MSR: \"h\" is not a number"},
        {"rdmsr 12g", "MSR: \"12g\" is not a number"},
        {"rdmsr 99999999999999999999", "is not a number"},
        {"rdmsr 0x10", "msr 10: #GP"},
        {"wrmsr 0x10 1", "msr 10: #GP"},
        {"wrmsr 0x1b 0x10000000000000000", "VALUE: \"0x10000000000000000\" is not a number"},
        {"rdpmc 4294967296", "COUNTER: \"4294967296\" is not a number from 0 to 0xffffffff"},
        {"rdpmc 0", "pmc 0: #GP or #UD"},
        {"cpuid", "cpuid needs more arguments. Valid: cpuid LEAF[.SUB]"},
        {"cpuid zero", "LEAF: \"zero\" is not a number"},
        {"cpuid 1.", "SUB: \"\" is not a number"},
        {"cpuid .1", "LEAF: \"\" is not a number"},
        {"cpuid 5", "This CPU has no such leaf (the highest of this range is 4h)"},
        {"rdcr 1", "there is no control register \"1\" here. Valid: 0, 2, 3, 4, 8"},
        {"rdcr 0x100000000", "there is no control register"},
        {"wrcr 5 0", "there is no control register \"5\" here"},
        {"wrcr 0 0x180010011", "wrcr: #GP general protection"},
        {"wrcr 0 0x10011", "cr0 is 80010011, and was not written. PG must stay"},
        {"peek 0", "peek: #PF page fault: read of a page not present, 0x0"},
        {"peek 0x100000 3", "WIDTH: \"3\" is not valid here. Valid: 1, 2, 4 or 8 bytes"},
        {"peek 0x100000 16", "WIDTH: \"16\" is not valid here"},
        {"peek 0x100000 4 257", "COUNT: \"257\" is not a number from 0 to 0x100"},
        {"peek 0x10000000000000000", "ADDR: "},
        {"poke 0x100000 256 1", "VALUE: \"256\" is not a number from 0 to 0xff"},
        {"poke 0x100800 1", "poke: #PF page fault: write to a protected page, 0x100800"},
        {"poke 0x100fff 1", "write to a page not present"},
        {"in 65536", "PORT: \"65536\" is not a number from 0 to 0xffff"},
        {"in 0x300 8", "WIDTH: \"8\" is not valid here. Valid: 1, 2 or 4 bytes"},
        {"out 0x300 0x10000 2", "VALUE: \"0x10000\" is not a number from 0 to 0xffff"},
        {"out 0x300 1 3", "WIDTH: \"3\" is not valid here"},
        {"unsafe perhaps", "\"perhaps\" is not valid here. Valid: unsafe on, unsafe off"},
        {"resend 1", "No records are kept here"},
        {"topology", "This machine has one processor, so there is nothing to show."},
    };
    m.unsafe = true;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) says(rows[i][0], rows[i][1]);
    assert_int_equal(port_reads + port_writes + fake_cr_writes + requests, 0);
    assert_int_equal(m.failed, false);
    answer("");
    answer("   \t ");
    assert_int_equal(console_lines, 0);
    char many[2 * (CMDLINE_WORDS + 1) + 1] = "";
    for (unsigned i = 0; i <= CMDLINE_WORDS; i++) strcat(many, "a ");
    says(many, "Too many words: at most 256.");
}

TEST_WITH(unsafe_words, begin, NULL)
{
    static const char *const lines[] = {"wrmsr 0x1b 1", "wrcr 2 1", "poke 0x100000 1", "out 0x300 1"};
    uint64_t msr;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0, changing = 0; i < commands_n; i++) {
            if (commands[i].group != GROUP_CHANGE) continue;
            assert_true(changing < 4 &&
                        strncmp(lines[changing], commands[i].name, strlen(commands[i].name)) == 0);
            says(lines[changing++],
                 "can wreck the machine, or what is measured on it later. Nothing was done.");
        }
        assert_int_equal(port_writes + fake_cr_writes + fake_memory_bytes[0], 0);
        assert_true(rdmsr_safe(0x1b, &msr) && msr == 0xfee00900);
        answer("unsafe on"); /* and a note, for readers of the records */
        assert_int_equal(console_records, 1);
        answer("unsafe off");
        assert_int_equal(console_records, 0);
    }
    answer("unsafe on");
    for (unsigned i = 0; i < 4; i++) answer(lines[i]);
    assert_true(rdmsr_safe(0x1b, &msr) && msr == 1);
    assert_int_equal(fake_control[2], 1);
    assert_int_equal(fake_memory_bytes[0], 1);
    assert_true(port_writes == 1 && port_value == 1 && port_width == 1);
}

/* ---- the prompt ---- */

TEST_WITH(completes, begin, NULL)
{
    static const struct {
        const char *line, *add;
        unsigned names;
    } rows[] = {
        {"po", "", 2},         {"pok", "e ", 1},        {"pow", "eroff ", 1},      {"poke", " ", 1},
        {"in", " ", 1},        {"run bench=po", "", 0}, {"help pow", "eroff ", 1}, {"help  topo", "logy ", 1},
        {"help pow x", "", 0}, {"helpx pow", "", 0},    {"rdc", "r ", 1},          {"nonsense", "", 0},
        {"  uns", "afe ", 1},  {"topology", " ", 1},
    };
    char add[32];
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned names = complete(rows[i].line, (unsigned)strlen(rows[i].line), add, sizeof add);
        if (names != rows[i].names || strcmp(add, rows[i].add) != 0)
            fail_msg("%s: %u names, \"%s\"", rows[i].line, names, add);
    }
    assert_int_equal(complete("", 0, add, sizeof add), commands_n);
    assert_int_equal(complete("pow", 3, add, 3), 1); /* there is no room for it */
    assert_string_equal(add, "");
    assert_int_equal(complete("pow", 3, add, 6), 1);
    assert_string_equal(add, "");
    assert_int_equal(complete("pow", 3, add, 7), 1); /* there is just enough */
    assert_string_equal(add, "eroff ");
    complete_list("rd", 2);
    assert_string_equal(console_said, "rdmsr rdpmc rdcr\n");
}

static const char *typed(const char *bytes)
{
    fake_console_reset();
    fake_console_type(bytes, strlen(bytes));
    return prompt_line("> ");
}

TEST_WITH(prompts, begin, NULL)
{
    static const struct {
        const char *bytes, *line;
    } rows[] = {
        {"help\r", "help"},
        {"he\tx\r", "help x"},
        {"pok\t1 2\r", "poke 1 2"},
        {"run\tbench=a\r", "run bench=a"},
        {"run a\tb\r", "run a b"},
        {"po\tke\r", "poke"},
        {"\r", ""},
        {"ab\x1b[Dc\n", "acb"},
    };
    assert_true(prompt_open());
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *line = typed(rows[i].bytes);
        assert_non_null(line);
        assert_string_equal(line, rows[i].line);
        assert_int_equal(fake_console_left(), 0);
    }
    assert_null(typed("unfinished"));
    typed("po\t\r");
    assert_string_equal(console_said, "poke poweroff\n");
    static char much[1100];
    memset(much, 'x', 1030);
    strcpy(much + 1030, "\rshow\r");
    assert_string_equal(typed(much), "show");
    assert_non_null(strstr(console_said, "longer than the 1023"));
    fake_console_absent = true; /* and there is no keyboard */
    assert_false(prompt_open());
    fake_console_absent = false;
}
