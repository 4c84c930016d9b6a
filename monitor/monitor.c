#include "monitor/monitor.h"
#include "monitor/command.h"
#include "monitor/prompt.h"
#include "monitor/say.h"
#include "report/record.h"

#define PROMPT "anechoic> "

bool monitor(struct session *session, enum exit_how *how, bool *asked)
{
    static struct monitor m;
    m = (struct monitor){.session = session, .marked = session_records()};
    if (!prompt_open()) {
        report_note("monitor", "exit=monitor: there is neither a serial line nor a PS/2 keyboard that "
                               "answers, so nobody can type; "
                               "for a USB keyboard usb=keep may help");
        return true;
    }
    struct cpu *boot = session->machine->cpu[0];
    bool (*const cancelled)(void) = boot->cancelled;
    boot->cancelled = prompt_interrupted();
    say("The monitor. help lists the commands, exit leaves.");
    while (m.end == MONITOR_STAYS) {
        const char *line = prompt_line(PROMPT);
        if (line) command_obey(&m, line);
    }
    boot->cancelled = cancelled;
    *asked = m.end != MONITOR_LEAVES;
    if (m.end == MONITOR_REBOOTS) *how = EXIT_REBOOT;
    if (m.end == MONITOR_POWERS_OFF) *how = EXIT_POWEROFF;
    return !m.failed;
}
