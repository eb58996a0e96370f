# make check-install: a copy installed into a staging directory, and the file of `make dist`

check-install: all $(BUILD)/ftcoll.7
	tests/install/run $(BUILD)

.PHONY: check-install
