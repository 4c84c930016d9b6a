/* The stand-in of fake_request.h. */
#include "tests/unit/fake_request.h"
#include "boot/modules.h"
#include <stdlib.h>
#include <string.h>

char request_last[CMDLINE_MAX + 1];
unsigned requests;
bool request_valid, request_good;
size_t request_loaded;
char request_loaded_name[64];

void fake_request_reset(void)
{
    request_last[0] = '\0';
    requests = 0;
    request_loaded = 0;
    request_valid = request_good = true;
}

static void keep(const char *words)
{
    if (strlen(words) > CMDLINE_MAX) abort();
    strcpy(request_last, words);
}

bool request_judge(struct session *s, const char *words)
{
    (void)s;
    keep(words);
    return request_valid;
}

bool request_words(struct session *s, const char *words)
{
    (void)s;
    keep(words);
    requests++;
    return request_good;
}

bool request_read(struct session *s, const char *words, struct request *out)
{
    (void)s, (void)out;
    keep(words);
    return false;
}

void modules_load(struct session *s, const char *name, size_t bytes)
{
    (void)s;
    strncpy(request_loaded_name, name, sizeof request_loaded_name - 1);
    request_loaded = bytes;
}
