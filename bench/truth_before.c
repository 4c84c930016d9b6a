/* The states of caches and branch target buffer in which programs of the truth suite begin. */
#include "bench/truth.h"
#include "kernel/hw.h"

void *truth_chain(struct bench_run *run, uint32_t n, uint8_t stride)
{
    uint8_t *code = arena_alloc(run->arena, n * stride, 4096);
    for (uint32_t i = 0; code && i < n; i++) {
        code[i * stride] = i + 1 < n ? 0xeb : 0xc3; /* JMP rel8, RET */
        code[i * stride + 1] = stride - 2;
    }
    return code;
}

void truth_jump(const struct bench_run *run)
{
    ((void (*)(void))((const uintptr_t *)run->arg)[TRUTH_JUMPS_WORD])();
}

void truth_flush(const struct bench_run *run)
{
    (void)run;
    hw_flush_caches();
    hw_flush_tlbs();
}
