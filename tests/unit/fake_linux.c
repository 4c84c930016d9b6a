/* The system calls of fake_linux.h. */
#include "tests/unit/fake_linux.h"
#include <errno.h>
#include <linux/mman.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 8, FIRST_FILE = 50, FIRST_EVENT = 100, PAGE = 4096 };

struct fake_event fake_events[FAKE_EVENTS];
unsigned fake_events_opened, fake_files_left;
int fake_open_error, fake_map_error;
bool fake_user_rdpmc;
uint32_t fake_index;
long fake_next_fd;
static struct {
    const char *path, *text;
    size_t at;
    bool open;
} file[FILES];
static unsigned files;

void fake_linux_reset(void)
{
    memset(fake_events, 0, sizeof fake_events);
    files = fake_files_left = fake_events_opened = 0;
    fake_open_error = fake_map_error = 0;
    fake_user_rdpmc = true;
    fake_index = 1;
    fake_next_fd = FIRST_EVENT;
}

void fake_file(const char *path, const char *text)
{
    if (files == FILES) abort();
    file[files].path = path;
    file[files].open = false;
    file[files++].text = text;
}

/* ---- files ---- */

static long open_file(const char *path, long how)
{
    for (unsigned i = 0; i < files; i++) {
        if (strcmp(file[i].path, path) != 0) continue;
        if (how || file[i].open) abort(); /* for reading, one at a time */
        file[i].open = true;
        file[i].at = 0;
        fake_files_left++;
        return FIRST_FILE + i;
    }
    return -ENOENT;
}

static long read_file(unsigned i, void *to, size_t most)
{
    if (!file[i].text) return -EIO;
    const size_t left = strlen(file[i].text) - file[i].at, n = left < most ? left : most;
    memcpy(to, file[i].text + file[i].at, n);
    file[i].at += n;
    return (long)n;
}

/* ---- events ---- */

static struct fake_event *event_of(long fd)
{
    for (unsigned i = 0; i < fake_events_opened; i++)
        if (fake_events[i].open && fake_events[i].fd == fd) return &fake_events[i];
    return NULL;
}

/* perf_copy_attr() takes no size below the first version's, and nothing that it does not know. */
static long open_event(const struct perf_event_attr *attr, const long a[6])
{
    if (attr->size < PERF_ATTR_SIZE_VER0 || attr->size > sizeof *attr) return -E2BIG;
    if (fake_open_error) return -fake_open_error;
    if (fake_events_opened == FAKE_EVENTS) abort();
    struct fake_event *e = &fake_events[fake_events_opened++];
    memcpy(&e->attr, attr, attr->size);
    e->pid = a[1];
    e->cpu = a[2];
    e->group = a[3];
    e->flags = a[4];
    e->open = true;
    e->page.index = fake_index;
    e->page.cap_user_rdpmc = fake_user_rdpmc;
    return e->fd = fake_next_fd++;
}

/* The first page alone, as it is shared, and for reading. */
static long map_event(const long a[6])
{
    struct fake_event *e = event_of(a[4]);
    if (a[0] || a[1] != PAGE || a[2] != PROT_READ || a[3] != MAP_SHARED || a[5] || !e || e->mapped) abort();
    if (fake_map_error) return -fake_map_error;
    e->mapped = true;
    return (long)&e->page;
}

static long unmap(const long a[6])
{
    for (unsigned i = 0; i < fake_events_opened; i++) {
        struct fake_event *e = &fake_events[i];
        if (a[0] != (long)&e->page || a[1] != PAGE || !e->mapped) continue;
        e->mapped = false;
        return 0;
    }
    abort();
}

/* With read_format 0, a reading is 8 bytes. */
static long read_event(const struct fake_event *e, void *to, size_t most)
{
    if (most < sizeof e->count) return -ENOSPC;
    memcpy(to, &e->count, sizeof e->count);
    return sizeof e->count;
}

/* ---- calls ---- */

static long close_it(long fd)
{
    struct fake_event *e = event_of(fd);
    const unsigned long i = (unsigned long)fd - FIRST_FILE;
    if (e) return e->open = false, 0;
    if (i >= files || !file[i].open) abort();
    file[i].open = false;
    fake_files_left--;
    return 0;
}

static long read_it(long fd, void *to, size_t most)
{
    const struct fake_event *e = event_of(fd);
    const unsigned long i = (unsigned long)fd - FIRST_FILE;
    if (e) return read_event(e, to, most);
    if (i >= files || !file[i].open) abort();
    return read_file((unsigned)i, to, most);
}

static unsigned arguments_of(long number)
{
    switch (number) {
    case __NR_close:
        return 1;
    case __NR_munmap:
        return 2;
    case __NR_open:
    case __NR_read:
    case __NR_getcpu:
        return 3;
    case __NR_perf_event_open:
        return 5;
    case __NR_mmap:
        return 6;
    default:
        abort();
    }
}

long sys_call(long number, ...)
{
    long a[6] = {0};
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < arguments_of(number); i++) a[i] = va_arg(list, long);
    va_end(list);
    switch (number) {
    case __NR_open:
        return open_file((const char *)a[0], a[1]);
    case __NR_read:
        return read_it(a[0], (void *)a[1], (size_t)a[2]);
    case __NR_close:
        return close_it(a[0]);
    case __NR_perf_event_open:
        return open_event((const struct perf_event_attr *)a[0], a);
    case __NR_mmap:
        return map_event(a);
    case __NR_munmap:
        return unmap(a);
    default: /* getcpu */
        *(unsigned *)a[0] = 3;
        return 0;
    }
}
