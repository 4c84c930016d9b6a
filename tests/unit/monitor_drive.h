/* The monitor in a test: a command line is obeyed on a machine that is not there. */
#pragma once
#include "monitor/command.h"
#include "tests/unit/fake_access.h"
#include "tests/unit/fake_console.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_rates.h"
#include "tests/unit/fake_request.h"

extern struct machine machine;
extern struct cpu cpu;
extern struct session session;
extern struct monitor m;

/* Of the device at ports 300h to 307h. */
extern unsigned port_reads, port_writes, port_width;
extern uint32_t port_value;

/* The setup of each test: a new session. */
int begin(void **state);
#define T(f) cmocka_unit_test_setup(f, begin)

/* What a line is answered with, until the next call. Messages are wrapped: line ends count as blanks. */
const char *answer(const char *line);

/* The answer has this in it. */
void says(const char *line, const char *part);
