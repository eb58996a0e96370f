/* board_memory: KiB of the board that a rank has used, as its part, once it has talked with each
 * other rank of its host, for each number of ranks of the command line. */
#include "lifecycle/geometry.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct ftc_settings settings;
    struct ftc_settings_error error;

    if (ftc_settings_load(&settings, &error) != 0) {
        fprintf(stderr, "board_memory: %s\n", error.text);
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        int ranks = atoi(argv[i]);
        struct ftc_board_geometry g = ftc_geometry_make(&settings, ranks, 1, 0);
        size_t bytes = (size_t)(ranks - 1) * ftc_board_ring_bytes(&g) +
                       sizeof(struct ftc_board_rank) +
                       FTC_BOARD_SETS * ftc_board_set_words(&g) * sizeof(uint64_t);

        printf("%d,%u,%zu\n", ranks, g.ring_depth, bytes / 1024);
    }
    return 0;
}
