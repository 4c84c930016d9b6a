/* cmocka and what its header forgets to include. */
#pragma once
#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
