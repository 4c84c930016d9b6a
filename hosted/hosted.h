/* What the parts of the hosted kernel have of each other. */
#pragma once
#include "hosted/gate.h"
#include "kernel/bootinfo.h"
#include "kernel/processor_block.h"

/* Ends the process with status 3 and a line, before there is a console: what is wrong, and with what (NULL:
 * with all). */
__attribute__((noreturn)) void hosted_die(const char *why, const char *of);

/* ---- memory (hosted/memory.c) ---- */

/* Anonymous memory below 2 GiB, since a module's code of 64 bits may hold addresses of 32; NULL: there is
 * none. May be executed. */
void *hosted_map(size_t bytes);
#define NO_MEMORY "Linux gives no memory that may be executed (SELinux' execmem, or a limit)"
/* Nobody may touch [at, at + bytes) any more: a guard. */
void hosted_forbid(void *at, size_t bytes);
void hosted_allow(void *at, size_t bytes);
extern uint8_t *hosted_pool;
extern size_t hosted_pool_bytes;

/* ---- processors (hosted/processors.c) ---- */

/* What a thread that is a processor has, at a multiple of HOSTED_BLOCK: so an address on its stack for
 * signals leads to it. */
#define HOSTED_BLOCK   0x40000u
#define HOSTED_SIGNALS 0x20000u /* with AMX a signal's frame takes 11 KiB */
struct hosted_block {
    _Alignas(HOSTED_BLOCK) struct processor processor; /* of the one that booted: its percpu alone */
    _Alignas(PAGE_SIZE) uint8_t guard[PAGE_SIZE];
    uint8_t main[STACK_SIZE];
    uint8_t signals_guard[PAGE_SIZE];
    uint8_t signals[HOSTED_SIGNALS];
};
_Static_assert(sizeof(struct hosted_block) == HOSTED_BLOCK, "hosted.h");

/* In a handler: whose it is. GS may be a payload's. */
static inline struct hosted_block *hosted_here(void)
{
    return (struct hosted_block *)((uintptr_t)__builtin_frame_address(0) & -(uintptr_t)HOSTED_BLOCK);
}
static inline struct percpu *hosted_cpu(void) { return &hosted_here()->processor.percpu; }

/* The thread that Linux has started has a block from now on, without which it makes no system call. */
void hosted_begin(void);

/* The executing thread is this processor from now on: GS, the stack for signals, what Linux tells of
 * preemption, what system calls it may make. */
void hosted_join(struct hosted_block *b);

/* Does the processor that booted handle a signal now? */
bool hosted_in_handler(void);

/* Linux' CPUs that this process may use, as sched_getaffinity() gives them. */
#define HOSTED_CPUS 1024
extern uint64_t hosted_usable[HOSTED_CPUS / 64];
bool hosted_pin(unsigned cpu);

/* ---- console (hosted/console.c) ---- */

/* Standard input has the keys of a prompt, and records go to this file. */
void hosted_prompt(const char *path);
bool hosted_has_prompt(void);

/* ---- disturbances (hosted/preempted.c) ---- */

/* Linux tells this thread from now on when it has been preempted. */
void hosted_watch_preemption(unsigned index);
/* Preemptions since the last look at them do not count. */
void hosted_forgive(void);
extern bool hosted_preemption_told; /* this Linux does that */

/* ---- system calls (hosted/calls.c) ---- */

/* From now on a system call of this thread that is not the runtime's ends the code that makes it, as a trap.
 */
void hosted_watch_calls(struct percpu *cpu);
extern bool hosted_calls_end; /* this Linux can do that */

/* ---- counters (hosted/perf.c) ---- */

/* Why the first event could not be counted, as errno has it; 0: it could, or none was tried. */
int hosted_perf_error(void);
/* The kind of core that executes this, where a processor has several (CPUID.7:EDX[15], CPUID.1AH:EAX[31:24];
 * SDM vol. 2A). */
enum hybrid { HYBRID_NONE, HYBRID_CORE, HYBRID_ATOM };
enum hybrid hosted_hybrid(void);
#define HOSTED_NO_RDPMC -1 /* it is counted, and RDPMC faults */

/* ---- notes (hosted/notes.c) ---- */

/* The number behind `key` in a file of /proc or /sys; -1: there is none. */
long hosted_number(const char *path, const char *key);

/* ---- signals (hosted/trap.c) ---- */

#define HOSTED_ALARM  SIGALRM     /* the watchdog's */
#define HOSTED_END    SIGUSR1     /* ends a call of another processor's */
#define HOSTED_SAMPLE SIGPROF     /* hosted/linux_timer.c's */
extern volatile bool hosted_stop; /* SIGINT or SIGTERM has come */
