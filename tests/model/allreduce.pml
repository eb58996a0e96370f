/* allreduce: the protocol of doc/design.md, sections 2 to 5, for the model checker Spin (tests/model/run.sh).
 *
 * Checked on every reachable state:
 *   agreement    all live processes that have returned have the same result, verdict EXCESS included
 *   validity     a value has each live contribution exactly once, each dead one at most once
 *   attempts     attempt a needs a dead candidates: at most f+1 attempts with at most f deaths
 *   excess       no verdict EXCESS with at most f deaths
 *   termination  when no more process dies and no step is possible, every live one has returned; and
 *                (pan -l) no run goes on for ever
 *
 * Parameters (-D): N processes, F tolerated failures, DEATHS at most (any number up to it happens),
 * OPTIMISTIC (else the corrected algorithm). With DEATHS > F the confirmation of an excess is covered
 * (shim/engine/confirmation.h). A value is a bit mask of contributions, 0 the verdict EXCESS.
 *
 * Not modelled: ring correction, the contents of failure lists, several operations in a row, the order
 * in which values are combined. They are the simulator's (tests/sim).
 *
 * What keeps the state space small, and why nothing is lost by it
 *
 *   1. A message is never consumed, and a receiver takes it whenever it likes or never. So messages of
 *      different senders come in any order, arbitrarily late, and a multiple send can be one step: who
 *      sends later is like who is received later. Entering the operation late is sending late.
 *   2. Whatever a dead process sent may be lost, message by message: an up-correction or tree message
 *      because its receiver may take the sender for failed instead (the news overtakes the message), a
 *      broadcast by a choice at the moment of death. So a death between two sends is a death after all
 *      of them; a death before the operation is one where everything is lost.
 *   3. Nobody keeps a record of known deaths: whenever it matters a process may act on a real death or
 *      not. That allows all that late and early news allow, and more. Candidates known to be dead are
 *      not skipped but tried and left.
 *   4. The one effect of the reduce phase of an attempt is its root's decision. Once the root is dead
 *      or has returned, the steps of that phase are disabled.
 *   5. What was received is fixed at the step that needs it, not at the receipt: a message and a death
 *      do not go away. A published result does, by its owner's death: taking it is a step of its own.
 *   6. Up-correction and tree phase of a process that is not the root are one step, because it sends
 *      its original value when it joins, and nothing between the two phases.
 *   7. Failure information is the bit. The list names, for a subtree of its own, the same failures:
 *      members of one group are in different subtrees, so only a failed child can be of one's own.
 *   8. The root uses any usable subtree. The lowest-numbered one (`deterministic`) is one of them.
 *   9. Optimistic attempt 0: everybody sends its value to everybody. A process can have received all of
 *      them at any time, because a dead one may have sent to any subset (2); recursive doubling gives
 *      fewer outcomes. So in attempt 0 a process may return with everybody's value at any time.
 *
 * Wrong protocols, to show that the checks can fail:
 *   NO_PROMISE, NO_LOCK, NO_RULE4, READ_DEAD            without rules 2, 3, 4 and 5 of doc/design.md, section 5
 *   ROOT_ADDS_ALWAYS, ROOT_ADDS_ORIGINAL, NO_BIT        wrong readings of doc/design.md, section 3
 *   BIT_IN_GROUP                                        the bit is set in up-correction too
 *   NO_CONFIRMATION                                     a root declares an excess on its own
 *   IMPATIENT                                           a process gives up a root that is alive
 */

#ifdef OPTIMISTIC
#define BASE 1 /* attempt 0 has no root */
#else
#define BASE 0
#endif

/* For all ranks: no loop, because a guard is one expression. */
#if N == 3
#define EACH(M) M(0) M(1) M(2)
#define ALL(M, p) (M(p, 0) && M(p, 1) && M(p, 2))
#define ANY(M, p) (M(p, 0) || M(p, 1) || M(p, 2))
#elif N == 4
#define EACH(M) M(0) M(1) M(2) M(3)
#define ALL(M, p) (M(p, 0) && M(p, 1) && M(p, 2) && M(p, 3))
#define ANY(M, p) (M(p, 0) || M(p, 1) || M(p, 2) || M(p, 3))
#elif N == 5
#define EACH(M) M(0) M(1) M(2) M(3) M(4)
#define ALL(M, p) (M(p, 0) && M(p, 1) && M(p, 2) && M(p, 3) && M(p, 4))
#define ANY(M, p) (M(p, 0) || M(p, 1) || M(p, 2) || M(p, 3) || M(p, 4))
#endif

#define BIT(p) (1 << (p))
#define HAS(mask, p) (((mask) >> (p)) & 1)
#define FULL (BIT(N) - 1)
#define EXCESS 0

/* -- State, by rank. GONE: dead after it had returned. -- */

#define RUNNING 0
#define RETURNED 1
#define DEAD 2
#define GONE 3

byte status[N];
byte attempt[N];
byte value[N];    /* while RUNNING: the LOCK, or what was sent to the parent; then the result */
byte decided[N];  /* attempt that decided value, plus 1; 0: not decided, plain data */
bit sent[N];      /* the message to the parent is out */
bit failed[N];    /* its failure bit */
byte stood_in[N]; /* for whose messages a LOCK was taken */
byte mail[N];     /* to whom its broadcast, tagged attempt[], is on its way */

byte deaths;
bit no_more_deaths;

byte heard;                         /* choice made at the beginning of a step, 0 between steps */
hidden byte i, sum, lock, lacks;    /* used inside a d_step only: no part of the state */

#define IS_DEAD(p) (status[p] >= DEAD)
#define DIED(p, x) IS_DEAD(x)
#define IS_OVER(p, x) (status[x] != RUNNING)

/* Rule 5: a dead process' slot is not read. */
#ifdef READ_DEAD
#define PUBLISHED(x) (status[x] == RETURNED || status[x] == GONE)
#else
#define PUBLISHED(x) (status[x] == RETURNED)
#endif

/* -- Topology (doc/design.md, section 2). With N <= 5 all tree shapes are the same. -- */

#define REST ((N - 1) % (F + 1))
#define LAST_GROUP ((N - 1) / (F + 1))
#define NO_GROUP 255
#define EVERYBODY (N <= F + 1)
#define VRANK(p, root) ((p) == (root) -> 0 : ((p) == 0 -> (root) : (p)))
#define GROUP_OF(v) ((v) > 0 -> ((v) - 1) / (F + 1) : (REST > 0 -> LAST_GROUP : NO_GROUP))
#define PARENT_OF(v) ((v) > F + 1 -> (v) - (F + 1) : 0)

#define ROOT(a) ((a) - BASE)
#define HAS_ROOT(a) ((a) >= BASE)
#define IS_ROOT(p) (HAS_ROOT(attempt[p]) && ROOT(attempt[p]) == (p))
#define V(p, a) VRANK(p, ROOT(a))
#define PEERS(p, x, a) ((x) != (p) && GROUP_OF(V(x, a)) == GROUP_OF(V(p, a)))
#define CHILD(p, x, a) (!EVERYBODY && (x) != ROOT(a) && PARENT_OF(V(x, a)) == V(p, a))
/* When the group is everybody, only the root needs what the others have. */
#define IN_GROUP(p, x, a) (PEERS(p, x, a) && (!EVERYBODY || ROOT(a) == (p)))

/* -- Receiving -- */

#define REDUCING(p)                                                                                \
    (status[p] == RUNNING && HAS_ROOT(attempt[p]) && status[ROOT(attempt[p])] == RUNNING)
#define SENT_ORIGINAL(p, x) (IN_GROUP(p, x, attempt[p]) && attempt[x] == attempt[p])
#define SENT_TREE(p, x) (CHILD(p, x, attempt[p]) && attempt[x] == attempt[p] && sent[x])

/* Whether the wait of @p for @x can end, in up-correction and for a child. */
#define GROUP_SETTLED(p, x)                                                                        \
    (!IN_GROUP(p, x, attempt[p]) || HAS(stood_in[p], x) || SENT_ORIGINAL(p, x) || IS_DEAD(x))
#define CHILD_SETTLED(p, x)                                                                        \
    (!CHILD(p, x, attempt[p]) || HAS(stood_in[p], x) || SENT_TREE(p, x) || IS_DEAD(x))

/* Of each dead process, whether its last words come before the news of its death. */
#define MAY_HEAR(x)                                                                                \
    if                                                                                             \
    :: IS_DEAD(x) && (SENT_ORIGINAL(me, x) || SENT_TREE(me, x)) -> heard = heard | BIT(x)          \
    :: true                                                                                        \
    fi;

inline hear(me)
{
    EACH(MAY_HEAR)
    skip
}

#define ARRIVES(p, x) (!HAS(stood_in[p], x) && (!IS_DEAD(x) || HAS(heard, x)))
#define FAILS(p, x) (!HAS(stood_in[p], x) && IS_DEAD(x) && !HAS(heard, x))

/* A LOCK absorbs data; of two, the one of the higher attempt wins (rule 3). */
inline add_lock(y)
{
    if
    :: decided[y] > lock -> lock = decided[y]; sum = value[y]
    :: else
    fi
}

inline add_data(v)
{
    if
    :: lock == 0 ->
        assert((sum & (v)) == 0); /* validity: nothing twice */
        sum = sum | (v)
    :: else
    fi
}

inline begin_sum(me)
{
    lacks = false;
    lock = decided[me];
    sum = (lock > 0 -> value[me] : BIT(me))
}

inline add_group(me)
{
    for (i : 0 .. N - 1) {
        if
        :: IN_GROUP(me, i, attempt[me]) && ARRIVES(me, i) -> add_data(BIT(i))
#ifdef BIT_IN_GROUP
        :: IN_GROUP(me, i, attempt[me]) && FAILS(me, i) -> lacks = true
#endif
        :: else
        fi
    }
}

inline add_child(me, x)
{
    if
    :: decided[x] > 0 -> add_lock(x)
    :: else ->
        add_data(value[x]);
        lacks = lacks || failed[x]
    fi
}

inline add_children(me)
{
    for (i : 0 .. N - 1) {
        if
        :: CHILD(me, i, attempt[me]) && ARRIVES(me, i) -> add_child(me, i)
        :: CHILD(me, i, attempt[me]) && FAILS(me, i) -> lacks = true
        :: else
        fi
    }
}

/* Up-correction and tree phase of a process that is not the root. */
inline send_to_parent(me)
{
    begin_sum(me);
    add_group(me);
    add_children(me);
    value[me] = sum;
    decided[me] = lock;
    failed[me] = lacks && lock == 0;
    sent[me] = 1;
    heard = 0;
    printf("%d sends %d to its parent in attempt %d (lock of attempt %d, bit %d)\n", me, sum,
           attempt[me], lock - 1, failed[me])
}

/* -- Returning -- */

inline check_result(me)
{
    assert(value[me] != EXCESS || deaths > F); /* excess: only with more than f deaths */
    for (i : 0 .. N - 1) {
        assert(IS_DEAD(i) || value[me] == EXCESS || HAS(value[me], i)); /* validity: all the living */
        if
        :: status[i] == RETURNED ->
            assert(value[i] == value[me]) /* agreement: one result */
        :: else
        fi
    }
}

/* Where @p forwards the result: with group correction, to its children and its group; when the group
 * is everybody, the root sends to all and nobody forwards. */
#define FORWARDS_TO(p, x, a)                                                                       \
    (HAS_ROOT(a) && (x) != (p) &&                                                                  \
     (EVERYBODY -> IS_ROOT(p) : CHILD(p, x, a) || PEERS(p, x, a)))

/* Broadcast, publication (rule 1), return. */
inline finish(me, v, d)
{
    value[me] = v;
    decided[me] = d;
    for (i : 0 .. N - 1) {
        mail[me] = mail[me] | (FORWARDS_TO(me, i, attempt[me]) -> BIT(i) : 0)
    };
    status[me] = RETURNED;
    check_result(me);
    heard = 0
}

inline decide(me, v)
{
    printf("%d, root, decides %d in attempt %d\n", me, v, attempt[me]);
    finish(me, v, attempt[me] + 1)
}

inline accept(me, x)
{
    printf("%d takes the result %d of %d\n", me, value[x], x);
    finish(me, value[x], decided[x])
}

/* -- The root -- */

#define ROOT_HAS_GROUP(p) (REDUCING(p) && IS_ROOT(p) && ALL(GROUP_SETTLED, p))

#ifdef NO_BIT
#define LACKS(x) false
#else
#define LACKS(x) failed[x]
#endif
#define SENT_LOCK(p, x) (SENT_TREE(p, x) && decided[x] > 0)
#define USABLE(p, x) (SENT_TREE(p, x) && decided[x] == 0 && !LACKS(x))
#define USELESS(p, x)                                                                              \
    (!CHILD(p, x, attempt[p]) || IS_DEAD(x) || (SENT_TREE(p, x) && decided[x] == 0 && LACKS(x)))

/* The child's value, and what it lacks of the root's group: if its subtree has no member of it, all. */
inline use_subtree(me, x)
{
    begin_sum(me);
    add_group(me);
#ifdef ROOT_ADDS_ORIGINAL
    sum = BIT(me);
#endif
#ifndef ROOT_ADDS_ALWAYS
    if
    :: REST > 0 && V(x, attempt[me]) <= REST -> sum = 0
    :: else
    fi;
#endif
    add_data(value[x])
}

/* No subtree is usable: more than f failures. Before the root says so each live process has joined
 * this attempt, its promise not to return with an earlier result, or has returned: then that is it. */
#define NOTHING(p)                                                                                 \
    (!EVERYBODY && ROOT_HAS_GROUP(p) && decided[p] == 0 && ALL(USELESS, p))
#ifdef NO_CONFIRMATION
#define HAS_JOINED(p, x) true
#else
#define HAS_JOINED(p, x)                                                                           \
    (IS_DEAD(x) || (status[x] == RUNNING && attempt[x] >= attempt[p]))
#endif

/* -- Steps -- */

/* The promise (rule 2): who has joined a later attempt drops the broadcast of an earlier one. */
#ifdef NO_PROMISE
#define IS_OFFERED(p, x) (HAS(mail[x], p) && attempt[x] <= attempt[p])
#else
#define IS_OFFERED(p, x) (HAS(mail[x], p) && attempt[x] == attempt[p])
#endif
#define TAKE_BROADCAST(x) :: d_step { status[me] == RUNNING && IS_OFFERED(me, x) -> accept(me, x) }

/* Rule 4: what the root, alive, has published. */
#ifdef NO_RULE4
#define CAN_TAKE_ROOTS_RESULT(p) false
#else
#define CAN_TAKE_ROOTS_RESULT(p)                                                                   \
    (status[p] == RUNNING && HAS_ROOT(attempt[p]) && PUBLISHED(ROOT(attempt[p])))
#endif

/* Rule 3: a published result in place of a message, as a LOCK. */
#ifdef NO_LOCK
#define CAN_TAKE_LOCK(p, x) false
#else
#define CAN_TAKE_LOCK(p, x)                                                                        \
    (REDUCING(p) && !sent[p] && PUBLISHED(x) && !HAS(stood_in[p], x) &&                            \
     (IN_GROUP(p, x, attempt[p]) || CHILD(p, x, attempt[p])))
#endif
#define TAKE_LOCK(x)                                                                               \
    :: d_step {                                                                                    \
        CAN_TAKE_LOCK(me, x) ->                                                                    \
        printf("%d, in attempt %d, takes the lock %d of %d\n", me, attempt[me], value[x], x);      \
        begin_sum(me);                                                                             \
        add_lock(x);                                                                               \
        value[me] = sum;                                                                           \
        decided[me] = lock;                                                                        \
        stood_in[me] = stood_in[me] | BIT(x)                                                       \
    }

#define ROOT_TAKES_LOCK_OF_CHILD(x)                                                                \
    :: d_step { ROOT_HAS_GROUP(me) && SENT_LOCK(me, x) -> decide(me, value[x]) }
#define ROOT_USES_SUBTREE(x)                                                                       \
    :: atomic {                                                                                    \
        ROOT_HAS_GROUP(me) && decided[me] == 0 && USABLE(me, x) ->                                 \
        hear(me);                                                                                  \
        d_step { use_subtree(me, x); decide(me, sum) }                                             \
    }
#define ROOT_FINDS_RETURNED(x)                                                                     \
    :: d_step { NOTHING(me) && status[x] == RETURNED -> decide(me, value[x]) }

/* Rule 2: the root is dead; in an optimistic attempt 0, anybody. */
#ifdef IMPATIENT
#define CAN_JOIN_NEXT(p) (status[p] == RUNNING)
#else
#define CAN_JOIN_NEXT(p)                                                                           \
    (status[p] == RUNNING && (HAS_ROOT(attempt[p]) -> IS_DEAD(ROOT(attempt[p])) : ANY(DIED, p)))
#endif

inline join_next(me)
{
    attempt[me]++;
    value[me] = 0;
    decided[me] = 0;
    sent[me] = 0;
    failed[me] = 0;
    stood_in[me] = 0;
    printf("%d joins attempt %d\n", me, attempt[me]);
    assert(attempt[me] <= deaths + BASE) /* attempts: one for each death */
}

/* Which of its broadcast messages arrive all the same. */
#define MAY_ARRIVE(x)                                                                              \
    if                                                                                             \
    :: HAS(mail[me], x) && status[x] == RUNNING -> heard = heard | BIT(x)                          \
    :: true                                                                                        \
    fi;

inline die(me)
{
    printf("%d dies in attempt %d, its broadcast reaches %d\n", me, attempt[me], heard);
    mail[me] = heard;
    heard = 0;
    deaths++;
    status[me] = (status[me] == RETURNED -> GONE : DEAD)
}

active [N] proctype rank()
{
#define me _pid
end:
    do
    EACH(TAKE_BROADCAST)
    EACH(TAKE_LOCK)
    :: d_step { CAN_TAKE_ROOTS_RESULT(me) -> accept(me, ROOT(attempt[me])) }
    :: atomic {
        !EVERYBODY && REDUCING(me) && !IS_ROOT(me) && !sent[me] && ALL(GROUP_SETTLED, me) &&
            ALL(CHILD_SETTLED, me) ->
        hear(me);
        d_step { send_to_parent(me) }
    }
    :: d_step { ROOT_HAS_GROUP(me) && decided[me] > 0 -> decide(me, value[me]) }
    EACH(ROOT_TAKES_LOCK_OF_CHILD)
    EACH(ROOT_USES_SUBTREE)
    :: atomic {
        EVERYBODY && ROOT_HAS_GROUP(me) && decided[me] == 0 ->
        hear(me);
        d_step { begin_sum(me); add_group(me); decide(me, sum) }
    }
    :: d_step { NOTHING(me) && ALL(HAS_JOINED, me) -> decide(me, EXCESS) }
    EACH(ROOT_FINDS_RETURNED)
    :: d_step { CAN_JOIN_NEXT(me) -> join_next(me) }
#ifdef OPTIMISTIC
    :: d_step {
        status[me] == RUNNING && attempt[me] == 0 ->
        printf("%d has everybody's value\n", me);
        finish(me, FULL, 1)
    }
#endif
    :: atomic {
        deaths < DEATHS && !no_more_deaths && !IS_DEAD(me) ->
        EACH(MAY_ARRIVE)
        d_step { die(me) }
    }
    od
}

active proctype checker()
{
    no_more_deaths = 1; /* at any time */
    timeout -> assert(ALL(IS_OVER, 0)) /* termination: everybody alive returned */
}
