/* The scripts that build and boot: run-qemu.sh and run-bochs.sh, as a process that sends what the kernel
 * sends. */
#pragma once
#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#define SCRIPT_OPTIONS 64 /* of a script's own, at most */

struct script {
    char path[PATH_MAX];
    const char *words;                        /* the kernel's command line */
    const char *argument[SCRIPT_OPTIONS + 4]; /* between its name and --append; ends with NULL */
    size_t arguments;
    char scratch[64]; /* its own file of records */
    pid_t pid;
    int out; /* the serial line's bytes come here */
};

/* target: "qemu", "kvm" or "bochs:CPU". dir: where the script lies; NULL: in the source tree, beside the
 * installed program, or here (host/tree.h). Comes to a status; `why` says what is wrong. */
int script_find(struct script *s, const char *target, const char *dir, char *why, size_t size);
int script_start(struct script *s, char *why, size_t size);
/* Waits for its end. Returns its exit status; 128 + the number of the signal that ended it. */
int script_end(struct script *s);
