#include "launcher.h"

#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "system/environment.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- PMI-1 or PMI-2 ---- */

enum { SETTABLE_FROM = 402 }; /* first version of MPICH that reads MPIR_CVAR_PMI_VERSION */

static bool is_set_to_2(void)
{
    static const char *const name[] = {"MPIR_CVAR_PMI_VERSION", "MPICH_PMI_VERSION",
                                       "MPIR_PARAM_PMI_VERSION"};
    const char *value = NULL;

    for (size_t i = 0; i < sizeof name / sizeof name[0] && !value; i++)
        value = getenv(name[i]);
    return value && strcmp(value, "2") == 0;
}

static int is_libpmi2(struct dl_phdr_info *object, size_t size, void *unused)
{
    static const char name[] = "libpmi2.so";

    (void)size;
    (void)unused;
    return strncmp(ftc_loaded_file_name(object->dlpi_name), name, strlen(name)) == 0;
}

enum ftc_pmi_wire ftc_launcher_wire(void)
{
    char text[FTC_MPI_VERSION_MAX];
    struct ftc_inside_mpi mpi = {0};

    if (ftc_mpi_version(text)) {
        ftc_inside_read(text, &mpi);
        if (strstr(text, "--with-pmi=pmi2"))
            return FTC_PMI_2;
    }
    if (dl_iterate_phdr(is_libpmi2, NULL) != 0 || (mpi.version >= SETTABLE_FROM && is_set_to_2()))
        return FTC_PMI_2;
    return FTC_PMI_1;
}

/* ---- hosts ---- */

bool ftc_launcher_has_other_hosts(void)
{
    long here = ftc_environment_number("MPI_LOCALNRANKS", 0);

    return here > 0 ? here < ftc_environment_number("PMI_SIZE", here)
                    : ftc_environment_number("SLURM_STEP_NUM_NODES", 1) > 1;
}

/* ---- others ---- */

static const struct family {
    const char *prefix, *name;
} families[] = {
    {"PMIX_", "PMIx"},         {"OMPI_", "Open MPI"}, {"PALS_", "PALS"}, {"FLUX_", "Flux"},
    {"JSM_", "JSM"},           {"LSB_", "LSF"},       {"PBS_", "PBS"},   {"SLURM_STEP_", "Slurm"},
    {"I_MPI_", "Intel's MPI"}, {"MV2_", "MVAPICH2"},  {"PMI_", "PMI"},
};

/* Finds the first variable that begins with @prefix. Returns the length of its name; 0: there is
 * none. */
static int find_variable(const char *prefix, const char **name)
{
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, prefix, strlen(prefix)) == 0) {
            *name = *variable;
            return (int)strcspn(*variable, "=");
        }
    return 0;
}

void ftc_launcher_describe_unknown(char *text, size_t size)
{
    const char *name;
    size_t used = 0;

    snprintf(text, size, "the environment has ");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        int length = find_variable(families[i].prefix, &name);

        used = strlen(text);
        if (length > 0)
            snprintf(text + used, size - used, "%.*s of %s, ", length, name, families[i].name);
    }
    used = strlen(text);
    snprintf(
        text + used, size - used,
        "but not PMI_FD, which mpiexec.hydra and srun --mpi=pmi2 set: start the job with one of "
        "these");
}
