/* A PCI bus behind ports CF8h to CFFh, for host tests. It behaves as the machine does: the address port takes
 * 32 bits at once and nothing else, absent functions read all ones, and a device with one function answers
 * for all eight. */
#pragma once
#include "kernel/pci.h"

struct fake_function {
    struct pci_function at;
    uint8_t config[256];
    /* Called before config is read, and instead of writing it, where not NULL. reg: a multiple of width. */
    void (*read)(struct fake_function *f, unsigned reg);
    void (*write)(struct fake_function *f, unsigned reg, unsigned width, uint32_t value);
    void *ctx;
    uint8_t *more; /* its registers from 100h on, up to FFFh: of AMD's processors, where fake_pci_extended()
                      says so; NULL: none */
    void (*wrote)(uint32_t address,
                  uint32_t value); /* called after a write to one of these; NULL: nobody asks */
};

/* A bus with n functions, which stay the caller's. After fake_reset(). */
void fake_pci(struct fake_function *const *function, unsigned n);
/* May bits 27:24 of the address port be set now? Called with each address that has some. NULL: never. */
void fake_pci_extended(bool (*allowed)(void));
uint32_t fake_pci_address(void); /* what the address port holds */

uint32_t fake_config(const struct fake_function *f, unsigned reg);
void fake_config_set(struct fake_function *f, unsigned reg, unsigned width, uint32_t value);
