#include "library.h"

struct ftc_library ftc_library = {.board.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
