#include "bench/payload.h"
#include "measure/run.h"
#include <stdio.h>

void run_judge_end(struct run *run)
{
    const struct module_output *left = run->status == RUN_OK ? payload_output(&run->bench) : NULL;
    if (!left || left->ended == MODULE_RETURNED) return;
    run->status = RUN_EXITED;
    if (left->ended == MODULE_ABORTED)
        snprintf(run->bench.error, sizeof run->bench.error, "abort() was called");
    else
        snprintf(run->bench.error, sizeof run->bench.error, "exit(%d) was called", (int)left->status);
}
