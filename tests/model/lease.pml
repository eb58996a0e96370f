/* lease: who goes on when hosts are lost (doc/design.md, section 11), for the model checker Spin (tests/model/run.sh).
 *
 * An authority in mpiexec, and hosts, each with an agent that asks it for the lease, and ranks that look at the lease
 * before they return with a result. The network of any host may be cut or slow at any time, in either direction, and
 * come back; an agent, a whole host, mpiexec or the whole job may be frozen and thawed; a host may die, its clock be
 * slow, its connections break.
 *
 * Checked on every reachable state:
 *   fencing    no rank returns with a result once its host is declared lost. Others go on without a host only after
 *              that: so never do two sides go on
 *   constancy  no host stops or is declared lost for anything shorter than a lease
 *   progress   of what lasts for BOUND: a host that is apart from mpiexec is declared lost, and its ranks stand still;
 *              one that is not goes on, and knows who is lost. The last host is not borne: the job is over, as natively
 *
 * Parameters (-D): HOSTS, EVENTS (at most so many things happen), and whether they happen to the NETWORK, to PROCESSES
 * of hosts, and to MPIEXEC.
 *
 * In the code: agents are shim/monitor/leaseholder.c and ftc_rank_end_host(), the lease is shim/board/lease.c, ranks
 * look at it in ftc_fence_check(), the authority is shim/mpiexec/authority.c. Not modelled: how the lease is agreed on
 * in MPI_Init, the end of the job (is_through), hosts that do not hear each other although mpiexec hears both, and
 * operations: whoever may return does so, as if he had all that it takes.
 *
 * What keeps the state space small, and why nothing is lost by it
 *
 *   1. Time goes in ticks, LEASE of them in a lease. In each an agent asks once. All that an undisturbed process has to
 *      do it does before time goes on, in an order that does not matter: what others do to it meanwhile comes before
 *      all of it or after.
 *   2. A rank looks as late as it may, at the end of a tick, and returns as late as it may, at the end of the next one.
 *      That is one tick of the margin. A host's clock may stand still for a tick, once in a lease: that is the other.
 *   3. Nobody is frozen between the look and the return: no program can look at a clock and act at the same instant
 *      (doc/design.md). FROZEN_AFTER_LOOK shows what comes of it.
 *   4. A network that is cut keeps what it is given until it is mended or the connection breaks. A slow one does, or
 *      delivers it at any time.
 *   5. In each direction one message is on its way: of two requests the later one gives more, and an answer says
 *      again what the one before has said.
 *   6. An agent that dies and the one that takes over are a connection that breaks: the lease is on the board.
 *
 * Wrong protocols, to show that the checks can fail:
 *   NO_MARGIN          the authority waits for no more than the lease
 *   HALF_MARGIN        ... for one of the two ticks more
 *   NO_LOOK            ranks do not look at the lease
 *   LOOK_ONCE          ... but when they enter an operation
 *   FROM_ANSWER        the lease counts from its answer
 *   FORGIVING          the authority renews the lease of one that it has declared lost
 *   BROKEN_IS_ENDED    a connection with a proxy that breaks is taken for the end of all processes there
 *   NO_END             nobody ends ranks that have no lease
 *   PATIENT            the authority waits for ever
 *   FROZEN_AFTER_LOOK  a host is frozen between a look and a return
 */

#define LEASE 2
#if defined(NO_MARGIN)
#define MARGIN 0
#elif defined(HALF_MARGIN)
#define MARGIN 1
#else
#define MARGIN 2
#endif
#define SILENCE (LEASE + MARGIN) /* the authority bears as much of it */
#define BOUND (SILENCE + 2 * LEASE + 2)

#define BIT(h) (1 << (h))
#define HAS(mask, h) (((mask) >> (h)) & 1)
#define EVERYBODY (BIT(HOSTS) - 1)

/* For all hosts: no loop, because a guard is one expression. */
#if HOSTS == 2
#define EACH(M) M(0) M(1)
#define ALL(M) (M(0) && M(1))
#elif HOSTS == 3
#define EACH(M) M(0) M(1) M(2)
#define ALL(M) (M(0) && M(1) && M(2))
#endif

/* -- Hosts -- */

#define AGENT 1
#define HOST 2

byte left[HOSTS] = LEASE + 1; /* ticks of its own clock; 0: the lease is over */
bit asked[HOSTS];             /* in this tick */
byte awake[HOSTS] = LEASE;    /* for how long its agent has been, LEASE at most */
byte waited[HOSTS];           /* for how long its ranks have had no lease, 2 LEASE at most */
bit looked[HOSTS];            /* at the end of the last tick its ranks had one */
byte ran[HOSTS] = LEASE + 1;  /* ticks since its clock stood still, LEASE + 1 at most */
bit stands[HOSTS];            /* it does now */
byte knows[HOSTS];            /* who is lost, as its board says */
byte frozen[HOSTS];           /* 0, AGENT or HOST */
bit is_stopped[HOSTS];        /* its ranks have ended */
bit is_gone[HOSTS];           /* all of its processes have */

/* -- The network: up to the authority, down from it -- */

#define SLOW 1
#define CUT 2
#define OLD (LEASE + 2) /* an answer that gives nothing: news, or to a request that is too old */

byte up_state[HOSTS], down_state[HOSTS];
byte up[HOSTS];       /* the request on its way: how old by the host's clock, plus 1; 0: none */
byte down[HOSTS];     /* the answer on its way: how old its request, plus 1; 0: none */
byte tells[HOSTS];    /* ... who is lost */
bit refuses[HOSTS];   /* ... that this host is given up */
bit was_reset[HOSTS]; /* in this tick: what was on its way is lost */

/* -- The authority -- */

byte silent[HOSTS];
byte lost;
byte given_up;   /* the connection with the proxy is broken: lost once the lease must be over */
byte untold;     /* who has not been sent the news */
bit is_frozen;
bit job_is_over; /* no other host is left: as natively */

/* -- What the checks need -- */

byte trouble[HOSTS];        /* ticks in which not all was well with it, LEASE at most */
byte steady[HOSTS] = BOUND; /* ticks since something has happened to it, BOUND at most */
byte away;                  /* ticks in which the authority was frozen, LEASE at most, */
byte present = BOUND;       /* and in which it was not, BOUND at most */
byte events;

#define AGENT_RUNS(h) (frozen[h] == 0 && !is_gone[h])
#define RANKS_RUN(h) (frozen[h] != HOST && !is_stopped[h])
#define IS_GIVEN_UP(h) HAS(lost | given_up, h)
#define IS_BORNE(h) ((EVERYBODY & ~(lost | given_up | BIT(h))) != 0)

/* -- What a host does -- */

inline end_host(h)
{
    is_stopped[h] = 1;
    is_gone[h] = 1
}

#define HAS_TO_ASK(h) (AGENT_RUNS(h) && !asked[h])

inline ask(h)
{
    asked[h] = 1;
    up[h] = 1
}

/* A lease does not become shorter. */
inline renew(h)
{
#ifdef FROM_ANSWER
    left[h] = LEASE + 1
#else
    left[h] = (LEASE + 2 > left[h] + down[h] -> LEASE + 2 - down[h] : left[h])
#endif
}

#define HAS_TO_HEAR(h) (AGENT_RUNS(h) && down[h] > 0 && down_state[h] == 0)

inline hear(h)
{
    if
    :: refuses[h] ->
        printf("host %d hears that it is given up, and stops\n", h);
        end_host(h)
    :: else ->
        knows[h] = knows[h] | tells[h];
        renew(h)
    fi;
    down[h] = 0;
    tells[h] = 0;
    refuses[h] = 0
}

#ifdef NO_END
#define HAS_TO_END(h) false
#define HAS_TO_STOP(h) false
#else
#define HAS_TO_END(h) (AGENT_RUNS(h) && left[h] == 0 && awake[h] == LEASE)
#define HAS_TO_STOP(h) (RANKS_RUN(h) && left[h] == 0 && waited[h] == 2 * LEASE)
#endif

inline end_by_itself(h)
{
    printf("host %d stops: it hears nothing\n", h);
    assert(trouble[h] == LEASE || away == LEASE); /* constancy: it stops after a whole lease */
    end_host(h)
}

/* -- What the authority does -- */

#define HAS_TO_ANSWER(h) (!is_frozen && up[h] > 0 && up_state[h] == 0)

inline answer(h)
{
    down[h] = up[h];
    up[h] = 0;
    tells[h] = lost;
    if
#ifndef FORGIVING
    :: IS_GIVEN_UP(h) -> refuses[h] = 1
#endif
    :: else -> silent[h] = 0
    fi
}

#define HAS_TO_TELL(h) (!is_frozen && HAS(untold, h))

/* An answer that is on its way comes as well. */
inline tell_news(h)
{
    untold = untold & ~BIT(h);
    down[h] = (down[h] > 0 -> down[h] : OLD);
    tells[h] = lost;
#ifndef FORGIVING
    refuses[h] = IS_GIVEN_UP(h)
#endif
}

inline declare_lost(h)
{
    if
    :: IS_BORNE(h) ->
        printf("host %d is declared lost\n", h);
        lost = lost | BIT(h);
        untold = EVERYBODY
    :: else ->
        printf("host %d is the last: the job is over\n", h);
        job_is_over = 1
    fi
}

#define IS_COUNTED(h) (!is_frozen && !job_is_over && !HAS(lost, h))
#define SEES_END(h) (IS_COUNTED(h) && is_gone[h] && up_state[h] == 0)
#ifdef PATIENT
#define HEARS_NOTHING(h) false
#else
#define HEARS_NOTHING(h) (IS_COUNTED(h) && silent[h] > SILENCE)
#endif

inline take_silence(h)
{
    printf("host %d is silent\n", h);
    assert(trouble[h] == LEASE || is_gone[h] || HAS(given_up, h)); /* constancy: it is silent for a lease */
    declare_lost(h)
}

/* All that nothing disturbs; the first of these that there is. A rank holds the connection whose end is seen. */
#define SETTLE(h)                                                                                  \
    :: HAS_TO_ASK(h) -> ask(h)                                                                     \
    :: HAS_TO_ANSWER(h) -> answer(h)                                                               \
    :: HAS_TO_HEAR(h) -> hear(h)
#define DECIDE(h)                                                                                  \
    :: SEES_END(h) -> looked[h] = 0; declare_lost(h)                                               \
    :: HEARS_NOTHING(h) -> take_silence(h)                                                         \
    :: HAS_TO_TELL(h) -> tell_news(h)                                                              \
    :: HAS_TO_END(h) -> end_by_itself(h)                                                           \
    :: HAS_TO_STOP(h) -> is_stopped[h] = 1

inline settle()
{
    do
    EACH(SETTLE)
    :: else ->
        if
        EACH(DECIDE)
        :: else -> break
        fi
    od;
    skip
}

/* -- Time -- */

#define MORE(what, most) what = (what < most -> what + 1 : most)
#define OLDER(message) message = (message > 0 && message < OLD -> message + 1 : message)

inline turn_clock(h)
{
    if
    :: stands[h] -> ran[h] = 0
    :: else ->
        left[h] = (left[h] > 0 -> left[h] - 1 : 0);
        OLDER(up[h]);
        OLDER(down[h]);
        MORE(ran[h], LEASE + 1)
    fi;
    stands[h] = 0
}

#ifdef NO_LOOK
#define HAS_LEASE(h) true
#else
#define HAS_LEASE(h) (left[h] > 0)
#endif

/* Ranks that look, in the last moment. Those that have looked return in the last moment too, though they are about to
 * be killed. */
inline return_and_look(h)
{
    assert(!looked[h] || frozen[h] == HOST || !HAS(lost, h)); /* fencing: no return of a host that is lost */
    if
    :: frozen[h] == HOST -> skip
#ifdef LOOK_ONCE
    :: else -> looked[h] = RANKS_RUN(h)
#else
    :: else -> looked[h] = RANKS_RUN(h) && HAS_LEASE(h)
#endif
    fi
}

#define IS_WELL(h)                                                                                 \
    (!was_reset[h] && up_state[h] == 0 && down_state[h] == 0 && frozen[h] == 0 && !is_frozen)

inline pass(h)
{
    return_and_look(h);
    turn_clock(h);
    asked[h] = 0;
    awake[h] = (!AGENT_RUNS(h) -> 0 : (awake[h] < LEASE -> awake[h] + 1 : LEASE));
    waited[h] = (!RANKS_RUN(h) || left[h] > 0 -> 0 : (waited[h] < 2 * LEASE -> waited[h] + 1 : 2 * LEASE));
    silent[h] = (!is_frozen && silent[h] <= SILENCE -> silent[h] + 1 : silent[h]);
    trouble[h] = (IS_WELL(h) -> 0 : (trouble[h] < LEASE -> trouble[h] + 1 : LEASE));
    was_reset[h] = 0;
    MORE(steady[h], BOUND)
}

#define IS_SETTLED(h) (!job_is_over && present == BOUND && steady[h] == BOUND)
#define IS_APART(h)                                                                                \
    (up_state[h] != SLOW && down_state[h] != SLOW && (up_state[h] + down_state[h] > 0 || frozen[h] > 0))
#define STANDS_STILL(h) (is_stopped[h] || frozen[h] == HOST)
#define GOES_ON(h) (!HAS(lost, h) && left[h] > 0 && knows[h] == lost)

inline check(h)
{
    if
    :: IS_SETTLED(h) && IS_APART(h) ->
        assert(HAS(lost, h) && STANDS_STILL(h)) /* progress: who is apart is lost, and stands still */
    :: IS_SETTLED(h) && IS_WELL(h) ->
        assert(is_gone[h] || GOES_ON(h)) /* progress: who is not goes on */
    :: else
    fi
}

#define PASS(h) pass(h);
#define CHECK(h) check(h);

inline tick()
{
    printf("a tick\n");
    EACH(PASS)
    away = (!is_frozen -> 0 : (away < LEASE -> away + 1 : LEASE));
    present = (is_frozen -> 0 : (present < BOUND -> present + 1 : BOUND))
}

/* -- What happens -- */

#define MAY_HAPPEN (events < EVENTS && !job_is_over)

inline happens(h)
{
    events++;
    steady[h] = 0
}

/* The rank that has looked has returned before, and the agent may have asked. */
inline freeze(h, whom)
{
    printf("frozen: %d\n", h);
    frozen[h] = whom;
    steady[h] = 0;
#ifndef FROZEN_AFTER_LOOK
    looked[h] = (whom == HOST -> 0 : looked[h])
#endif
}

inline thaw(h)
{
    printf("thawed: %d\n", h);
    frozen[h] = 0;
    steady[h] = 0;
    awake[h] = 0
}

inline connect(h, to, from)
{
    happens(h);
    printf("the network of %d: up %d, down %d\n", h, to, from);
    up_state[h] = to;
    down_state[h] = from
}

inline reset(h)
{
    up[h] = 0;
    down[h] = 0;
    tells[h] = 0;
    refuses[h] = 0;
    was_reset[h] = 1
}

inline break_with_proxy(h)
{
    printf("the connection with the proxy of %d breaks\n", h);
#ifdef BROKEN_IS_ENDED
    declare_lost(h);
#endif
    given_up = given_up | BIT(h)
}

#define TO_NETWORK(h)                                                                              \
    :: d_step { MAY_HAPPEN && up_state[h] == 0 -> connect(h, CUT, down_state[h]) }                 \
    :: d_step { MAY_HAPPEN && up_state[h] == 0 -> connect(h, SLOW, down_state[h]) }                \
    :: d_step { MAY_HAPPEN && down_state[h] == 0 -> connect(h, up_state[h], CUT) }                 \
    :: d_step { MAY_HAPPEN && down_state[h] == 0 -> connect(h, up_state[h], SLOW) }                \
    :: d_step { MAY_HAPPEN && up_state[h] + down_state[h] == 0 -> connect(h, CUT, CUT) }           \
    :: d_step { MAY_HAPPEN && up_state[h] + down_state[h] > 0 -> connect(h, 0, 0) }                \
    :: d_step { MAY_HAPPEN && up[h] + down[h] > 0 -> happens(h); reset(h) }              \
    :: d_step { MAY_HAPPEN && !HAS(given_up, h) && IS_BORNE(h) -> happens(h); break_with_proxy(h) }

#define TO_PROCESSES(h)                                                                            \
    :: d_step { MAY_HAPPEN && AGENT_RUNS(h) -> happens(h); freeze(h, AGENT) }                      \
    :: d_step { MAY_HAPPEN && AGENT_RUNS(h) -> happens(h); freeze(h, HOST) }                       \
    :: d_step { MAY_HAPPEN && AGENT_RUNS(h) -> happens(h); freeze(h, HOST); ask(h) }     \
    :: d_step { MAY_HAPPEN && frozen[h] > 0 -> happens(h); thaw(h) }                     \
    :: d_step { MAY_HAPPEN && !is_gone[h] -> happens(h); end_host(h) }                   \
    :: d_step { MAY_HAPPEN && ran[h] > LEASE && !stands[h] -> events++; stands[h] = 1 }

#define FREEZE(h) freeze(h, HOST);
#define THAW(h) thaw(h);
#define IS_HOST_FROZEN(h) (frozen[h] == HOST)
#define TO_MPIEXEC                                                                                 \
    :: d_step { MAY_HAPPEN && !is_frozen -> events++; is_frozen = 1; present = 0 }                              \
    :: d_step { MAY_HAPPEN && is_frozen -> events++; is_frozen = 0 }                     \
    :: d_step { MAY_HAPPEN && !is_frozen && ALL(AGENT_RUNS) -> events++; is_frozen = 1; present = 0; EACH(FREEZE) } \
    :: d_step { MAY_HAPPEN && is_frozen && ALL(IS_HOST_FROZEN) -> events++; is_frozen = 0; EACH(THAW) }

/* What a slow network delivers. */
#define ARRIVES(h)                                                                                 \
    :: d_step { !is_frozen && up[h] > 0 && up_state[h] == SLOW -> answer(h) }            \
    :: d_step { AGENT_RUNS(h) && down[h] > 0 && down_state[h] == SLOW -> hear(h) }

active proctype job()
{
    do
    :: job_is_over -> break
    :: atomic {
        if
        :: d_step { !job_is_over -> tick() }
        EACH(ARRIVES)
#ifdef NETWORK
        EACH(TO_NETWORK)
#endif
#ifdef PROCESSES
        EACH(TO_PROCESSES)
#endif
#ifdef MPIEXEC
        TO_MPIEXEC
#endif
        fi;
        d_step { settle(); EACH(CHECK) }
    }
    od
}
