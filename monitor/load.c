/* What programs at the other end of the line use: crc, machine and load. */
#include "boot/modules.h"
#include "kernel/console.h"
#include "kernel/crc32.h"
#include "kernel/module.h"
#include "monitor/command.h"
#include "monitor/receive.h"
#include "monitor/say.h"
#include "report/emit.h"
#include <stdio.h>
#include <string.h>

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
    say("ready for %u bytes, code of %u bits; Ctrl-C leaves", (unsigned)room, MODULE_BITS);
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

/* Hexadecimal digits without the h that marks them elsewhere. False: eight they are not. */
static bool crc_of(const struct word *w, uint32_t *crc)
{
    char text[11] = "0x";
    uint64_t value = 0;
    if (w->len != 8) return false;
    memcpy(text + 2, w->text, 8);
    if (!number_parse(text, 10, &value)) return false;
    *crc = (uint32_t)value;
    return true;
}

void command_crc(struct monitor *m, const struct command_line *line)
{
    static const char taken[] = "taken\r\n";
    const char *rest = line->rest + line->words->w[1].len + 1;
    uint32_t crc;
    const uint32_t have = crc32(0, rest, strlen(rest));
    if (!crc_of(&line->words->w[1], &crc) || crc != have) {
        complain("Not obeyed: the CRC-32 of what follows is %08x.", (unsigned)have);
        return;
    }
    console_terminal(taken, sizeof taken - 1);
    command_obey(m, rest);
}
