/* libFuzzer: lines of a LAVA job's log (host/lava.h). The first byte chooses: odd, the rest is a log as it
 * is, in lines; even, it is what a machine sent, of which LAVA's entries are made as its ShellLogger and YAML
 * make them: then it comes back as it was. Whatever arrives, a line's text is never longer than the line.
 */
#include "host/lava.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What LAVA writes instead of a line. Nobody can tell it from a line of the machine. */
#define LEFT_OUT "<line way too long ...>"
#define ENTRY    "{\"dt\": \"2026-11-23T14:06:52\", \"lvl\": \"target\", \"msg\": \""

static void lines(char *bytes, size_t n)
{
    struct lava_log log = {0};
    for (char *end = bytes + n, *next; bytes < end; bytes = next) {
        char *stop = memchr(bytes, '\n', (size_t)(end - bytes));
        next = stop ? stop + 1 : end;
        const size_t len = (size_t)(next - bytes);
        char *line =
            malloc(len); /* of just this size: the sanitizer sees what is read or written behind it */
        memcpy(line, bytes, len);
        const bool before = log.recognised;
        const size_t text = lava_line(&log, line, len);
        if (text > len || (!log.recognised && (text != len || memcmp(line, bytes, len) != 0)) ||
            (before && !log.recognised))
            abort();
        free(line);
    }
    if (log.strange && (!log.first_line || log.first_line > log.line || !*log.first_why)) abort();
}

/* The line as an entry, into `to`, which has room. */
static size_t entry(char *to, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    char *at = to + sizeof ENTRY - 1;
    memcpy(to, ENTRY, sizeof ENTRY - 1);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"')
            memcpy(at, "\\\\\\\"", 4), at += 4; /* LAVA's backslash, and YAML's for both */
        else if (c == '\\')
            memcpy(at, "\\\\", 2), at += 2;
        else if (c < ' ' || c == 0x7f)
            *at++ = '\\', *at++ = 'x', *at++ = hex[c >> 4], *at++ = hex[c & 15];
        else
            *at++ = (char)c;
    }
    memcpy(at, "\"}\n", 3);
    return (size_t)(at + 3 - to);
}

static void there_and_back(char *text, size_t n)
{
    struct lava_log log = {0};
    for (size_t i = 0; i < n; i++) text[i] &= 0x7f; /* others come as U+FFFD or longer */
    char *line = malloc(sizeof ENTRY + 4 * n + 3);
    const bool left_out = n == strlen(LEFT_OUT) && memcmp(text, LEFT_OUT, n) == 0;
    const size_t got = lava_line(&log, line, entry(line, text, n));
    if (log.strange != left_out || log.serial != 1 || got != n + 1 || memcmp(line, text, n) != 0 ||
        line[n] != '\n')
        abort();
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    char *bytes = malloc(size - 1);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1)
        lines(bytes, size - 1);
    else
        there_and_back(bytes, size - 1);
    free(bytes);
    return 0;
}
