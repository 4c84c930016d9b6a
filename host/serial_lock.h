/* Lock files of serial devices, as UUCP began them and as minicom, screen's users and ModemManager keep them
 * (FHS 5.9): LOCKDIR/LCK..ttyS0, with the owner's process id in ten characters and a line end. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define SERIAL_LOCK_DIR "/var/lock"

struct serial_lock {
    char path[512]; /* empty: none is held */
};

enum serial_lock_result {
    SERIAL_LOCK_HELD,   /* ours now */
    SERIAL_LOCK_TAKEN,  /* another process that lives has it; why says which */
    SERIAL_LOCK_CANNOT, /* the directory cannot be written; why says so */
};

/* device: its path without symbolic links. A lock whose process is gone is replaced. */
enum serial_lock_result serial_lock(struct serial_lock *l, const char *dir, const char *device, char *why,
                                    size_t why_size);
void serial_unlock(struct serial_lock *l);
