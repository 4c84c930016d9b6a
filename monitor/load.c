/* load: a module over the serial line, and machine, by which its sender knows what for. */
#include "boot/modules.h"
#include "kernel/console.h"
#include "kernel/module.h"
#include "monitor/command.h"
#include "monitor/receive.h"
#include "monitor/say.h"
#include "report/emit.h"
#include <stdio.h>

#define NAME "the module" /* where none is given */

/* A module is no use without memory to measure it in. */
#define ROOM(pool_bytes) ((pool_bytes) / 2)

void command_load(struct monitor *m, const struct command_line *line)
{
    static struct transfer transfer;
    struct machine *of = m->session->machine;
    const size_t room = ROOM(of->memory.pool_bytes);
    char name[MODULE_NAME_BYTES] = NAME, why[200];
    if (line->words->n > 1) {
        const struct word *w = &line->words->w[1];
        snprintf(name, sizeof name, "%.*s", (int)(w->len < sizeof name ? w->len : sizeof name - 1), w->text);
    }
    if (!console_has_terminal()) {
        complain("load needs a serial line, and there is none here.");
        return;
    }
    console_accept(true);
    say("ready for %u bytes, code of %u bits: lines N BASE64 CRC, then N end CRC; Ctrl-C leaves",
        (unsigned)room, MODULE_BITS);
    transfer_begin(&transfer, of->memory.pool, room);
    const bool good = receive(&transfer, &of->clock, why, sizeof why);
    console_accept(false);
    if (good)
        modules_load(m->session, name, transfer.bytes);
    else
        complain("failed: %s", why);
}

void command_machine(struct monitor *m, const struct command_line *line)
{
    const struct machine *of = m->session->machine;
    (void)line;
    emit_boot(of, console_name);
    emit_cpu(of->cpu[0]);
    session_pause();
}
