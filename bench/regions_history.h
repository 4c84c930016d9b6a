/* The argument of the payload in bench/history_payload.S. Shared by C and assembly: offsets in bytes. */
#pragma once

#define HISTORY_TABLE 0
#define HISTORY_DATA  8
#define HISTORY_JUMPS 16
#define HISTORY_CODE  24
#define HISTORY_TURNS 32

/* Writes of one turn: each goes to the next page and the next line within it. */
#define HISTORY_WRITES 320
#define HISTORY_STEP   4160
