#include "tests/unit/built_descriptor.h"
#include "include/anechoic/calls.h"
#include <stdlib.h>
#include <string.h>

#define PLACE(field) ((uint32_t)offsetof(struct built_image, field))

/* The offset of a string, as a pointer. */
static const char *text(struct built_image *image, size_t *used, const char *s)
{
    char *at = image->text + *used;
    *used += strlen(s) + 1;
    if (*used > sizeof image->text) abort();
    strcpy(at, s);
    return (const char *)(at - (char *)image);
}

void built_descriptor(struct built_image *image)
{
    size_t used = 0;
    memset(image, 0, sizeof *image);
    memset(image->code, 0xc3, sizeof image->code);
    struct bench *b = &image->bench;
    b->program.name = text(image, &used, "mine");
    b->program.desc = text(image, &used, "what it does");
    b->program.payload = (payload_fn *)8;
    b->program.prepare = (bool (*)(struct bench_run *))16;
    b->program.regions = (const char *const *)(uintptr_t)PLACE(label);
    b->op = text(image, &used, "call");
    b->cost = text(image, &used, "");
    b->params = 2;
    b->param = (const struct bench_param *)(uintptr_t)PLACE(param);
    image->label[0] = text(image, &used, "one");
    image->label[1] = text(image, &used, "two");
    image->param[0] = (struct bench_param){
        text(image, &used, "n"), text(image, &used, "adds"), text(image, &used, "help"), 1, 100, 3, 4, true};
    image->param[1] = (struct bench_param){text(image, &used, "size"),
                                           text(image, &used, "bytes"),
                                           text(image, &used, "more help"),
                                           64,
                                           4096,
                                           STEP_DOUBLES,
                                           PARAM_AUTO,
                                           false};
}

unsigned built_relocations(uint32_t *at)
{
    static const uint32_t words[] = {PLACE(bench.program.name),
                                     PLACE(bench.program.desc),
                                     PLACE(bench.program.payload),
                                     PLACE(bench.program.prepare),
                                     PLACE(bench.program.regions),
                                     PLACE(bench.op),
                                     PLACE(bench.cost),
                                     PLACE(bench.param),
                                     PLACE(param[0].name),
                                     PLACE(param[0].unit),
                                     PLACE(param[0].help),
                                     PLACE(param[1].name),
                                     PLACE(param[1].unit),
                                     PLACE(param[1].help),
                                     PLACE(label[0]),
                                     PLACE(label[1])};
    memcpy(at, words, sizeof words);
    return sizeof words / sizeof *words;
}

size_t built_module(uint8_t *at, size_t cap, const struct built_image *image)
{
    static const struct built_benchmark row = {"mine", PLACE(bench), 0};
    uint32_t relocation[32];
    const unsigned n = built_relocations(relocation);
    const struct built_program program = {image,
                                          sizeof *image,
                                          relocation,
                                          n,
                                          .head = {.text_end = BUILT_TEXT},
                                          .interface = ANECHOIC_INTERFACE,
                                          .calls = (sizeof *image + 7) & ~7u};
    return module_build_program(at, cap, sizeof(void *) * 8, &program, &row, 1);
}
