/* ftcoll run: executes a command with the library and settings in its environment. */
#include "command.h"

int ftcoll_run(int argc, char **argv)
{
    int status;
    char **command = ftc_command_launch(
        argc, argv,
        "Starts COMMAND, which starts the job, with the library in LD_PRELOAD and these settings "
        "in "
        "its environment; the exit status is the command's.\v"
        "For example: ftcoll run f=2 intercept=all -- mpiexec.hydra -n 8 ./program",
        NULL, NULL, &status);

    return command ? ftc_command_execute(command) : status;
}
