# What users install, and what a release consists of.
#
#   make installable                                  builds what is installed, as the user who builds
#   make install [PREFIX=/usr/local] [DESTDIR=]       all of it
#   make install-tool                                 the program, its man page and completion; needs neither kernels nor Bochs
#   make uninstall                                    the same PREFIX and DESTDIR
#   make release                                      dist/: the image, the sources, SHA256SUMS

PREFIX  ?= /usr/local
DESTDIR ?=
TO       = $(DESTDIR)$(PREFIX)
SHARE    = $(TO)/share/anechoic

# `image` and `run` work as in the source tree: the same files in the same places, below share/anechoic (host/tree.h).
INSTALL_SCRIPTS := run-here.sh run-qemu.sh run-bochs.sh tools/mkiso.sh tools/mkfloppy.sh tools/mksigned.sh tools/mkpxe.sh
INSTALL_DATA    := tools/packages.sh tools/put-away.sh tools/image-common.sh tools/run-common.sh tools/bochs-machine.sh sim/models.def boot/grub.cfg.in
INSTALL_KERNELS := $(foreach f,$(FLAVOURS),$(f)/anechoic.elf $(f)/kernel.elf)
# Those of benchmarks and experiments, with what they include.
INSTALL_HEADERS := $(wildcard include/anechoic/*.h) $(addprefix bench/,bench.h chase.h program.h region.h trace.h) \
                   $(addprefix kernel/,arena.h barrier.h cache.h cpuid.h hw.h watch.h) pmu/sample.h
INSTALL_LIBS    := $(foreach f,$(FLAVOURS),$(foreach l,anechoic c m,payload/$(f)/lib/lib$(l).a))
INSTALL_BUILT   := $(addprefix $(BUILD)/,$(INSTALL_KERNELS) $(INSTALL_LIBS) here events.db bochs/bochs bochs/start.rom)
INSTALL_TOOL    := $(BUILD)/host/anechoic

# With sudo, what the user built is taken as it is: root's cache would have neither newlib nor Bochs.
built = $(if $(SUDO_UID),$(filter-out $(wildcard $(1)),$(1)),$(1))

installable: $(INSTALL_TOOL) $(INSTALL_BUILT)

install-tool: $(call built,$(INSTALL_TOOL))
	$(call step,INSTALL,$(TO)/bin/anechoic)
	install -D -m 755 $(INSTALL_TOOL) $(TO)/bin/anechoic
	install -d $(TO)/share/man/man1 $(TO)/share/bash-completion/completions
	$(INSTALL_TOOL) man >$(TO)/share/man/man1/anechoic.1
	$(INSTALL_TOOL) completion >$(TO)/share/bash-completion/completions/anechoic
	chmod 644 $(TO)/share/man/man1/anechoic.1 $(TO)/share/bash-completion/completions/anechoic

install: install-tool $(call built,$(INSTALL_BUILT))
	$(call step,INSTALL,$(SHARE))
	for file in $(INSTALL_SCRIPTS); do install -D -m 755 $$file $(SHARE)/$$file || exit; done
	for file in $(INSTALL_DATA) $(INSTALL_HEADERS); do install -D -m 644 $$file $(SHARE)/$$file || exit; done
	for file in $(INSTALL_KERNELS); do \
		install -D -m 644 $(BUILD)/$$file $(SHARE)/build/$$file && $(OBJCOPY) --strip-debug $(SHARE)/build/$$file || exit; done
	for file in $(INSTALL_LIBS); do install -D -m 644 $(BUILD)/$$file $(SHARE)/build/$$file || exit; done
	for f in $(FLAVOURS); do (cd $(BUILD)/payload/$$f && find include -type f -exec install -D -m 644 {} $(abspath $(SHARE))/build/payload/$$f/{} \;) || exit; done
	install -D -m 755 $(BUILD)/here $(SHARE)/build/here && $(OBJCOPY) --strip-debug $(SHARE)/build/here
	install -D -m 644 $(BUILD)/events.db $(SHARE)/build/events.db
	install -D -m 755 $(BUILD)/bochs/bochs $(SHARE)/build/bochs/bochs
	install -D -m 644 $(BUILD)/bochs/start.rom $(SHARE)/build/bochs/start.rom
	for page in README.md $(wildcard docs/*.md docs/*.svg docs/examples/*.c docs/examples/*/*.yaml); do install -D -m 644 $$page $(TO)/share/doc/anechoic/$$page || exit; done

uninstall:
	$(call step,RM,$(TO)/bin/anechoic $(SHARE))
	rm -f $(TO)/bin/anechoic $(TO)/share/man/man1/anechoic.1 $(TO)/share/bash-completion/completions/anechoic
	rm -rf $(SHARE) $(TO)/share/doc/anechoic

release: kernels events
	BUILD=$(BUILD) BENCHES="$(BENCHES)" tools/release.sh

.PHONY: installable install install-tool uninstall release
