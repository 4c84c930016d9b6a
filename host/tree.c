#include "host/tree.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The program is in BUILD/host, where BUILD mostly is build/ in the source tree, or in PREFIX/bin. */
static const char *const sources[] = {"/../../", "/../share/anechoic/", NULL},
                         *const built[] = {"/../", "/../share/anechoic/build/", NULL};

static bool find(const char *const *places, const char *file, char path[PATH_MAX])
{
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) return false;
    program[n] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    for (; *places; places++) {
        const int len = snprintf(path, PATH_MAX, "%s%s%s", program, *places, file);
        if (len < PATH_MAX && access(path, R_OK) == 0) return true;
    }
    return false;
}

bool tree_source(const char *file, char path[PATH_MAX])
{
    if (find(sources, file, path)) return true;
    snprintf(path, PATH_MAX, "./%s", file);
    return access(path, R_OK) == 0;
}

bool tree_built(const char *file, char path[PATH_MAX]) { return find(built, file, path); }
