# make check-mpi  real jobs under mpiexec, and the pictures; some of them: pytest-3 tests/mpi -k PART-OF-A-NAME
# make check-prebuilt PREBUILT=.../libftcoll.so  the same with a library of another machine
# make check-device DEVICE=ch3|ch4:ofi  the same with an MPICH of that device, which is built from Debian's sources first
# make stress [MINUTES=n]  random jobs under mpiexec, ranks of which are killed from outside

# Real runs under mpiexec: the programs of tests/mpi/programs, run by pytest.
# Uses BUILD, MPICC, MPICXX, MPIF90, WARNINGS and CFLAGS of the Makefile.

# A program is one file, but for these: parts of others, libraries, and how a program comes to MPI.
MPI_PARTS    := casualties early fault opened other other_mpi p2p p2p_calls record stream tool values verdict victims
MPI_BESIDE   := native_calls killed_writer held cannot_send threadless device
MPI_SINGLE   := $(filter-out $(MPI_PARTS) $(MPI_BESIDE),$(patsubst tests/mpi/programs/%.c,%,$(wildcard tests/mpi/programs/*.c)))
MPI_FORTRAN  := fortran08 fortran77 blocked08 blockedf p2p08 sessions08
MPI_PROGRAMS := stream verdict p2p names own_less $(MPI_FORTRAN) $(MPI_SINGLE)
MPI_BIN      := $(BUILD)/tests/mpi
MPI_SOURCES  := tests/mpi/programs

$(MPI_BIN)/stream: $(addprefix $(MPI_SOURCES)/,stream.c fault.c record.c values.c)
$(MPI_BIN)/verdict: $(addprefix $(MPI_SOURCES)/,verdict.c record.c)

$(MPI_BIN)/p2p: $(addprefix $(MPI_SOURCES)/,p2p.c p2p_calls.c)

$(MPI_SINGLE:%=$(MPI_BIN)/%): $(MPI_BIN)/%: $(MPI_SOURCES)/%.c

$(addprefix $(MPI_BIN)/,bridges communicators dwindling filelib files places sgd topologies): $(MPI_SOURCES)/fault.c
$(addprefix $(MPI_BIN)/,communicators dwindling filelib files places topologies): $(MPI_SOURCES)/casualties.c

# Threads of 256 KiB have no room for the one, and too little for the other.
$(MPI_BIN)/own_less: $(MPI_SOURCES)/own.c
$(MPI_BIN)/own_less: MPI_FLAGS = -DBYTES=254000

$(addprefix $(MPI_BIN)/,stream verdict p2p own_less $(MPI_SINGLE)): $(wildcard $(MPI_SOURCES)/*.h) include/ftcoll.h
	mkdir -p $(@D)
	$(call say,MPICC,$@)
	$(MPICC) -std=gnu11 -D_GNU_SOURCE -Iinclude $(WARNINGS) $(CFLAGS) $(MPI_FLAGS) -o $@ $(filter %.c,$^) -lpthread -lm -ldl

$(MPI_FORTRAN:%=$(MPI_BIN)/%): $(MPI_BIN)/%: $(MPI_SOURCES)/%.f90
	mkdir -p $(@D)
	$(call say,MPIF90,$@)
	$(MPIF90) -Wall -o $@ $<

# Libraries find a function or variable of the program's own.
$(MPI_BIN)/files $(MPI_BIN)/unreached $(MPI_BIN)/yields: MPI_FLAGS = -rdynamic

# As if it were linked with plugins: its functions are exported.
$(MPI_BIN)/names: $(MPI_SOURCES)/names.cc
	mkdir -p $(@D)
	$(call say,MPICXX,$@)
	$(MPICXX) -std=c++17 -Wall -Wextra $(CFLAGS) -rdynamic -o $@ $<

# Libraries that are preloaded beside the one under test.
MPI_PRELOADED := $(MPI_BESIDE:%=$(MPI_BIN)/lib%.so)
$(MPI_BIN)/libnative_calls.so: shim/mpi/mpi_library.def
$(MPI_BIN)/libcannot_send.so: $(MPI_SOURCES)/process_state.h
$(MPI_PRELOADED): $(MPI_BIN)/lib%.so: $(MPI_SOURCES)/%.c
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) -shared -o $@ $< -ldl

# Kills ranks of programs that know nothing of it; some of these are recipes.
MPI_PATTERNS := $(addprefix $(BUILD)/recipes/,checkpoint fft workers)
$(MPI_BIN)/libvictims.so: $(addprefix $(MPI_SOURCES)/,victims.c fault.c fault.h)
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -shared -o $@ $(filter %.c,$^)

# ---- how a program comes to MPI ----

# A profiling tool, preloaded or linked with the program; programs that open MPI; and another MPI.
MPI_LOADING := $(addprefix $(MPI_BIN)/,libtool.so libasks.so libearly.so tooled_linked opened module.so other other_abi other_opens)

$(MPI_BIN)/libtool.so $(MPI_BIN)/libasks.so: $(MPI_SOURCES)/tool.c
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) $(if $(findstring asks,$@),-DASKS) -Wno-missing-prototypes -shared -o $@ $< -ldl

$(MPI_BIN)/libearly.so: $(MPI_BIN)/early_module.so
$(MPI_BIN)/libearly.so $(MPI_BIN)/early_module.so: $(MPI_SOURCES)/early.c
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) $(if $(findstring module,$@),-DMODULE) -shared -Wl,-rpath,'$$ORIGIN' -o $@ $< -ldl -lpthread

$(MPI_BIN)/tooled_linked: $(MPI_SOURCES)/tooled.c $(MPI_BIN)/libtool.so
	$(call say,MPICC,$@)
	$(MPICC) $(WARNINGS) $(CFLAGS) -o $@ $< -L$(@D) -ltool -Wl,-rpath,'$$ORIGIN'

$(MPI_BIN)/opened: $(MPI_SOURCES)/opened.c
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) -o $@ $< -ldl

$(MPI_BIN)/module.so: $(MPI_SOURCES)/opened.c
	mkdir -p $(@D)
	$(call say,MPICC,$@)
	$(MPICC) -D_GNU_SOURCE -DMODULE $(WARNINGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(MPI_BIN)/libmpi.so.40 $(MPI_BIN)/libmpi_abi.so.0: $(MPI_SOURCES)/other_mpi.c $(MPI_SOURCES)/other_mpi.h
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) $(ALL_CFLAGS) $(if $(findstring abi,$@),-DNAME='"MPICH Version:      5.0.1"') -shared -Wl,-soname,$(@F) -o $@ $<

$(MPI_BIN)/other: $(MPI_BIN)/libmpi.so.40
$(MPI_BIN)/other_abi: $(MPI_BIN)/libmpi_abi.so.0
$(MPI_BIN)/other $(MPI_BIN)/other_abi $(MPI_BIN)/other_opens: $(MPI_SOURCES)/other.c $(MPI_SOURCES)/other_mpi.h
	mkdir -p $(@D)
	$(call say,CC,$@)
	$(CC) -D_GNU_SOURCE $(if $(findstring opens,$@),-DOPENS) $(WARNINGS) $(CFLAGS) -o $@ $(filter-out %.h,$^) -ldl \
	  -Wl,-rpath,'$$ORIGIN'

# The program's MPICH with another version number, of as many characters: one that nobody knows.
$(MPI_BIN)/unknown/libmpich.so.12: $(MPI_BIN)/stream
	mkdir -p $(@D)
	$(call say,COPY,$@)
	version=$$(echo MPICH_VERSION | $(MPICC) -E -P -include mpi.h - | tail -n 1 | tr -d '"'); \
	library=$$(ldd $< | awk '$$1 == "libmpich.so.12" { print $$3 }'); \
	LC_ALL=C sed -z "s/^$$version$$/9$${version#?}/" "$$library" > $@; \
	! cmp -s "$$library" $@

mpi-programs: $(MPI_BIN)/unknown/libmpich.so.12 $(MPI_PROGRAMS:%=$(MPI_BIN)/%) $(MPI_PRELOADED) $(MPI_BIN)/libvictims.so $(MPI_LOADING) $(MPI_PATTERNS)

check-mpi check-mpi-choice check-mpi-rest: check-mpi%: all mpi-programs recipe-programs
	$(PYTEST) $(SIDE_BY_SIDE) $(SHARE$*) tests/mpi tests/pictures

choice:
	cd tests/mpi && python3 -B -m runner.choice

# The library of another machine, PREBUILT, with the programs and the MPICH of this one.
check-prebuilt:
	test -f '$(PREBUILT)' || { echo "give a library: make check-prebuilt PREBUILT=.../libftcoll.so" >&2; exit 2; }
	$(MAKE) --no-print-directory BUILD=$(BUILD)/prebuilt mpi-programs recipe-programs
	cp '$(PREBUILT)' $(BUILD)/prebuilt/libftcoll.so
	$(MAKE) --no-print-directory BUILD=$(BUILD)/prebuilt check-mpi-alone

check-mpi-alone:
	$(PYTEST) $(SIDE_BY_SIDE) $(if $(CASES),-k '$(CASES)') tests/mpi

check-device:
	DEVICE='$(DEVICE)' BUILD='$(BUILD)' CASES='$(CASES)' tests/device

stress: all mpi-programs
	tests/mpi/stress --build $(BUILD) --minutes $(or $(MINUTES),5)

.PHONY: choice mpi-programs check-mpi check-mpi-choice check-mpi-rest check-prebuilt check-mpi-alone check-device stress
