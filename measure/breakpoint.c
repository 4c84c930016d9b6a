#include "measure/breakpoint.h"
#include "kernel/module.h"
#include "measure/execute.h"
#include <string.h>

static bool is(const struct text_part *name, const char *what)
{
    return strlen(what) == name->len && memcmp(what, name->s, name->len) == 0;
}

/* Code of a program of the user's, whose argument is a number. */
static bool is_program(const struct run *run) { return run->bench.image.at && !run->program.image.at; }

/* The address of a name; false: it has none here. */
static bool find(const struct run *run, const struct text_part *name, uintptr_t *at)
{
    const struct bench_image *image = &run->bench.image;
    uint32_t place;
    if (is(name, "arg") && !is_program(run)) {
        *at = (uintptr_t)run->bench.arg;
    } else if (is(name, run->program.name)) {
        *at = image->entry ? (uintptr_t)image->entry : (uintptr_t)run->bench.payload;
    } else if (image->at && module_function_named(image->of, name->s, name->len, &place)) {
        *at = (uintptr_t)image->at + place;
    } else {
        return false;
    }
    return true;
}

static bool arm_one(struct run *run, const struct breakpoint *b, unsigned n)
{
    uintptr_t at = 0;
    if (b->name.s && !find(run, &b->name, &at))
        return run_refuse(run, RUN_PREPARE, "dr%u=: there is no \"%.*s\" here; valid: an address, %s%s%s", n,
                          b->name.len < 64 ? (int)b->name.len : 64, b->name.s, run->program.name,
                          is_program(run) ? "" : ", arg",
                          run->bench.image.at ? ", the name of a function of its module" : "");
    at += (uintptr_t)b->offset;
    if (at & (b->len - 1u))
        return run_refuse(run, RUN_PREPARE, "dr%u=: %#llx is not a multiple of its length, %u", n,
                          (unsigned long long)at, b->len);
    breakpoint_describe(n, at, (enum breakpoint_kind)b->kind, b->len);
    return true;
}

bool breakpoints_arm(struct run *run, const struct options *opt)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (opt->breakpoint[n].len && !arm_one(run, &opt->breakpoint[n], n)) return false;
    return true;
}
