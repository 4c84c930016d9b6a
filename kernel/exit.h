/* The end of the session: the exit= word. It is found in the raw command line, so that it applies however the
 * kernel ends. */
#pragma once
#include <stdbool.h>

enum exit_how { EXIT_HALT, EXIT_REBOOT, EXIT_QEMU, EXIT_BOCHS, EXIT_POWEROFF, EXIT_COUNT };

/* "qemu", "bochs", "reboot", "poweroff", "halt"; before it, "monitor,", "wait," and "qr,", once each, in this
 * order. Where one of these comes last, the machine halts. The value may end at a blank. Returns EXIT_COUNT
 * for anything else. */
enum exit_how exit_parse(const char *value);
/* Of a value that exit_parse() takes: has it "monitor", "wait", "qr"? */
bool exit_monitors(const char *value);
bool exit_waits(const char *value);
bool exit_shows_codes(const char *value);
#define EXIT_HELP                                                                                    \
    "qemu, bochs, reboot, poweroff or halt; before it some of monitor, wait and qr, in this order: " \
    "monitor,wait,qr,"

/* Never returns. status 0-3 goes to QEMU's isa-debug-exit (port F4h) as status + 16; Bochs has no status.
 * Where the emulator's port is not there, the machine halts. So it does with EXIT_POWEROFF, before which the
 * caller has tried to switch it off (kernel/power_off.h). */
void machine_exit(enum exit_how how, int status) __attribute__((noreturn));
