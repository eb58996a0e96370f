/* advice: settings that would have protected a call of native MPI that waits for a dead rank. A
 * monitor process knows only what the call's mark on the board shows (board/mark.h). The advice
 * therefore names the settings that protect the call whatever its size is. */
#ifndef FTC_REPORTING_ADVICE_H
#define FTC_REPORTING_ADVICE_H

#include "call/call.h"
#include "config/settings.h"

#include <stdbool.h>
#include <stdint.h>

enum { FTC_ADVICE_TEXT = 128 };

/* Writes the settings that would protect a call of @kind, as they go into the environment, as a
 * part of a sentence: "; FTCOLL_P2P=ignore would protect it". @fallback: enum ftc_fallback, why
 * native MPI carries out the call; FTC_FALLBACK_NONE: not known. Returns false if no setting would
 * protect the call, and @text says so. */
bool ftc_advice_write(const struct ftc_settings *s, enum ftc_call_kind kind, uint32_t fallback,
                      char text[FTC_ADVICE_TEXT]);

#endif
