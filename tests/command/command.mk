# make check-command  the command ftcoll: each subcommand with good and bad arguments

check-command: all mpi-programs recipe-programs
	$(PYTEST) $(SIDE_BY_SIDE) tests/command

.PHONY: check-command
