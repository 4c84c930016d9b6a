#include "host/lines.h"
#include "host/object.h"
#include "host/report_tool.h"
#include "host/values.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- where debug information is ---- */

#define PLACES    16
#define NOTE_HEAD 16 /* of a build ID: sizes, type, "GNU" */

static const char *given[PLACES];
static unsigned n_given;

bool lines_debug(const char *path)
{
    if (n_given == PLACES) return false;
    given[n_given++] = path;
    return true;
}

enum fits { FITS, OTHER, ABSENT };

static enum fits fits(const char *file, const char *build_id)
{
    struct object o;
    size_t n;
    if (!object_open(&o, file)) return ABSENT;
    const uint8_t *id = object_section(&o, ".note.gnu.build-id", &n);
    bool same = id && n > NOTE_HEAD && strlen(build_id) == 2 * (n - NOTE_HEAD);
    for (size_t i = NOTE_HEAD; same && i < n; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", id[i]);
        same = memcmp(digits, build_id + 2 * (i - NOTE_HEAD), 2) == 0;
    }
    object_close(&o);
    return same ? FITS : OTHER;
}

static char found[PATH_MAX];

/* directory/NAME.mod.debug, or the file itself. */
static enum fits look(const char *path, int directory, const char *name, const char *build_id)
{
    const int n = name ? snprintf(found, sizeof found, "%.*s%s.mod.debug", directory, path, name)
                       : snprintf(found, sizeof found, "%s", path);
    return n < (int)sizeof found ? fits(found, build_id) : ABSENT;
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *lines_find(const json_t *o, const char *capture, const char **why)
{
    static char text[PATH_MAX + 200];
    const char *name = text_of(o, "module"), *id = text_of(o, "build_id"), *slash = strrchr(capture, '/');
    enum fits best = ABSENT, is = ABSENT;
    char within[PATH_MAX];
    *why = text;
    if (!*name || strchr(name, '/')) return NULL;
    for (unsigned i = 0; i < n_given; i++) {
        snprintf(within, sizeof within, "%s/", given[i]);
        is = is_directory(given[i]) ? look(within, (int)strlen(within), name, id)
                                    : look(given[i], 0, NULL, id);
        if (is == FITS) return found;
        if (is == OTHER) best = OTHER;
    }
    is = slash ? look(capture, (int)(slash - capture) + 1, name, id) : ABSENT;
    if (is == FITS) return found;
    if (is == OTHER) best = OTHER;
    is = look("", 0, name, id);
    if (is == FITS) return found;
    if (is == OTHER) best = OTHER;
    snprintf(text, sizeof text,
             best == OTHER
                 ? "%s.mod.debug is of another build than the module that was measured"
                 : "%s.mod.debug is neither beside the capture nor in this directory; --debug names it",
             name);
    return NULL;
}

/* ---- addr2line ---- */

/* "/home/me/sort.c:12 (discriminator 3)": without the latter. One for each address, in one piece of memory.
 */
static char *ask(const char *debug, json_t *const *line, size_t n, unsigned long long base)
{
    char *const command[] = {"addr2line", "-e", (char *)(uintptr_t)debug, NULL};
    FILE *in = tmpfile();
    for (size_t i = 0; in && i < n; i++) fprintf(in, "0x%llx\n", hex_of(line[i], "address") - base);
    char *answer = in ? tool_run(command, in) : NULL;
    const int why = errno;
    if (in) fclose(in);
    errno = why;
    return answer;
}

/* The number-th line of a file, without blanks around it; "": there is none. To be freed. */
static char *read_line(const char *file, unsigned long number)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length = -1;
    FILE *in = number ? fopen(file, "r") : NULL;
    for (unsigned long i = 0; in && i < number; i++)
        if ((length = getline(&text, &size, in)) < 0) break;
    if (in) fclose(in);
    char *from = length > 0 ? text : NULL;
    while (from && length > 0 && strchr(" \t\r\n", text[length - 1])) text[--length] = '\0';
    while (from && *from && strchr(" \t", *from)) from++;
    char *copy = strdup(from ? from : "");
    free(text);
    return copy;
}

/* To the line of this place, which may be new. */
static struct source_line *line_at(struct source_line *l, size_t *n, const char *file, unsigned long number)
{
    char where[300];
    const char *slash = strrchr(file, '/');
    if (number)
        snprintf(where, sizeof where, "%s:%lu", slash ? slash + 1 : file, number);
    else
        snprintf(where, sizeof where, "?");
    for (size_t i = 0; i < *n; i++)
        if (strcmp(l[i].where, where) == 0) return &l[i];
    l[*n] = (struct source_line){.where = strdup(where), .text = read_line(file, number)};
    if (!l[*n].where || !l[*n].text) abort();
    return &l[(*n)++];
}

static int by_count(const void *a, const void *b)
{
    const struct source_line *x = a, *y = b;
    if (x->count != y->count) return (x->count < y->count) - (x->count > y->count);
    return strcmp(x->where, y->where);
}

struct source_line *lines_profile(const char *debug, json_t *const *line, size_t n, unsigned long long base,
                                  size_t *lines)
{
    char *answer = ask(debug, line, n, base), *state = NULL;
    struct source_line *l = answer ? calloc(n + 1, sizeof *l) : NULL;
    size_t i = 0;
    *lines = 0;
    if (!l) return free(answer), NULL;
    for (char *row = strtok_r(answer, "\n", &state); row && i < n; row = strtok_r(NULL, "\n", &state), i++) {
        char *colon = strrchr(row, ':');
        const unsigned long number = colon ? strtoul(colon + 1, NULL, 10) : 0;
        if (colon) *colon = '\0';
        line_at(l, lines, row, number)->count += number_of(line[i], "count");
    }
    free(answer);
    qsort(l, *lines, sizeof *l, by_count);
    return l;
}

void lines_free(struct source_line *l, size_t n)
{
    for (size_t i = 0; l && i < n; i++) {
        free(l[i].where);
        free(l[i].text);
    }
    free(l);
}
