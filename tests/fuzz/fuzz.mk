# make fuzz     all fuzz targets, MINUTES=10 each

FUZZ := $(BUILD)/fuzz
FUZZ_TARGETS := settings engine board channel net authority leaseholder
FUZZ_CC = clang -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O1 -g -fsanitize=fuzzer,address,undefined \
  -fno-sanitize-recover=all -Ishim -I. $(MPI_CPPFLAGS)

# All that a message goes through, on one host or between two.
FUZZED_TRANSPORT = $(addprefix shim/board/,recovery_record.c board.c directory.c lease.c presence.c publication.c rank_state.c) \
  $(addprefix shim/system/,cores.c descriptor.c file_limit.c lifeline.c loaded.c proc.c) $(wildcard shim/net/*.c shim/transport/*.c) $(ENGINE)

$(FUZZ)/settings: $(wildcard config/settings*.c)
$(FUZZ)/settings: FUZZ_LIBS = -linih
$(FUZZ)/engine: $(ENGINE)
$(FUZZ)/board: $(addprefix shim/board/,bulk.c mark.c failure_site.c announcement.c) $(FUZZED_TRANSPORT) shim/call/call.c shim/system/copy.c
$(FUZZ)/net: shim/board/death.c shim/board/end_of_job.c shim/board/replica.c shim/board/announcement.c $(FUZZED_TRANSPORT)
$(FUZZ)/authority: shim/mpiexec/proxies.c shim/mpiexec/wire.c shim/system/quiet_thread.c shim/system/floating.c shim/system/libc.c $(FUZZED_TRANSPORT)
$(FUZZ)/leaseholder: shim/board/death.c $(FUZZED_TRANSPORT)
$(FUZZ)/channel: shim/monitor/channel.c
$(FUZZ)/%: tests/fuzz/fuzz_%.c
	mkdir -p $(@D)
	$(call say,FUZZ,$<)
	$(FUZZ_CC) -o $@ $< $(filter-out $<,$(filter %.c,$^)) $(FUZZ_LIBS)

FUZZ_SECONDS = $(or $(SECONDS),$(shell echo $$(( $(or $(MINUTES),10) * 60 ))))

# New inputs go to a copy of the corpus.
fuzz: $(FUZZ_TARGETS:%=fuzz-%)
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: $(FUZZ)/%
	mkdir -p $(FUZZ)/corpus/$*
	$< -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 -max_len=2048 \
	  -artifact_prefix=$<- $(FUZZ)/corpus/$* tests/fuzz/corpus/$* >$<.log 2>&1 || \
	  { tail -n 30 $<.log; echo "fuzz $*: FINDING"; exit 1; }
	sed -n "s/stat::number_of_executed_units: */fuzz $*: no finding in $(FUZZ_SECONDS) s, runs: /p" $<.log

check-fuzz:
	$(MAKE) --no-print-directory fuzz SECONDS=5

.PHONY: fuzz $(FUZZ_TARGETS:%=fuzz-%) check-fuzz
