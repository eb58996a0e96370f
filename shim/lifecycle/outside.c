#include "outside.h"

#include "library.h"
#include "monitor/pmi.h"
#include "mpi/mpi_library.h"
#include "system/lines.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Variables by which launchers give the processes that they start the job's size and their rank. */
static const struct launcher {
    const char *name, *size, *rank;
} launchers[] = {
    {"Open MPI's mpiexec", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    {"the launcher", "PMI_SIZE", "PMI_RANK"},
    {"PMIx", NULL, "PMIX_RANK"},
};

enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static int number(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;

    return text ? atoi(text) : 0;
}

static bool is_first(void)
{
    for (int i = 0; i < LAUNCHERS; i++)
        if (number(launchers[i].rank) != 0)
            return false;
    return true;
}

/* Returns whether setting enable is on. A process that is no rank has not read its settings, so
 * they are read here. Errors in them are not reported, because they do not matter to it. */
static bool is_enabled(void)
{
    struct ftc_settings settings;
    struct ftc_settings_error error;

    return ftc_settings_load(&settings, &error) != 0 || settings.enable;
}

void ftc_outside_say_other_mpi(const struct ftc_loaded *object)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    char what[256];

    if (atomic_flag_test_and_set(&is_said) || !is_first() || !is_enabled())
        return;
    ftc_mpi_describe(object, what, sizeof what);
    ftc_lines_say(
        "ftcoll: not protected: the program's MPI library is %s, and ftcoll works with MPICH "
        "and libraries of its ABI; the program runs as without ftcoll\n",
        what);
}

void ftc_outside_say_sessions(void)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;

    if (ftc_library.world_size > 0 || !ftc_library.settings.enable || number("PMI_RANK") != 0 ||
        number("PMI_SIZE") < 2 || atomic_flag_test_and_set(&is_said))
        return;
    ftc_lines_say("ftcoll: not protected: MPI sessions without MPI_Init\n");
}

void ftc_outside_look_at_singleton(void)
{
    if (ftc_pmi_fd() >= 0 || !is_first() || !ftc_library.settings.enable)
        return;
    for (int i = 0; i < LAUNCHERS; i++) {
        if (number(launchers[i].size) <= 1)
            continue;
        ftc_lines_say(
            "ftcoll: not protected: %s has started %d processes, and each is rank 0 of 1 for "
            "its MPI library, %s; start the job with the mpiexec of that library "
            "(mpiexec.hydra), or by srun --mpi=pmi2\n",
            launchers[i].name, number(launchers[i].size), ftc_loaded_name(ftc_mpi_object()));
        return;
    }
    if (getenv("FTCOLL_INTERNAL_RUN")) /* set by config/launch.c */
        ftc_lines_say("ftcoll: not protected: one process alone; the command for ftcoll is the "
                      "launcher with the program, as in ftcoll run -- mpiexec.hydra -n RANKS "
                      "PROGRAM\n");
}
