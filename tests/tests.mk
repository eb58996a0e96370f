# make check-rest  what make check-all has beside make check
# make unit     the unit tests alone
# make check-debian [SUITE=bookworm|trixie|forky] [TARGETS='demo check']  the same two commands on a fresh Debian, in a chroot; needs root
# make check-fresh  that of Debian 12, bookworm
# make choice   prints the real jobs that make check runs, and why each of them
# Each part of the checks is a target of its own; tests/check runs them.

UNIT := $(BUILD)/tests/unit
BOARD_TESTS := board bulk transport net remote_query query_server agent authority reliable link replica lease leaseholder life announcement trace mark report coverage contributors symbol copy
UNIT_TESTS := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
SHIM_OBJECTS := $(filter $(BUILD)/shim/% $(BUILD)/config/% $(ENGINE_OBJECT),$(OBJECTS))
# Rooms of which no test runs under the sanitizers: there UNSANITIZED says where their objects are already.
PLAIN_ROOMS   := collectives communicator detector files lifecycle new_communicators p2p protocols windows
PLAIN_OBJECTS := $(filter $(foreach room,$(PLAIN_ROOMS),$(BUILD)/shim/$(room)/%),$(SHIM_OBJECTS))
ifdef UNSANITIZED
SHIM_OBJECTS  := $(filter-out $(PLAIN_OBJECTS),$(SHIM_OBJECTS)) $(PLAIN_OBJECTS:$(BUILD)/%=$(UNSANITIZED)/%)
endif

# What the tests are of: all of the library but its entry points.
$(UNIT)/library.a: $(SHIM_OBJECTS)
	mkdir -p $(@D)
	rm -f $@
	ar qc $@ $^

# test_stopped replaces functions of the C library, too. With _FORTIFY_SOURCE the C library has a second, checked form of
# some: the test replaces that as well, or is not linked.
wrapped = $(foreach name,$(1),-Wl,--wrap=$(name) -Wl,--wrap=__$(name)_chk)
$(UNIT)/test_stopped: UNIT_LIBS = $(call wrapped,clock_gettime nanosleep poll $(addprefix ftc_,rank_end_job job_end pmi_fd channel_is_end channel_send channel_receive notice_deaths))
$(UNIT)/test_polls: UNIT_LIBS = $(call wrapped,sysconf mprotect)
$(UNIT)/test_bulk: UNIT_LIBS = $(call wrapped,sysconf madvise)
$(UNIT)/test_combine: UNIT_LIBS = $(filter -L% -l% -Wl%,$(MPI_SHOWN))
CHECK_LIBS := -Wl,--as-needed -linih -lcheck -lsubunit -lm -lpthread -lrt -ldl

$(UNIT)/test_link: $(UNIT)/unit_fabric.o
$(UNIT)/test_symbol: $(UNIT)/libmpichbinding.so $(UNIT)/libcaller.so $(UNIT)/libgnu.so
$(UNIT)/test_loaded: $(UNIT)/libgnu.so $(UNIT)/libsysv.so
$(UNIT)/test_polls: $(UNIT)/libpolling.so
$(UNIT)/libpolling.so: tests/unit/polling_library.c
	mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared -Wl,-z,relro,-z,now -o $@ $<
LOADED_gnu := -Wl,--hash-style=gnu
LOADED_sysv := -Wl,--hash-style=sysv
LOADED_caller := -Dthere=MPI_Barrier
$(UNIT)/lib%.so: tests/unit/loaded_library.c
	mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared $(LOADED_$*) -Wl,-soname,lib$*.so.1 -o $@ $<

# A function that a test defines stands before that of the library (muldefs: the first definition holds). There is no
# optimization across files: it takes three times as long, and inlines what test_stopped replaces.
$(UNIT)/%.o: FASTER =
$(UNIT_TESTS:%=$(UNIT)/test_%): %: %.o $(UNIT)/library.a
	$(CC) $(ALL_CFLAGS) -fno-lto -Wl,-z,muldefs -o $@ $(filter %.o,$^) $(UNIT)/library.a $(UNIT_LIBS) $(CHECK_LIBS)

-include $(UNIT_TESTS:%=$(UNIT)/test_%.d) $(UNIT)/unit_fabric.d

unit-programs: $(UNIT_TESTS:%=$(UNIT)/test_%)

unit: $(UNIT_TESTS:%=unit-%)
# Check's limit for a test (tests/unit/unit.h) is that of an idle machine.
$(UNIT_TESTS:%=unit-%): unit-%: $(UNIT)/test_%
	CK_TIMEOUT_MULTIPLIER=$$(tests/slowness) $(RUN) $<

# For a part of the check (tests/pytest.ini, tests/conftest.py); the JUnit file has the part's name.
PYTEST = pytest-3 -v -o cache_dir='$(abspath $(BUILD))/pytest' --build='$(BUILD)' --junitxml='$(BUILD)/check/$(@:check-%=%).xml'

# Jobs wait for much of their time, so there is one more of them than cores.
SIDE_BY_SIDE = -n $$(($(JOBS) + 1))

# Of the tests that make check has no time for in all their forms: those that it has, and the others (pytest.ini).
SHARE-choice = -m 'not rest and not thorough'
SHARE-rest   = -m 'rest and not thorough'

-include $(wildcard tests/*/*.mk)

check check-rest: packages-check
	BUILD='$(BUILD)' tests/check $@

check-all: check
	$(MAKE) --no-print-directory check-rest

# ---- parts of the check: those of make check, then those with "rest" in their names and others ----

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
VALGRIND   := tests/within 900 valgrind -q --fair-sched=yes --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,possible

# Each unit test runs once in make check: those of what other processes write, and of memory, under two sanitizers.
# test_combine starts MPI, whose modules leave memory behind when they are unloaded.
SANITIZED_TESTS := topology classes exchange engine settings mapping json blocks $(BOARD_TESTS)
PLAIN_TESTS     := $(filter-out combine $(SANITIZED_TESTS),$(UNIT_TESTS))
# A make by another name: the + before its lines lets it share the jobs.
SANITIZED = $(MAKE) --no-print-directory BUILD=$(BUILD)/asan UNSANITIZED=$(BUILD) SANITIZE='$(SANITIZERS)' CFLAGS='-O1 -g'

# All that make check needs, with warnings as errors.
check-build: WERROR = -Werror
check-build: all $(BUILD)/describe $(PAGES) syntax mpi-programs recipe-programs semantics-programs sim-programs \
  $(PLAIN_TESTS:%=$(UNIT)/test_%) sanitized-programs

sanitized-programs check-sanitizers: $(PLAIN_OBJECTS)

sanitized-programs:
	+$(SANITIZED) UNIT_TESTS='combine $(SANITIZED_TESTS)' unit-programs

check-unit: $(PLAIN_TESTS:%=unit-%)

check-unit-rest:
	$(MAKE) --no-print-directory UNIT_TESTS='combine $(SANITIZED_TESTS)' unit

check-sanitizers:
	+$(SANITIZED) RUN=PART=yes UNIT_TESTS='$(SANITIZED_TESTS)' unit
	+ASAN_OPTIONS=detect_leaks=0 $(SANITIZED) UNIT_TESTS=combine unit

check-sanitizers-rest:
	+$(SANITIZED) sim-small
	$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan SANITIZE=-fsanitize=thread CFLAGS='-O1 -g' UNIT_TESTS='$(BOARD_TESTS)' unit sim-small

check-warnings:
	$(MAKE) --no-print-directory BUILD=$(BUILD)/clang CC=clang CFLAGS='-O2 -g -Werror' all
	$(MAKE) --no-print-directory WERROR=-Werror bench-programs
	$(MAKE) --no-print-directory BUILD=$(BUILD)/fortified CFLAGS='-O2 -g -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2' UNIT_TESTS=stopped all unit

# Check forks for each test, so that valgrind sees all of them; test_combine is MPICH's memory mostly.
check-valgrind: $(BUILD)/tests/sim/test_sim
	SEEDS=3 CK_FORK=no $(VALGRIND) $(BUILD)/tests/sim/test_sim
	$(MAKE) --no-print-directory RUN='CK_FORK=no PART=yes $(VALGRIND)' UNIT_TESTS='$(SANITIZED_TESTS)' unit

# ---- what other tools say of the sources: each file is looked at again once it, or a header of it, has changed ----

LINTED := $(LIBRARY) $(WRAPPERS) $(COMMAND)
LINT   := $(BUILD)/lint

syntax: $(LINTED:%.c=$(LINT)/%.syntax)

$(LINT)/%.syntax: %.c
	mkdir -p $(@D)
	$(call say,CLANG,$<)
	clang -fsyntax-only $(ALL_CFLAGS) $(WHERE) -Werror -MMD -MP -MF $(@:.syntax=.d) -MT $@ $<
	touch $@

-include $(LINTED:%.c=$(LINT)/%.d)

check-lint: $(LINTED:%.c=$(LINT)/%.tidy)
	tests/lint cppcheck $(LINT)/cppcheck
	echo 'lint: $(words $(LINTED)) files passed'

$(LINT)/%.tidy: %.c $(LINT)/%.syntax .clang-tidy tests/lint
	$(call say,TIDY,$<)
	tests/lint clang-tidy '$(MPI_CPPFLAGS)' $<
	touch $@

check-boundaries: all $(BUILD)/describe $(PAGES)
	tests/boundaries $(BUILD)

check-places:
	tests/places

check-fresh: SUITE = bookworm
check-debian check-fresh:
	SUITE='$(SUITE)' TARGETS='$(TARGETS)' PREBUILT='$(PREBUILT)' tests/debian

.PHONY: unit unit-programs $(UNIT_TESTS:%=unit-%) check check-rest check-all check-build sanitized-programs syntax check-lint check-warnings check-unit \
  check-unit-rest check-sanitizers check-sanitizers-rest check-valgrind check-boundaries check-places check-debian check-fresh
