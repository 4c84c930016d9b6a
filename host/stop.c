#define _GNU_SOURCE
#include "host/stop.h"
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t caught;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
#define SIGNALS (sizeof signals / sizeof *signals)

static void note(int signal) { caught = signal; }

void stop_catch(void)
{
    const struct sigaction how = {.sa_handler = note}; /* without SA_RESTART */
    for (size_t i = 0; i < SIGNALS; i++) sigaction(signals[i], &how, NULL);
}

bool stop_asked(void) { return caught != 0; }
int stop_signal(void) { return caught == SIGPIPE ? SIGTERM : caught; }
void stop_forget(void) { caught = 0; }

int stop_wait(int fd, int ms)
{
    const struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};
    struct pollfd p = {.fd = fd, .events = POLLIN};
    sigset_t ours, before;
    sigemptyset(&ours);
    for (size_t i = 0; i < SIGNALS; i++) sigaddset(&ours, signals[i]);
    sigprocmask(SIG_BLOCK, &ours, &before); /* none slips in between the question and the wait */
    const int n = caught ? 0 : ppoll(&p, 1, ms < 0 ? NULL : &limit, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return n > 0;
}
