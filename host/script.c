#define _GNU_SOURCE /* pipe2() */
#include "host/script.h"
#include "host/command.h"
#include "host/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct target {
    const char *name; /* "bochs:": the processor's name follows */
    const char *script;
    const char *option, *value; /* NULL: what follows the name */
} targets[] = {
    {"here", "run-here.sh", NULL, NULL},
    {"qemu", "run-qemu.sh", NULL, NULL},
    {"kvm", "run-qemu.sh", "--accel", "kvm"},
    {"bochs:", "run-bochs.sh", "--cpu", NULL},
};
#define TARGETS (targets + sizeof targets / sizeof *targets)

static const struct target *find_target(const char *name)
{
    for (const struct target *t = targets; t < TARGETS; t++) {
        const size_t n = strlen(t->name);
        const bool more = t->name[n - 1] == ':';
        if (more ? strncmp(name, t->name, n) == 0 && name[n] : strcmp(name, t->name) == 0) return t;
    }
    return NULL;
}

static bool is_there(struct script *s, const char *dir, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", dir, name);
    return access(s->path, X_OK) == 0;
}

int script_find(struct script *s, const char *target, const char *dir, char *why, size_t size)
{
    const struct target *t = find_target(target);
    if (!t) {
        snprintf(why, size,
                 "%s: a kernel runs here, in qemu, kvm or bochs:CPU, such as bochs:p55c; a machine at its "
                 "prompt is "
                 "tty:DEVICE",
                 target);
        return STATUS_USAGE;
    }
    if (t->option) {
        s->argument[s->arguments++] = t->option;
        s->argument[s->arguments++] = t->value ? t->value : target + strlen(t->name);
    }
    if (dir ? is_there(s, dir, t->script) : tree_source(t->script, s->path)) return STATUS_GOOD;
    if (dir)
        snprintf(why, size, "--scripts %s: there is no %s", dir, t->script);
    else
        snprintf(why, size,
                 "%s is neither in the sources of this program, nor installed, nor here; --scripts DIR says "
                 "where it is",
                 t->script);
    return STATUS_USAGE;
}

int script_start(struct script *s, char *why, size_t size)
{
    const char *argv[SCRIPT_OPTIONS + 16] = {s->path};
    size_t n = 1;
    int pipe_of[2];
    snprintf(s->scratch, sizeof s->scratch, "/tmp/anechoic.XXXXXX");
    const int fd = mkstemp(s->scratch);
    if (fd < 0) {
        snprintf(why, size, "%s: %s", s->scratch, strerror(errno));
        return STATUS_IMPOSSIBLE;
    }
    close(fd);
    if (pipe2(pipe_of, O_CLOEXEC) != 0) {
        snprintf(why, size, "a pipe: %s", strerror(errno));
        unlink(s->scratch);
        return STATUS_IMPOSSIBLE;
    }
    for (size_t i = 0; i < s->arguments; i++) argv[n++] = s->argument[i];
    argv[n++] = "--raw";
    argv[n++] = "-o";
    argv[n++] = s->scratch;
    argv[n++] = "--append";
    argv[n++] = s->words;
    s->pid = fork();
    if (s->pid == 0) {
        const int null = open("/dev/null", O_RDONLY);
        if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(pipe_of[1], STDOUT_FILENO) < 0) _exit(5);
        execv(s->path, (char *const *)(const void *)argv);
        _exit(5);
    }
    close(pipe_of[1]);
    s->out = pipe_of[0];
    if (s->pid > 0) return STATUS_GOOD;
    snprintf(why, size, "%s: %s", s->path, strerror(errno));
    close(s->out);
    unlink(s->scratch);
    return STATUS_IMPOSSIBLE;
}

int script_end(struct script *s)
{
    int status = 0;
    close(s->out);
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR) continue;
    unlink(s->scratch);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
