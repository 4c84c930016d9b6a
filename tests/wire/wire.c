/* A serial line that fails, for the tests of `anechoic capture`: it drops, flips, doubles and delays bytes,
 * each on average once in so many, by a seed.
 *
 *   wire [OPTION...] FROM TO
 *
 *   FROM  a file; a Unix socket, such as QEMU's -serial unix:PATH,server=on; session:N[:BYTES], a session of
 *         N records, of which BYTES are kept (exit=wait)
 *
 *   TO    pty:LINK, a pseudo-terminal to which LINK leads; tcp:FILE, a TCP port whose number is in FILE
 *
 *   --drop N, --flip N, --double N, --delay N   one byte in N, from FROM to TO; 0 (the default): none
 *   --up N          one byte in N of the other direction is dropped
 *   --seed N        of the draw (default 1)
 *   --baud RATE     no more than RATE / 10 bytes a second
 *   --cut N         the cable is pulled after N bytes
 *   --records-only  faults only in lines that begin with {: text has no checksum
 *   --log FILE      the damaged lines, by number of the line: "LINE KIND"
 *
 * It ends when FROM ends and TO has read all, or when TO closes. A pseudo-terminal says neither: it stays for
 * a minute.
 */
#define _GNU_SOURCE
#include "kernel/console.h"
#include "report/kept.h"
#include "report/text.h"
#include "report/wait.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum kind { DROP, FLIP, DOUBLE, DELAY, UP, KINDS };
static const char *const kind_name[KINDS] = {"drop", "flip", "double", "delay", "up"};

static struct wire {
    unsigned long one_in[KINDS], seed, baud, cut;
    bool records_only;
    FILE *log;
    uint64_t random;
    unsigned long line;  /* that is sent: 1.. */
    bool begins, record; /* a line begins; it is a record */
    unsigned long sent;
    int from, asks, to, slave; /* asks: where the other direction's bytes go; FROM itself, or nowhere (-1) */
} wire = {.seed = 1, .line = 1, .begins = true};

static __attribute__((noreturn)) void die(const char *what)
{
    perror(what);
    exit(2);
}

/* Marsaglia's xorshift64. */
static bool happens(enum kind k)
{
    uint64_t x = wire.random;
    if (!wire.one_in[k]) return false;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    wire.random = x;
    return (x >> 11) % wire.one_in[k] == 0;
}

static void pause_ns(long ns)
{
    const struct timespec t = {ns / 1000000000, ns % 1000000000};
    nanosleep(&t, NULL);
}

/* ---- the ends ---- */

/* The kernel's own code makes the session, keeps its lines, and answers. */
static int kernel_line; /* where it sends */

void console_record(const char *line, size_t len)
{
    char out[RECORD_MAX_BYTES + 2];
    memcpy(out, line, len);
    memcpy(out + len, "\r\n", 2);
    for (size_t done = 0; done < len + 2;) {
        const ssize_t part = write(kernel_line, out + done, len + 2 - done);
        if (part <= 0) _exit(0);
        done += (size_t)part;
    }
}
bool console_has_keys(void) { return true; }
int console_key(void)
{
    struct pollfd p = {kernel_line, POLLIN, 0};
    unsigned char key;
    if (poll(&p, 1, 1) <= 0) return CONSOLE_NO_KEY;
    if (read(kernel_line, &key, 1) != 1) _exit(0);
    return key;
}
uint64_t hw_rdtsc(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
void text_begin(void) {}
void text_finish(text_put put) { (void)put; }
void text_render(const struct record *r, text_put put) { (void)r, (void)put; }

static void send_record(const char *line, size_t len)
{
    kept_add(session_records() - 1, line, len);
    console_record(line, len);
}

static void run_kernel(unsigned long records, unsigned long memory)
{
    static const struct session_sinks sinks = {send_record, NULL};
    const struct clock clock = {.tsc_hz = 1000000000};
    if (memory) kept_begin(calloc(memory, 1), memory, KEPT_LAST);
    session_begin(&sinks);
    record_emit(record_new("boot"));
    for (unsigned long i = 1; i + 1 + (memory != 0) < records; i++) {
        char text[64];
        report_note("wire", "%0*lu", (int)(i * 7 % 60 + 1), i);
        const int n = snprintf(text, sizeof text, "text after number %lu", i);
        if (i % 10 == 0) console_record(text, (size_t)n);
    }
    wait_announce();
    session_end(0);
    wait_for_requests(&clock);
}

/* N[:BYTES]: a session of N records; BYTES: the memory in which they are kept. */
static int fork_kernel(const char *how)
{
    char *rest;
    const unsigned long records = strtoul(how, &rest, 10),
                        memory = *rest == ':' ? strtoul(rest + 1, NULL, 10) : 0;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) die("socketpair");
    const pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        close(ends[0]);
        kernel_line = ends[1];
        run_kernel(records, memory);
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static int open_from(const char *from)
{
    struct stat st;
    if (strncmp(from, "session:", 8) == 0) return fork_kernel(from + 8);
    for (int i = 0; i < 200 && stat(from, &st) != 0; i++) pause_ns(50000000);
    if (stat(from, &st) != 0) die(from);
    if (!S_ISSOCK(st.st_mode)) return open(from, O_RDONLY);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", from);
    for (int i = 0; connect(fd, (struct sockaddr *)&a, sizeof a) != 0; i++) {
        if (i == 200) die(from);
        pause_ns(50000000);
    }
    return fd;
}

/* A socket is read at once into a pipe: QEMU's serial port has no line's speed, and takes a reader that stops
 * for a fifth of a second for a dead one. The pipe holds a MiB. */
static int read_ahead(int from)
{
    static char bytes[4096];
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0) die("pipe");
    const pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;)
            if (write(ends[1], bytes, (size_t)n) != n) break;
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static int open_pty(const char *link)
{
    struct termios t;
    int fd = -1, slave = -1;
    for (int i = 0; slave < 0; i++) { /* a name that another process just gave up takes a moment */
        fd = posix_openpt(O_RDWR | O_NOCTTY);
        if (fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0) slave = open(ptsname(fd), O_RDWR | O_NOCTTY);
        if (slave < 0 && i == 100) die("pty");
        if (slave < 0 && fd >= 0) close(fd);
        if (slave < 0) pause_ns(20000000);
    }
    tcgetattr(slave, &t);
    cfmakeraw(&t);
    tcsetattr(slave, TCSANOW, &t);
    unlink(link);
    if (symlink(ptsname(fd), link) != 0) die(link);
    wire.slave =
        slave; /* stays open: before the other program opens it, and after, the line does not hang up */
    return fd;
}

static int open_tcp(const char *file)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof a;
    const int l = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(l, (struct sockaddr *)&a, n) != 0 || listen(l, 1) != 0 ||
        getsockname(l, (struct sockaddr *)&a, &n) != 0)
        die("tcp");
    char part[512];
    snprintf(part, sizeof part, "%s.part", file);
    FILE *out = fopen(part, "w");
    if (!out) die(file);
    fprintf(out, "%d\n", ntohs(a.sin_port));
    fclose(out);
    rename(part, file);
    const int fd = accept(l, NULL, NULL);
    if (fd < 0) die("accept");
    close(l);
    return fd;
}

/* ---- bytes ---- */

static bool put(const char *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t part = write(wire.to, bytes + done, n - done);
        if (part > 0)
            done += (size_t)part;
        else if (errno != EINTR && errno != EAGAIN)
            return false;
    }
    return true;
}

static void logged(enum kind k)
{
    if (wire.log) fprintf(wire.log, "%lu %s\n", wire.line, kind_name[k]);
}

/* One byte, as the line brings it: out gets 0 to 2 bytes. */
static size_t through(char c, char *out)
{
    size_t n = 1;
    if (wire.begins) wire.record = c == '{';
    wire.begins = c == '\n';
    out[0] = c;
    if (wire.record || !wire.records_only) {
        if (happens(DELAY)) pause_ns(20000000);
        if (happens(DROP)) {
            logged(DROP);
            n = 0;
        } else if (happens(FLIP)) {
            logged(FLIP);
            out[0] = (char)(c ^ 1 << (wire.random >> 40 & 7));
        } else if (happens(DOUBLE)) {
            logged(DOUBLE);
            out[1] = c;
            n = 2;
        }
    }
    wire.line += wire.begins;
    return n;
}

/* False: one of the ends has gone, or the cable. */
static bool down(void)
{
    static char in[4096], out[2 * sizeof in];
    size_t most = wire.baud ? wire.baud / 500 + 1 : sizeof in, n = 0;
    if (most > sizeof in) most = sizeof in;
    if (wire.cut && wire.cut - wire.sent < most) most = wire.cut - wire.sent;
    const ssize_t got = read(wire.from, in, most);
    if (got <= 0) return false;
    for (ssize_t i = 0; i < got; i++) n += through(in[i], out + n);
    wire.sent += (unsigned long)got;
    if (wire.baud) pause_ns((long)(1e10 * (double)got / (double)wire.baud));
    return put(out, n) && !(wire.cut && wire.sent >= wire.cut);
}

static bool up(void)
{
    char in[256];
    const ssize_t got = read(wire.to, in, sizeof in);
    if (got <= 0) return false;
    for (ssize_t i = 0; wire.asks >= 0 && i < got; i++)
        if (!happens(UP) && write(wire.asks, in + i, 1) != 1) return false;
    return true;
}

static void run(void)
{
    for (;;) {
        struct pollfd p[2] = {{wire.from, POLLIN, 0}, {wire.to, POLLIN, 0}};
        if (poll(p, 2, -1) < 0) return;
        if (p[1].revents && !up()) return;
        if (p[0].revents && !down()) return;
    }
}

int main(int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *name = argv[i] + 2;
        if (strcmp(name, "records-only") == 0) {
            wire.records_only = true;
            continue;
        }
        const char *value = argv[++i];
        const unsigned long v = strtoul(value, NULL, 10);
        for (unsigned k = 0; k < KINDS; k++)
            if (strcmp(name, kind_name[k]) == 0) wire.one_in[k] = v;
        if (strcmp(name, "seed") == 0) wire.seed = v;
        if (strcmp(name, "baud") == 0) wire.baud = v;
        if (strcmp(name, "cut") == 0) wire.cut = v;
        if (strcmp(name, "log") == 0 && !(wire.log = fopen(value, "w"))) die(value);
    }
    if (argc - i != 2) {
        fprintf(stderr, "usage: wire [OPTION...] FROM TO (the comment at its top has them)\n");
        return 2;
    }
    struct stat st;
    wire.random = 0x9e3779b97f4a7c15u * (wire.seed + 1);
    wire.from = open_from(argv[i]);
    const bool pty = strncmp(argv[i + 1], "pty:", 4) == 0;
    wire.to = pty ? open_pty(argv[i + 1] + 4) : open_tcp(argv[i + 1] + 4);
    wire.asks = fstat(wire.from, &st) == 0 && S_ISSOCK(st.st_mode) ? wire.from : -1;
    if (wire.asks >= 0 && wire.baud) wire.from = read_ahead(wire.from);
    run();
    /* What was written and not read yet would be lost by closing a pseudo-terminal, and nothing says when it
     * has been read: whoever started this ends it. */
    if (pty) pause_ns(wire.cut ? 2000000000 : 60000000000);
    if (!pty) { /* a socket is closed when the reader has all */
        shutdown(wire.to, SHUT_WR);
        char rest[64];
        while (read(wire.to, rest, sizeof rest) > 0) continue;
    }
    if (wire.log) fclose(wire.log);
    return 0;
}
