/* Markers of regions, as payloads of the kernel's own see them. */
#pragma once
#include "include/anechoic/region.h"
