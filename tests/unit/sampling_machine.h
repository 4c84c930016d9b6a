/* A machine for tests of sampling: a CPU of the PMU model, its local APIC, and what else the kernel has for
 * the code under test. A test brings user_call(), which runs the payload, and delivers interrupts by hand. */
#pragma once
#include "kernel/apic.h"
#include "kernel/trap.h"
#include "pmu/pmu.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/sim_hw.h"

#define LVT_PC    0x340
#define LVT_LINT1 0x360
#define EOI       0x0b0

extern struct sampling_machine {
    struct sim *sim;
    struct cpu_id id;
    struct pmu pmu;
    struct apic apic;
    bool masks;   /* delivery masks the LVT entry: NetBurst, where a test says so Pentium M */
    bool socket;  /* PM0 is wired to NMI */
    bool deaf;    /* PMIs are lost on their way, as a hypervisor may have it */
    bool pending; /* an interrupt waits for the end of the instruction */
    unsigned fixed, nmis, eois;
    unsigned outs; /* to ports */
    uint8_t ports[0x100];
    uint8_t (*in)(uint16_t port); /* a test's devices; NULL: ports[] is all there is */
    void (*out)(uint16_t port, uint8_t value);
} m;

/* A new machine, whose LVT entry is masked. errata: as for sim_new(). */
void plug(const char *model, const char *errata);

/* A register of the local APIC. */
uint32_t *apic_at(unsigned reg);

/* What vectors.S and trap.c do with an interrupt of CPL 3 at ip: register i holds 100 * i + k, the stack
 * pointer 0x7000 + k. */
void interrupt(uint32_t vector, uintptr_t ip, unsigned k);

/* The same with the one that is pending. */
void deliver(uintptr_t ip, unsigned k);
