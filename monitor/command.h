/* The monitor's commands: a table. To add one, write its function and a row in monitor/table.c. */
#pragma once
#include "boot/request.h"
#include "kernel/cmdline.h"

/* What commands work with. */
struct monitor {
    struct session *session;
    bool unsafe;     /* unsafe on: commands that can wreck the machine are obeyed */
    bool failed;     /* something that was run failed: the session's status */
    unsigned marked; /* number of the first record behind the last mark, at first of the prompt's first */
    char bench[128]; /* the last bench= word of `run`; "" at the beginning */
    char words[512]; /* set: what `run` has in front of its words; "" at the beginning */
    enum { MONITOR_STAYS, MONITOR_LEAVES, MONITOR_REBOOTS, MONITOR_POWERS_OFF } end;
};

struct command_line {
    const struct words *words; /* words->w[0] is the command's name; they point into the line */
    const char *rest;          /* the line behind the name, without blanks at its beginning */
};

/* What commands are for: `help GROUP` lists them. */
enum command_group {
    GROUP_MEASURE, /* an answer, as records */
    GROUP_WATCH,   /* what goes on as time passes */
    GROUP_LOOK,    /* the machine as it is */
    GROUP_CHANGE,  /* what can wreck it: obeyed after `unsafe on` only */
    GROUP_SESSION,
    GROUPS
};

struct command {
    const char *name;
    const char *arguments; /* as help shows them: "LEAF[.SUB]" */
    const char *help;      /* one line, at most 50 characters */
    const char *more;      /* a paragraph for help NAME */
    unsigned least, most;  /* number of arguments */
    enum command_group group;
    void (*run)(struct monitor *m, const struct command_line *line);
};
#define ANY_NUMBER CMDLINE_WORDS

/* Keeps the line's bench= word, if it has one, for `ratio`. */
void remember_bench(struct monitor *m, const struct words *line);

extern const struct command commands[];
extern const unsigned commands_n;

/* Obeys one line. Everything that is wrong with it is said, with what would be valid. An empty line does
 * nothing. */
void command_obey(struct monitor *m, const char *line);

/* An argument that is a number: decimal, or hexadecimal as 0x1f or 1fh. what: its name in messages. False: it
 * is none, or beyond most, which was said. */
bool argument_number(const struct word *w, const char *what, uint64_t most, uint64_t *value);
/* The same without a message, of len characters. */
bool number_parse(const char *s, size_t len, uint64_t *value);
/* An argument N or N..M, of records from least to most. False: it is neither, which was said. */
bool argument_records(const struct word *w, unsigned least, unsigned most, unsigned *first, unsigned *last);
bool word_is(const struct word *w, const char *text);

void command_help(struct monitor *m, const struct command_line *line);
void command_list(struct monitor *m, const struct command_line *line);
void command_run(struct monitor *m, const struct command_line *line);
void command_trace(struct monitor *m, const struct command_line *line);
void command_mark(struct monitor *m, const struct command_line *line);
void command_events(struct monitor *m, const struct command_line *line);
void command_crc(struct monitor *m, const struct command_line *line);
void command_load(struct monitor *m, const struct command_line *line);
void command_machine(struct monitor *m, const struct command_line *line);
void command_set(struct monitor *m, const struct command_line *line);
void command_show(struct monitor *m, const struct command_line *line);
void command_topology(struct monitor *m, const struct command_line *line);
void command_quiet(struct monitor *m, const struct command_line *line);
void command_resend(struct monitor *m, const struct command_line *line);
void command_exit(struct monitor *m, const struct command_line *line);
void command_reboot(struct monitor *m, const struct command_line *line);
void command_poweroff(struct monitor *m, const struct command_line *line);
void command_unsafe(struct monitor *m, const struct command_line *line);
void command_decode(struct monitor *m, const struct command_line *line);
void command_ratio(struct monitor *m, const struct command_line *line);
void command_sections(struct monitor *m, const struct command_line *line);
void command_cpuid(struct monitor *m, const struct command_line *line);
void command_rdmsr(struct monitor *m, const struct command_line *line);
void command_wrmsr(struct monitor *m, const struct command_line *line);
void command_rdpmc(struct monitor *m, const struct command_line *line);
void command_rdcr(struct monitor *m, const struct command_line *line);
void command_wrcr(struct monitor *m, const struct command_line *line);
void command_peek(struct monitor *m, const struct command_line *line);
void command_poke(struct monitor *m, const struct command_line *line);
void command_in(struct monitor *m, const struct command_line *line);
void command_out(struct monitor *m, const struct command_line *line);
void command_regs(struct monitor *m, const struct command_line *line);
void command_mem(struct monitor *m, const struct command_line *line);
void command_live(struct monitor *m, const struct command_line *line);
void command_log(struct monitor *m, const struct command_line *line);
