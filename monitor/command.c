#include "monitor/command.h"
#include "kernel/console.h"
#include "monitor/say.h"
#include "pmu/decode.h"
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

/* What others call them. */
static const struct {
    const char *name, *of;
} other_names[] = {{"?", "help"}, {"quit", "exit"}, {"q", "exit"}};

static const struct command *find(const struct word *w)
{
    for (unsigned i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (word_is(w, other_names[i].name))
            return find(&(struct word){.text = other_names[i].of, .len = strlen(other_names[i].of)});
    for (unsigned i = 0; i < commands_n; i++)
        if (word_is(w, commands[i].name)) return &commands[i];
    return NULL;
}

static void unknown(const struct word *w)
{
    struct para p;
    para_begin(&p, console_text, "", 0);
    para_printf(&p, "There is no command \"%.*s\". ", (int)(w->len < 64 ? w->len : 64), w->text);
    if (memchr(w->text, '=', w->len)) /* a word of the command line */
        para_str(&p, "To measure, put `run` in front of such words. ");
    para_str(&p, "Valid: ");
    for (unsigned i = 0; i < commands_n; i++) para_printf(&p, "%s%s", i ? ", " : "", commands[i].name);
    para_str(&p, ". `help NAME` says more.");
    para_end(&p);
}

static void usage(const struct command *c, unsigned given)
{
    complain("%s %s. Valid: %s%s%s", c->name,
             c->most == 0       ? "takes no arguments"
             : given < c->least ? "needs more arguments"
                                : "takes fewer arguments",
             c->name, c->arguments[0] ? " " : "", c->arguments);
}

/* ---- public ---- */

bool word_is(const struct word *w, const char *text)
{
    return w->len == strlen(text) && memcmp(w->text, text, w->len) == 0;
}

bool number_parse(const char *s, size_t len, uint64_t *value) { return pmu_decode_number(s, len, value); }

bool argument_number(const struct word *w, const char *what, uint64_t most, uint64_t *value)
{
    if (number_parse(w->text, w->len, value) && *value <= most) return true;
    complain("%s: \"%.*s\" is not a number from 0 to 0x%llx. Valid: decimal, or hexadecimal as 0x1f or 1fh.",
             what, (int)(w->len < 64 ? w->len : 64), w->text, (unsigned long long)most);
    return false;
}

bool argument_records(const struct word *w, unsigned least, unsigned most, unsigned *first, unsigned *last)
{
    size_t n = 0;
    uint64_t from = 0, to = 0;
    while (n < w->len && w->text[n] != '.') n++;
    bool good = number_parse(w->text, n, &from);
    if (n == w->len)
        to = from;
    else
        good &= w->len > n + 2 && w->text[n + 1] == '.' && number_parse(w->text + n + 2, w->len - n - 2, &to);
    if (!good || from > to || from < least || to > most) {
        complain("\"%.*s\" is not valid here. Valid: N or N..M, from %u to %u",
                 (int)(w->len < 64 ? w->len : 64), w->text, least, most);
        return false;
    }
    *first = (unsigned)from;
    *last = (unsigned)to;
    return true;
}

void command_obey(struct monitor *m, const char *line)
{
    static struct words words;
    cmdline_split(line, "GRUB", &words); /* the name alone: every word is the user's */
    if (words.too_many) {
        complain("Too many words: at most %u.", CMDLINE_WORDS);
        return;
    }
    if (words.n == 0) return;
    const struct word *w = &words.w[0];
    const struct command *c = find(w);
    const char *rest = w->text + w->len;
    while (*rest == ' ') rest++;
    if (!c)
        unknown(w);
    else if (words.n - 1 < c->least || words.n - 1 > c->most)
        usage(c, words.n - 1);
    else if (c->group == GROUP_CHANGE && !m->unsafe)
        complain("%s can wreck the machine, or what is measured on it later. Nothing was done. `unsafe on` "
                 "allows it.",
                 c->name);
    else
        c->run(m, &(struct command_line){&words, rest});
}

/* What `help` says of each group. */
static const struct {
    const char *name, *what;
} group[GROUPS] = {
    [GROUP_MEASURE] = {"measure", "ask a question: the answer is text and records"},
    [GROUP_WATCH] = {"watch", "see what goes on as time passes"},
    [GROUP_LOOK] = {"look", "read the machine as it is"},
    [GROUP_CHANGE] = {"change", "write to it: only after `unsafe on`"},
    [GROUP_SESSION] = {"session", "this prompt, its records, its end"},
};

static void help_all(void)
{
    for (unsigned g = 0; g < GROUPS; g++) {
        struct para p;
        say("%-9s%s:", group[g].name, group[g].what);
        para_begin(&p, console_text, "", 9);
        for (unsigned i = 0, n = 0; i < commands_n; i++)
            if (commands[i].group == g) para_printf(&p, "%s%s", n++ ? " " : "", commands[i].name);
        para_end(&p);
    }
    say("`help measure` says a line about each command of a group, `help run` all about");
    say("one. To begin with: run bench=fp_add_latency");
    say("Keys: cursor keys, TAB completes a command, Ctrl-A/E begin/end, Ctrl-K/U/W cut,");
    say("Ctrl-L draws the screen anew, Ctrl-C drops the line or stops a measurement.");
}

static void help_group(unsigned g)
{
    for (unsigned i = 0; i < commands_n; i++)
        if (commands[i].group == g)
            say("  %-9s%-20s %s", commands[i].name, commands[i].arguments, commands[i].help);
}

void command_help(struct monitor *m, const struct command_line *line)
{
    (void)m;
    if (line->words->n == 1) {
        help_all();
        return;
    }
    const struct word *w = &line->words->w[1];
    for (unsigned g = 0; g < GROUPS; g++)
        if (word_is(w, group[g].name)) {
            help_group(g);
            return;
        }
    const struct command *c = find(w);
    if (!c) {
        unknown(w);
        return;
    }
    say("%s%s%s: %s", c->name, c->arguments[0] ? " " : "", c->arguments, c->help);
    complain("%s", c->more);
}
