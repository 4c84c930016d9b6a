/* anechoic code --on tty:DEVICE: the question goes to a machine at its prompt, without a boot. */
#include "host/code.h"
#include "host/module.h"
#include "host/prompt.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void record(void *ctx, const struct received *r)
{
    struct code_job *j = ctx;
    answers_record(&j->answers, r);
}

/* The snippets, assembled for the kernel that is there. */
static int load(const struct command *self, struct code_job *j, struct prompt *p)
{
    size_t size;
    if (!j->bits) j->bits = p->bits;
    if (j->bits != p->bits)
        return command_failed(self, STATUS_USAGE,
                              "--bits %u: the kernel at the prompt of %s takes code of %u bits", j->bits,
                              p->source.name, p->bits);
    int status = code_assemble(self, j);
    if (status != STATUS_GOOD) return status;
    uint8_t *module = module_of_snippets(&j->snippets, j->bits, &size);
    if (!module) return command_failed(self, STATUS_IMPOSSIBLE, "the module: %s", strerror(errno));
    status = prompt_load(p, "snippets", module, size);
    free(module);
    return status;
}

static int measure(const struct command *self, struct code_job *j, struct prompt *p)
{
    char *words = code_words(j, j->events ? j->events : p->counters ? j->where.events : NULL);
    if (!words) return command_failed(self, STATUS_IMPOSSIBLE, "there is no memory");
    const int status = prompt_run(p, words, CODE_TIMEOUT_S + j->snippets.n);
    free(words);
    return status;
}

int code_at_prompt(const struct command *self, struct code_job *j)
{
    static struct prompt p;
    struct keep keep;
    if (!keep_open(&keep, j->to))
        return command_failed(self, STATUS_USAGE, "%s: %s", j->to, strerror(keep.error));
    p = (struct prompt){.command = self, .keep = j->to ? &keep : NULL, .record = record, .ctx = j};
    int status = prompt_open(&p, j->where.tty);
    if (status == STATUS_GOOD) {
        j->answers.snippets = &j->snippets;
        answers_begin(&j->answers);
        status = prompt_machine(&p);
        if (status == STATUS_GOOD) status = load(self, j, &p);
        if (status == STATUS_GOOD) status = code_answered(self, j, measure(self, j, &p));
        prompt_close(&p);
    }
    if (keep_close(&keep) && !keep.error) return status;
    return command_failed(self, status ? status : STATUS_FOUND, "%s: %s: it is not complete", j->to,
                          strerror(keep.error));
}
