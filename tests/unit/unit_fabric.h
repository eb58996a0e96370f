/* unit_fabric: a network in this process in place of UCX (net/fabric.h), with what can go wrong in
 * one: a stream takes what it likes, is out when it likes, and loses its tail when it is closed. */
#ifndef FTC_TESTS_UNIT_FABRIC_H
#define FTC_TESTS_UNIT_FABRIC_H

#include "net/fabric.h"

#include <stdint.h>

/* Of all streams: nothing that is written gets out; they break at both ends; the next that opens
 * brings other bytes than were sent. */
void unit_fabric_hold(bool holds);
int unit_fabric_break(void);
void unit_fabric_garble(void);

/* Bytes that have been brought to somebody. */
uint64_t unit_fabric_brought(void);

#endif
