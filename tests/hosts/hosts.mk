# make check-hosts-semantics  what make check-semantics does, with ranks on two hosts
# make check-hosts  jobs on several hosts, which are namespaces of this machine: pytest-3 tests/hosts -k PART-OF-A-NAME
# make check-hosts-all  likewise, with those that make check has no time for; FTCOLL_LINK=ucx make ...: with messages by UCX

# make stress-hosts [MINUTES=n] [SEED=n]  random jobs there: ranks and hosts are killed, hosts fall silent, the network is cut

# As somebody else than root in a user namespace, where one is root.
AS_ROOT = $(if $(filter 0,$(shell id -u)),,unshare -Ur)

check-hosts check-hosts-choice check-hosts-rest: check-hosts%: all mpi-programs semantics-programs
	$(AS_ROOT) $(PYTEST) $(SIDE_BY_SIDE) $(or $(SHARE$*),-m 'not thorough') tests/hosts

check-hosts-all: all mpi-programs semantics-programs
	$(AS_ROOT) $(PYTEST) $(SIDE_BY_SIDE) tests/hosts

# Results of calls, in MPI's letter, with ranks on two hosts.
check-hosts-semantics: all semantics-programs
	PATH='$(CURDIR)/tests/hosts/two':$$PATH $(PYTEST) tests/semantics -k 'not rounding'

stress-hosts: all mpi-programs
	$(AS_ROOT) tests/hosts/stress --build $(BUILD) --minutes $(or $(MINUTES),5) --seed $(or $(SEED),1)

.PHONY: stress-hosts check-hosts check-hosts-choice check-hosts-rest check-hosts-all check-hosts-semantics
