/* What this machine lets a session do: everything, where the kernel has the machine to itself. A Linux
 * process has limits, and each has its reason. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why the word key=value cannot be obeyed here, as a sentence that says what can; NULL: it can. */
const char *machine_refuses(const char *key, const char *value, size_t len);

/* The name of a system call that code has tried (TRAP_SYSTEM_CALL): "write"; NULL: it has none. */
const char *machine_call_name(uint64_t number);

/* What a user should know of this machine's limits: begin with *i = 0; NULL: no more. *what: the note's
 * subject. */
const char *machine_note(unsigned *i, const char **what);

/* Times that others used this processor since the last call: other programs, and guests of the same host.
 * Returns false on the bare machine, which has no others. */
struct machine_lost {
    uint32_t preemptions; /* times that another program ran instead */
    double waited_ms;     /* time that the process waited for its CPU */
    double steal_ms;      /* time that the hypervisor gave to other guests, in steps of 10 ms */
};
bool machine_lost(struct machine_lost *lost);

/* Why there are no counters, where the machine does not give what the processor has; NULL: it gives all. */
const char *machine_no_counters(void);

/* Where code is measured, unless ring= says otherwise: 0 or 3. */
extern const unsigned machine_ring;

/* LFENCE serialises, where it does: CPUID leaves a virtual machine, which takes thousands of cycles. */
extern const bool machine_prefers_lfence;
