#include "host/keep.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
