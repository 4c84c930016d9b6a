/* A payload's system calls end it, and are not made. By Syscall User Dispatch (Linux 5.11), which asks a byte
 * of the thread, whatever instruction makes the call and by whatever table (INT 80h and x32, too). */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include <linux/prctl.h>

_Static_assert(GATE_AT < 0 && -GATE_AT < (int)PERCPU_AT, "hosted/gate.h");

bool hosted_calls_end;

void hosted_watch_calls(struct percpu *cpu)
{
    uint8_t *gate = (uint8_t *)cpu + GATE_AT;
    const long answer = sys_call(__NR_prctl, (long)PR_SET_SYSCALL_USER_DISPATCH, (long)PR_SYS_DISPATCH_ON,
                                 sys_sigreturn, sys_free_end - sys_sigreturn, gate);
    hosted_calls_end = !sys_failed(answer);
}
