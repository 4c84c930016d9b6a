#include "host/code_default.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define HERE  "here"
#define MODEL "bochs:skylake"
#define TURNS "10"

static const struct refused {
    const char *key, *value, *why; /* value NULL: any */
} refused[] = {
#define REFUSED(key, value, why) {key, value, why},
#include "hosted/refused.def"
#undef REFUSED
};

/* "KEY=VALUE" of the kernel's line. */
static const char *refuses(const char *word)
{
    for (const struct refused *r = refused; r < refused + sizeof refused / sizeof *refused; r++) {
        const size_t n = strlen(r->key);
        if (strncmp(word, r->key, n) == 0 && word[n] == '=' &&
            (!r->value || strcmp(word + n + 1, r->value) == 0))
            return r->why;
    }
    return NULL;
}

/* Does Linux let this process count? NULL: it does. */
static const char *no_counters(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (fd < 0)
        return errno == EACCES || errno == EPERM
                   ? "Linux forbids its counters (sysctl kernel.perf_event_paranoid=2 allows them)"
                   : "this machine has no counters that Linux gives to a process";
    close((int)fd);
    return NULL;
}

/* Why this processor cannot be asked; NULL: it can. */
static const char *cannot(const struct code_job *j, char *buffer, size_t size)
{
    struct utsname machine;
    const char *why = NULL;
    uname(&machine);
    if (strcmp(machine.sysname, "Linux") != 0 || strcmp(machine.machine, "x86_64") != 0) {
        snprintf(buffer, size, "this machine is %s %s", machine.sysname, machine.machine);
        return buffer;
    }
    if (j->bits == 32) return "the kernel of 32 bits does not run as a Linux process";
    if (j->ring && strcmp(j->ring, "0") == 0) return refuses("ring=0");
    for (size_t i = 0; i < j->words && !why; i++) why = refuses(j->word[i]);
    if (!why && j->events) why = no_counters();
    return why;
}

/* Might it change R15, which counts a loop's turns? A directive may be an instruction in bytes. */
static bool may_change_r15(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (strncasecmp(at, "r15", 3) == 0) return true;
        if (*at == '.' && strncmp(at, ".rept", 5) != 0 && strncmp(at, ".endr", 5) != 0) return true;
    }
    return false;
}

/* A loop around the copies, where nothing speaks against it. */
static const char *loop_for(const struct code_job *j)
{
    if (j->events || j->range || j->basic || j->no_mem || j->number[CODE_LOOP] || j->number[CODE_UNROLL])
        return NULL;
    for (size_t i = 0; i < j->snippets.n; i++)
        for (int part = 0; part < SNIPPET_PARTS; part++) {
            const char *text = j->snippets.at[i].source[part].text;
            if (text && may_change_r15(text)) return NULL;
        }
    return TURNS;
}

static void choose_loop(struct code_job *j)
{
    const char *turns = loop_for(j);
    const size_t n = strlen(j->chosen);
    if (!turns) return;
    j->number[CODE_LOOP] = turns;
    snprintf(j->chosen + n, sizeof j->chosen - n, "%s--loop %s, since a TSC may advance in steps",
             n ? "; " : "", turns);
}

const char *code_default(struct code_job *j, const char *on)
{
    char buffer[160];
    const char *reason = on ? NULL : cannot(j, buffer, sizeof buffer);
    if (reason)
        snprintf(j->chosen, sizeof j->chosen, "--on " MODEL ", since %.*s", (int)strcspn(reason, ";"),
                 reason);
    else if (!on)
        snprintf(j->chosen, sizeof j->chosen,
                 "--on " HERE ": times of this processor; --on " MODEL " counts on a model");
    if (!on) on = reason ? MODEL : HERE;
    if (strcmp(on, HERE) == 0) choose_loop(j);
    return on;
}
