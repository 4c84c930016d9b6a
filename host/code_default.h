/* Where `anechoic code` measures without --on: on this machine's own processor, or on a model where that
 * cannot be. */
#pragma once
#include "host/code.h"

/* To the --on of the job, whose words and snippets are known. on: what the user said, or NULL. Sets j->chosen
 * to what was chosen and why, and the turns of a loop where time is measured on this processor. */
const char *code_default(struct code_job *j, const char *on);
