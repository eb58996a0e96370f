#include "course.h"

enum ftc_course_kind ftc_course_of(const struct ftc_plan *plan, enum ftc_pass pass)
{
    if (ftc_large_can(plan, pass))
        return FTC_COURSE_LARGE;
    if (ftc_series_can(plan, pass))
        return FTC_COURSE_SERIES;
    return ftc_posted_can(plan, pass) ? FTC_COURSE_POSTED : FTC_COURSE_WHOLE;
}

void ftc_course_open(struct ftc_course *course, struct ftc_plan *plan)
{
    plan->course = course;
    if (plan->course_kind == FTC_COURSE_LARGE)
        ftc_large_open(&course->large, plan);
    else if (plan->course_kind == FTC_COURSE_SERIES)
        ftc_series_open(&course->series, plan);
    else
        ftc_posted_open(&course->posted, plan);
}

void ftc_course_request(const struct ftc_plan *plan, struct ftc_drive_request *request)
{
    if (plan->course_kind == FTC_COURSE_LARGE)
        ftc_large_request(&plan->course->large, request);
    else if (plan->course_kind == FTC_COURSE_SERIES)
        ftc_series_request(&plan->course->series, request);
    else
        ftc_posted_request(&plan->course->posted, request);
}

int ftc_course_deliver(const struct ftc_plan *plan)
{
    if (plan->course_kind == FTC_COURSE_LARGE)
        return ftc_large_deliver(&plan->course->large);
    if (plan->course_kind == FTC_COURSE_SERIES)
        return ftc_series_deliver(&plan->course->series);
    return ftc_posted_deliver(&plan->course->posted);
}

void ftc_course_close(const struct ftc_plan *plan)
{
    if (!plan->course)
        return;
    if (plan->course_kind == FTC_COURSE_LARGE)
        ftc_large_close(&plan->course->large);
    else if (plan->course_kind == FTC_COURSE_SERIES)
        ftc_series_close(&plan->course->series);
    else
        ftc_posted_close(&plan->course->posted);
}

void ftc_course_free(const struct ftc_plan *plan)
{
    if (plan->posted)
        ftc_posted_free(plan->posted);
}
