/* The machine, as bring-up found it. boot/bring_up.c fills it in; after that it is only read. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/apic.h"
#include "kernel/board.h"
#include "kernel/bootinfo.h"
#include "kernel/cache.h"
#include "kernel/clock.h"
#include "kernel/controls.h"
#include "kernel/cpuid.h"
#include "kernel/health.h"
#include "kernel/madt.h"
#include "kernel/memory.h"
#include "kernel/model.h"
#include "kernel/mtrr.h"
#include "kernel/platform.h"
#include "kernel/rtc.h"
#include "kernel/smbios.h"
#include "kernel/stacks.h"
#include "kernel/topology.h"

/* How a processor rests that is not in use (kernel/processors.h). */
enum rest { REST_HLT, REST_MWAIT, REST_SPIN };

struct machine;
struct pmu; /* pmu/pmu.h. kernel/ keeps the pointer for the measuring code and never follows it. */

/* One processor. */
struct cpu {
    const struct machine *machine; /* the machine that it belongs to */
    unsigned index;                /* in machine.cpu[]; 0 = the one that booted */
    struct cpu_id id;
    struct cache_info caches;
    struct apic apic;
    struct topology_ids ids;          /* what it says of its place */
    struct pmu *pmu;                  /* its counters, programmed by the measuring code */
    struct control control[CONTROLS]; /* turbo, prefetchers */
    struct control lfence;            /* AMD's DE_CFG[1], which makes LFENCE serialise */
    bool timer;                       /* the local APIC's timer interrupts on request (kernel/timer.h) */
    bool smi_counter;                 /* MSR 34h counts SMIs here (kernel/smi.h) */
    bool core_clock;                  /* APERF advances (kernel/core_clock.h) */
    enum known microcode_known;
    uint32_t microcode;            /* with KNOWN */
    double core_per_tsc;           /* core cycles in a tick when bring-up looked; 0 = unknown */
    const char *core_clock_source; /* "aperf/tsc", "counters"; "unknown" with 0 */
    unsigned mtrrs_differed;       /* of another one than that which booted: registers with other values */
    bool pat_differed;
    unsigned clock_modulation;       /* sixteenths of the time in which its clock runs; 0: all */
    unsigned wakes_missed;           /* calls that its MWAIT missed: it now rests in HLT */
    struct cpu_stack stack;          /* that measured code has here */
    const volatile uint32_t *strays; /* number of unexpected interrupts so far (kernel/percpu.h) */
    bool (*cancelled)(void);         /* called between repetitions on this CPU; NULL = never */
};

/* A module that is not used. */
struct module_fault {
    char name[64]; /* as the loader gave it, without its path */
    char why[160]; /* in words that follow "not used, since" */
};

struct machine {
    struct bootinfo boot;
    struct module_fault module_fault[BOOT_MODULES + 1];
    unsigned module_faults;
    unsigned modules_changed; /* in memory, since they were opened: nothing is measured then */
    struct acpi_info acpi;
    struct smbios smbios;
    struct board board;
    bool has_date;
    struct rtc_date date; /* when it was brought up */
    struct clock clock;
    struct memory memory;
    bool memory_lies;        /* the memory in the loader's map was not there */
    enum mem_type pool_type; /* of memory.pool */
    bool paging;
    struct stack_area stacks;
    enum platform platform;
    enum origin time_origin, count_origin; /* of time stamps, of counts */
    bool modelled;                         /* the counters are the PMU model's (kernel/model.h) */
    char model[MODEL_NAME_BYTES + 1];      /* the CPU that it models; "": none */
    uint64_t repeat_ticks;                 /* a sampled payload is repeated for this long; 0: for 10 s */
    uintptr_t payloads, payloads_end;      /* the ingredients of payloads and brackets */
    struct processors_found found;         /* what the firmware lists */
    uint32_t start_page;                   /* where the others begin (kernel/start_page.h); 0: nowhere */
    enum rest rest;                        /* how the others do */
    uint64_t start_ticks;                  /* that starting the others took */
    unsigned cpus;                         /* that run: 1 unless others are asked for */
    struct cpu *cpu[PROCESSORS_MAX];       /* [0] booted; then in the firmware's order */
    struct topology topology;              /* of those */
};
