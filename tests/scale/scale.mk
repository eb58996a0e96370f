# make scale [LOGP=L:o:g] [NEWS=ticks] [QUICK=1]  latency and messages for 2 to 65536 processes under LogP: tables, CSV, pictures

SCALE := $(BUILD)/scale
SCALE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/scale/*.c))
SCALE_OPTIONS = $(if $(QUICK),--quick) $(if $(LOGP),--logp $(LOGP)) $(if $(NEWS),--news $(NEWS))

# The very objects that the library consists of.
$(SCALE)/scale: $(SCALE_OBJECTS) $(CORE_OBJECTS)
	mkdir -p $(@D)
	$(call say,LINK,$@)
	$(CC) $(ALL_CFLAGS) -o $@ $^

-include $(wildcard $(BUILD)/tests/scale/*.d)

scale: $(SCALE)/scale
	$< $(SCALE_OPTIONS) --csv $(SCALE)/scale.csv
	if command -v gnuplot >/dev/null; then \
	  cd $(SCALE) && gnuplot $(CURDIR)/tests/scale/pictures.gp && echo 'drawn: $(SCALE)/latency-n.svg latency-f.svg'; \
	else \
	  echo 'no pictures: gnuplot is not here (package gnuplot-nox)'; \
	fi

check-scale: $(SCALE)/scale
	$< --quick --strict

.PHONY: scale check-scale
