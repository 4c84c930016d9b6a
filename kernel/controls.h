/* Turbo and the prefetchers, which make the same code run at different speeds: their state, and how to switch
 * them off where the CPU has a documented way (facts in kernel/controls.c). */
#pragma once
#include "kernel/cpuid.h"

enum control_id { CONTROL_TURBO, CONTROL_PREFETCH, CONTROLS };

enum control_state {
    CONTROL_UNKNOWN, /* there is no documented register, or it cannot be read, or a hypervisor hides it */
    CONTROL_NONE,    /* this CPU reports that it has none */
    CONTROL_ON,
    CONTROL_OFF,
    CONTROL_MIXED,     /* some are on and some off, or some cannot be switched */
    CONTROL_UNMODELLED /* an emulator: there is none, whatever the registers say */
};

struct control {
    uint32_t msr;             /* 0: UNKNOWN or NONE */
    uint64_t off;             /* bits that disable it when set */
    uint64_t found;           /* what the register held */
    bool none;                /* CONTROL_NONE */
    bool unmodelled;          /* CONTROL_UNMODELLED */
    bool others;              /* these bits do not switch all of them: never CONTROL_OFF */
    bool ours;                /* control_off() has changed it */
    enum control_state state; /* when the processor itself last looked: what the registers are per core */
    char trouble[64];         /* why control_off() failed; "": it succeeded, or was not called */
};

/* Find this CPU's registers and read them, without writing. emulated: the registers have no effect. */
void controls_find(const struct cpu_id *id, bool emulated, struct control control[CONTROLS]);

enum control_state control_state(const struct control *c);
const char *
control_state_text(enum control_state state); /* "unknown", "none", "on", "off", "mixed", "unmodelled" */

/* Switch it off, all of it. False: c->trouble says why; nothing has changed. Already off, none, or
 * unmodelled: true. */
bool control_off(struct control *c);

/* Undo what control_off() changed, on the same processor. */
void control_restore(struct control *c);
void controls_restore(struct control control[CONTROLS]);
