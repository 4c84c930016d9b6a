/* anechoic decode: the prompt's `decode`, for any CPU. */
#include "pmu/decode.h"
#include "host/command.h"
#include "host/event_open.h"
#include <string.h>
#include <unistd.h>

static void put(void *ctx, const char *label, const char *text)
{
    (void)ctx;
    if (*label)
        printf("  %-12s %s\n", label, text);
    else
        printf("%s\n", text);
}

static int run(const struct command *self, int argc, char **argv)
{
    const char *name = NULL, *database = NULL;
    struct event_cpu cpu;
    char why[320], near[128] = "";
    uint64_t value;
    for (int id; (id = command_option(self, argc, argv)) != -1;) *(id == 'c' ? &name : &database) = optarg;
    const int n = argc - optind;
    char **word = argv + optind;
    if (n != 1 && n != 3) return command_misused(self, "it takes VALUE, VALUE as REGISTER, or EVENT");
    if (n == 3 && strcmp(word[1], "as") != 0)
        return command_misused(self, "\"%s\" is not valid here. Valid: VALUE as REGISTER", word[1]);
    const bool is_value = pmu_decode_number(word[0], strlen(word[0]), &value);
    if (n == 3 && !is_value)
        return command_misused(self, "\"%s\" is not a number. Valid: decimal, or hexadecimal as 0x1f or 1fh",
                               word[0]);
    const int status = event_open(self, name, database, &cpu);
    if (status != STATUS_GOOD) return status;
    const char *as = n == 3 ? word[2] : "";
    const bool good = is_value ? pmu_decode_value(&cpu.pmu, value, as, strlen(as), put, NULL, why, sizeof why)
                               : pmu_decode_event(&cpu.pmu, word[0], strlen(word[0]), put, NULL, why,
                                                  sizeof why, near, sizeof near);
    return good ? STATUS_GOOD : command_misused(self, "%s%s%s", why, *near ? "; there are " : "", near);
}

static const struct command_option options[] = {
    {'c', "cpu", "NAME",
     "the CPU, as `anechoic events --list` names it, or by its CPUID: GenuineIntel-6-9E-A; without it this "
     "computer's"},
    {'d', "database", "FILE", "the event database; without it the one that was built or installed"},
    {0},
};

const struct command command_decode = {
    .name = "decode",
    .summary = "say what a value means in a register that selects events, and back",
    .arguments = "VALUE [as REGISTER] | EVENT",
    .about = "Says in words what VALUE means in a register of performance counters: its fields, events and "
             "unit masks by "
             "name, reserved bits that are set, and the word for events= that counts the same. REGISTER is "
             "cesr (P5), "
             "evntsel (P6), perfevtsel or fixed_ctr_ctrl (Intel's architectural counters), perf_ctl (AMD), "
             "escr, cccr, "
             "pebs_enable or pebs_matrix_vert (NetBurst), any of them with its number, or an MSR such as "
             "0x186. Without it "
             "the CPU's family decides; on NetBurst ESCR and CCCR are both shown.\n\n"
             "With EVENT, a word as after events=, it shows what counting this event alone writes to which "
             "registers, and "
             "what that means. Nothing is written to this computer's.",
    .options = options,
    .statuses = "0 shown, 2 wrong usage, an unknown CPU, register or event, or a database that cannot be "
                "used, 4 this "
                "computer shows no counters, or the output cannot be written.",
    .run = run,
};
