#include "kernel/cmdline.h"
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

void cmdline_split(const char *line, const char *loader, struct words *out)
{
    bool drop = strncmp(loader, "GRUB", 4) != 0;
    out->n = 0;
    out->too_many = false;
    for (const char *p = line; *p;) {
        if (is_blank(*p)) {
            p++;
            continue;
        }
        const char *start = p;
        while (*p && !is_blank(*p)) p++;
        if (drop) {
            drop = false;
            continue;
        }
        if (out->n == CMDLINE_WORDS) {
            out->too_many = true;
            return;
        }
        out->w[out->n] = (struct word){start, (size_t)(p - start), out->n + 1, (unsigned)(start - line) + 1};
        out->n++;
    }
}

const char *cmdline_raw_find(const char *line, const char *key)
{
    const char *found = NULL;
    size_t len = strlen(key);
    for (const char *p = line; *p; p++)
        if ((p == line || is_blank(p[-1])) && strncmp(p, key, len) == 0 && p[len] == '=') found = p + len + 1;
    return found;
}
