/* core_to_core as a Linux program: its table, on stdout. False: a hand-over was lost, so the exchange is
 * wrong; that there is one CPU only, or that no thread can stay on its CPU, is said and no fault. */
#pragma once
#include <stdbool.h>
bool silicon_pairs(void);
