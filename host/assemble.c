#include "host/assemble.h"
#include "host/assemble_batch.h"
#include "host/command.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const assemble_section[SNIPPET_PARTS] = {[SNIPPET_ONE_TIME] = ".text.one_time",
                                                     [SNIPPET_INIT] = ".text.init",
                                                     [SNIPPET_LATE] = ".text.late",
                                                     [SNIPPET_BODY] = ".text.body"};

/* ---- what is wrong ---- */

void assemble_say(struct assembling *how, bool fault, const char *format, ...)
{
    char what[512];
    va_list args;
    how->faults += fault;
    if (how->faults > ASSEMBLE_FAULTS) return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    how->say(how->ctx, what);
}

/* A line of as: "INDEX/PART:LINE: Error: what", or with the file's own name where it is about none. Its
 * headings are left out. */
static void message(struct batch *b, char *text)
{
    static const char heading[] = "Assembler messages:", error[] = "Error: ", warning[] = "Warning: ";
    size_t index;
    unsigned part;
    unsigned long line;
    text[strcspn(text, "\n")] = '\0';
    if (!*text || strstr(text, heading)) return;
    const char *failed = strstr(text, error), *warned = strstr(text, warning);
    const char *what = failed ? failed + sizeof error - 1 : warned ? warned : text;
    if (sscanf(text, "%zu/%u:%lu:", &index, &part, &line) == 3 && index < b->n && part < SNIPPET_PARTS &&
        b->at[index]->source[part].text) {
        const struct snippet_source *s = &b->at[index]->source[part];
        assemble_say(b->how, failed || !warned, "%s: %.250s: %s", snippet_place(s, line), what,
                     snippet_text(s, line));
    } else
        assemble_say(b->how, failed || !warned, "\"%s\": %.300s", b->n == 1 ? b->at[0]->name : "snippets",
                     what);
}

/* ---- the assembler's input ---- */

/* Before and after each part a label, whose difference is its size. Lines count as the user's: their file is
 * named INDEX/PART. The syntax is a directive, since as's option for it does not know fs:[rax]. */
static void write_part(FILE *to, const struct batch *b, size_t index, int part)
{
    const char *section = assemble_section[part];
    const struct snippet_source *s = &b->at[index]->source[part];
    fprintf(to, ".section %s,\"ax\",@progbits\n.Lanechoic_%zu_%d:\n", section, index, part);
    fprintf(to, "%s\n# %lu \"%zu/%d\"\n%s\n", b->how->att ? ".att_syntax prefix" : ".intel_syntax noprefix",
            s->line, index, part, s->text);
    fprintf(to, ASSEMBLE_PART_END "\n.section %s\n.Lanechoic_%zu_%d_end:\n", section, index, part);
    fprintf(to, ".section " ASSEMBLE_SIZES "\n.long .Lanechoic_%zu_%d_end-.Lanechoic_%zu_%d\n", index, part,
            index, part);
}

/* No other snippet can see anything of it: no label, directive, assignment, comment or string. */
static bool is_plain(const struct snippet *s)
{
    for (int part = 0; part < SNIPPET_PARTS; part++)
        if (s->source[part].text && strpbrk(s->source[part].text, ":.=/#\"'\\")) return false;
    return true;
}

/* The two words that stop counting and start it again. Where there may be jumps across them, with room for
 * what replaces them. */
static void write_words(FILE *to, const struct batch *b)
{
    const unsigned most = b->how->bits == 64 ? 96 : 32,
                   room = is_plain(b->at[0]) ? 0 : most / MODULE_MARK_BYTES - 1;
    static const struct {
        const char *name;
        unsigned long long mark;
    } words[] = {{"stop_counting", MODULE_STOP}, {"start_counting", MODULE_START}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fprintf(to, ".macro %s\n.quad %#llx\n.rept %u\n.quad %#llx\n.endr\n.endm\n", words[i].name,
                words[i].mark, room, (unsigned long long)MODULE_ROOM);
}

static bool write_input(const struct batch *b, const char *path)
{
    FILE *to = fopen(path, "w");
    if (!to) return false;
    write_words(to, b);
    for (size_t i = 0; i < b->n; i++)
        for (int part = 0; part < SNIPPET_PARTS; part++)
            if (b->at[i]->source[part].text) write_part(to, b, i, part);
    const bool good = !ferror(to);
    return fclose(to) == 0 && good;
}

/* ---- the assembler ---- */

/* To its exit status; -1: it could not be run, errno says why. What it says goes to a file. */
static int run_as(const struct assembling *how, const char *in, const char *out, const char *said,
                  const char *listing)
{
    char list[80];
    snprintf(list, sizeof list, "-alnm=%s", listing);
    const char *argv[] = {"as", how->bits == 64 ? "--64" : "--32", list, "-o", out, in, NULL};
    extern char **environ;
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    errno = posix_spawnp(&child, argv[0], &files, NULL, (char *const *)(const void *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (errno) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void tell(struct batch *b, const char *said)
{
    char *text = NULL;
    size_t room = 0;
    FILE *in = fopen(said, "r");
    while (in && getline(&text, &room, in) >= 0) message(b, text);
    free(text);
    if (in) fclose(in);
}

/* ---- a batch ---- */

static int assemble_batch(struct batch *b)
{
    char in[64], out[64], said[64], listing[64];
    snprintf(in, sizeof in, "%s/in.s", b->dir);
    snprintf(out, sizeof out, "%s/out.o", b->dir);
    snprintf(said, sizeof said, "%s/said", b->dir);
    snprintf(listing, sizeof listing, "%s/listing", b->dir);
    const bool written = write_input(b, in);
    const int ended = written ? run_as(b->how, in, out, said, listing) : -1;
    int status = STATUS_GOOD;
    if (ended < 0) {
        assemble_say(b->how, true,
                     written ? "as, the assembler: %s; Debian's package binutils has it" : "/tmp: %s",
                     strerror(errno));
        status = STATUS_IMPOSSIBLE;
    } else {
        const size_t before = b->how->faults;
        tell(b, said);
        if (ended == 0) {
            assemble_lines(b, listing);
            status = assemble_take(b, out);
        } else if (b->how->faults == before)
            assemble_say(b->how, true, "as, the assembler, ends with status %d", ended);
        if (ended > 128) status = STATUS_IMPOSSIBLE; /* by Ctrl-C, say: the others would end likewise */
    }
    unlink(in);
    unlink(out);
    unlink(said);
    unlink(listing);
    return status;
}

/* ---- batches ---- */

/* The plain ones in one batch, then each of the others in one of its own. */
static int assemble_all(struct snippets *s, struct assembling *how, struct snippet **order, const char *dir)
{
    size_t plain = 0, other = s->n;
    for (struct snippet *one = s->at; one < s->at + s->n; one++)
        if (is_plain(one))
            order[plain++] = one;
        else
            order[--other] = one;
    int status = plain ? assemble_batch(&(struct batch){how, order, plain, dir}) : STATUS_GOOD;
    for (size_t i = s->n; i-- > plain && status == STATUS_GOOD;)
        status = assemble_batch(&(struct batch){how, order + i, 1, dir});
    return status;
}

int assemble(struct snippets *s, struct assembling *how)
{
    char dir[] = "/tmp/anechoic.XXXXXX";
    struct snippet **order = calloc(s->n + 1, sizeof *order);
    const bool made = order && mkdtemp(dir);
    int status = STATUS_IMPOSSIBLE;
    if (made)
        status = assemble_all(s, how, order, dir);
    else
        assemble_say(how, true, "%s: %s", order ? "/tmp" : "the snippets", strerror(errno));
    if (made) rmdir(dir);
    free(order);
    if (how->faults > ASSEMBLE_FAULTS) {
        char what[64];
        snprintf(what, sizeof what, "%zu faults in all", how->faults);
        how->say(how->ctx, what);
    }
    return status == STATUS_GOOD && how->faults ? STATUS_USAGE : status;
}
