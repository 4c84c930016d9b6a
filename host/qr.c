/* anechoic qr: photographs or a video of the QR codes that a machine without a serial port shows -> its
 * records. */
#include "host/command.h"
#include "host/faults.h"
#include "host/keep.h"
#include "host/parts.h"
#include "host/records.h"
#include "host/scan.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct qr {
    const char *to;  /* NULL: standard output */
    const char *run; /* --run */
    struct parts parts;
    const char *file; /* that is read */
    unsigned long seen, ours;
};

/* ---- reading ---- */

static void found(void *ctx, const char *text, size_t len)
{
    struct qr *q = ctx;
    const enum frame_fault fault = parts_add(&q->parts, text, len);
    q->seen++;
    q->ours += fault != FRAME_FOREIGN;
    if (fault == FRAME_DAMAGED)
        command_failed(&command_qr, 0, "%s: a code is damaged: its checksum is wrong; photograph it again",
                       q->file);
}

/* Comes to a status: what could not be read at all is named; what holds no code is no more than told, since a
 * photograph of the same code may be better. */
static int read_one(struct qr *q)
{
    const unsigned long seen = q->seen, ours = q->ours;
    switch (scan_file(q->file, found, q)) {
    case SCAN_READ:
    case SCAN_NONE:
        break;
    case SCAN_NO_ZBAR:
        return command_failed(&command_qr, STATUS_IMPOSSIBLE,
                              "this needs zbar's program zbarimg: apt-get install zbar-tools");
    case SCAN_NO_FFMPEG:
        return command_failed(&command_qr, STATUS_IMPOSSIBLE,
                              "%s: a video needs ffmpeg: apt-get install ffmpeg; images do not", q->file);
    case SCAN_UNREADABLE:
        return command_failed(&command_qr, STATUS_USAGE, "%s: no image or video that can be read", q->file);
    case SCAN_FAILED:
        return command_failed(&command_qr, STATUS_IMPOSSIBLE, "%s: %s", q->file, strerror(errno));
    }
    if (q->seen == seen)
        command_failed(&command_qr, 0, "%s: no QR code is found in it; is it blurred, or cut off?", q->file);
    else if (q->ours == ours)
        command_failed(&command_qr, 0, "%s: its QR code is not one of Anechoic's", q->file);
    return STATUS_GOOD;
}

/* ---- choosing ---- */

static void tell_runs(const struct parts *p)
{
    for (const struct parts_run *r = p->run; r < p->run + p->runs; r++)
        command_failed(&command_qr, 0, "run %08X: %u of %u codes", (unsigned)r->run, r->have, r->count);
}

/* NULL: there is none, or no single one; *status. */
static const struct parts_run *choose(const struct qr *q, int *status)
{
    const struct parts *p = &q->parts;
    const struct parts_run *it = NULL;
    unsigned fits = 0;
    for (const struct parts_run *r = p->run; r < p->run + p->runs; r++) {
        char name[16];
        snprintf(name, sizeof name, "%08X", (unsigned)r->run);
        if (q->run && strcasecmp(name, q->run) != 0) continue;
        fits++;
        it = r;
    }
    *status = STATUS_FOUND;
    if (fits == 1) return it;
    if (!p->runs)
        command_failed(&command_qr, 0, "there is no QR code of Anechoic's in any of them");
    else {
        tell_runs(p);
        if (q->run && !fits)
            *status =
                command_failed(&command_qr, STATUS_USAGE, "--run %s: there is no code of this run", q->run);
        else
            command_failed(&command_qr, 0, "these are codes of several runs; --run says which one is wanted");
    }
    return NULL;
}

/* ---- writing ---- */

struct judged {
    struct faults faults;
    unsigned long records;
    long long status, left_out;
};

static void fault(void *ctx, const struct fault *f) { faults_add(&((struct judged *)ctx)->faults, f); }
static void session(void *ctx, const struct session_seen *s)
{
    struct judged *j = ctx;
    j->records += s->received;
    j->left_out += s->left_out;
    if (s->status) j->status = s->status;
}

/* As `anechoic check` would. */
static bool judge(struct judged *j, const char *text, size_t n)
{
    const struct records_sink sink = {.fault = fault, .session = session, .ctx = j};
    struct records reader;
    records_begin(&reader, &sink);
    if (!records_feed(&reader, text, n)) return false;
    records_finish(&reader);
    return true;
}

static int write_out(struct qr *q, const char *text, size_t n)
{
    struct keep to;
    const char *name = q->to ? q->to : "-";
    if (!keep_open(&to, name))
        return command_failed(&command_qr, STATUS_IMPOSSIBLE, "%s: %s", name, strerror(to.error));
    keep_write(&to, text, n);
    keep_close(&to);
    if (to.error) return command_failed(&command_qr, STATUS_IMPOSSIBLE, "%s: %s", name, strerror(to.error));
    return STATUS_GOOD;
}

static int put_together(struct qr *q, const struct parts_run *r)
{
    struct judged j = {.faults.name = q->to ? q->to : "standard output"};
    size_t n;
    bool whole;
    char *text = parts_records(r, &n, &whole);
    if (r->have < r->count)
        command_failed(&command_qr, 0,
                       "run %08X: %s of %u %s missing; photograph what is missing, and give all again",
                       (unsigned)r->run, parts_missing(r), r->count, r->count - r->have == 1 ? "is" : "are");
    else if (!whole)
        command_failed(&command_qr, 0, "run %08X: all codes are there, and do not make a whole",
                       (unsigned)r->run);
    if (!text) return STATUS_FOUND;
    int status = write_out(q, text, n);
    if (status == STATUS_GOOD && !judge(&j, text, n))
        status = command_failed(&command_qr, STATUS_IMPOSSIBLE, "there is not enough memory");
    free(text);
    if (status != STATUS_GOOD) return status;
    fprintf(stderr, "%s: %lu record%s from %u of %u codes", j.faults.name, j.records,
            j.records == 1 ? "" : "s", r->have, r->count);
    if (j.left_out) fprintf(stderr, "; reduced: %lld more were left out of the codes", j.left_out);
    if (!whole || j.faults.n)
        fprintf(stderr, ", NOT COMPLETE\n");
    else
        fprintf(stderr, ", complete, status %lld\n", j.status);
    return whole && !j.faults.n ? STATUS_GOOD : STATUS_FOUND;
}

/* ---- the command ---- */

static int qr(struct qr *q, int n, char **names)
{
    int status = STATUS_GOOD, chosen;
    for (int i = 0; i < n && status != STATUS_IMPOSSIBLE; i++) {
        q->file = names[i];
        const int one = read_one(q);
        if (one > status) status = one;
    }
    if (status == STATUS_IMPOSSIBLE) return status;
    if (q->parts.dropped)
        command_failed(&command_qr, 0, "%lu codes are passed over: there are more than %d runs, or no memory",
                       q->parts.dropped, PARTS_RUNS);
    const struct parts_run *r = choose(q, &chosen);
    if (r) chosen = put_together(q, r);
    return chosen > status ? chosen : status;
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct qr q;
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        if (id == 'o') q.to = optarg;
        if (id == 'r') q.run = optarg;
    }
    if (optind == argc) return command_misused(self, "no image or video is named");
    for (int i = optind; q.to && i < argc; i++)
        if (command_same_file(argv[i], q.to))
            return command_misused(self, "-o %s: it is one of the images; -o needs another file", q.to);
    const int status = qr(&q, argc - optind, argv + optind);
    parts_free(&q.parts);
    return status;
}

static const struct command_option options[] = {
    {'o', "output", "FILE", "write the records here instead of to standard output"},
    {'r', "run", "ID",
     "of several runs take this one, as the text above its codes names it: 8 digits and letters"},
    {0},
};

const struct command command_qr = {
    .name = "qr",
    .summary = "read the QR codes that a machine shows at the end",
    .arguments = "IMAGE|VIDEO...",
    .about = "Reads photographs, screenshots or a video of the QR codes that the kernel shows on the screen "
             "(exit=qr, or a "
             "machine that halts), in any order and each as often as it comes, and writes the records, as a "
             "serial line "
             "would have brought them. They are checked as \"anechoic check\" does. What is missing is "
             "named, and what "
             "comes before it is written.\n\n"
             "zbar's program zbarimg finds the codes; a video needs ffmpeg as well.",
    .options = options,
    .statuses = "0 complete, 1 codes are missing or damaged, of several runs, or not there at all, 2 wrong "
                "usage, or a "
                "file that is no image or video, 4 zbarimg or ffmpeg is not installed, or the output cannot "
                "be written.",
    .run = run,
};
