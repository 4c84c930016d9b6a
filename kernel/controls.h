/* What makes the same code run at another speed from one moment to the next: turbo and the prefetchers. Their
 * state, and switching them off where the CPU has a documented way (facts in kernel/controls.c). */
#pragma once
#include "kernel/cpuid.h"

enum control_id { CONTROL_TURBO, CONTROL_PREFETCH, CONTROLS };

enum control_state {
    CONTROL_UNKNOWN, /* there is no documented register, or it cannot be read, or a hypervisor hides it */
    CONTROL_NONE,    /* this CPU says that it has no such thing */
    CONTROL_ON,
    CONTROL_OFF,
    CONTROL_MIXED,     /* some of the prefetchers, or some that stay whatever is switched */
    CONTROL_UNMODELLED /* an emulator: whatever a register says, there is no such thing */
};

struct control {
    uint32_t msr;     /* 0: UNKNOWN or NONE */
    uint64_t off;     /* bits that switch off when they are set */
    uint64_t found;   /* what the register held */
    bool none;        /* CONTROL_NONE */
    bool unmodelled;  /* CONTROL_UNMODELLED */
    bool others;      /* there are more that these bits do not switch: never CONTROL_OFF */
    bool ours;        /* control_off() has changed it */
    char trouble[64]; /* why control_off() could not; "": it could, or was not asked */
};

/* Which registers has this CPU? Reads them, writes none. emulated: nothing behind them. */
void controls_find(const struct cpu_id *id, bool emulated, struct control control[CONTROLS]);

enum control_state control_state(const struct control *c);
const char *
control_state_text(enum control_state state); /* "unknown", "none", "on", "off", "mixed", "unmodelled" */

/* Switch it off, all of it. False: c->trouble says why; nothing has changed. Already off, none, or
 * unmodelled: true. */
bool control_off(struct control *c);

/* What control_off() changed is again as it was found. */
void controls_restore(struct control control[CONTROLS]);
