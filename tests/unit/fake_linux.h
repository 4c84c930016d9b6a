/* Linux' system calls for tests of hosted/: files with a text, and perf events with a count. A file that a
 * test has not named is not there; a call that hosted/ has no need of here aborts. */
#pragma once
#include "hosted/linux.h"
#include <linux/perf_event.h>

void fake_linux_reset(void);

/* A file with this text; NULL: it can be opened, but not read. Both strings must outlive their use. */
void fake_file(const char *path, const char *text);
extern unsigned fake_files_left; /* files that were opened and not closed */

/* Events in the order in which they were opened. */
#define FAKE_EVENTS 16
struct fake_event {
    struct perf_event_attr attr; /* what is behind attr.size is 0 */
    long pid, cpu, group, flags;
    long fd;
    uint64_t count; /* what a reading gives */
    bool open, mapped;
    struct perf_event_mmap_page page;
};
extern struct fake_event fake_events[FAKE_EVENTS];
extern unsigned fake_events_opened;

/* What the next events get. The page's index is 1 more than what RDPMC takes. */
extern int fake_open_error, fake_map_error; /* errno; 0: it works */
extern bool fake_user_rdpmc;
extern uint32_t fake_index;
extern long fake_next_fd; /* and one more for each */
