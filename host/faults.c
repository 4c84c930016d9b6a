#include "host/faults.h"
#include "host/table.h"
#include <stdarg.h>

#define FAULTS_SHOWN 20

void faults_say(struct faults *f, const char *format, ...)
{
    char what[640];
    va_list args;
    if (++f->n > FAULTS_SHOWN) return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    table_clean(what); /* a record's strings may be in it */
    fprintf(stderr, "%s: %s\n", f->name, what);
    if (f->n == FAULTS_SHOWN) fprintf(stderr, "%s: further faults are only counted\n", f->name);
}

void faults_add(struct faults *f, const struct fault *found)
{
    faults_say(f, "line %lu: %s", found->line, found->what);
}
