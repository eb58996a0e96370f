# make check-hosts-semantics  what make check-semantics does, with ranks on two hosts
# make check-hosts  jobs on several hosts, which are namespaces of this machine: pytest-3 tests/hosts -k PART-OF-A-NAME

# As somebody else than root in a user namespace, where one is root.
check-hosts: all mpi-programs semantics-programs
	$(if $(filter 0,$(shell id -u)),,unshare -Ur) $(PYTEST) tests/hosts

# Results of calls, in MPI's letter, with ranks on two hosts, where large data are native MPI's.
check-hosts-semantics: all semantics-programs
	PATH='$(CURDIR)/tests/hosts/two':$$PATH $(PYTEST) tests/semantics -k 'not data-phase and not rounding'

.PHONY: check-hosts check-hosts-semantics
