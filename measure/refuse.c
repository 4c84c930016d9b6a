/* Why a run has no result. */
#include "measure/refuse.h"
#include <stdarg.h>
#include <stdio.h>

bool run_refuse(struct run *run, enum run_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(run->bench.error, sizeof run->bench.error, format, args);
    va_end(args);
    run->status = status;
    return false;
}

bool run_refuse_count(struct run *run, const char *of, uint64_t count, uint64_t mask)
{
    return run_refuse(
        run, RUN_IMPOSSIBLE,
        "%s counted %lld, which is no count: the code has changed it, or where readings are kept", of,
        (long long)(count - mask - 1));
}
