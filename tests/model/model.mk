# make model    checks the protocols of allreduce (3 to 5 processes, 1 to 3 deaths) and of leases (2 and 3 hosts) with Spin

model:
	tests/model/run.sh $(BUILD)

check-model:
	tests/model/run.sh --quick $(BUILD)

.PHONY: model check-model
