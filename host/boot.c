#include "host/boot.h"
#include "host/listen.h"
#include "host/progress.h"
#include "host/stop.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_MS 1000

struct running {
    const struct boot *boot;
    struct progress progress;
};

/* ---- what arrives ---- */

static void show(void *ctx, const char *line, size_t len)
{
    struct running *r = ctx;
    if (!r->boot->text) return;
    progress_erase(&r->progress);
    r->boot->text(r->boot->ctx, line, len);
}

static void record(void *ctx, const struct received *v)
{
    struct running *r = ctx;
    progress_record(&r->progress, v);
    if (!r->boot->record) return;
    progress_erase(&r->progress);
    r->boot->record(r->boot->ctx, v);
}

static void settled(void *ctx)
{
    struct running *r = ctx;
    progress_erase(&r->progress);
    fflush(stdout);
}

static void idle(void *ctx)
{
    struct running *r = ctx;
    progress_draw(&r->progress);
}

static bool never(const struct listener *l)
{
    (void)l;
    return false;
}

/* Until the script has ended. Ctrl-C reaches the script, which ends the emulator; what it still has is read.
 */
static void listen_all(struct running *r, struct listener *l, const struct script *s)
{
    for (;;) {
        const enum listen_result result = listen_until(l, s->out, never, r->progress.shown ? REDRAW_MS : -1);
        if (result == LISTEN_EOF || result == LISTEN_LOST) break;
        if (result == LISTEN_ANOTHER) listen_settle(l);
        if (result == LISTEN_STOPPED) {
            kill(s->pid, stop_signal());
            stop_forget();
        }
    }
    progress_erase(&r->progress);
}

/* ---- public ---- */

int boot_run(const struct boot *b)
{
    static struct listener l;
    struct running r = {.boot = b};
    const struct listen_hooks hooks = {
        .record = record, .text = show, .settled = settled, .idle = idle, .ctx = &r};
    struct script s = {.words = b->words};
    struct keep keep;
    char why[4600];
    int status = script_find(&s, b->target, b->scripts, why, sizeof why);
    for (size_t i = 0; i < b->options; i++) s.argument[s.arguments++] = b->option[i];
    if (status != STATUS_GOOD) return command_failed(b->command, status, "%s", why);
    if (!keep_open(&keep, b->to))
        return command_failed(b->command, STATUS_USAGE, "%s: %s", b->to, strerror(keep.error));
    status = script_start(&s, why, sizeof why);
    if (status != STATUS_GOOD) {
        keep_close(&keep);
        return command_failed(b->command, status, "%s", why);
    }
    progress_begin(&r.progress);
    l = (struct listener){
        .command = b->command->name, .name = b->name, .hooks = &hooks, .keep = &keep, .quiet = b->quiet};
    listen_begin(&l);
    listen_all(&r, &l, &s);
    status = script_end(&s);
    if (status == 0 || l.session.begun || l.sessions) listen_finish(&l); /* else the script has said why */
    const bool kept = keep_close(&keep) && !keep.error;
    if (!kept)
        command_failed(b->command, STATUS_FOUND, "%s: %s: it is not complete", b->to, strerror(keep.error));
    return status ? status : l.bad_sessions || !kept ? STATUS_FOUND : STATUS_GOOD;
}
