# make check-semantics  programs for each rule of MPI: native and with ftcoll, results compared

# Uses BUILD, MPICC, MPIF90, WARNINGS and CFLAGS of the Makefile.

SEMANTICS      := tests/semantics
SEMANTICS_BIN  := $(BUILD)/tests/semantics
SEMANTICS_C    := predefined pairs rounding derived userops buffers overlap large communicators recreate levels threads errors \
                  nonblocking messages rejected statuses progress stacked repeatable blocks prefixes neighbors between reused floating
SEMANTICS_F    := fortran_mpif fortran_mpi fortran_mpi_f08
SEMANTICS_CXX  := cxx
SEMANTICS_PRELOADED := yielding counting

$(addprefix $(SEMANTICS_BIN)/,blocks prefixes neighbors between): $(SEMANTICS)/forms.c $(SEMANTICS)/forms.h

$(SEMANTICS_BIN)/recreate: tests/mpi/programs/resident.h
$(SEMANTICS_C:%=$(SEMANTICS_BIN)/%): $(SEMANTICS_BIN)/%: $(SEMANTICS)/%.c $(SEMANTICS)/output.c $(SEMANTICS)/output.h
	mkdir -p $(@D)
	$(call say,MPICC,$<)
	$(MPICC) -std=gnu11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -o $@ $(filter %.c,$^) -lpthread -lm

$(SEMANTICS_BIN)/fortran_mpif $(SEMANTICS_BIN)/fortran_mpi: FORTRAN_WARNINGS = -w -fallow-argument-mismatch
$(SEMANTICS_BIN)/fortran_mpi_f08: FORTRAN_WARNINGS = -Wall

# Modules of the same name: a directory for each. Only mpi_f08 declares buffers as what they are, of any type;
# without it there is a warning or an error for each pair of calls, and no option against it alone.
$(SEMANTICS_F:%=$(SEMANTICS_BIN)/%): $(SEMANTICS_BIN)/%: $(SEMANTICS)/%.F90 $(SEMANTICS)/fortran.inc
	mkdir -p $@.modules
	$(call say,MPIF90,$<)
	$(MPIF90) $(FORTRAN_WARNINGS) -J $@.modules -o $@ $<

$(SEMANTICS_CXX:%=$(SEMANTICS_BIN)/%): $(SEMANTICS_BIN)/%: $(SEMANTICS)/%.cc
	mkdir -p $(@D)
	$(call say,MPICXX,$<)
	$(MPICXX) -std=c++17 -Wall -Wextra $(CFLAGS) -o $@ $<

$(SEMANTICS_PRELOADED:%=$(SEMANTICS_BIN)/%.so): $(SEMANTICS_BIN)/%.so: $(SEMANTICS)/%.c
	mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(ALL_CFLAGS) -shared -o $@ $< -ldl

semantics-programs: $(addprefix $(SEMANTICS_BIN)/,$(SEMANTICS_C) $(SEMANTICS_F) $(SEMANTICS_CXX) $(SEMANTICS_PRELOADED:%=%.so))

check-semantics check-semantics-choice check-semantics-rest: check-semantics%: all semantics-programs
	$(PYTEST) $(SIDE_BY_SIDE) $(SHARE$*) $(SEMANTICS)

.PHONY: semantics-programs check-semantics check-semantics-choice check-semantics-rest
