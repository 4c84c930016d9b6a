#include "host/faults.h"

void faults_say(struct faults *all, const char *what)
{
    if (++all->n > FAULTS_SHOWN) return;
    fprintf(stderr, "%s: %s\n", all->name, what);
    if (all->n == FAULTS_SHOWN) fprintf(stderr, "%s: further faults are only counted\n", all->name);
}

void faults_add(struct faults *all, const struct fault *f)
{
    char text[FAULT_TEXT_BYTES];
    faults_say(all, fault_text(f, text));
}
