/* The processors that the firmware lists. */
#pragma once
#include "kernel/bootinfo.h"

/* As many as this kernel uses, the one that booted among them. */
#define PROCESSORS_MAX 256u

/* What became of one. All but UP, BOOT and the first two are faults. */
enum processor_state {
    PROCESSOR_LISTED,    /* it can be started, and nobody asked for it */
    PROCESSOR_DISABLED,  /* the firmware says that it cannot be used */
    PROCESSOR_BOOT,      /* the one that booted */
    PROCESSOR_UP,        /* started */
    PROCESSOR_BEYOND,    /* its APIC ID cannot be reached in this mode of the APIC */
    PROCESSOR_SILENT,    /* it does not answer */
    PROCESSOR_TWICE,     /* more than one answered */
    PROCESSOR_OTHER_ID,  /* it answered with another APIC ID: `answered` */
    PROCESSOR_FAULTED,   /* a trap on the way: vector `answered` */
    PROCESSOR_STUCK,     /* it answered, and was never ready */
    PROCESSOR_NO_MEMORY, /* the pool is too small for its block */
    PROCESSOR_NO_PAGE    /* no memory below 640 KiB, where it would begin */
};
const char *processor_state_text(enum processor_state s); /* in words that follow "it is not used: " */
const char *processor_state_word(enum processor_state s); /* "silent" */

struct processor_found {
    uint32_t apic_id;
    enum processor_state state;
    uint32_t answered; /* with OTHER_ID and FAULTED */
};

struct processors_found {
    const char *source; /* "madt", "mp-table", or "none" */
    const char *fault;  /* what is wrong with the table; NULL: nothing */
    unsigned n;
    unsigned doubles; /* entries of an APIC ID that is there already */
    unsigned dropped; /* enabled ones for which there is no room */
    struct processor_found p[PROCESSORS_MAX];
};

/* Entries of a MADT (ACPI 6.5, 5.2.12): types 0 and 9, in their order; IDs 255 and FFFFFFFFh are nobody's.
 * `length` bytes, whose header has been checked. Where an entry's length is wrong, those before it count. */
void madt_parse(const uint8_t *madt, uint32_t length, struct processors_found *out);

/* Add one. An enabled entry takes the place of a disabled one with its ID. */
void processors_add(struct processors_found *out, uint32_t id, bool enabled);

/* The same from ACPI's tables, else from the MP table. Before paging_init(), since it reads page 0. */
void processors_find(const struct bootinfo *bi, struct processors_found *out);

/* How many of them can be started, the one that booted, whose APIC ID is this, included: at least 1. */
unsigned processors_usable(const struct processors_found *f, uint32_t boot_id);
