#include "host/keep.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BOOTS_A_DAY 100000 /* in one directory: no machine boots more often */

bool keep_open(struct keep *k, const char *name)
{
    struct stat st;
    *k = (struct keep){.name = name, .fd = -1};
    if (!name) return true;
    k->fd = strcmp(name, "-") == 0 ? dup(STDOUT_FILENO)
                                   : open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (k->fd < 0 && (errno == EACCES || errno == ENXIO || errno == EINVAL)) /* write-only, or a pipe */
        k->fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (k->fd < 0) {
        k->error = errno;
        return false;
    }
    k->regular = strcmp(name, "-") != 0 && fstat(k->fd, &st) == 0 && S_ISREG(st.st_mode);
    return true;
}

int keep_stem(const char *name)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name, *dot = strrchr(file, '.');
    return dot && dot != file ? (int)(dot - name) : (int)strlen(name);
}

bool keep_open_boot(struct keep *k, const char *pattern, char *name, size_t size)
{
    const int stem = keep_stem(pattern);
    const time_t now = time(NULL);
    struct tm today;
    char date[16];
    *k = (struct keep){.name = pattern, .fd = -1};
    if (!localtime_r(&now, &today) || !strftime(date, sizeof date, "%Y-%m-%d", &today)) {
        k->error = EOVERFLOW;
        return false;
    }
    for (unsigned long i = 1; i <= BOOTS_A_DAY; i++) {
        const int n = snprintf(name, size, "%.*s-%s-%lu%s", stem, pattern, date, i, pattern + stem);
        errno = ENAMETOOLONG;
        if (n < (int)size) k->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (k->fd >= 0 || errno != EEXIST) break;
    }
    k->error = k->fd < 0 ? errno : 0;
    k->regular = k->fd >= 0;
    k->name = name;
    return k->fd >= 0;
}

bool keep_write(struct keep *k, const char *bytes, size_t n)
{
    if (k->fd < 0 || k->error) return true;
    while (n) {
        const ssize_t done = write(k->fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            k->error = done < 0 ? errno : ENOSPC;
            return false;
        }
        bytes += done;
        n -= (size_t)done;
        k->written += done;
    }
    return true;
}

bool keep_close(struct keep *k)
{
    const int error = k->error;
    if (k->fd >= 0 && close(k->fd) != 0 && !error) k->error = errno;
    k->fd = -1;
    return k->error == error;
}
