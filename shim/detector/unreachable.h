/* unreachable: living ranks of other hosts with which this rank has no connection. */
#ifndef FTC_DETECTOR_UNREACHABLE_H
#define FTC_DETECTOR_UNREACHABLE_H

/* Ends the job with a message if a living rank of another host has been without connection for
 * unreachable_ms, or where hosts can be declared lost for ftc_lease_patience_ms(). Messages on that
 * connection are lost, so the operation would never end. */
void ftc_unreachable_look(void);

#endif
