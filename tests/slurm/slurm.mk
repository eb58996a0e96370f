# make check-slurm   jobs under Slurm (srun --mpi=pmi2; Hydra inside of a job), if munge and slurm-wlm are installed

$(MPI_BIN)/pmi2: tests/slurm/pmi2.c $(addprefix $(BUILD)/shim/monitor/,pmi.o pmi_wire.o)
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) -o $@ $^

check-slurm: all mpi-programs recipes $(MPI_BIN)/pmi2
	$(PYTEST) tests/slurm

.PHONY: check-slurm
