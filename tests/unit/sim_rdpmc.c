#define _GNU_SOURCE /* REG_RIP */
#include "tests/unit/sim_rdpmc.h"
#include "kernel/hw.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

unsigned sim_rdpmc_reads;

static void caught(int number, siginfo_t *info, void *context)
{
    static const uint8_t rdpmc[] = {0x0f, 0x33}, rdmsr[] = {0x0f, 0x32};
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    const void *at = (const void *)reg[REG_RIP];
    const uint32_t select = (uint32_t)reg[REG_RCX];
    uint64_t value;
    (void)number, (void)info;
    const bool good = memcmp(at, rdpmc, 2) == 0   ? rdpmc_safe(select, &value)
                      : memcmp(at, rdmsr, 2) == 0 ? rdmsr_safe(select, &value)
                                                  : false;
    if (!good) abort();
    sim_rdpmc_reads++;
    reg[REG_RAX] = (uint32_t)value;
    reg[REG_RDX] = (greg_t)(value >> 32);
    reg[REG_RIP] += 2;
}

void sim_rdpmc_catch(void)
{
    const struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sim_rdpmc_reads = 0;
}
