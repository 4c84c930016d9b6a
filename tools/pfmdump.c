/* The core PMUs of the libpfm4 that this is linked with, as text: what mkevents makes the event database
 * from, and what the tests hold the database against. Nothing is corrected here.
 *
 *   pfmdump VERSION >events.txt
 *
 * A line is a letter and fields, separated by tabs; names are the library's own, codes hexadecimal:
 *
 *   L version                       of the library's package, as given
 *   P name description encodings    a PMU; encodings: how many 64-bit words an event of it takes at most
 *   E name description modifiers    an event of the PMU before; the modifiers' names, separated by commas
 *   U name description code default same
 *                                   a unit mask of the event before, with the bits that it stands for;
 * "default" for one that is taken where none of its kind is named; same: the unit masks, with colons between,
 * whose bits the library takes instead X spec word [word]              how the library encodes "event:spec",
 * counting at CPL 0 and 3. The spec is
 *                                   "", or one to three unit masks with colons between; one that it refuses
 * has no line. All pairs are there, and as many of the threes.
 */
#include <inttypes.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UMASKS 256 /* of one event; libpfm4's largest has 97 */
#define SPEC   256

static void text(const char *s)
{
    putchar('\t');
    for (; s && *s; s++) putchar((unsigned char)*s < ' ' ? ' ' : *s);
}

/* spec: up to three unit masks, the rest "". */
static void encode(const char *pmu, const char *event, const char *a, const char *b, const char *c)
{
    char spec[SPEC], name[2 * SPEC];
    uint64_t code[4] = {0};
    uint64_t *codes = code;
    pfm_pmu_encode_arg_t arg = {.size = sizeof arg, .codes = codes, .count = 4};
    int n = snprintf(spec, sizeof spec, "%s%s%s%s%s", a, *b ? ":" : "", b, *c ? ":" : "", c);
    if (n >= (int)sizeof spec ||
        snprintf(name, sizeof name, "%s::%s%s%s", pmu, event, *a ? ":" : "", spec) >= (int)sizeof name) {
        fprintf(stderr, "pfmdump: too long: %s::%s\n", pmu, event);
        exit(1);
    }
    if (pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg) != PFM_SUCCESS) return;
    printf("X\t%s", spec);
    for (int i = 0; i < arg.count; i++) printf("\t%" PRIx64, arg.codes[i]);
    putchar('\n');
}

static void dump_event(const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
    const char *umask[UMASKS];
    const char *comma = "";
    int n = 0;
    putchar('E');
    text(event->name);
    text(event->desc);
    putchar('\t');
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t attr = {.size = sizeof attr};
        if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS) continue;
        if (attr.type != PFM_ATTR_MOD_BOOL && attr.type != PFM_ATTR_MOD_INTEGER) continue;
        printf("%s%s", comma, attr.name);
        comma = ",";
    }
    putchar('\n');
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t attr = {.size = sizeof attr};
        if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS) continue;
        if (attr.type != PFM_ATTR_UMASK) continue;
        if (n == UMASKS) {
            fprintf(stderr, "pfmdump: %s has more than %d unit masks\n", event->name, UMASKS);
            exit(1);
        }
        umask[n++] = attr.name;
        putchar('U');
        text(attr.name);
        text(attr.desc);
        printf("\t%" PRIx64 "\t%s", attr.code, attr.is_dfl ? "default" : "");
        text(attr.equiv);
        putchar('\n');
    }
    encode(pmu->name, event->name, "", "", "");
    for (int i = 0; i < n; i++) {
        encode(pmu->name, event->name, umask[i], "", "");
        for (int k = i + 1; k < n; k++) {
            int third = (7 * i + 13 * k) % n;
            encode(pmu->name, event->name, umask[i], umask[k], "");
            if (third != i && third != k) encode(pmu->name, event->name, umask[i], umask[k], umask[third]);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: pfmdump VERSION\n");
        return 2;
    }
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* read by pfm_initialize(): other CPUs than this machine's */
    int status = pfm_initialize();
    if (status != PFM_SUCCESS) {
        fprintf(stderr, "pfmdump: libpfm4: %s\n", pfm_strerror(status));
        return 1;
    }
    printf("L\t%s\n", argv[1]);
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof pmu};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || pmu.type != PFM_PMU_TYPE_CORE) continue;
        /* Made up at run time from the machine's own CPUID. */
        if (strcmp(pmu.name, "ix86arch") == 0) continue;
        putchar('P');
        text(pmu.name);
        text(pmu.desc);
        printf("\t%d\n", pmu.max_encoding);
        for (int id = pmu.first_event; id != -1; id = pfm_get_event_next(id)) {
            pfm_event_info_t event = {.size = sizeof event};
            if (pfm_get_event_info(id, PFM_OS_NONE, &event) == PFM_SUCCESS) dump_event(&pmu, &event);
        }
    }
    return fflush(stdout) != 0 || ferror(stdout);
}
