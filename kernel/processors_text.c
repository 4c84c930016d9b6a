/* What processors are called, and why they do not run. */
#include "kernel/processors.h"

const char *rest_name(enum rest rest)
{
    static const char *const name[] = {"hlt", "mwait", "spin"};
    return name[rest];
}

const char *processor_state_text(enum processor_state s)
{
    static const char *const text[] = {
        [PROCESSOR_LISTED] = "not asked for",
        [PROCESSOR_DISABLED] = "disabled by the firmware",
        [PROCESSOR_BOOT] = "booted",
        [PROCESSOR_UP] = "up",
        [PROCESSOR_BEYOND] = "its APIC ID is out of the APIC's reach: that takes x2APIC mode",
        [PROCESSOR_SILENT] = "it does not answer",
        [PROCESSOR_TWICE] = "more than one processor answered",
        [PROCESSOR_OTHER_ID] = "it answered with another APIC ID",
        [PROCESSOR_FAULTED] = "it trapped on the way",
        [PROCESSOR_STUCK] = "it answered, but was never ready",
        [PROCESSOR_NO_MEMORY] = "no memory is left for it",
        [PROCESSOR_NO_PAGE] = "the loader's map has no memory below 640 KiB, where a processor starts",
    };
    return text[s];
}

const char *processor_state_word(enum processor_state s)
{
    static const char *const word[] = {"listed", "disabled", "boot",    "up",    "beyond",    "silent",
                                       "twice",  "other id", "faulted", "stuck", "no memory", "no page"};
    return word[s];
}
