#include "host/faults.h"
#include "host/escape.h"

void faults_say(struct faults *all, const char *what)
{
    char shown[1024];
    if (++all->n > FAULTS_SHOWN) return;
    fprintf(stderr, "%s: %s\n", all->name, escape_text(shown, sizeof shown, what));
    if (all->n == FAULTS_SHOWN) fprintf(stderr, "%s: further faults are only counted\n", all->name);
}

void faults_add(struct faults *all, const struct fault *found)
{
    char text[FAULT_TEXT_BYTES];
    faults_say(all, fault_text(found, text));
}
