#include "kernel/exit.h"
#include <stddef.h>
#include <string.h>

static const char *const names[EXIT_COUNT] = {"halt", "reboot", "qemu", "bochs", "poweroff"};

static const char *const before[] = {"monitor", "wait", "qr"}; /* what may come first, in this order */
enum { MONITOR, WAIT, CODES, BEFORE };

static size_t word_length(const char *value) { return strcspn(value, ", \t"); }
static bool is_word(const char *value, const char *word)
{
    return word_length(value) == strlen(word) && strncmp(value, word, strlen(word)) == 0;
}

/* Passes over what comes first. Returns the rest, NULL where there is none. */
static const char *pass(const char *value, bool has[BEFORE])
{
    for (unsigned i = 0; i < BEFORE; i++) {
        has[i] = value && is_word(value, before[i]);
        if (!has[i]) continue;
        value += word_length(value);
        value = *value == ',' ? value + 1 : NULL;
    }
    return value;
}

bool exit_monitors(const char *value)
{
    bool has[BEFORE];
    pass(value, has);
    return has[MONITOR];
}

bool exit_waits(const char *value)
{
    bool has[BEFORE];
    pass(value, has);
    return has[WAIT];
}

bool exit_shows_codes(const char *value)
{
    bool has[BEFORE];
    pass(value, has);
    return has[CODES];
}

enum exit_how exit_parse(const char *value)
{
    bool has[BEFORE];
    value = pass(value, has);
    if (!value) return EXIT_HALT;
    const size_t len = strcspn(value, " \t");
    for (unsigned i = 0; i < EXIT_COUNT; i++)
        if (strlen(names[i]) == len && strncmp(value, names[i], len) == 0) return (enum exit_how)i;
    return EXIT_COUNT;
}
