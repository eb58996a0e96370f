# make          builds build/libftcoll.so and the command beside it, build/ftcoll
# make demo     installs what is missing, builds, and shows a job that survives a killed rank
# make check    the same, and passes the tests that take ten minutes
# make check-all  passes all tests, half an hour
# make man      shows the manual page, ftcoll(7); make html makes all manual pages for a browser, below build/html
# make install  [PREFIX=/usr/local] [LIBDIR=PREFIX/lib] [DESTDIR=]; make uninstall takes it away again
# make dist     packs the sources, build/ftcoll-VERSION.tar.gz
# make deb      makes Debian's packages of them, below build/deb
# make help     lists the other targets

VERSION := $(shell sed -n 's/^\#define FTCOLL_VERSION "\(.*\)"/\1/p' include/ftcoll.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
BUILD   ?= build

# A clone may lie anywhere, because all names here are relative to it.
ifneq ($(words $(BUILD))$(findstring :,$(BUILD)),1)
$(error BUILD is '$(BUILD)': make cannot build in a directory whose name has a blank or a colon; give another one)
endif

# LD_PRELOAD splits at blanks and colons: below a directory with these, the library is named from here.
PRELOADED := $(if $(findstring :,$(CURDIR))$(word 2,$(CURDIR)),$(BUILD),$(abspath $(BUILD)))/libftcoll.so

CC      = gcc
MPICC   = mpicc.mpich
MPICXX  = mpicxx.mpich
MPIF90  = mpif90.mpich

# Where MPICH is, its compiler tells. (Where it is not installed yet, the make that comes after that asks again.)
MPI_SHOWN := $(shell $(MPICC) -show 2>/dev/null)
MPI_INCLUDE ?= $(patsubst -I%,%,$(filter -I%,$(MPI_SHOWN)))
MPI_CPPFLAGS = $(addprefix -isystem ,$(MPI_INCLUDE))

# make V=1 shows the commands
ifeq ($(V),)
.SILENT:
say = printf '  %-5s %s\n' $(1) $(2)
else
say = :
endif

WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wundef $(WERROR)
CFLAGS  ?= -O2 -g
# The library itself, unless somebody says otherwise: a call goes through many small files, and is optimized across them.
# The objects are ordinary ones, too, for tests that link a few. (clang would need a plugin of the linker.)
LTO      = $(if $(findstring gcc,$(CC)),-flto=auto -ffat-lto-objects)
FASTER   = $(if $(filter file,$(origin CFLAGS)),-O3 $(LTO))
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -fPIC -ftls-model=initial-exec $(WARNINGS) -Ishim -I. $(MPI_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(SANITIZE)

ENGINE  := $(wildcard shim/engine/*.c)
LIBRARY := $(wildcard config/settings*.c shim/*.c shim/*/*.c)
WRAPPERS := $(wildcard wrappers/*.c)
ENGINE_OBJECT := $(BUILD)/engine.o
STUBS   := shim/mpi/mpi_library.S wrappers/entries.S wrappers/lookup.S
OBJECTS := $(ENGINE_OBJECT) $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(ENGINE),$(LIBRARY)) $(WRAPPERS)) $(STUBS:%.S=$(BUILD)/%.stub.o)

all: $(BUILD)/libftcoll.so $(BUILD)/ftcoll

# The library is loaded into programs without MPI too, and into those of any MPI: it is not linked with one, and
# finds the functions of the program's own itself (shim/mpi/mpi_library.h).
$(BUILD)/%.o: %.c
	mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(ALL_CFLAGS) $(FASTER) $(VISIBILITY) -MMD -MP -c $< -o $@

$(BUILD)/%.stub.o: %.S
	mkdir -p $(@D)
	$(call say,AS,$<)
	$(CC) -Ishim -MMD -MP -c $< -o $@

$(BUILD)/config/timeline_page.stub.o: config/timeline.html

$(BUILD)/shim/%.o $(BUILD)/config/%.o: VISIBILITY = -fvisibility=hidden

# One object of finished machine code, so that the simulator runs the very instructions that the library has.
$(ENGINE_OBJECT): $(ENGINE:%.c=$(BUILD)/%.o)
	$(call say,LINK,$@)
	$(CC) $(ALL_CFLAGS) $(FASTER) $(if $(findstring -flto,$(CFLAGS) $(FASTER)),-flinker-output=nolto-rel) -r -o $@ $^

# inih is linked statically: a preloaded library should bring no other library into somebody's program.
$(BUILD)/libftcoll.so: $(OBJECTS) wrappers/exports.map
	$(call say,LINK,$@)
	$(CC) -shared $(ALL_CFLAGS) $(FASTER) $(LDFLAGS) -Wl,--version-script=wrappers/exports.map \
	  -Wl,-soname,libftcoll.so.$(SOVERSION) -Wl,-e,ftc_about -o $@ $(OBJECTS) -Wl,-Bstatic -linih -Wl,-Bdynamic

# ftcoll, the command, has the settings and the tables of the library in it.
COMMAND := $(filter-out config/describe.c config/settings%,$(wildcard config/*.c))
COMMAND_OBJECTS := $(COMMAND:%.c=$(BUILD)/%.o) $(BUILD)/config/timeline_page.stub.o \
  $(patsubst %.c,$(BUILD)/%.o,$(wildcard config/settings*.c)) \
  $(addprefix $(BUILD)/shim/,call/call.o call/policy.o reporting/coverage_outcomes.o reporting/settings_forecast.o reporting/protection.o \
  progress/crash.o mpi/mpi_library.o mpi/mpi_library.stub.o system/loaded.o system/numbers.o system/lines.o system/descriptor.o)

# The command looks for the library beside itself, then where it is installed (as seen from the command; ../lib in the
# build). The command that is installed is a file of its own: somebody may be running that of the build.
INSTALLED_COMMAND := $(BUILD)/installed/ftcoll
$(BUILD)/ftcoll: $(COMMAND_OBJECTS)
$(INSTALLED_COMMAND): $(filter-out %/library.o,$(COMMAND_OBJECTS)) $(BUILD)/installed/library.o
$(BUILD)/ftcoll $(INSTALLED_COMMAND):
	$(call say,LINK,$@)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -ljansson -Wl,-Bstatic -linih -Wl,-Bdynamic

WHERE = -DFTC_LIBDIR='"$(1)"' -DFTC_SONAME='"libftcoll.so.$(SOVERSION)"'
$(BUILD)/config/library.o: ALL_CFLAGS += $(call WHERE,../lib)

# Compiled again when that place changes.
SEEN_LIBDIR = $(if $(filter $(PREFIX)/%,$(LIBDIR)),$(LIBDIR:$(PREFIX)/%=../%),$(LIBDIR))
$(BUILD)/installed/libdir: FORCE
	mkdir -p $(@D)
	[ "$$(cat $@ 2>/dev/null)" = '$(SEEN_LIBDIR)' ] || echo '$(SEEN_LIBDIR)' >$@

$(BUILD)/installed/library.o: config/library.c $(BUILD)/installed/libdir
	$(call say,CC,$<)
	$(CC) $(ALL_CFLAGS) $(call WHERE,$(SEEN_LIBDIR)) $(VISIBILITY) -MMD -MP -c $< -o $@

-include $(patsubst %.c,$(BUILD)/%.d,$(LIBRARY) $(WRAPPERS)) $(STUBS:%.S=$(BUILD)/%.stub.d) $(COMMAND_OBJECTS:.o=.d) \
  $(BUILD)/installed/library.d

PAGES := $(addprefix $(BUILD)/,ftcoll.1 ftcoll.7 ftcoll-calls.7 ftcoll.conf.5 ftcoll-report.5)

include tests/tests.mk

demo: packages-build
	$(MAKE) --no-print-directory all $(BUILD)/tests/mpi/montecarlo
	tests/mpi/demo.sh $(BUILD)

$(BUILD)/tests/mpi/montecarlo: tests/mpi/montecarlo.c
	mkdir -p $(@D)
	$(call say,MPICC,$<)
	$(MPICC) $(WARNINGS) $(CFLAGS) -o $@ $< -lm

packages-build packages-check packages-bench packages-deb: packages-%:
	tests/install-packages.sh $*

ftcoll.conf.example: $(BUILD)/describe
	$(BUILD)/describe conf > $@

# The manual pages: their settings are those of config/options.def, INSIDE is shim/mpi/inside.def.
$(PAGES): $(BUILD)/%: doc/%.in $(BUILD)/describe include/ftcoll.h
	$(call say,MAN,$@)
	$(BUILD)/describe man > $@.settings
	$(BUILD)/describe inside > $@.inside
	sed -e 's/@VERSION@/$(VERSION)/' -e '/^@SETTINGS@$$/{' -e 'r $@.settings' -e 'd' -e '}' \
	  -e '/^@INSIDE@$$/{' -e 'r $@.inside' -e 'd' -e '}' $< > $@
	rm $@.settings $@.inside

man: $(PAGES)
	man -l $(BUILD)/ftcoll.7

# The manual pages for a browser.
html: $(PAGES:$(BUILD)/%=$(BUILD)/html/%.html)

$(BUILD)/html/%.html: $(BUILD)/%
	$(call say,HTML,$@)
	mkdir -p $(@D)
	mandoc -Thtml -O man=%N.%S.html $< > $@

$(BUILD)/describe: config/describe.c $(patsubst %.c,$(BUILD)/%.o,$(wildcard config/settings*.c)) shim/mpi/inside.def
	$(CC) $(ALL_CFLAGS) -o $@ $(filter-out %.def,$^) -linih

# The shell takes these names from its environment, so that it splits none of them.
export PREFIX LIBDIR DESTDIR

DOCUMENTS := CHANGELOG guide recipes faq comparison contributing design proof performance
INSTALLED := "$$DESTDIR$$LIBDIR/libftcoll.so"

install: all $(INSTALLED_COMMAND) $(PAGES)
	case "$$PREFIX$$LIBDIR" in *[[:space:]:]*) \
	  echo "make install: LD_PRELOAD splits at blanks and colons, so no job could load $$LIBDIR/libftcoll.so;" \
	    "give a PREFIX and a LIBDIR without them" >&2; \
	  exit 2;; \
	esac
	install -d "$$DESTDIR$$LIBDIR/pkgconfig" "$$DESTDIR$$PREFIX/include" "$$DESTDIR$$PREFIX/share/doc/ftcoll/doc/pictures" \
	  $(foreach n,1 5 7,"$$DESTDIR$$PREFIX/share/man/man$n") "$$DESTDIR$$PREFIX/bin"
	install -m 755 $(BUILD)/libftcoll.so $(INSTALLED).$(VERSION)
	install -m 755 $(INSTALLED_COMMAND) "$$DESTDIR$$PREFIX/bin/"
	ln -sf libftcoll.so.$(VERSION) $(INSTALLED).$(SOVERSION)
	ln -sf libftcoll.so.$(SOVERSION) $(INSTALLED)
	install -m 644 include/ftcoll.h "$$DESTDIR$$PREFIX/include/"
	for page in $(PAGES); do install -m 644 "$$page" "$$DESTDIR$$PREFIX/share/man/man$${page##*.}/" || exit 1; done
	install -m 644 README LICENSE ftcoll.conf.example "$$DESTDIR$$PREFIX/share/doc/ftcoll/"
	install -m 644 $(DOCUMENTS:%=doc/%.md) "$$DESTDIR$$PREFIX/share/doc/ftcoll/doc/"
	install -m 644 doc/pictures/*.svg "$$DESTDIR$$PREFIX/share/doc/ftcoll/doc/pictures/"
	config/packaging/pkgconfig "$$PREFIX" "$$LIBDIR" $(VERSION) libftcoll.so.$(SOVERSION) \
	  > "$$DESTDIR$$LIBDIR/pkgconfig/ftcoll.pc"
	chmod 644 "$$DESTDIR$$LIBDIR/pkgconfig/ftcoll.pc"
	config/packaging/needs $(BUILD)/libftcoll.so

uninstall:
	rm -rf $(INSTALLED) $(INSTALLED).$(SOVERSION) $(INSTALLED).$(VERSION) "$$DESTDIR$$LIBDIR/pkgconfig/ftcoll.pc" \
	  "$$DESTDIR$$PREFIX/include/ftcoll.h" "$$DESTDIR$$PREFIX/share/doc/ftcoll" "$$DESTDIR$$PREFIX/bin/ftcoll" \
	  $(foreach page,$(notdir $(PAGES)),"$$DESTDIR$$PREFIX/share/man/man$(subst .,,$(suffix $(page)))/$(page)")

# ---- packages ----

DIST := $(BUILD)/ftcoll-$(VERSION).tar.gz

dist:
	config/packaging/dist $(VERSION) $(DIST)
	echo $(DIST)

deb: dist
	config/packaging/deb $(VERSION) $(DIST) $(BUILD)/deb

clean:
	rm -rf $(BUILD)

help:
	sed -n 's/^# \(make [a-z-]* .*\)/\1/p' Makefile tests/tests.mk $(wildcard tests/*/*.mk)

.PHONY: FORCE all demo man html install uninstall dist deb clean help packages-build packages-check packages-bench packages-deb
.DELETE_ON_ERROR:
