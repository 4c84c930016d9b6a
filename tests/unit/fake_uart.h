/* 16550s in software, at I/O ports or in memory, for host tests; and the paging that leads to the latter. A
 * chip answers one width of access, and nothing at registers between its own. */
#pragma once
#include "kernel/uart.h"
#include "tests/unit/fake_hw.h"

struct fake_uart {
    bool silent;         /* its holding register never becomes empty */
    bool ram;            /* no UART, but memory */
    unsigned dies_after; /* bytes, then it is silent; 0: never */
    unsigned unplugged;  /* bytes, then everything reads FFh; 0: never */
    /* what the driver did */
    uint8_t lcr, ier, fcr, mcr;
    unsigned divisor, writes, n;
    char sent[256];
    /* where it is */
    unsigned stride, width;
    uint8_t bytes[32]; /* of ram */
    struct fake_device device;
    struct fake_registers registers;
};

void fake_uart_port(struct fake_uart *u, uint16_t port);
void fake_uart_memory(struct fake_uart *u, uint64_t base, unsigned stride, unsigned width);

extern uint64_t
    fake_reach; /* paging_map_device() reaches addresses below this; 4 GiB unless a test says more */
