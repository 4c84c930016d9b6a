/* What Linux and the hypervisor take from the first processor: proc(5), /proc/PID/status, schedstat and stat.
 */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/permits.h"
#include <linux/fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEAL        7    /* the field of a CPU's line, from 0 */
#define TICK_MS      10.0 /* a tick in /proc/stat: USER_HZ is 100 on x86 */
#define WINDOW       4096
#define LINE_AT_MOST 512 /* longest line of a CPU in /proc/stat */

/* Reads the n-th number, from 0, after `key` in a file of any length. Returns false if absent. */
static bool number(const char *path, const char *key, unsigned n, uint64_t *value)
{
    static char text[WINDOW + 1];
    bool found = false;
    const long fd = sys_call(__NR_open, path, (long)O_RDONLY, 0L);
    if (sys_failed(fd)) return false;
    for (long from = 0, got = 1; got > 0 && !found; from += WINDOW - LINE_AT_MOST) {
        got = sys_call(__NR_pread64, fd, text, (long)WINDOW, from);
        text[got > 0 ? got : 0] = '\0';
        char *at = strstr(text, key);
        if (!at || (at - text > WINDOW - LINE_AT_MOST && got == WINDOW)) continue;
        at += strlen(key);
        for (unsigned i = 0; i <= n; i++) {
            char *end;
            *value = strtoull(at, &end, 10);
            found = end != at;
            at = end;
        }
    }
    sys_call(__NR_close, fd);
    return found;
}

/* All since the process began. */
static struct total {
    uint64_t preemptions, waited_ns, steal_ticks;
} before;

static bool look(struct total *t)
{
    char line[16];
    unsigned cpu = 0;
    sys_call(__NR_getcpu, &cpu, 0L, 0L);
    snprintf(line, sizeof line, "cpu%u ", cpu);
    if (!number("/proc/thread-self/status", "\nnonvoluntary_ctxt_switches:", 0, &t->preemptions))
        return false;
    /* Kernels may lack these two. */
    if (!number("/proc/thread-self/schedstat", "", 1, &t->waited_ns)) t->waited_ns = before.waited_ns;
    if (!number("/proc/stat", line, STEAL, &t->steal_ticks)) t->steal_ticks = before.steal_ticks;
    return true;
}

bool machine_lost(struct machine_lost *lost)
{
    struct total now;
    if (!look(&now)) return false;
    *lost = (struct machine_lost){.preemptions = (uint32_t)(now.preemptions - before.preemptions),
                                  .waited_ms = (double)(now.waited_ns - before.waited_ns) / 1e6,
                                  .steal_ms = (double)(now.steal_ticks - before.steal_ticks) * TICK_MS};
    before = now;
    return true;
}
