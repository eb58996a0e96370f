# make mistakes [MISTAKES='NAME ...'] [ALL=yes]  shows which of a hundred mistakes make check notices, or with ALL=yes make check-all

mistakes:
	tests/mistakes/run --build '$(BUILD)' $(if $(filter command,$(firstword $(origin JOBS))),--jobs $(JOBS)) $(if $(ALL),--all) $(MISTAKES)

.PHONY: mistakes
