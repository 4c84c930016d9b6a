/* core_to_core as a Linux program: its table, on stdout. */
#pragma once
void silicon_pairs(void);
