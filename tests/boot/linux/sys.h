/* Linux from below: the system calls that the guest program makes, without a C library of Linux's, and text
 * to the console. newlib formats (kernel/libc.c is under it, as under the kernels). */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

/* The raw i386 system call: the result, or a negative errno. Numbers: <asm/unistd_32.h>. */
long sys_call(long number, long a, long b, long c, long d, long e, long f);

/* printf() to the console; at most 511 characters. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An event that counts this thread on any CPU; disabled if attr says so. leader: the group's first event, or
 * -1. Returns the file, or a negative errno. */
int perf_open(struct perf_event_attr *attr, int leader);
/* The same of whatever runs on this CPU. */
int perf_open_on(struct perf_event_attr *attr, unsigned cpu);
int file_ioctl(int fd, unsigned long request, unsigned long argument);
long file_read(int fd, void *to, size_t n);
void file_close(int fd);
/* n bytes of the file, shared; NULL where that cannot be had. */
void *file_map(int fd, size_t n);
void file_unmap(void *at, size_t n);
/* n bytes of zeros that this process and those that it forks share; NULL: there are none. */
void *shared_memory(size_t n);

/* A file of /proc as text, at most n - 1 characters and a zero. False: it cannot be read. */
int file_text(const char *path, char *to, size_t n);
int file_write(const char *path, const char *text);

/* How many CPUs Linux runs this process on, at most 32. */
unsigned processors(void);
/* Go to this CPU and stay there. False: Linux does not let it. */
int move_to(unsigned cpu);
/* Ahead of the kernel's own threads from now on, as a real-time process; or not any more. False: Linux does
 * not let it. */
int come_first(int first);
/* A copy of this process: 0 is returned in it, its number in the other one; or a negative errno. */
long fork_process(void);
void exit_process(int status) __attribute__((noreturn));
void wait_process(long process);

void mount_proc(void); /* on /proc */
void mount_sys(void);  /* on /sys */
/* The kernel's own messages so far, the last n - 1 characters of them. */
void kernel_log(char *to, size_t n);
void null_call(void); /* getppid(), which does next to nothing */
/* Wait for the console's last character, then switch the machine off (Bochs's port 8900h). */
void power_off(void) __attribute__((noreturn));
