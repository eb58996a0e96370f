# make apps     published programs from Debian packages, undisturbed and with killed ranks

# Installs the packages (mocassin, nwchem-mpich, scalapack-mpi-test: some 40 MB) where they are missing. At most eight minutes.
apps: packages-build all $(BUILD)/apps/libfixed_seed.so
	tests/apps/install-packages.sh
	tests/apps/run --build $(BUILD)

$(BUILD)/apps/libfixed_seed.so: tests/apps/fixed_seed.c
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) -std=gnu11 -D_GNU_SOURCE -shared -fPIC $(WARNINGS) $(CFLAGS) -o $@ $<

.PHONY: apps
