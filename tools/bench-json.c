/* Reads the records on standard input by jansson, and does nothing else with them: what `anechoic check` is
 * compared with by tools/bench-host.sh. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    json_error_t error;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;)
        if (*line == '{') json_decref(json_loadb(line, (size_t)n, JSON_REJECT_DUPLICATES, &error));
    free(line);
    return 0;
}
