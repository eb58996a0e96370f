# make recipes  builds the programs of doc/recipes.md in build/recipes; make check runs them as that page says, with a rank killed

RECIPES := $(BUILD)/recipes
RECIPE_PROGRAMS := montecarlo sgd solver workers halo periods overlap fft checkpoint
# OpenCoarrays for MPICH; where it is missing the recipe is left out. Debian 14's is linked with Open MPI.
CAF := $(shell ldd /usr/lib/*/libcaf_mpich.so 2> /dev/null | grep libmpich)

recipes: all recipe-programs

recipe-programs: $(RECIPE_PROGRAMS:%=$(RECIPES)/%) $(if $(CAF),$(RECIPES)/darts) $(RECIPES)/pi.py $(RECIPES)/job.sbatch

$(RECIPES)/montecarlo: tests/mpi/montecarlo.c
$(filter-out %/montecarlo,$(RECIPE_PROGRAMS:%=$(RECIPES)/%)): $(RECIPES)/%: tests/recipes/%.c
$(RECIPE_PROGRAMS:%=$(RECIPES)/%):
	mkdir -p $(@D)
	$(call say,MPICC,$@)
	$(MPICC) -std=gnu11 $(WARNINGS) $(CFLAGS) -o $@ $< -lm

$(RECIPES)/darts: tests/recipes/darts.f90
	mkdir -p $(@D)
	$(call say,FC,$@)
	gfortran -O2 -Wall -fcoarray=lib -o $@ $< -lcaf_mpich

$(RECIPES)/pi.py $(RECIPES)/job.sbatch: $(RECIPES)/%: tests/recipes/%
	mkdir -p $(@D)
	install -m 755 $< $@

.PHONY: recipes recipe-programs
