/* Shared by vectors.S and trap.c. */
#pragma once
#define VECTOR_STUBS 48 /* 32 exceptions and the 16 of the 8259s */
