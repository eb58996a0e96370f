#include "course.h"

bool ftc_course_is_of(const struct ftc_plan *plan)
{
    return plan->protocol == FTC_PROTOCOL_PIPELINED || plan->protocol == FTC_PROTOCOL_SEGMENTED ||
           ftc_protocol_is_rounds(plan->protocol);
}

void ftc_course_open(struct ftc_course *course, struct ftc_plan *plan)
{
    plan->course = course;
    if (plan->protocol == FTC_PROTOCOL_PIPELINED)
        ftc_pipelined_open(&course->pipelined, plan);
    else if (plan->protocol == FTC_PROTOCOL_SEGMENTED)
        ftc_segmented_open(&course->segmented, plan);
    else
        ftc_rounds_open(&course->rounds, plan);
}

void ftc_course_request(const struct ftc_plan *plan, struct ftc_loop_request *request)
{
    if (plan->protocol == FTC_PROTOCOL_PIPELINED)
        ftc_pipelined_request(&plan->course->pipelined, request);
    else if (plan->protocol == FTC_PROTOCOL_SEGMENTED)
        ftc_segmented_request(&plan->course->segmented, request);
    else
        ftc_rounds_request(&plan->course->rounds, request);
}

int ftc_course_deliver(const struct ftc_plan *plan)
{
    if (plan->protocol == FTC_PROTOCOL_PIPELINED)
        return ftc_pipelined_deliver(&plan->course->pipelined);
    if (plan->protocol == FTC_PROTOCOL_SEGMENTED)
        return ftc_segmented_deliver(&plan->course->segmented);
    return ftc_rounds_deliver(&plan->course->rounds);
}

void ftc_course_close(const struct ftc_plan *plan)
{
    if (!plan->course)
        return;
    if (plan->protocol == FTC_PROTOCOL_PIPELINED)
        ftc_pipelined_close(&plan->course->pipelined);
    else if (plan->protocol == FTC_PROTOCOL_SEGMENTED)
        ftc_segmented_close(&plan->course->segmented);
    else
        ftc_rounds_close(&plan->course->rounds);
}

void ftc_course_free(const struct ftc_plan *plan)
{
    if (plan->rounds)
        ftc_rounds_free(plan->rounds);
}
