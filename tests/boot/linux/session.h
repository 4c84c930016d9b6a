/* An event that samples: Linux' buffer of records, mapped. */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct session {
    int fd;
    struct perf_event_mmap_page *page;
    uint64_t tail, count;
    uint32_t pmi, nmi; /* of /proc/interrupts, while it ran */
    uint32_t switches; /* other tasks that ran in between */
    unsigned run;      /* its number */
    unsigned others;   /* records other than samples: LOST, THROTTLE */
};

typedef void payload_fn(void);

/* Sample n rounds of a payload with this event, of this process, which stays on this CPU; disabled=1 is set.
 * fd is negative, an errno, where Linux refuses it. */
void session_run(struct session *s, unsigned cpu, struct perf_event_attr *attr, payload_fn *payload,
                 unsigned n);
/* The same of all that runs on this CPU. */
void session_run_on(struct session *s, unsigned cpu, struct perf_event_attr *attr, payload_fn *payload,
                    unsigned n);
/* The next sample with its header: returns its bytes, of which at most most are copied; 0 at the end. */
unsigned session_sample(struct session *s, void *to, unsigned most);
/* The next one of exactly these bytes; false at the end. One of another size is among the others. */
bool session_next(struct session *s, void *to, unsigned bytes);
void session_end(struct session *s);
