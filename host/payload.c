/* anechoic payload: makes a module of a program of the user's own (include/anechoic/module.h, kind 2). */
#include "host/bytes.h"
#include "host/program.h"
#include "kernel/stacks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_ENTRY = 256, OPTION_ARG, OPTION_BITS, OPTION_HEAP, OPTION_STACK };

static const struct command_option options[] = {
    {'o', "output", "FILE", "the module (default: the first file's name, with .mod)"},
    {OPTION_ENTRY, "entry", "FUNCTION",
     "the function that is measured (default payload); may be repeated. The benchmark has the function's "
     "name, or with NAME=FUNCTION this name; without --entry it has the module's"},
    {OPTION_ARG, "arg", "N",
     "what it is called with, unless bench= has arg= (default 0); of the --entry before it"},
    {OPTION_BITS, "bits", "N", "32 or 64: for which kernel and mode (default 64)"},
    {OPTION_HEAP, "heap", "BYTES", "memory for malloc(), which printf() needs, too (default 262144)"},
    {OPTION_STACK, "stack", "BYTES",
     "the stack that the functions will have, as stack= says: gcc warns of a function whose frame is larger "
     "than a "
     "quarter of it (default 256K)"},
    {'x', "compiler-option", "OPTION", "an option for gcc, such as -O0; may be repeated"},
    {0}};

#define ENTRY     "payload"
#define HEAP_MOST (1u << 30)

/* At least one entry; the last one is that which --arg is of. */
static struct program_entry *last_entry(struct program_job *j)
{
    if (j->entries == 0) j->entry[j->entries++].function = ENTRY;
    return &j->entry[j->entries - 1];
}

static bool number(const char *text, uint64_t *n)
{
    char *end;
    errno = 0;
    *n = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno && *n < INT64_MAX;
}

/* FUNCTION, or NAME=FUNCTION, of which the words of the command are cut up. */
static int add_entry(const struct command *self, struct program_job *j, char *name)
{
    char *function = strchr(name, '=');
    if (j->entries == PROGRAM_ENTRIES)
        return command_misused(self, "more than %d times --entry", PROGRAM_ENTRIES);
    if (function)
        *function++ = '\0';
    else
        function = name;
    if (!*name || !*function)
        return command_misused(self, "--entry %s=%s: it needs NAME=FUNCTION, or FUNCTION", name, function);
    if (strlen(name) >= MODULE_NAME_BYTES || strlen(function) >= MODULE_NAME_BYTES)
        return command_misused(self, "--entry %s: a name of more than %d bytes", name, MODULE_NAME_BYTES - 1);
    for (size_t i = 0; i < j->entries; i++)
        if (j->entry[i].name && strcmp(j->entry[i].name, name) == 0)
            return command_misused(self, "--entry %s is given twice", name);
    j->entry[j->entries++] = (struct program_entry){.name = name, .function = function};
    return STATUS_GOOD;
}

static int take(const struct command *self, struct program_job *j, int id)
{
    switch (id) {
    case 'o':
        j->to = optarg;
        return STATUS_GOOD;
    case OPTION_ENTRY:
        return add_entry(self, j, optarg);
    case OPTION_ARG:
        if (number(optarg, &last_entry(j)->arg)) return STATUS_GOOD;
        return command_misused(self, "--arg %s is no number from 0 to 2^63 - 2, such as 4096 or 0x1000",
                               optarg);
    case OPTION_HEAP:
        if (number(optarg, &j->heap) && j->heap && j->heap <= HEAP_MOST) return STATUS_GOOD;
        return command_misused(self, "--heap %s is no number from 1 to %u", optarg, HEAP_MOST);
    case OPTION_STACK:
        if (bytes_read(optarg, &j->stack) && j->stack >= STACK_LEAST) return STATUS_GOOD;
        return command_misused(self, "--stack %s is not a number of bytes from %u on, such as 65536 or 256K",
                               optarg, STACK_LEAST);
    case OPTION_BITS:
        j->bits = (unsigned)atoi(optarg);
        if (strcmp(optarg, "32") == 0 || strcmp(optarg, "64") == 0) return STATUS_GOOD;
        return command_misused(self, "--bits %s: 32 and 64 are valid", optarg);
    default:
        if (j->options == PROGRAM_OPTIONS)
            return command_misused(self, "more than %d times -x", PROGRAM_OPTIONS);
        j->option[j->options++] = optarg;
        return STATUS_GOOD;
    }
}

static int take_files(const struct command *self, struct program_job *j, char **argv)
{
    static const char *const endings[] = {".c", ".s", ".S", ".o", ".a"};
    if (!argv[optind] || strcmp(argv[optind], "build") != 0)
        return command_misused(self, "what shall be done is missing: build FILE...");
    while (argv[++optind]) {
        const char *file = argv[optind], *dot = strrchr(file, '.');
        size_t i = 0;
        while (i < sizeof endings / sizeof *endings && (!dot || strcmp(dot, endings[i]) != 0)) i++;
        if (i == sizeof endings / sizeof *endings)
            return command_misused(self, "%s: a file ends with .c, .s, .S, .o or .a", file);
        if (access(file, R_OK) != 0)
            return command_failed(self, STATUS_USAGE, "%s: %s", file, strerror(errno));
        if (j->files == PROGRAM_FILES) return command_misused(self, "more than %d files", PROGRAM_FILES);
        j->file[j->files++] = file;
    }
    return j->files ? STATUS_GOOD : command_misused(self, "there is no FILE to build the payload from");
}

/* dir/x.c becomes x.mod, here. */
static const char *default_name(const struct program_job *j)
{
    static char name[256];
    const char *base = strrchr(j->file[0], '/');
    snprintf(name, sizeof name - sizeof ".mod", "%s", base ? base + 1 : j->file[0]);
    memcpy(strrchr(name, '.'), ".mod", sizeof ".mod");
    return name;
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct program_job j = {.bits = 64, .heap = 256 << 10, .stack = STACK_DEF};
    int status = STATUS_GOOD;
    for (int id; status == STATUS_GOOD && (id = command_option(self, argc, argv)) != -1;)
        status = take(self, &j, id);
    if (status == STATUS_GOOD) status = take_files(self, &j, argv);
    if (status != STATUS_GOOD) return status;
    j.asked = j.entries > 0;
    last_entry(&j);
    for (size_t i = 0; i < j.entries && j.bits == 32; i++)
        if (j.entry[i].arg > UINT32_MAX)
            return command_misused(self, "--arg %llu has more than 32 bits",
                                   (unsigned long long)j.entry[i].arg);
    if (!j.to) j.to = default_name(&j);
    for (size_t i = 0; i < j.files; i++)
        if (command_same_file(j.file[i], j.to))
            return command_misused(self, "-o %s would destroy a file that it is made from", j.to);
    return program_build(self, &j);
}

const struct command command_payload = {
    .name = "payload",
    .summary = "make a module of a function of your own",
    .arguments = "build FILE...",
    .about =
        "Compiles and links C, assembly and object files with gcc into a module. A kernel that gets it "
        "(--module of "
        "anechoic run and image, run-qemu.sh and run-bochs.sh) has one more benchmark, with all words that "
        "other benchmarks have, and arg=N or a range, arg=A..B. It is run without bench=, too.\n\n"
        "The function is void payload(long arg), and of x.mod the benchmark is bench=x. --entry names "
        "another "
        "function of the same signature, and then the benchmark has its name: --entry encode is "
        "bench=encode. It is called once for each repetition; its data stay as it leaves them, until the "
        "next "
        "result begins. It may call newlib: printf() is shown after the "
        "measurement, exit() ends the call. <anechoic/region.h> marks parts that are counted for "
        "themselves. Sources with BENCHMARK() or EXPERIMENT(), as in the kernel, become benchmarks of their "
        "own "
        "names and parameters (docs/experiments.md).\n\n"
        "Beside the module is written what debuggers need, x.mod.debug: from it \"anechoic show\" and "
        "\"anechoic "
        "report\" make profiles by source line. Objects for 64 bits must have been compiled with -fPIE "
        "-mno-red-zone. docs/payload.md says more.",
    .options = options,
    .statuses = "0 made, 2 wrong usage, or gcc or the linker refused it, 4 not possible here.",
    .run = run,
};
