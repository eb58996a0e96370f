# make check-suite [TESTS='coll comm/dup ...']  MPICH's own tests, undisturbed; their sources are Debian's, at most two hours

check-suite: all semantics-programs
	BUILD='$(BUILD)' tests/suite/build
	tests/suite/run --build '$(BUILD)' $(TESTS)

.PHONY: check-suite
