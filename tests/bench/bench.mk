# make bench          latency, recovery, costs, start-up and the comparison with Open MPI: tables, CSV files, pictures
# make bench-quick    the same with fewer rows and jobs, about two minutes
# make bench-large    large calls beside native MPI, allreduces beside Open MPI, and with a kill in the middle, some minutes
# make bench-hosts    ranks on several hosts made of namespaces, beside native MPI and Open MPI over TCP, some minutes
# make bench-waits    waits in native MPI of ranks that share cores, with and without the library, some minutes
# make bench-p2p      point-to-point messages with p2p = error beside native ones, about a minute

# The programs are plain MPI. Of the library only loaded.c is linked, to find MPI's own functions past it. Debian's Open MPI serves as a second yardstick:
# the installed one, else one that is unpacked into $(BUILD)/openmpi.
BENCH := $(BUILD)/bench
BENCH_FLAGS = -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS)
BENCH_PROGRAMS = $(addprefix $(BENCH)/,latency recovery recovery_large operations mark creations p2p logp start_up waits board_memory libcount_allocations.so)
MPICC_OPENMPI ?= $(or $(shell command -v mpicc.openmpi),$(wildcard $(BUILD)/openmpi/bin/mpicc.openmpi))

bench bench-quick bench-large bench-hosts: bench%: packages-bench
	tests/bench/openmpi-here $(BUILD)/openmpi
	$(MAKE) --no-print-directory run-bench$*

run-bench run-bench-quick run-bench-large run-bench-hosts: run-bench%: all $(BENCH_PROGRAMS) $(if $(MPICC_OPENMPI),$(BENCH)/latency.openmpi)
	tests/bench/run --build $(BUILD) $(if $*,-$*)

bench-p2p bench-waits: bench-%: all $(BENCH)/%
	tests/bench/run --build $(BUILD) --$*

$(BENCH)/latency $(BENCH)/latency.openmpi: $(addprefix tests/bench/,latency.c measured.c past.c shared_page.c) shim/system/loaded.c
$(BENCH)/recovery: $(addprefix tests/bench/,recovery.c shared_page.c)
$(BENCH)/recovery_large: $(addprefix tests/bench/,recovery_large.c shared_page.c)
$(BENCH)/operations: $(addprefix tests/bench/,operations.c shared_page.c)
$(BENCH)/logp: $(addprefix tests/bench/,logp.c shared_page.c)
$(BENCH)/mark: $(addprefix tests/bench/,mark.c past.c) shim/system/loaded.c
$(BENCH)/creations: $(addprefix tests/bench/,creations.c past.c) shim/system/loaded.c
$(BENCH)/p2p: $(addprefix tests/bench/,p2p.c past.c) shim/system/loaded.c
$(BENCH)/start_up: tests/bench/start_up.c
$(BENCH)/waits: tests/bench/waits.c
$(BENCH)/libcount_allocations.so: tests/bench/count_allocations.c
$(BENCH_PROGRAMS) $(BENCH)/latency.openmpi: $(wildcard tests/bench/*.h) include/ftcoll.h

$(addprefix $(BENCH)/,latency recovery recovery_large operations mark creations p2p logp start_up waits):
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(MPICC) $(BENCH_FLAGS) -o $@ $(filter %.c,$^)

$(BENCH)/latency.openmpi:
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(MPICC_OPENMPI) $(BENCH_FLAGS) -o $@ $(filter %.c,$^)

$(BENCH)/board_memory: tests/bench/board_memory.c $(SHIM_OBJECTS)
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) -o $@ $^ -linih

$(BENCH)/libcount_allocations.so:
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(BENCH_FLAGS) -shared -fPIC -o $@ $(filter %.c,$^)

bench-programs: $(BENCH_PROGRAMS)

.PHONY: bench-programs bench bench-quick bench-large bench-hosts run-bench run-bench-quick run-bench-large run-bench-hosts bench-p2p bench-waits
