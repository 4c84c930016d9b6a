/* What newlib wants from below. The kernel formats with snprintf() and hands lines to its consoles, so there
 * are no files; malloc() serves newlib's own floating-point conversion from a small arena inside .bss. */
#include <errno.h>
#include <reent.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define HEAP_BYTES 32768

void *sbrk(ptrdiff_t increment);
int write(int fd, const void *buf, size_t n);
int read(int fd, void *buf, size_t n);
int close(int fd);
int fstat(int fd, struct stat *st);
int isatty(int fd);
off_t lseek(int fd, off_t offset, int whence);
void _exit(int status);
int kill(int pid, int sig);
int getpid(void);

void *sbrk(ptrdiff_t increment)
{
    static _Alignas(16) uint8_t heap[HEAP_BYTES];
    static ptrdiff_t used;
    if (increment > (ptrdiff_t)sizeof heap - used || used + increment < 0) {
        errno = ENOMEM;
        return (void *)-1;
    }
    used += increment;
    return heap + used - increment;
}

static int no_files(void)
{
    errno = ENOSYS;
    return -1;
}

int write(int fd, const void *buf, size_t n) { return (void)fd, (void)buf, (void)n, no_files(); }
int read(int fd, void *buf, size_t n) { return (void)fd, (void)buf, (void)n, no_files(); }
int close(int fd) { return (void)fd, no_files(); }
int fstat(int fd, struct stat *st) { return (void)fd, (void)st, no_files(); }
int isatty(int fd) { return (void)fd, 0; }
off_t lseek(int fd, off_t offset, int whence) { return (void)fd, (void)offset, (void)whence, no_files(); }
int kill(int pid, int sig) { return (void)pid, (void)sig, no_files(); }
int getpid(void) { return 1; }

/* newlib's two-way search is quick on long texts and takes two kilobytes. */
char *strstr(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (; strncmp(text, word, len) != 0; text++)
        if (!*text) return NULL;
    return (char *)text;
}

/* newlib's own would bring all of stdio with it. It is called by its floating-point conversion, out of
 * memory. */
void __assert_func(const char *file, int line, const char *func, const char *expr);
void __assert_func(const char *file, int line, const char *func, const char *expr)
{
    (void)file, (void)line, (void)func, (void)expr;
    __asm__ volatile("int3"); /* a trap that says where: a panic, or the benchmark's end */
    for (;;) __asm__ volatile("cli; hlt");
}

void _exit(int status)
{
    (void)status;
    for (;;) __asm__ volatile("cli; hlt");
}
