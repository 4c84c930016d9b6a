/* anechoic report: a page of captures. */
#include "host/command.h"
#include "host/lines.h"
#include "host/report_page.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT_FILE "report.html"

static int read_one(void *ctx, const char *name, FILE *in)
{
    struct runs *rs = ctx;
    const size_t before = rs->n;
    unsigned long faults = 0;
    if (!runs_read(rs, name, in, &faults))
        return command_failed(&command_report, STATUS_USAGE, "%s: %s", name, strerror(errno));
    if (rs->n == before) return command_failed(&command_report, STATUS_FOUND, "%s: has no good record", name);
    if (!faults) return STATUS_GOOD;
    return command_failed(&command_report, STATUS_FOUND, "%s: %lu fault%s; what was good is on the page",
                          name, faults, faults == 1 ? "" : "s");
}

/* Where a page goes. */
struct output {
    FILE *to;
    char *file; /* the page's name in the end, links followed */
    char *part; /* what it is called until it is whole; NULL: it is written where it is */
};

/* A page that is there stays whole until the new one is. Devices and pipes are written as they are. */
static bool open_output(struct output *o, const char *file)
{
    struct stat st;
    *o = (struct output){0};
    if (strcmp(file, "-") == 0) {
        o->to = stdout;
        return true;
    }
    const bool there = stat(file, &st) == 0;
    if (there && !S_ISREG(st.st_mode)) return (o->to = fopen(file, "w")) != NULL;
    o->file = there ? realpath(file, NULL) : strdup(file);
    if (!o->file) return false;
    o->part = formatted("%s.XXXXXX", o->file);
    const int fd = mkstemp(o->part);
    if (fd < 0) return false;
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, there ? st.st_mode & 07777 : 0666 & ~mask) == 0 && (o->to = fdopen(fd, "w"))) return true;
    close(fd);
    unlink(o->part);
    return false;
}

/* Comes to errno: 0, all of it was written. */
static int write_all(FILE *to, const char *bytes, size_t len)
{
    errno = 0;
    if (fwrite(bytes, 1, len, to) == len && fflush(to) == 0) return 0;
    return errno ? errno : EIO;
}

/* error: of what was written so far. Comes to errno: 0, the page is there. */
static int close_output(struct output *o, int error)
{
    if (o->to != stdout && fclose(o->to) && !error) error = errno;
    if (o->part && !error && rename(o->part, o->file)) error = errno;
    if (o->part && error) unlink(o->part);
    free(o->file);
    free(o->part);
    return error;
}

static int write_page(const struct runs *rs, const char *file, const char *title)
{
    struct output o;
    size_t pictures = 0, len;
    char *page = NULL;
    if (!open_output(&o, file)) {
        command_failed(&command_report, STATUS_USAGE, "%s: %s", file, strerror(errno));
        free(o.file);
        free(o.part);
        return STATUS_USAGE;
    }
    FILE *memory = open_memstream(&page, &len);
    if (!memory) abort();
    const char *missing = page_put(memory, rs, title, &pictures);
    if (fclose(memory) || !page) abort();
    if (missing) command_failed(&command_report, STATUS_GOOD, "%s", missing);
    const bool is_file = o.to != stdout;
    const int error = close_output(&o, write_all(o.to, page, len));
    free(page);
    if (error) return command_failed(&command_report, STATUS_USAGE, "%s: %s", file, strerror(error));
    if (is_file)
        printf("%s: %zu run%s, %zu picture%s\n", file, rs->n, rs->n == 1 ? "" : "s", pictures,
               pictures == 1 ? "" : "s");
    return STATUS_GOOD;
}

static int run(const struct command *self, int argc, char **argv)
{
    const char *file = REPORT_FILE, *title = NULL;
    struct runs rs = {0};
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        if (id == 'o') file = optarg;
        if (id == 't') title = optarg;
        if (id == 'd' && !lines_debug(optarg)) return command_misused(self, "--debug is given too often");
    }
    if (!*file) return command_misused(self, "-o needs the name of a file, or -");
    for (int i = optind; i < argc; i++)
        if (command_same_file(argv[i], file))
            return command_failed(self, STATUS_USAGE, "-o %s: it is a capture; -o needs another file", file);
    int status = command_files(self, argc - optind, argv + optind, read_one, &rs);
    if (rs.n) {
        runs_name(&rs);
        const int written = write_page(&rs, file, title);
        if (written > status) status = written;
    }
    runs_free(&rs);
    return status;
}

static const struct command_option options[] = {
    {'o', "output", "FILE", "where the page goes; - is standard output (default: " REPORT_FILE ")"},
    {'t', "title", "TEXT", "the page's title"},
    {'d', "debug", "FILE",
     "debug information of a program of your own, or a directory in which NAME.mod.debug is (default: beside "
     "the capture, "
     "then the current directory); may be repeated"},
    {0},
};

const struct command command_report = {
    .name = "report",
    .summary = "make a page to look at, with pictures",
    .arguments = "FILE...",
    .about = "Makes one HTML page of captures: what may be doubted, the results with a picture of each "
             "benchmark, pictures of sweeps, repetitions, profiles and regions, and last the machine and how "
             "quiet it was. Several runs stand side by side. "
             "The page needs nothing else and no network. - is standard input.\n\n"
             "gnuplot draws the pictures (package gnuplot-nox), objdump disassembles (package binutils). "
             "Without them the page has its tables all the same, and says what is missing.",
    .options = options,
    .statuses = "0 the page is made, 1 it is, but a capture is damaged, incomplete or empty, 2 wrong usage, "
                "or a file that cannot be read or written.",
    .run = run,
};
