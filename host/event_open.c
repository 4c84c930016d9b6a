#include "host/event_open.h"
#include "host/tree.h"
#include "pmu/database.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- the event database ---- */

/* All of a file, to be freed; NULL: errno says why, 0: it is empty. */
static char *read_file(const char *path, size_t *size)
{
    struct stat st;
    char *data = NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    errno = 0;
    if (fstat(fileno(f), &st) != 0 || S_ISDIR(st.st_mode))
        errno = errno ? errno : EISDIR;
    else if ((*size = (size_t)st.st_size) && (data = malloc(*size)) && fread(data, 1, *size, f) != *size) {
        free(data);
        data = NULL;
    }
    const int error = errno;
    fclose(f);
    errno = error;
    return data;
}

/* False: `why` says why it cannot be used. */
static bool load(const char *path, char *why, size_t why_size)
{
    size_t size;
    char *data = read_file(path, &size);
    if (!data) snprintf(why, why_size, "%s", errno ? strerror(errno) : "is empty");
    if (data && db_open(data, size, why, why_size)) return true; /* it stays until the end */
    free(data);
    return false;
}

/* ---- public ---- */

static int find_cpu(const struct command *command, const char *name, struct event_cpu *cpu)
{
    if (name && !event_cpu_named(name, cpu))
        return command_misused(command,
                               "no CPU \"%s\"; `anechoic events --list` shows all, and GenuineIntel-6-9E-A "
                               "names one by its CPUID",
                               name);
    if (!name && !event_cpu_here(cpu))
        return command_failed(
            command, STATUS_IMPOSSIBLE,
            "this computer shows no performance counters that are known (virtual machines hide "
            "them): name a CPU, such as --cpu skylake; `anechoic events --list` shows all");
    return STATUS_GOOD;
}

int event_open(const struct command *command, const char *cpu, const char *database, struct event_cpu *out)
{
    char path[PATH_MAX], why[160];
    const int status = find_cpu(command, cpu, out);
    if (status != STATUS_GOOD) return status;
    if (database && !load(database, why, sizeof why))
        return command_failed(command, STATUS_USAGE, "--database %s: %s", database, why);
    if (database || !out->pmu.database) return STATUS_GOOD;
    if (!tree_built("events.db", path))
        command_failed(command, 0,
                       "there is no event database (make builds it, --database names one): only "
                       "the drivers' own events and perf's words are here");
    else if (!load(path, why, sizeof why))
        command_failed(command, 0, "%s is not used: %s", path, why);
    return STATUS_GOOD;
}
