/* A stack for ring 3 in struct cpu, which nobody runs on: what is written to it is read before
 * (measure/execute.c). */
#pragma once
#include <stdint.h>

static uint8_t user_stack[128] __attribute__((aligned(16)));
#define USER_STACK .stack = {.user_top = user_stack + sizeof user_stack}
