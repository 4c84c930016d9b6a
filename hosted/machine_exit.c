#include "hosted/linux.h"
#include "kernel/exit.h"
#include <asm/ioctls.h>
#include <linux/reboot.h>

/* Linux panics when its init ends (tools/linux-here.sh): that one switches the machine off, when the serial
 * line has sent all. */
void machine_exit(enum exit_how how, int status)
{
    (void)how;
    if (sys_call(__NR_getpid) == 1) {
        sys_call(__NR_ioctl, 1L, (long)TCSBRK, 1L);
        sys_call(__NR_reboot, (long)LINUX_REBOOT_MAGIC1, (long)LINUX_REBOOT_MAGIC2,
                 (long)LINUX_REBOOT_CMD_POWER_OFF, NULL);
    }
    for (;;) sys_call(__NR_exit_group, (long)status);
}
