#include "host/report_tool.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* All that comes until its end; NULL: no memory. */
static char *all_of(int from)
{
    char *text = NULL, bytes[1 << 16];
    size_t len;
    FILE *to = open_memstream(&text, &len);
    ssize_t n;
    if (!to) return NULL;
    while ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) fwrite(bytes, 1, (size_t)n, to);
    if (fclose(to) == 0 && n == 0) return text;
    free(text);
    return NULL;
}

char *tool_run(char *const argv[], FILE *in)
{
    posix_spawn_file_actions_t files;
    int ends[2], status = 0;
    char *text = NULL;
    pid_t child;
    if (in && (fflush(in) || ferror(in) || lseek(fileno(in), 0, SEEK_SET))) return NULL;
    if (pipe(ends)) return NULL;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    if (in)
        posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&files, ends[1]);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(&child, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (!failed) {
        text = all_of(ends[0]);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    errno = failed;
    if (!failed && WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
    free(text);
    return NULL;
}
