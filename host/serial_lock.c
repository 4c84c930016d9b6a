#include "host/serial_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PID_FORMAT "%10ld\n"

/* The process that a lock file names; 0: it names none. */
static long owner(const char *path)
{
    char text[32] = "";
    FILE *in = fopen(path, "re");
    if (!in) return 0;
    const size_t n = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    text[n] = '\0';
    return strtol(text, NULL, 10);
}

static bool lives(long pid) { return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM); }

/* A file of our own with our process id, which is then linked to the lock's name: the lock never exists
 * without its contents. */
static bool write_own(char *own, size_t size, const char *dir)
{
    snprintf(own, size, "%s/LTMP.%ld", dir, (long)getpid());
    unlink(own);
    const int fd = open(own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    const bool good = dprintf(fd, PID_FORMAT, (long)getpid()) > 0;
    return close(fd) == 0 && good;
}

enum serial_lock_result serial_lock(struct serial_lock *l, const char *dir, const char *device, char *why,
                                    size_t why_size)
{
    char own[sizeof l->path], name[256];
    const char *below = strncmp(device, "/dev/", 5) == 0 ? device + 5 : device;
    snprintf(name, sizeof name, "%s", below);
    for (char *s = name; *s; s++)
        if (*s == '/') *s = '_'; /* pts/3 */
    snprintf(l->path, sizeof l->path, "%s/LCK..%s", dir, name);
    bool linked = write_own(own, sizeof own, dir);
    if (linked) linked = link(own, l->path) == 0;
    if (!linked && errno == EEXIST) {
        const long pid = owner(l->path);
        if (lives(pid)) {
            unlink(own);
            snprintf(why, why_size, "process %ld uses it, says %s", pid, l->path);
            l->path[0] = '\0';
            return SERIAL_LOCK_TAKEN;
        }
        unlink(l->path); /* its process is gone */
        linked = link(own, l->path) == 0;
    }
    const int error = errno;
    unlink(own);
    if (linked) return SERIAL_LOCK_HELD;
    snprintf(why, why_size, "%s: %s", l->path, strerror(error));
    l->path[0] = '\0';
    return SERIAL_LOCK_CANNOT;
}

void serial_unlock(struct serial_lock *l)
{
    if (l->path[0] && owner(l->path) == (long)getpid()) unlink(l->path);
    l->path[0] = '\0';
}
