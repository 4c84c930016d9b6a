/* Hooks of traces, as payloads of the kernel's own see them. */
#pragma once
#include "include/anechoic/trace.h"
