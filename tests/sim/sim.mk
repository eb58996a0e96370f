# make sim [RUNS=n] [SEED=n] [JOBS=n]  explores random runs of a simulated cluster, on all cores
# make exhaustive  walks all crash points, and all interleavings of events, of small clusters
# make exhaustive-hosts  walks all crash points of clusters on several hosts, which may be lost, and splits between them
# make mutants  shows that the fast tests notice each of a list of mistakes put into shim/engine/, shim/board/ and others

SIM := $(filter-out tests/sim/test_%.c tests/sim/simulate.c,$(wildcard tests/sim/*.c))
# What is on a board of who is dead, and how it comes there from other hosts.
SIM_BOARD := $(addprefix shim/,$(addprefix board/,rank_state.c replica.c lease.c death.c recovery_record.c presence.c directory.c end_of_job.c announcement.c) \
  $(addprefix system/,lifeline.c proc.c cores.c))
SIM_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(SIM) shim/value/blocks.c shim/protocols/round_status.c $(SIM_BOARD))

SIM_CLOCK = $(call wrapped,clock_gettime) # leases go by the time of the run

# The very objects that the library consists of.
$(BUILD)/tests/sim/simulate: $(BUILD)/tests/sim/simulate.o $(SIM_OBJECTS) $(ENGINE_OBJECT)
	$(call say,LINK,$@)
	$(CC) $(ALL_CFLAGS) $(SIM_CLOCK) -o $@ $^

$(BUILD)/tests/sim/test_sim: $(BUILD)/tests/sim/test_sim.o $(SIM_OBJECTS) $(ENGINE_OBJECT)
	$(call say,LINK,$@)
	$(CC) $(ALL_CFLAGS) $(SIM_CLOCK) -o $@ $^ $(CHECK_LIBS)

-include $(wildcard $(BUILD)/tests/sim/*.d)

sim-programs: $(BUILD)/tests/sim/test_sim $(BUILD)/tests/sim/simulate

RUNS ?= 1000000
SEED ?= 1
JOBS ?= $(shell nproc)

sim: $(BUILD)/tests/sim/simulate
	$< --random $(RUNS) --seed $(SEED) --jobs $(JOBS)

exhaustive: $(BUILD)/tests/sim/simulate
	$< --exhaustive reduce --jobs $(JOBS)
	$< --exhaustive allreduce --jobs $(JOBS)
	$< --exhaustive large --jobs $(JOBS)
	$< --interleavings --jobs $(JOBS)

# All losses of hosts, splits, and ends of agents: a hundred million runs.
exhaustive-hosts: $(BUILD)/tests/sim/simulate
	$< --exhaustive hosts --jobs $(JOBS)
	$< --exhaustive splits --jobs $(JOBS)

# Shares of make check and make check-all, about half a minute and a minute on one core.
check-sim: sim-programs
	$(RUN) $(BUILD)/tests/sim/test_sim
	$(BUILD)/tests/sim/simulate --exhaustive reduce --jobs $(JOBS)
	$(BUILD)/tests/sim/simulate --exhaustive hosts --small --jobs $(JOBS)
	$(BUILD)/tests/sim/simulate --exhaustive large --small --jobs $(JOBS)
	$(BUILD)/tests/sim/simulate --random 200000 --seed $(SEED) --jobs $(JOBS)

check-sim-rest: sim-programs
	$(BUILD)/tests/sim/simulate --random 300000 --seed $$(($(SEED) + 1)) --jobs $(JOBS)
	$(BUILD)/tests/sim/simulate --exhaustive allreduce --jobs $(JOBS)
	$(BUILD)/tests/sim/simulate --exhaustive splits --small --jobs $(JOBS)
	$(BUILD)/tests/sim/simulate --interleavings --small --jobs $(JOBS)

mutants:
	CC='$(CC)' BUILD='$(BUILD)' JOBS=$(JOBS) BOARD='$(SIM_BOARD)' tests/sim/mutants/run.sh

# Under a sanitizer, or for another machine.
sim-small: sim-programs
	$(RUN) $(BUILD)/tests/sim/test_sim
	$(RUN) $(BUILD)/tests/sim/simulate --random 20000 --seed $(SEED) --jobs $(JOBS)

.PHONY: sim exhaustive exhaustive-hosts sim-programs check-sim check-sim-rest sim-small mutants
