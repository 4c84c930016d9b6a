/* Each entry of an image is booted by run-qemu.sh, and judged by the records that come. */
#include "host/command.h"
#include "host/image.h"
#include "host/records.h"
#include "host/tree.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How the kernel's messages about events begin or go on that are another CPU's, or none's: QEMU's CPU has
 * neither counters nor their events. */
static const char *const about_events[] = {"unknown event", "no performance counters"};

enum { RUN_TIMEOUT = 124, RUN_WRONG_WORDS = 2, RUN_NO_KERNEL = 3, RUN_IMPOSSIBLE = 4, RUN_FAILED = 5 };

/* What is known of a boot. */
struct seen {
    char cmdline[4096], error[256]; /* the first error */
    bool booted;                    /* a record came; */
    bool has_line; /* and the one with the command line, which a refused line does not have */
    bool cut, only_events /* every error is about events */;
    unsigned errors;
};

static void record(void *ctx, const struct received *r)
{
    struct seen *s = ctx;
    const char *text;
    s->booted = true;
    if (strcmp(r->type, "boot") == 0) {
        s->has_line = true;
        s->cut = json_is_true(json_object_get(r->object, "cmdline_cut"));
        text = json_string_value(json_object_get(r->object, "cmdline"));
        snprintf(s->cmdline, sizeof s->cmdline, "%s", text ? text : "");
    } else if (strcmp(r->type, "error") == 0) {
        text = json_string_value(json_object_get(r->object, "message"));
        if (!text) text = "";
        if (!s->errors++) snprintf(s->error, sizeof s->error, "%s", text);
        s->only_events &= strstr(text, about_events[0]) || strstr(text, about_events[1]);
    }
}

/* Are the words those of the line? Whatever blanks are between them. */
static bool same_words(const char *words, const char *line, bool cut)
{
    for (;;) {
        words += strspn(words, " ");
        line += strspn(line, " ");
        const size_t n = strcspn(words, " ");
        if (strcspn(line, " ") != n || strncmp(words, line, n) != 0) return cut && strchr(line, ' ') == NULL;
        if (n == 0) return true;
        words += n;
        line += n;
    }
}

/* To a sentence about what is wrong; NULL: it boots. remark: what a reader should know all the same. */
static const char *judge(const struct seen *s, const char *words, int status, const char **remark)
{
    *remark = NULL;
    if (!s->booted) return status == RUN_TIMEOUT ? "no kernel has started in time" : "no kernel has started";
    if (s->has_line && !same_words(words, s->cmdline, s->cut)) return "the kernel has got other words";
    if (status == RUN_TIMEOUT) return *remark = "it was not done in time", NULL;
    if (status == RUN_WRONG_WORDS && s->only_events)
        return *remark = "QEMU's CPU does not have its events", NULL;
    if (status == RUN_WRONG_WORDS) return "the kernel refuses its words";
    if (status >= RUN_NO_KERNEL) return "the kernel cannot run";
    if (status != 0) *remark = "not all could be measured here";
    return NULL;
}

/* Shows what the script has printed. */
static void show(const char *file)
{
    char line[512];
    FILE *in = fopen(file, "r");
    while (in && fgets(line, sizeof line, in)) fputs(line, stderr);
    if (in) fclose(in);
}

/* False: it does not boot. *impossible: QEMU does not run here. file: for the records; printed: for the text.
 */
static bool verify(const struct image *image, size_t i, const char *script, const char *file,
                   const char *printed, bool *impossible)
{
    char number[8];
    const char *argv[9] = {script, image->boot_by, image->output, "-o", file};
    size_t n = 5;
    if (image->sign) argv[n++] = "--uefi";
    if (image->entries > 1) {
        argv[n++] = "--choose";
        argv[n++] = number;
    }
    struct seen seen = {.only_events = true};
    const struct records_sink sink = {.record = record, .ctx = &seen};
    const char *words = strchr(image->entry[i], '=') + 1, *remark;
    snprintf(number, sizeof number, "%zu", i + 1);
    const int status = image_script(argv, printed);
    FILE *in = fopen(file, "rb");
    if (in) {
        records_read(in, &sink);
        fclose(in);
    }
    *impossible = !seen.booted && (status < 0 || status == RUN_IMPOSSIBLE || status == RUN_FAILED);
    if (*impossible) show(printed);
    const char *wrong = judge(&seen, words, status, &remark);
    printf("%zu %.*s: %s", i + 1, (int)(words - 1 - image->entry[i]), image->entry[i],
           wrong ? "FAILS: " : "boots");
    if (wrong || remark) printf("%s%s", wrong ? "" : "; ", wrong ? wrong : remark);
    printf("%s%s\n", seen.errors ? ": " : "", seen.error);
    if (wrong && seen.has_line && !same_words(words, seen.cmdline, seen.cut))
        printf("  it has got: %s\n", seen.cmdline);
    return !wrong;
}

int image_verify(const struct command *c, const struct image *image)
{
    char script[PATH_MAX], file[] = "/tmp/anechoic-XXXXXX", printed[] = "/tmp/anechoic-XXXXXX";
    int status = STATUS_GOOD;
    bool impossible = false;
    if (!tree_source("run-qemu.sh", script))
        return command_failed(
            c, STATUS_IMPOSSIBLE,
            "run-qemu.sh, which boots the image, is neither in the source tree nor installed");
    const int made[] = {mkstemp(file), mkstemp(printed)};
    if (made[0] < 0 || made[1] < 0)
        return command_failed(c, STATUS_IMPOSSIBLE, "no temporary file: %s", strerror(errno));
    for (int i = 0; i < 2; i++) close(made[i]);
    for (size_t i = 0; i < image->entries && !impossible; i++)
        if (!verify(image, i, script, file, printed, &impossible))
            status = impossible ? STATUS_IMPOSSIBLE : STATUS_FOUND;
    unlink(file);
    unlink(printed);
    return status;
}
