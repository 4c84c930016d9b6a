#include "host/run_prompt.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_MOST (64u << 20) /* an hour and more of a serial line */

/* To be freed; NULL: errno says why. */
static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *in = fopen(name, "rb");
    uint8_t *bytes = in ? malloc(MODULE_MOST) : NULL;
    if (bytes) *size = fread(bytes, 1, MODULE_MOST, in);
    const int error = errno;
    const bool good = bytes && !ferror(in);
    if (in) fclose(in);
    if (!good) free(bytes);
    errno = error;
    return good ? bytes : NULL;
}

static int ask(const struct run_prompt *r, struct keep *keep, const uint8_t *module, size_t size)
{
    static struct prompt p;
    const char *slash = r->module ? strrchr(r->module, '/') : NULL;
    p = (struct prompt){.command = r->command, .keep = r->to ? keep : NULL, .text = r->text};
    int status = prompt_open(&p, r->spec);
    if (status != STATUS_GOOD) return status;
    status = prompt_machine(&p);
    if (status == STATUS_GOOD && module)
        status = prompt_load(&p, slash ? slash + 1 : r->module, module, size);
    if (status == STATUS_GOOD) status = prompt_run(&p, r->words, 0);
    prompt_close(&p);
    return status;
}

int run_at_prompt(const struct run_prompt *r)
{
    struct keep keep;
    size_t size = 0;
    uint8_t *module = r->module ? read_file(r->module, &size) : NULL;
    if (r->module && !module)
        return command_failed(r->command, STATUS_USAGE, "%s: %s", r->module, strerror(errno));
    if (!keep_open(&keep, r->to))
        return command_failed(r->command, STATUS_USAGE, "%s: %s", r->to, strerror(keep.error));
    const int status = ask(r, &keep, module, size);
    free(module);
    if (keep_close(&keep) && !keep.error) return status;
    return command_failed(r->command, status ? status : STATUS_FOUND, "%s: %s: it is not complete", r->to,
                          strerror(keep.error));
}
