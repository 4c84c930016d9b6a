/* A record of a capture as the kernel had it (report/record.h), for the kernel's own text face. */
#pragma once
#include "report/record.h"
#include <jansson.h>

/* The one scratch record; it lives as long as the object and until the next call. */
struct record *to_record(json_t *object);
