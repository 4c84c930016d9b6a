#include "host/source.h"
#include "host/command.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEND_MS 2000

/* ---- serial devices ---- */

#define RATE(n) \
    {           \
        n, B##n \
    }
static const struct rate {
    unsigned long baud;
    speed_t speed;
} rates[] = {RATE(50),      RATE(75),      RATE(110),     RATE(134),     RATE(150),     RATE(200),
             RATE(300),     RATE(600),     RATE(1200),    RATE(1800),    RATE(2400),    RATE(4800),
             RATE(9600),    RATE(19200),   RATE(38400),   RATE(57600),   RATE(115200),  RATE(230400),
             RATE(460800),  RATE(500000),  RATE(576000),  RATE(921600),  RATE(1000000), RATE(1152000),
             RATE(1500000), RATE(2000000), RATE(2500000), RATE(3000000), RATE(3500000), RATE(4000000)};
#define RATES (sizeof rates / sizeof *rates)

static const struct rate *find_rate(unsigned long baud)
{
    for (const struct rate *r = rates; r < rates + RATES; r++)
        if (r->baud == baud) return r;
    return NULL;
}

bool source_rate(const char *text, unsigned long *baud)
{
    char *end;
    *baud = strtoul(text, &end, 10);
    if (strcasecmp(end, "n8") == 0) end += 2; /* no parity, 8 bits, as Linux' console= has it */
    return *text >= '0' && *text <= '9' && !*end && find_rate(*baud);
}

const char *source_rates(void)
{
    static char text[16 * RATES];
    size_t n = 0;
    for (const struct rate *r = rates; r < rates + RATES && n < sizeof text; r++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lu", n ? ", " : "", r->baud);
    return text;
}

/* 8N1, every byte as it comes, no flow control, modem lines ignored: a null-modem cable may have three wires.
 */
static bool set_line(struct source *s, unsigned long baud)
{
    struct termios t, got;
    if (tcgetattr(s->fd, &s->found) != 0) return false;
    s->changed = true;
    t = s->found;
    cfmakeraw(&t);
    t.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS | HUPCL);
    t.c_cflag |= CLOCAL | CREAD;
    t.c_iflag |= IGNBRK;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    const speed_t speed = find_rate(baud)->speed;
    if (cfsetispeed(&t, speed) != 0 || cfsetospeed(&t, speed) != 0) return false;
    if (tcsetattr(s->fd, TCSANOW, &t) != 0 || tcgetattr(s->fd, &got) != 0) return false;
    errno = EINVAL; /* tcsetattr() is content when it could set anything at all */
    return cfgetospeed(&got) == speed;
}

static int open_serial(struct source *s, const struct source_wanted *w, char *why, char *note, size_t size)
{
    char path[PATH_MAX], lock[384];
    if (!realpath(w->name, path)) snprintf(path, sizeof path, "%s", w->name);
    switch (serial_lock(&s->lock, w->lock_dir, path, lock, sizeof lock)) {
    case SERIAL_LOCK_TAKEN:
        snprintf(why, size, "%s", lock);
        return STATUS_IMPOSSIBLE;
    case SERIAL_LOCK_CANNOT:
        snprintf(note, size, "without a lock file, which other programs would respect: %s", lock);
        break;
    case SERIAL_LOCK_HELD:
        break;
    }
    /* O_NONBLOCK: without a carrier, open() would wait for one. */
    s->fd = open(w->name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (s->fd < 0) {
        snprintf(why, size, "%s", strerror(errno));
        return STATUS_USAGE;
    }
    if (ioctl(s->fd, TIOCEXCL) != 0 || !set_line(s, w->baud)) {
        snprintf(why, size, "cannot be set to %lu baud: %s", w->baud, strerror(errno));
        return STATUS_IMPOSSIBLE;
    }
    return STATUS_GOOD;
}

/* ---- console servers ---- */

/* Splits HOST:PORT or [ADDRESS]:PORT. False: it is neither. */
static bool split_address(const char *name, char *host, size_t size, const char **port)
{
    const char *colon = strrchr(name, ':');
    if (!colon || colon == name || !colon[1] || strchr(name, '/')) return false;
    size_t n = (size_t)(colon - name);
    if (name[0] == '[' && name[n - 1] == ']') {
        name++;
        n -= 2;
    } else if (memchr(name, ':', n))
        return false;
    if (!n || n >= size) return false;
    memcpy(host, name, n);
    host[n] = '\0';
    *port = colon + 1;
    return true;
}

/* getaddrinfo() takes 65537 for 1. */
static bool port_known(const char *port)
{
    const size_t digits = strspn(port, "0123456789");
    const unsigned long number = strtoul(port, NULL, 10);
    return port[digits] ? getservbyname(port, "tcp") != NULL : digits && number >= 1 && number <= 65535;
}

static int open_tcp(struct source *s, const char *host, const char *port, char *why, size_t size)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const int on = 1;
    struct addrinfo *found;
    if (!port_known(port)) {
        snprintf(why, size, "there is no port %s; it is a number from 1 to 65535, or a service's name", port);
        return STATUS_USAGE;
    }
    const int no = getaddrinfo(host, port, &hints, &found);
    if (no != 0) {
        snprintf(why, size, "%s", gai_strerror(no));
        return STATUS_USAGE;
    }
    errno = 0;
    for (const struct addrinfo *a = found; a && s->fd < 0 && errno != EINTR; a = a->ai_next) {
        s->fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (s->fd < 0 || connect(s->fd, a->ai_addr, a->ai_addrlen) == 0) continue;
        const int error = errno;
        close(s->fd);
        s->fd = -1;
        errno = error;
    }
    freeaddrinfo(found);
    if (s->fd < 0) {
        snprintf(why, size, "%s", strerror(errno));
        return STATUS_USAGE;
    }
    setsockopt(s->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on); /* a server that is gone is noticed */
    fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) | O_NONBLOCK);
    return STATUS_GOOD;
}

/* ---- names that are none ---- */

/* What the user may have meant, to be freed; NULL: nobody knows. */
static char *meant(const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    if (strncasecmp(name, "com", 3) == 0 && name[3] >= '1' && name[3] <= '9' && !name[4])
        fprintf(to, "Linux' name of %s is /dev/ttyS%c", name, name[3] - 1);
    else if (*name && !strchr(name, '/')) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "/dev/%s", name);
        if (access(path, F_OK) == 0) fprintf(to, "is it %s?", path);
    }
    if (strchr(name, ','))
        fprintf(to, "a rate is --baud RATE, or tty:DEVICE,RATE with one of %s", source_rates());
    return fclose(to) == 0 && *text ? text : (free(text), NULL);
}

/* ---- public ---- */

int source_open(struct source *s, const struct source_wanted *w, char *why, char *note, size_t size)
{
    struct stat st;
    char host[256];
    const char *port;
    *s = (struct source){.name = w->name, .fd = -1};
    *why = *note = '\0';
    if (strcmp(w->name, "-") == 0) {
        s->name = "standard input";
        s->fd = dup(STDIN_FILENO);
    } else if (stat(w->name, &st) == 0) {
        if (S_ISCHR(st.st_mode)) {
            const int fd = open(w->name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
            const bool serial = fd >= 0 && isatty(fd);
            if (fd >= 0) close(fd);
            s->kind = serial ? SOURCE_SERIAL : SOURCE_FILE;
            if (serial) {
                const int status = open_serial(s, w, why, note, size);
                if (status != STATUS_GOOD) source_close(s);
                return status;
            }
        }
        if (S_ISDIR(st.st_mode)) {
            snprintf(why, size, "is a directory; a capture comes from a device, a file or HOST:PORT");
            return STATUS_USAGE;
        }
        s->fd = open(w->name, O_RDONLY | O_CLOEXEC);
    } else if (split_address(w->name, host, sizeof host, &port)) {
        s->kind = SOURCE_TCP;
        return open_tcp(s, host, port, why, size);
    } else {
        const int error = errno;
        char *instead = meant(w->name);
        snprintf(why, size, "%s; %s", strerror(error),
                 instead ? instead : "a capture comes from a device such as /dev/ttyS0, a file or HOST:PORT");
        free(instead);
        return STATUS_USAGE;
    }
    if (s->fd >= 0) return STATUS_GOOD;
    snprintf(why, size, "%s", strerror(errno));
    return STATUS_USAGE;
}

void source_close(struct source *s)
{
    if (s->fd >= 0 && s->changed) tcsetattr(s->fd, TCSANOW, &s->found);
    if (s->fd >= 0 && s->kind == SOURCE_SERIAL) ioctl(s->fd, TIOCNXCL);
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
    s->changed = false;
    serial_unlock(&s->lock);
}

bool source_send(const struct source *s, const char *line, size_t len)
{
    while (len) {
        struct pollfd p = {.fd = s->fd, .events = POLLOUT};
        const ssize_t n =
            s->kind == SOURCE_TCP ? send(s->fd, line, len, MSG_NOSIGNAL) : write(s->fd, line, len);
        if (n > 0) {
            line += n;
            len -= (size_t)n;
        } else if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        else if (poll(&p, 1, SEND_MS) <= 0)
            return false;
    }
    return true;
}
