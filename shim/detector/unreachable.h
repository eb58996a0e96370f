/* unreachable: a rank of another host that lives, and with which there is no connection. */
#ifndef FTC_DETECTOR_UNREACHABLE_H
#define FTC_DETECTOR_UNREACHABLE_H

/* Ends the job, with a line, if that has been so for unreachable_ms: what was on the connection is
 * lost, and the operation would never end. */
void ftc_unreachable_look(void);

#endif
