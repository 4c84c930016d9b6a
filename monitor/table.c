#include "monitor/command.h"

#define NUMBERS " Numbers are decimal, or hexadecimal as 0x1f or 1fh."

const struct command commands[] = {
    {"run", "WORDS", "measure, with the command line's words",
     "WORDS are those of the kernel's command line, for example: run bench=l1_miss events=cycles reps=5. "
     "Without bench= the main "
     "benchmarks run. Ctrl-C stops between two repetitions. Words that only make sense at the boot (console, "
     "screen, exit, "
     "records, text, usb, apic, tsc, turbo, prefetch) are refused. What `set` has kept comes first; a word "
     "here replaces "
     "one of the same name there.",
     0, ANY_NUMBER, GROUP_MEASURE, command_run},
    {"list", "", "benchmarks and their parameters", "The same list as bench=list on the command line.", 0, 0,
     GROUP_MEASURE, command_list},
    {"events", "[PATTERN...]", "events of this CPU, or those with these words",
     "Looks for all PATTERNs in names and descriptions, in capital or small letters. Without one it lists "
     "all events.",
     0, 8, GROUP_MEASURE, command_events},
    {"ratio", "A/B|NAME|list [WORDS]", "one count divided by another",
     "Short for run ratio=A/B: counts both events and prints their quotient, of the benchmark that WORDS or "
     "`set` "
     "name, or of the last one. NAME is one of those that `ratio list` shows. For example: ratio "
     "instructions/cycles bench=fp_add_latency.",
     1, ANY_NUMBER, GROUP_MEASURE, command_ratio},
    {"sections", "BENCH[:PARAMS] [WORDS]", "every event of this CPU in turn",
     "Short for run bench=BENCH events=all: counts each event of this CPU for the benchmark and the regions "
     "that it "
     "marks, as many at a time as the counters allow. For example: sections regions reps=5. WORDS are those "
     "of `run`.",
     1, ANY_NUMBER, GROUP_MEASURE, command_sections},
    {"trace", "WORDS", "measure, and show what hooks wrote",
     "As `run`, with the trace of the payload's hooks: the last 1024 of them, or as many as trace= says. For "
     "example: trace bench=traced. With sample= its interrupts are in it, too.",
     1, ANY_NUMBER, GROUP_MEASURE, command_trace},
    {"mark", "NAME [N[..M]]", "name a section of the session",
     "The records since the last mark, or N to M, get a name: anechoic show --mark NAME prints them alone. "
     "For "
     "example: mark before, after a `run`.",
     1, 2, GROUP_MEASURE, command_mark},
    {"decode", "VALUE|EVENT [as REG]", "what a select register's value says",
     "VALUE is what a register that selects events holds: its fields, events by name, reserved bits. "
     "REGISTER is "
     "cesr, evntsel, perfevtsel, fixed_ctr_ctrl, perf_ctl, escr, cccr, pebs_enable or pebs_matrix_vert, as "
     "this CPU has "
     "them, also with a number, or an MSR's number. decode EVENT goes the other way: what counting that "
     "event writes. "
     "Nothing is written." NUMBERS,
     1, 3, GROUP_MEASURE, command_decode},
    {"load", "[NAME]", "take a module over the serial line",
     "For programs such as `anechoic code --on tty:DEVICE`: lines of base64 with a number and a CRC-32 each, "
     "as docs/monitor.md has them. The module serves bench= as one that came with the boot, and replaces the "
     "one that was loaded before. NAME is for people. Ctrl-C leaves.",
     0, 1, GROUP_MEASURE, command_load},
    {"live", "EVENT [MS] [WORDS]", "rates of events, as time passes",
     "EVENT is one, or several as EVENT,EVENT, or tsc. Every MS milliseconds (1000) the events a second are "
     "drawn anew, with those of the intervals before; q leaves. WORDS: a benchmark, which runs again and "
     "again meanwhile, such as l1_miss or bench=l1_miss:sweeps=8; without one a loop that waits is counted. "
     "And cpu=N, with=, ring=, serialize=, limit= as for `run`. Events that do not fit the counters at once "
     "are refused.",
     1, ANY_NUMBER, GROUP_WATCH, command_live},
    {"log", "EVENT every MS for N [WORDS]", "the same N times, as records",
     "For example: log instructions,cycles every 100 for 20 l1_miss. EVENT and WORDS as in `live`. Each "
     "interval "
     "is a record and a row of a table, with unexpected interrupts a second. Ctrl-C ends it.",
     5, ANY_NUMBER, GROUP_WATCH, command_log},
    {"quiet", "", "watch for gaps in time",
     "Reads the time stamp for 100 ms and reports gaps: SMIs, a hypervisor, interrupts. The same watch comes "
     "before each run.",
     0, 0, GROUP_WATCH, command_quiet},
    {"topology", "", "processors, and what they share",
     "Packages, cores, threads and shared caches of the processors that run.", 0, 0, GROUP_LOOK,
     command_topology},
    {"machine", "", "this machine and its processor",
     "The records `boot` and `cpu` once more, as new ones, for programs that come later.", 0, 0, GROUP_LOOK,
     command_machine},
    {"mem", "", "memory map, and the benchmarks' pool",
     "The loader's map of memory, and the pool that benchmarks use.", 0, 0, GROUP_LOOK, command_mem},
    {"regs", "", "control, debug and system registers", "Those of the processor that booted.", 0, 0,
     GROUP_LOOK, command_regs},
    {"cpuid", "LEAF[.SUB]", "CPUID of this processor", "For example: cpuid 4.1, cpuid 0x80000002." NUMBERS, 1,
     1, GROUP_LOOK, command_cpuid},
    {"rdmsr", "MSR", "read a model-specific register",
     "For example: rdmsr 0x1b. One that this CPU lacks is reported as #GP; emulators may read 0 "
     "instead." NUMBERS,
     1, 1, GROUP_LOOK, command_rdmsr},
    {"rdpmc", "COUNTER", "read a performance counter", "COUNTER is what RDPMC takes in ECX." NUMBERS, 1, 1,
     GROUP_LOOK, command_rdpmc},
    {"rdcr", "N", "read a control register", "N is 0, 2, 3 or 4, and in the 64-bit kernel 8, too.", 1, 1,
     GROUP_LOOK, command_rdcr},
    {"peek", "ADDR [WIDTH [COUNT]]", "read memory",
     "WIDTH is 1, 2 or 4 bytes (the 64-bit kernel: 8, too), by default 4; COUNT is 1 to 256. "
     "Memory that is not mapped is reported as #PF." NUMBERS,
     1, 3, GROUP_LOOK, command_peek},
    {"in", "PORT [WIDTH]", "read an I/O port",
     "WIDTH is 1, 2 or 4 bytes, by default 1. Reading a port can change its device." NUMBERS, 1, 2,
     GROUP_LOOK, command_in},
    {"wrmsr", "MSR VALUE", "write a model-specific register", "Needs `unsafe on`. #GP is reported." NUMBERS,
     2, 2, GROUP_CHANGE, command_wrmsr},
    {"wrcr", "N VALUE", "write a control register",
     "N is 0, 2, 3 or 4, and in the 64-bit kernel 8, too. Needs `unsafe on`. #GP is reported. A value "
     "with which the kernel cannot go on, such as other page tables, is refused." NUMBERS,
     2, 2, GROUP_CHANGE, command_wrcr},
    {"poke", "ADDR VALUE [WIDTH]", "write memory",
     "WIDTH is 1, 2 or 4 bytes (the 64-bit kernel: 8, too), by default 4. Needs `unsafe on`. #PF is "
     "reported." NUMBERS,
     2, 3, GROUP_CHANGE, command_poke},
    {"out", "PORT VALUE [WIDTH]", "write an I/O port",
     "WIDTH is 1, 2 or 4 bytes, by default 1. Needs `unsafe on`." NUMBERS, 2, 3, GROUP_CHANGE, command_out},
    {"help", "[WORD]", "commands, or more about WORD",
     "Alone: the commands by group. With a group: a line for each of its commands. With a command: what it "
     "does, and its arguments.",
     0, 1, GROUP_SESSION, command_help},
    {"set", "WORDS", "keep words for every run",
     "For example: set reps=5 ring=3. Each word replaces one of the same name; NAME= alone drops it. The "
     "words are judged as "
     "those of `run`; if one is wrong, nothing changes.",
     1, ANY_NUMBER, GROUP_SESSION, command_set},
    {"show", "", "the words that are kept", "What `set` has kept for `run`, and whether `unsafe` is on.", 0,
     0, GROUP_SESSION, command_show},
    {"resend", "N[..M]", "send records again",
     "Sends records N to M of this session again, as they were. The oldest go when memory is full.", 1, 1,
     GROUP_SESSION, command_resend},
    {"crc", "CRC WORDS", "obey WORDS if this is their CRC-32",
     "For programs: a line that was damaged on its way is not obeyed. CRC has 8 hexadecimal digits; "
     "\"taken\" is the answer on "
     "the serial line.",
     2, ANY_NUMBER, GROUP_SESSION, command_crc},
    {"unsafe", "on|off", "allow what can wreck the machine",
     "wrmsr, wrcr, poke and out are obeyed only after `unsafe on`. A fault is reported; what they break "
     "otherwise is broken.",
     1, 1, GROUP_SESSION, command_unsafe},
    {"exit", "", "leave the prompt",
     "q and quit are the same. The session ends as the rest of exit= says: after exit=monitor,qemu QEMU "
     "ends.",
     0, 0, GROUP_SESSION, command_exit},
    {"reboot", "", "end the session and reboot", "The session's end record is sent first.", 0, 0,
     GROUP_SESSION, command_reboot},
    {"poweroff", "", "end the session and switch off",
     "The session's end record is sent first. By ACPI; where that has no way (a note says so), the machine "
     "halts, and can "
     "be switched off by hand.",
     0, 0, GROUP_SESSION, command_poweroff},
};
const unsigned commands_n = sizeof commands / sizeof *commands;
