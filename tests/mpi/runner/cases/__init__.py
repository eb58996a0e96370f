"""The list of cases."""
from .blocks import BLOCKS
from .calls import TRAFFIC, POLICIES, EMPTY, LATE, NAMED, ROUNDS, PENDING, PERSISTENT, WRONG, THREADS
from .communicators import COMMUNICATORS
from .deaths import TOLERATED, AT_RANDOM, AT_POINTS, ENDS, SLOW, LEFT, EXCESS
from .endings import CRASHED, END, FAREWELL, FATAL, ORPHANS
from .files import FILES
from .input import INPUT
from .inside import INSIDE
from .json_reports import JSON
from .large import LARGE, IN_ROUNDS
from .loading import LOADING
from .notices import NOTICES
from .patterns import PATTERNS
from .reports import REPORT, COVERAGE, NAMES, RECORD, REQUIRED
from .sessions import SESSIONS
from .settings import HARMLESS, SETTINGS, UNTRUSTED, ALONE
from .signals import SIGNALS
from .starts import STARTS
from .topologies import TOPOLOGIES
from .traces import TRACES
from .unprotected import BLOCKED, MIXED_CALLS, P2P, STANDS_STILL, YIELDS
from .windows import WINDOWS

ALL = (TOLERATED + AT_RANDOM + AT_POINTS + ENDS + SLOW + LEFT + EXCESS + END + ORPHANS + INPUT + CRASHED + FATAL + FAREWELL + LATE +
       TRAFFIC + POLICIES + EMPTY + ROUNDS + PENDING + PERSISTENT + WRONG + NAMED + BLOCKED + STANDS_STILL + MIXED_CALLS + P2P +
       COMMUNICATORS + TOPOLOGIES + FILES + COVERAGE + NAMES + RECORD + REQUIRED + THREADS + LARGE + IN_ROUNDS + HARMLESS + SETTINGS + UNTRUSTED + ALONE
       + YIELDS + STARTS + SIGNALS + INSIDE + SESSIONS + LOADING + REPORT + JSON + NOTICES + TRACES + WINDOWS + BLOCKS + PATTERNS)
