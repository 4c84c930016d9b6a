/* gcc compiles and links the user's files, with newlib for payloads where the build has made it (`make
 * payload`). */
#include "host/program.h"
#include "host/report_tool.h"
#include "host/tree.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* As the kernel is compiled (Makefile), but position-independent. Interrupts come on the payload's own stack,
 * so that there is no red zone; and nothing is set up for stack protectors. */
static const char *const common[] = {"-O2",
                                     "-g",
                                     "-fPIE",
                                     "-fvisibility=hidden",
                                     "-ffreestanding",
                                     "-fno-stack-protector",
                                     "-fcf-protection=none",
                                     "-fno-strict-aliasing",
                                     "-fno-asynchronous-unwind-tables",
                                     "-DANECHOIC_PAYLOAD",
                                     "-ffunction-sections",
                                     "-fdata-sections",
                                     NULL};
/* Of 32 bits the kernel puts every word right that has an address, in code, too: any object can move. */
static const char *const of_32[] = {"-m32",         "-march=i586",   "-mno-sse", "-mno-mmx",
                                    "-mfpmath=387", "-Wl,-z,notext", NULL};
static const char *const of_64[] = {"-m64", "-mno-red-zone", "-Wl,-z,text", NULL};

/* gcc links, too; only what is needed of the files stays. */
static const char *const linking[] = {
    "-nostdlib", "-static-pie",
    "-Wl,--entry=0,--no-dynamic-linker,--no-undefined,--gc-sections,--build-id=sha1",
    "-Wl,-z,norelro,-z,noexecstack,-z,max-page-size=4096", NULL};

#define WORDS (PROGRAM_FILES + PROGRAM_OPTIONS + 2 * PROGRAM_ENTRIES + 64)
struct words {
    const char *at[WORDS + 1];
    size_t n;
};

static void add(struct words *w, const char *word) { w->at[w->n++] = word; }
static void add_all(struct words *w, const char *const *list)
{
    while (*list) add(w, *list++);
}

/* To its exit status; -1: errno says why it did not run. */
static int run(const struct words *w)
{
    pid_t child;
    int status;
    errno = posix_spawnp(&child, w->at[0], NULL, NULL, (char *const *)(const void *)w->at, environ);
    if (errno) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- headers and libraries ---- */

struct library {
    char headers[PATH_MAX], root[PATH_MAX], libc[PATH_MAX],
        compiler[PATH_MAX];  /* directories of headers: ours, what they include, newlib's, gcc's */
    char find[PATH_MAX + 2]; /* -L and where the libraries are */
    bool there;
};

/* The directory of a file, n levels up. */
static void up(char *path, unsigned n)
{
    while (n--) {
        char *slash = strrchr(path, '/');
        if (slash) *slash = '\0';
    }
}

static bool find_library(struct library *l, unsigned bits)
{
    char *const ask[] = {"gcc", "-print-file-name=include", NULL}, *answer = tool_run(ask, NULL);
    const char *flavour = bits == 64 ? "x86_64" : "i586";
    char file[64], path[PATH_MAX];
    if (!answer) return false;
    snprintf(l->compiler, sizeof l->compiler, "%.*s", (int)strcspn(answer, "\n"), answer);
    free(answer);
    if (!tree_source("include/anechoic/region.h", l->headers)) return false;
    up(l->headers, 2);
    memcpy(l->root, l->headers, sizeof l->root);
    up(l->root, 1);
    snprintf(file, sizeof file, "payload/%s/lib/libanechoic.a", flavour);
    l->there = tree_built(file, path);
    if (!l->there) return true;
    up(path, 1);
    snprintf(l->find, sizeof l->find, "-L%s", path);
    up(path, 1);
    return snprintf(l->libc, sizeof l->libc, "%s/include", path) < (int)sizeof l->libc;
}

static void add_headers(struct words *w, const struct library *l)
{
    add(w, "-nostdinc");
    add(w, "-isystem");
    add(w, l->compiler);
    if (l->there) {
        add(w, "-isystem");
        add(w, l->libc);
    }
    add(w, "-isystem");
    add(w, l->headers);
    add(w, "-isystem");
    add(w, l->root);
}

static void add_libraries(struct words *w, const struct library *l, unsigned bits)
{
    static const char *const ours[] = {"-lanechoic", "-lc", "-lm", NULL};
    add(w, "-Wl,--start-group");
    if (l->there) {
        add(w, l->find);
        add_all(w, ours);
    }
    if (bits == 64) add(w, "-lgcc"); /* Debian's gcc alone has none for 32 bits */
    add(w, "-Wl,--end-group");
}

/* malloc()'s memory (lib/payload/heap.c): what is not used is not linked. To the file's name; NULL: errno. */
static const char *write_heap(uint64_t bytes)
{
    static char name[] = "/tmp/anechoic.XXXXXX.s";
    const int fd = mkstemps(name, 2);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    if (!to) return NULL;
    fprintf(
        to,
        ".section .bss.anechoic_heap, \"aw\", @nobits\n.balign 64\n.globl anechoic_heap, anechoic_heap_end\n"
        ".hidden anechoic_heap, anechoic_heap_end\nanechoic_heap: .skip %llu\nanechoic_heap_end:\n"
        ".section .note.GNU-stack, \"\", @progbits\n",
        (unsigned long long)bytes);
    return fclose(to) == 0 ? name : NULL;
}

int program_link(const struct command *self, const struct program_job *j, const char *elf)
{
    static struct library l;
    char keep[PROGRAM_ENTRIES][sizeof "-Wl,--undefined=" + MODULE_NAME_BYTES];
    struct words w = {.n = 0};
    if (!find_library(&l, j->bits))
        return command_failed(self, STATUS_IMPOSSIBLE,
                              "gcc, or the headers beside this program, cannot be found");
    const char *heap = write_heap(j->heap);
    if (!heap) return command_failed(self, STATUS_IMPOSSIBLE, "/tmp: %s", strerror(errno));
    add(&w, "gcc");
    add_all(&w, common);
    add_all(&w, j->bits == 64 ? of_64 : of_32);
    add_headers(&w, &l);
    for (size_t i = 0; i < j->options; i++) add(&w, j->option[i]);
    add_all(&w, linking);
    for (size_t i = 0; i < j->entries; i++) {
        snprintf(keep[i], sizeof keep[i], "-Wl,--undefined=%s", j->entry[i].function);
        add(&w, keep[i]);
    }
    add(&w, "-o");
    add(&w, elf);
    for (size_t i = 0; i < j->files; i++) add(&w, j->file[i]);
    add(&w, heap);
    add_libraries(&w, &l, j->bits);
    const int status = run(&w);
    const int why = errno;
    unlink(heap);
    if (status < 0) return command_failed(self, STATUS_IMPOSSIBLE, "gcc: %s", strerror(why));
    if (!status) return STATUS_GOOD;
    return command_failed(self, STATUS_USAGE, "gcc could not make the payload%s",
                          l.there ? "" : "; the C library for payloads is not built (make payload)");
}
