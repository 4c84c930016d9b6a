/* The programs of bench=truth that branch, as one payload: for branches=lbr (tests/boot/cases/branches.sh).
 * Each is the suite's own code; what the suite repeats in writing it, as the jump of "taken", is here once.
 */
#include "bench/truth_code.c"

/* What the suite would do before each program, and what no program here needs. */
void truth_flush(const struct bench_run *run) { (void)run; }
void truth_jump(const struct bench_run *run) { (void)run; }
void *truth_chain(struct bench_run *run, uint32_t n, uint8_t stride)
{
    (void)run, (void)n, (void)stride;
    return NULL;
}

/* n turns. */
void payload(long n)
{
    static payload_fn *const program[] = {straight, loop, taken, not_taken, calls, far, program_1};
    while (n-- > 0)
        for (unsigned i = 0; i < sizeof program / sizeof *program; i++) program[i](NULL);
}
