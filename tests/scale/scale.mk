# make scale [LOGP=L:o:g] [NEWS=n] [QUICK=1]  latency and messages for 2 to 65536 processes under LogP, also with what a message costs here, and on several hosts: tables, CSV, pictures

SCALE := $(BUILD)/scale
SCALE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/scale/*.c))
SCALE_OPTIONS = $(if $(QUICK),--quick) $(if $(NEWS),--news $(NEWS))

# The very objects that the library consists of.
$(SCALE)/scale: $(SCALE_OBJECTS) $(ENGINE_OBJECT)
	mkdir -p $(@D)
	$(call say,LINK,$@)
	$(CC) $(ALL_CFLAGS) -o $@ $^

-include $(wildcard $(BUILD)/tests/scale/*.d)

# One tick is a nanosecond where it is measured.
MEASURE_LOGP = LD_PRELOAD=$(PRELOADED) FTCOLL_F=0 mpiexec.hydra -bind-to core -n 2 $(BUILD)/bench/logp

scale: packages-bench
	$(MAKE) --no-print-directory draw-scale

draw-scale: $(SCALE)/scale all $(BUILD)/bench/logp
	set -e; logp='$(LOGP)'; \
	if test -z "$$logp"; then logp=$$($(MEASURE_LOGP)); echo "measured here, in ns: L:o:g = $$logp"; fi; \
	$< $(SCALE_OPTIONS) --logp "$$logp" --csv $(SCALE)/scale.csv; \
	tests/scale/pictures.py $(SCALE)/scale.csv 2:1:1 "$$logp"

check-scale: $(SCALE)/scale
	$< --quick --strict

.PHONY: scale draw-scale check-scale
