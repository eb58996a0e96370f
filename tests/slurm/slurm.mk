# make check-slurm   jobs under Slurm (srun --mpi=pmi2), if munge and slurm-wlm are installed

check-slurm: all mpi-programs recipes
	$(PYTEST) tests/slurm

.PHONY: check-slurm
