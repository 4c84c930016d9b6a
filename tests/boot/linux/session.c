#include "tests/boot/linux/session.h"
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/sys.h"
#include <stdlib.h>
#include <string.h>

#define PAGE       4096u
#define DATA_BYTES (64 * PAGE)

/* How often other tasks have taken this one's place. */
static uint32_t switches(void)
{
    static char text[4096];
    const char *line = NULL;
    uint32_t n = 0;
    if (file_text("/proc/self/status", text, sizeof text)) line = text;
    while (line && (line = strstr(line, "voluntary_ctxt_switches:"))) {
        line += sizeof "voluntary_ctxt_switches:" - 1;
        n += (uint32_t)strtoul(line, NULL, 10);
    }
    return n;
}

/* No other task runs meanwhile: its place is taken with so many events left, and where that is one Linux asks
 * for two (x86_perf_event_set_period(): "certain CPUs dont like it if just 1 hw_event is left"), so that the
 * sample is an instruction late; and Linux empties the stack of branches. */
static void sample(struct session *s, int fd, unsigned cpu, payload_fn *payload, unsigned n)
{
    *s = (struct session){.fd = fd};
    if (fd < 0) return;
    s->page = file_map(s->fd, PAGE + DATA_BYTES);
    uint32_t pmi = interrupts("PMI", cpu), nmi = interrupts("NMI", cpu);
    if (!come_first(1)) check(false, "it comes before the kernel's own threads");
    uint32_t before = switches();
    s->run = run(s->fd, payload, n);
    s->switches = switches() - before;
    come_first(0);
    s->pmi = interrupts("PMI", cpu) - pmi;
    s->nmi = interrupts("NMI", cpu) - nmi;
    if (file_read(s->fd, &s->count, sizeof s->count) != sizeof s->count) s->count = 0;
}

void session_run(struct session *s, unsigned cpu, struct perf_event_attr *attr, payload_fn *payload,
                 unsigned n)
{
    attr->disabled = 1;
    sample(s, perf_open(attr, -1), cpu, payload, n);
}

void session_run_on(struct session *s, unsigned cpu, struct perf_event_attr *attr, payload_fn *payload,
                    unsigned n)
{
    attr->disabled = 1;
    sample(s, perf_open_on(attr, cpu), cpu, payload, n);
}

/* Records are multiples of 8 bytes and may wrap. */
unsigned session_sample(struct session *s, void *to, unsigned most)
{
    const uint8_t *data = (const uint8_t *)s->page + PAGE;
    while (s->page && s->tail < s->page->data_head) {
        struct perf_event_header header;
        memcpy(&header, data + s->tail % DATA_BYTES, sizeof header);
        if (header.size == 0) return 0;
        for (unsigned k = 0; k < most && k < header.size; k += 8)
            memcpy((uint8_t *)to + k, data + (s->tail + k) % DATA_BYTES, 8);
        s->tail += header.size;
        if (header.type == PERF_RECORD_SAMPLE) return header.size;
        s->others++;
    }
    return 0;
}

bool session_next(struct session *s, void *to, unsigned bytes)
{
    unsigned size;
    while ((size = session_sample(s, to, bytes)) && size != bytes) s->others++;
    return size != 0;
}

void session_end(struct session *s)
{
    if (s->fd < 0) return;
    file_unmap(s->page, PAGE + DATA_BYTES);
    file_close(s->fd);
}
