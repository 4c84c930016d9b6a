/* Where the files are that subcommands use besides themselves: in the source tree from which this program was
 * built, or beside the installed one, in PREFIX/share/anechoic. */
#pragma once
#include <limits.h>
#include <stdbool.h>

/* A file of the source tree ("tools/mkiso.sh"), also looked for in the current directory. False: it is in no
 * such place. */
bool tree_source(const char *file, char path[PATH_MAX]);
/* One that the build makes ("events.db"). */
bool tree_built(const char *file, char path[PATH_MAX]);
