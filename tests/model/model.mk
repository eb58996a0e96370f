# make model    checks the allreduce protocol with Spin: all states of 3 to 5 processes with 1 to 3 deaths

model:
	tests/model/run.sh $(BUILD)

check-model:
	tests/model/run.sh --quick $(BUILD)

.PHONY: model check-model
