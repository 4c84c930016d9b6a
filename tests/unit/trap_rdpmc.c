#define _GNU_SOURCE /* REG_RIP */
#include "tests/unit/trap_rdpmc.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

uint64_t trap_rdpmc_now;
uint32_t trap_rdpmc_index[TRAP_RDPMC_LOG];
unsigned trap_rdpmc_count;

uint64_t trap_rdpmc_value(uint32_t index, uint64_t now) { return 0xfffffff0u - 5 * (index & 0xff) + now; }

static void caught(int number, siginfo_t *info, void *context)
{
    static const uint8_t rdpmc[] = {0x0f, 0x33}, serialize[] = {0x0f, 0x01, 0xe8};
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    const void *at = (const void *)reg[REG_RIP];
    (void)number;
    (void)info;
    if (memcmp(at, serialize, sizeof serialize) == 0) {
        reg[REG_RIP] += sizeof serialize;
        return;
    }
    if (memcmp(at, rdpmc, sizeof rdpmc) != 0) abort();
    uint64_t value = trap_rdpmc_value((uint32_t)reg[REG_RCX], trap_rdpmc_now++);
    trap_rdpmc_index[trap_rdpmc_count++ % TRAP_RDPMC_LOG] = (uint32_t)reg[REG_RCX];
    reg[REG_RAX] = (uint32_t)value;
    reg[REG_RDX] = reg[REG_RCX] >> 31 & 1 ? 0 : (greg_t)(value >> 32);
    reg[REG_RIP] += sizeof rdpmc;
}

void trap_rdpmc_reset(void)
{
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    trap_rdpmc_now = trap_rdpmc_count = 0;
}
