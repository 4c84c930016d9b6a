/* Shared by vectors.S and trap.c. */
#pragma once
#define VECTOR_STUBS 51 /* 32 exceptions, the 16 of the 8259s, the timer's two, VECTOR_SAMPLE */
