/* unreachable: living ranks of other hosts with which this rank has no connection. */
#ifndef FTC_DETECTOR_UNREACHABLE_H
#define FTC_DETECTOR_UNREACHABLE_H

/* Ends the job with a message if there has been no connection to a living rank of another host for
 * ftc_lease_patience_ms(): unreachable_ms, or longer where hosts can be declared lost. Messages on
 * that connection are lost, so the operation would never end. */
void ftc_unreachable_look(void);

#endif
