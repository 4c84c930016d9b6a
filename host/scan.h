/* QR codes in images and videos: zbar's program zbarimg finds them, ffmpeg takes videos apart. */
#pragma once
#include <stddef.h>

enum scan_result {
    SCAN_READ,       /* codes have been found in it */
    SCAN_NONE,       /* no code is found */
    SCAN_UNREADABLE, /* it cannot be opened, or is neither image nor video; those programs have said why */
    SCAN_NO_ZBAR,    /* zbarimg is not installed */
    SCAN_NO_FFMPEG,  /* it is a video, and ffmpeg is not installed */
    SCAN_FAILED,     /* there is no process or temporary directory; errno says why */
};

/* Calls found() with the text of each code. */
enum scan_result scan_file(const char *name, void (*found)(void *ctx, const char *text, size_t len),
                           void *ctx);
