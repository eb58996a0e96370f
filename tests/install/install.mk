# make check-install  a copy installed into a staging directory, and the file of `make dist`
# make check-deb [SUITE=bookworm]  builds Debian's packages, installs and uses them, in a chroot; needs root

check-install: all $(PAGES) $(BUILD)/tests/mpi/asks $(BUILD)/tests/mpi/sites
	tests/install/run $(BUILD)

check-deb:
	SUITE='$(SUITE)' TARGETS='packages-deb deb check-deb-here' tests/debian

# On a machine that is thrown away.
check-deb-here:
	tests/install/deb $(BUILD)/deb

.PHONY: check-install check-deb check-deb-here
