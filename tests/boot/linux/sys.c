#include "tests/boot/linux/sys.h"
#include <asm/unistd_32.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* <asm/fcntl.h>, <asm/mman.h> and <asm/ioctls.h> collide with newlib's headers. */
#define O_RDONLY    0
#define O_WRONLY    1
#define PROT_RW     3
#define MAP_SHARED  1
#define MAP_ANON    0x20
#define TCSBRK      0x5409
#define LOG_READ    3 /* SYSLOG_ACTION_READ_ALL */
#define SCHED_OTHER 0
#define SCHED_FIFO  1
#define CONSOLE     1

/* ---- private ---- */

static long open_file(const char *path, int flags)
{
    return sys_call(__NR_open, (long)path, flags, 0, 0, 0, 0);
}

/* ---- public ---- */

long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    /* The sixth argument goes into EBP, which the compiler may be using, as it may ESP to find f. */
    __asm__ volatile("pushl %[f]\n\t"
                     "push %%ebp\n\t"
                     "mov 4(%%esp), %%ebp\n\t"
                     "int $0x80\n\t"
                     "pop %%ebp\n\t"
                     "add $4, %%esp"
                     : "=a"(result)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [f] "m"(f)
                     : "memory", "cc");
    return result;
}

void say(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n >= (int)sizeof line) n = sizeof line - 1;
    sys_call(__NR_write, CONSOLE, (long)line, n, 0, 0, 0);
}

int perf_open(struct perf_event_attr *attr, int leader)
{
    attr->size = sizeof *attr;
    return (int)sys_call(__NR_perf_event_open, (long)attr, 0, -1, leader, 0, 0);
}

int perf_open_on(struct perf_event_attr *attr, unsigned cpu)
{
    attr->size = sizeof *attr;
    return (int)sys_call(__NR_perf_event_open, (long)attr, -1, (long)cpu, -1, 0, 0);
}

int file_ioctl(int fd, unsigned long request, unsigned long argument)
{
    return (int)sys_call(__NR_ioctl, fd, (long)request, (long)argument, 0, 0, 0);
}

long file_read(int fd, void *to, size_t n) { return sys_call(__NR_read, fd, (long)to, (long)n, 0, 0, 0); }

void file_close(int fd)
{
    if (fd >= 0) sys_call(__NR_close, fd, 0, 0, 0, 0, 0);
}

static void *map(int flags, int fd, size_t n)
{
    long at = sys_call(__NR_mmap2, 0, (long)n, PROT_RW, flags, fd, 0);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

void *file_map(int fd, size_t n) { return map(MAP_SHARED, fd, n); }
void *shared_memory(size_t n) { return map(MAP_SHARED | MAP_ANON, -1, n); }

void file_unmap(void *at, size_t n)
{
    if (at) sys_call(__NR_munmap, (long)at, (long)n, 0, 0, 0, 0);
}

int file_text(const char *path, char *to, size_t n)
{
    long fd = open_file(path, O_RDONLY), got;
    size_t len = 0;
    if (fd < 0) return 0;
    while (len < n - 1 && (got = file_read((int)fd, to + len, n - 1 - len)) > 0) len += (size_t)got;
    to[len] = 0;
    file_close((int)fd);
    return len > 0;
}

int file_write(const char *path, const char *text)
{
    long fd = open_file(path, O_WRONLY);
    if (fd < 0) return 0;
    long done = sys_call(__NR_write, fd, (long)text, (long)strlen(text), 0, 0, 0);
    file_close((int)fd);
    return done == (long)strlen(text);
}

unsigned processors(void)
{
    uint32_t mask = 0;
    if (sys_call(__NR_sched_getaffinity, 0, sizeof mask, (long)&mask, 0, 0, 0) < 0) return 1;
    unsigned n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}

int move_to(unsigned cpu)
{
    const uint32_t mask = 1u << cpu;
    return sys_call(__NR_sched_setaffinity, 0, sizeof mask, (long)&mask, 0, 0, 0) == 0;
}

int come_first(int first)
{
    const int priority = first != 0;
    return sys_call(__NR_sched_setscheduler, 0, first ? SCHED_FIFO : SCHED_OTHER, (long)&priority, 0, 0, 0) ==
           0;
}

long fork_process(void) { return sys_call(__NR_fork, 0, 0, 0, 0, 0, 0); }

void exit_process(int status)
{
    for (;;) sys_call(__NR_exit, status, 0, 0, 0, 0, 0);
}

void wait_process(long process) { sys_call(__NR_waitpid, process, 0, 0, 0, 0, 0); }

void mount_proc(void)
{
    sys_call(__NR_mkdir, (long)"/proc", 0755, 0, 0, 0, 0);
    sys_call(__NR_mount, (long)"proc", (long)"/proc", (long)"proc", 0, 0, 0);
}

void mount_sys(void)
{
    sys_call(__NR_mkdir, (long)"/sys", 0755, 0, 0, 0, 0);
    sys_call(__NR_mount, (long)"sysfs", (long)"/sys", (long)"sysfs", 0, 0, 0);
}

void kernel_log(char *to, size_t n)
{
    long got = sys_call(__NR_syslog, LOG_READ, (long)to, (long)(n - 1), 0, 0, 0);
    to[got > 0 ? got : 0] = 0;
}

void null_call(void) { sys_call(__NR_getppid, 0, 0, 0, 0, 0, 0); }

void power_off(void)
{
    file_ioctl(CONSOLE, TCSBRK, 1); /* tcdrain() */
    sys_call(__NR_iopl, 3, 0, 0, 0, 0, 0);
    for (const char *s = "Shutdown"; *s; s++)
        __asm__ volatile("outb %0, %1" : : "a"(*s), "d"((uint16_t)0x8900));
    for (;;) null_call();
}
