# make check-slurm   jobs under Slurm (srun --mpi=pmi2), if munge and slurm-wlm are installed

check-slurm: all mpi-programs
	tests/slurm/run --build $(BUILD) || [ $$? -eq 77 ]

.PHONY: check-slurm
