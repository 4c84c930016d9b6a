#define _GNU_SOURCE /* pipe2() */
#include "host/scan.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ZBAR_NONE       4   /* zbarimg's status: no code in any of the images */
#define NOT_FOUND       127 /* ours, where a program is not installed */
#define FRAMES_A_CALL   32
#define FRAMES_A_SECOND "fps=4" /* of a video: a code is shown for one */
#define EVERY_LINE      "1"
#define EVERY_SECOND    "2"

/* Runs a program; its standard output goes to a pipe, or nowhere. -1: there is no process. */
static pid_t start(char *const *argv, int *out)
{
    int ends[2] = {-1, -1};
    if (out && pipe2(ends, O_CLOEXEC) != 0) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        const int in = open("/dev/null", O_RDWR);
        if (dup2(in, STDIN_FILENO) < 0 || dup2(out ? ends[1] : in, STDOUT_FILENO) < 0) _exit(NOT_FOUND - 1);
        execvp(argv[0], argv);
        _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
    }
    if (out) {
        close(ends[1]);
        if (pid < 0) close(ends[0]);
        *out = ends[0];
    }
    return pid;
}

/* Its exit status; another number where it was ended by a signal. */
static int finish(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs zbarimg on these files; their names end with NULL. density: EVERY_LINE or EVERY_SECOND, the lines and
 * columns in which it looks for a code's finder patterns. */
static enum scan_result scan_images(char **names, const char *density,
                                    void (*found)(void *, const char *, size_t), void *ctx)
{
    char x[32], y[32];
    snprintf(x, sizeof x, "-Sx-density=%s", density);
    snprintf(y, sizeof y, "-Sy-density=%s", density);
    char *const options[] = {"zbarimg", "--nodbus", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", x, y};
    char *argv[FRAMES_A_CALL + sizeof options / sizeof *options + 1];
    size_t n = 0, room = 0;
    char *line = NULL;
    int fd;
    for (; n < sizeof options / sizeof *options; n++) argv[n] = options[n];
    while ((argv[n++] = *names++) != NULL) continue;
    const pid_t pid = start(argv, &fd);
    if (pid < 0) return SCAN_FAILED;
    FILE *from = fdopen(fd, "r");
    for (ssize_t len; from && (len = getline(&line, &room, from)) > 0;)
        found(ctx, line, (size_t)(line[len - 1] == '\n' ? len - 1 : len));
    if (from)
        fclose(from);
    else
        close(fd);
    free(line);
    const int status = finish(pid);
    if (status == NOT_FOUND) return SCAN_NO_ZBAR;
    if (status == ZBAR_NONE) return SCAN_NONE;
    return status == 0 ? SCAN_READ : SCAN_UNREADABLE;
}

/* ---- videos ---- */

/* By how the file begins: ISO media other than still pictures, Matroska and WebM, AVI, MPEG. */
static bool is_video(const char *name)
{
    static const char *const stills[] = {"heic", "heix", "heim", "heis", "mif1", "msf1", "avif", "avis"};
    unsigned char b[12] = {0};
    FILE *f = fopen(name, "rb");
    const size_t n = f ? fread(b, 1, sizeof b, f) : 0;
    if (f) fclose(f);
    if (n < sizeof b) return false;
    for (size_t i = 0; i < sizeof stills / sizeof *stills; i++)
        if (memcmp(b + 8, stills[i], 4) == 0) return false;
    return memcmp(b + 4, "ftyp", 4) == 0 || memcmp(b, "\x1a\x45\xdf\xa3", 4) == 0 ||
           (memcmp(b, "RIFF", 4) == 0 && memcmp(b + 8, "AVI ", 4) == 0) || memcmp(b, "\0\0\1\xba", 4) == 0;
}

static int is_frame(const struct dirent *d) { return d->d_name[0] != '.'; }

/* Scans and removes what ffmpeg has made. */
static enum scan_result scan_frames(const char *dir, void (*found)(void *, const char *, size_t), void *ctx)
{
    struct dirent **entry;
    enum scan_result result = SCAN_READ;
    const int n = scandir(dir, &entry, is_frame, alphasort);
    if (n < 0) return SCAN_FAILED;
    for (int first = 0; first < n; first += FRAMES_A_CALL) {
        static char path[FRAMES_A_CALL][PATH_MAX + NAME_MAX];
        char *names[FRAMES_A_CALL + 1];
        int k = 0;
        for (; k < FRAMES_A_CALL && first + k < n; k++) {
            snprintf(path[k], sizeof path[k], "%s/%s", dir, entry[first + k]->d_name);
            names[k] = path[k];
        }
        names[k] = NULL;
        if (result == SCAN_READ || result == SCAN_NONE) result = scan_images(names, EVERY_LINE, found, ctx);
        while (k--) unlink(path[k]);
    }
    for (int i = 0; i < n; i++) free(entry[i]);
    free(entry);
    return n == 0 ? SCAN_UNREADABLE : result;
}

static enum scan_result scan_video(char *name, void (*found)(void *, const char *, size_t), void *ctx)
{
    const char *tmp = getenv("TMPDIR");
    char dir[PATH_MAX - 64], to[PATH_MAX];
    if ((size_t)snprintf(dir, sizeof dir, "%s/anechoic.XXXXXX", tmp && *tmp ? tmp : "/tmp") >= sizeof dir) {
        errno = ENAMETOOLONG;
        return SCAN_FAILED;
    }
    if (!mkdtemp(dir)) return SCAN_FAILED;
    snprintf(to, sizeof to, "%s/%%06d.jpg", dir);
    char *const argv[] = {"ffmpeg",        "-nostdin", "-v",       "error", "-i", name, "-vf",
                          FRAMES_A_SECOND, "-pix_fmt", "yuvj420p", "-q:v",  "2",  to,   NULL};
    const pid_t pid = start(argv, NULL);
    const int status = pid < 0 ? -1 : finish(pid);
    enum scan_result result = scan_frames(dir, found, ctx);
    rmdir(dir);
    if (status == NOT_FOUND) result = SCAN_NO_FFMPEG;
    return pid < 0 ? SCAN_FAILED : result;
}

/* ---- public ---- */

enum scan_result scan_file(const char *name, void (*found)(void *ctx, const char *text, size_t len),
                           void *ctx)
{
    char path[PATH_MAX]; /* no name may look like an option, or like "format:name" */
    if (!realpath(name, path)) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        return SCAN_UNREADABLE;
    }
    if (is_video(path)) return scan_video(path, found, ctx);
    char *names[] = {path, NULL};
    /* zbar 0.23.92 overlooks codes that are straight and large (11 of 30, three times as large as drawn), and
     * finds them where it looks at every second line. */
    const enum scan_result result = scan_images(names, EVERY_LINE, found, ctx);
    return result == SCAN_NONE ? scan_images(names, EVERY_SECOND, found, ctx) : result;
}
