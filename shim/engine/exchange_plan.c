#include "exchange_plan.h"

struct ftc_exchange_plan ftc_exchange_plan(int n, int rank)
{
    struct ftc_exchange_plan p = {0};

    while (2 << p.doublings <= n)
        p.doublings++;
    p.rest = n - (1 << p.doublings);
    p.folds = rank < 2 * p.rest;
    p.folded_away = p.folds && rank % 2 == 0;
    p.number = p.folds ? rank / 2 : rank - p.rest;
    return p;
}

int ftc_exchange_partner(const struct ftc_exchange_plan *p, int rank, int step)
{
    int number;

    if (step == 0 || step == p->doublings + 1)
        return p->folds ? rank ^ 1 : -1;
    if (p->folded_away)
        return -1;
    number = p->number ^ (1 << (step - 1));
    return number < p->rest ? 2 * number + 1 : number + p->rest;
}

bool ftc_exchange_sends_in(const struct ftc_exchange_plan *p, int step)
{
    if (step == 0)
        return p->folded_away;
    return step <= p->doublings || !p->folded_away;
}

bool ftc_exchange_receives_in(const struct ftc_exchange_plan *p, int step)
{
    if (step == 0)
        return !p->folded_away;
    return step <= p->doublings || p->folded_away;
}
