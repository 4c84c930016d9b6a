/* The beginning of a Linux process: what the loader would have left, from its arguments. */
#include <asm/stat.h>
/* First: newlib has a macro of a field's name. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/utsname.h>
#include <stdio.h>
#include <string.h>

#define NAME "here" /* a loader puts the kernel's name first */

static struct bootinfo info;

__attribute__((noreturn)) void hosted_die(const char *why, const char *of)
{
    char line[256];
    const int n = snprintf(line, sizeof line, "here: %s%s%s\n", of ? of : "", of ? ": " : "", why);
    sys_call(__NR_write, 2L, line, (long)n);
    for (;;) sys_call(__NR_exit_group, 3L);
}

void bootinfo_parse(uint32_t magic, uint32_t at, struct bootinfo *out) { (void)magic, (void)at, *out = info; }

/* The files that were mapped, and the pool: what a process has of physical memory. */
const void *phys_peek(uint64_t addr, size_t len)
{
    const uint64_t pool = (uintptr_t)hosted_pool;
    if (pool && addr >= pool && addr + len <= pool + hosted_pool_bytes) return (const void *)(uintptr_t)addr;
    for (unsigned i = 0; i < info.n_modules; i++)
        if (addr >= info.module[i].start && addr + len <= info.module[i].end)
            return (const void *)(uintptr_t)addr;
    return NULL;
}

bool boot_read(void *dst, uint64_t addr, size_t len) { return (void)dst, (void)addr, (void)len, false; }

/* Writable, as a loader's memory is: the kernel relocates modules where they are. */
static void add_module(const char *path)
{
    struct stat stat;
    const long fd = sys_call(__NR_open, path, (long)O_RDONLY, 0L);
    if (sys_failed(fd) || sys_failed(sys_call(__NR_fstat, fd, &stat)))
        hosted_die("this file cannot be read", path);
    if (info.n_modules == BOOT_MODULES) hosted_die("no more files can be taken", path);
    const long at = sys_call(__NR_mmap, 0L, stat.st_size, (long)(PROT_READ | PROT_WRITE),
                             (long)(MAP_PRIVATE | MAP_32BIT), fd, 0L);
    if (sys_failed(at)) hosted_die("this file is empty, or cannot be mapped", path);
    struct boot_module *m = &info.module[info.n_modules++];
    const char *slash = strrchr(path, '/');
    m->start = (uint64_t)at;
    m->end = (uint64_t)at + (uint64_t)stat.st_size;
    snprintf(m->name, sizeof m->name, "%s", slash ? slash + 1 : path);
    sys_call(__NR_close, fd);
}

static void add_word(const char *word)
{
    const size_t n = strlen(info.cmdline), len = strlen(word);
    if (n + len + 2 > sizeof info.cmdline) {
        info.cmdline_too_long = true;
        return;
    }
    snprintf(info.cmdline + n, sizeof info.cmdline - n, "%s%s", n ? " " : "", word);
}

void kernel_main(uint32_t magic, uint32_t info);
void hosted_main(char **sp);
void hosted_main(char **sp)
{
    static struct new_utsname name;
    unsigned cpu = 0;
    hosted_begin();
    sys_call(__NR_uname, &name);
    snprintf(info.loader, sizeof info.loader, "Linux %s", name.release);
    info.protocol = 2;
    info.map_source = MAP_MMAP;
    info.cmdline_raw = info.cmdline;
    add_word(NAME);
    for (char **arg = sp + 2; *arg; arg++) {
        if (strcmp(*arg, "--module") == 0 && arg[1])
            add_module(*++arg);
        else if (strcmp(*arg, "--prompt") == 0 && arg[1])
            hosted_prompt(*++arg);
        else if (strcmp(*arg, "--init") ==
                 0) /* what stands before it are Linux' own words, which it hands on */
            strcpy(info.cmdline, NAME);
        else
            add_word(*arg);
    }
    sys_call(__NR_getcpu, &cpu, 0L, 0L);
    sys_call(__NR_sched_getaffinity, 0L, sizeof hosted_usable, hosted_usable);
    if (!hosted_pin(cpu)) hosted_die("Linux does not let this process choose its CPU", NULL);
    kernel_main(0, 0);
}
