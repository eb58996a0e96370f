# make check-rest  what make check-all has beside make check
# make unit     the unit tests alone
# make check-debian [SUITE=bookworm|trixie|forky] [TARGETS='demo check']  the same two commands on a fresh Debian, in a chroot; needs root
# make check-fresh  that of Debian 12, bookworm
# make choice   prints the real jobs that make check runs, and why each of them
# Each part of the checks is a target of its own; tests/check runs them.

UNIT := $(BUILD)/tests/unit
BOARD_TESTS := board bulk transport net question service agent authority flow link replica lease leaseholder life telling trace mark report coverage contributors symbol copy
UNIT_TESTS := topology classes exchange schedule engine settings combine blocks sides letters lineage leavable group error_handler roll requests buffered completion wait thread shown turn stopped geometry fence cores mapping loaded inside polls channel pipes pmi wire proxies json file_limit numbers fabric $(BOARD_TESTS)
SHIM_OBJECTS := $(filter $(BUILD)/shim/% $(BUILD)/config/% $(ENGINE_OBJECT),$(OBJECTS))
SETTINGS_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard config/settings*.c))
BOARD_OBJECTS := $(addprefix $(BUILD)/shim/,$(addprefix board/,board.o directory.o end_of_job.o lease.o presence.o rank_state.o publication.o) $(addprefix system/,lifeline.o proc.o file_limit.o descriptor.o cores.o))
NET_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard shim/net/*.c))
TRANSPORT_OBJECTS := $(addprefix $(BUILD)/shim/transport/,inbox.o ring.o multicast.o link.o lane.o flow.o question.o answer.o) $(NET_OBJECTS)
CALLSITE := system/callsite.o system/symbol.o system/imports.o system/loaded.o
NOTICE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard shim/notice/*.c)) $(addprefix $(BUILD)/shim/,$(addprefix board/,telling.o aftermath.o missed_site.o death.o trace.o) $(addprefix system/,lines.o json.o ticks.o) $(CALLSITE) call/call.o call/policy.o)
STOPPED_WRAPPED := clock_gettime nanosleep poll $(addprefix ftc_,mismatch_meet_native mismatch_is_in rank_end_job job_end pmi_fd channel_is_end channel_send channel_receive notice_deaths)
# The test's own functions in place of these. With _FORTIFY_SOURCE the C library has a second, checked one of some, in place
# of which the test has one, too, or is not linked: it would have the real one otherwise.
wrapped = $(foreach name,$(1),-Wl,--wrap=$(name) -Wl,--wrap=__$(name)_chk)
CHECK_LIBS := -lcheck -lsubunit -lm -lpthread -lrt

$(UNIT)/test_topology $(UNIT)/test_classes $(UNIT)/test_exchange $(UNIT)/test_engine: $(ENGINE_OBJECT) $(BUILD)/shim/call/policy.o
$(UNIT)/test_schedule: $(BUILD)/shim/engine/schedule.o
$(UNIT)/test_settings: $(SETTINGS_OBJECTS)
$(UNIT)/test_settings: UNIT_LIBS = -linih
$(UNIT)/test_board: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/death.o $(BUILD)/shim/board/aftermath.o $(ENGINE_OBJECT)
$(UNIT)/test_replica: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(addprefix $(BUILD)/shim/board/,replica.o death.o aftermath.o telling.o) $(ENGINE_OBJECT)
$(UNIT)/test_lease: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/death.o $(ENGINE_OBJECT)
$(UNIT)/test_wire: $(BUILD)/shim/mpiexec/wire.o
$(UNIT)/test_proxies: $(addprefix $(BUILD)/shim/,mpiexec/proxies.o mpiexec/wire.o net/socket.o)
$(UNIT)/test_net $(UNIT)/test_flow: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(ENGINE_OBJECT)
$(UNIT)/test_link: $(UNIT)/unit_fabric.o $(BOARD_OBJECTS) $(filter-out %/fabric.o,$(TRANSPORT_OBJECTS)) $(ENGINE_OBJECT)
$(UNIT)/unit_fabric.o: tests/unit/unit_fabric.c
	mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(UNIT)/test_fabric: $(BUILD)/shim/net/fabric.o
$(UNIT)/test_fabric: UNIT_LIBS = -ldl
$(UNIT)/test_question: shim/transport/question.c $(BOARD_OBJECTS) $(filter-out %/question.o,$(TRANSPORT_OBJECTS)) $(ENGINE_OBJECT)
$(UNIT)/test_service: shim/monitor/service.c $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(addprefix $(BUILD)/shim/board/,replica.o death.o aftermath.o telling.o) $(ENGINE_OBJECT)
$(UNIT)/test_agent: shim/monitor/agent.c $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(addprefix $(BUILD)/shim/,$(addprefix board/,replica.o death.o aftermath.o telling.o) system/lines.o) $(ENGINE_OBJECT)
$(UNIT)/test_authority: shim/mpiexec/authority.c $(addprefix $(BUILD)/shim/,mpiexec/proxies.o mpiexec/wire.o system/quiet_thread.o system/floating.o) $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(ENGINE_OBJECT)
$(UNIT)/test_leaseholder: shim/monitor/leaseholder.c $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/death.o $(ENGINE_OBJECT)
$(UNIT)/test_transport: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(ENGINE_OBJECT)
$(UNIT)/test_bulk: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/bulk.o $(BUILD)/shim/system/copy.o $(ENGINE_OBJECT)
$(UNIT)/test_mapping: $(BUILD)/shim/monitor/mapping.o
$(UNIT)/test_life: $(BUILD)/shim/system/lifeline.o $(BUILD)/shim/system/proc.o
$(UNIT)/test_telling: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(addprefix $(BUILD)/shim/,board/telling.o board/aftermath.o system/lines.o) $(ENGINE_OBJECT)
$(UNIT)/test_report $(UNIT)/test_trace: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(NOTICE_OBJECTS) $(ENGINE_OBJECT)
$(UNIT)/test_mark: $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/mark.o $(BUILD)/shim/call/call.o $(ENGINE_OBJECT)
$(UNIT)/test_coverage: $(addprefix $(BUILD)/shim/,report/coverage.o report/outlook.o report/prospect.o value/sides.o notice/coverage_report.o notice/coverage_table.o notice/protection.o system/json.o $(CALLSITE) call/call.o call/policy.o board/board.o system/file_limit.o system/descriptor.o)
$(UNIT)/test_contributors: $(addprefix $(BUILD)/shim/,value/contributors.o report/required_sites.o system/json.o $(CALLSITE))
$(UNIT)/test_symbol: $(addprefix $(BUILD)/shim/,$(CALLSITE)) $(UNIT)/libmpichbinding.so $(UNIT)/libcaller.so $(UNIT)/libgnu.so
$(UNIT)/test_loaded: $(BUILD)/shim/system/loaded.o $(UNIT)/libgnu.so $(UNIT)/libsysv.so
$(UNIT)/test_loaded $(UNIT)/test_symbol $(UNIT)/test_polls: UNIT_LIBS = -ldl
$(UNIT)/test_polls: $(addprefix $(BUILD)/shim/,mpi/polls.o system/imports.o system/loaded.o) $(UNIT)/libpolling.so
$(UNIT)/libpolling.so: tests/unit/polling_library.c
	mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared -Wl,-z,relro,-z,now -o $@ $<
LOADED_gnu := -Wl,--hash-style=gnu
LOADED_sysv := -Wl,--hash-style=sysv
LOADED_caller := -Dthere=MPI_Barrier
$(UNIT)/lib%.so: tests/unit/loaded_library.c
	mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared $(LOADED_$*) -Wl,-soname,lib$*.so.1 -o $@ $<
$(UNIT)/test_blocks: $(addprefix $(BUILD)/shim/value/,blocks.o broadcast.o)
$(UNIT)/test_sides: $(addprefix $(BUILD)/shim/,value/sides.o call/call.o)
$(UNIT)/test_letters: $(BUILD)/shim/collectives/letters.o
$(UNIT)/test_leavable: $(BUILD)/shim/new_communicators/leavable.o
$(UNIT)/test_lineage: $(BUILD)/shim/communicator/lineage.o
$(UNIT)/test_roll: $(BUILD)/shim/new_communicators/roll.o $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/death.o $(ENGINE_OBJECT)
$(UNIT)/test_error_handler: $(BUILD)/shim/communicator/error_handler.o
$(UNIT)/test_group: $(BUILD)/shim/communicator/group.o
$(UNIT)/test_completion: $(addprefix $(BUILD)/shim/,program/request.o system/floating.o)
$(UNIT)/test_wait: $(addprefix $(BUILD)/shim/,progress/wait.o progress/empty_request.o board/lease.o board/rank_state.o)
$(UNIT)/test_thread: $(addprefix $(BUILD)/shim/,progress/thread.o system/quiet_thread.o system/floating.o)
$(UNIT)/test_shown $(UNIT)/test_turn $(UNIT)/test_geometry: $(SHIM_OBJECTS)
$(UNIT)/test_shown $(UNIT)/test_turn $(UNIT)/test_geometry: UNIT_LIBS = -linih
$(UNIT)/test_stopped: $(SHIM_OBJECTS)
$(UNIT)/test_stopped: UNIT_LIBS = -linih $(call wrapped,$(STOPPED_WRAPPED))
$(UNIT)/test_fence: $(addprefix $(BUILD)/shim/,detector/silence.o system/lines.o) $(BOARD_OBJECTS) $(TRANSPORT_OBJECTS) $(BUILD)/shim/board/death.o $(ENGINE_OBJECT)
$(UNIT)/test_cores: $(addprefix $(BUILD)/shim/system/,cores.o proc.o)
$(UNIT)/test_json: $(BUILD)/shim/system/json.o
$(UNIT)/test_file_limit: $(BUILD)/shim/system/file_limit.o
$(UNIT)/test_numbers: $(BUILD)/shim/system/numbers.o
$(UNIT)/test_copy: $(BUILD)/shim/system/copy.o
$(UNIT)/test_inside: $(addprefix $(BUILD)/shim/,mpi/inside.o mpi/mpi_library.o mpi/mpi_library_stubs.stub.o system/loaded.o system/lines.o system/descriptor.o)
$(UNIT)/test_channel: $(BUILD)/shim/monitor/channel.o
$(UNIT)/test_pipes: $(addprefix $(BUILD)/shim/,monitor/pipes.o monitor/monitored.o system/quiet_thread.o system/floating.o)
$(UNIT)/test_pmi: $(SHIM_OBJECTS)
$(UNIT)/test_pmi: UNIT_LIBS = -linih
$(UNIT)/test_requests: $(BUILD)/shim/p2p/requests.o $(BUILD)/shim/p2p/lock.o
$(UNIT)/test_buffered: $(BUILD)/shim/p2p/buffered.o $(BUILD)/shim/p2p/lock.o
$(UNIT)/test_combine: $(addprefix $(BUILD)/shim/,value/datatype.o value/kernels.o system/copy.o system/loaded.o system/lines.o system/descriptor.o mpi/mpi_library.o mpi/mpi_library_stubs.stub.o)
$(UNIT)/test_combine: UNIT_LIBS = $(filter -L% -l% -Wl%,$(MPI_SHOWN))
# Without optimization across files: it takes three times as long, and inlines what test_stopped replaces.
$(UNIT)/test_%: tests/unit/test_%.c $(wildcard tests/unit/unit*.h)
	mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(ALL_CFLAGS) -fno-lto -o $@ $< $(filter %.o,$^) $(UNIT_LIBS) $(CHECK_LIBS)

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
SANITIZED = $(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE='$(SANITIZERS)' CFLAGS='-O1 -g'

# All that make check needs, with warnings as errors.
check-build: WERROR = -Werror
check-build: all $(BUILD)/describe $(PAGES) syntax mpi-programs recipe-programs semantics-programs sim-programs \
  $(PLAIN_TESTS:%=$(UNIT)/test_%) sanitized-programs

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
