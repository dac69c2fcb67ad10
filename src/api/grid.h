/* grid.h - the settings of a grid such as "l2=0.1,1,10 l1=0,1". */

#ifndef CAU_API_GRID_H
#define CAU_API_GRID_H

#include "api/options.h"

typedef struct {
    size_t count;             /* 1 without a grid: the options as they are */
    caucus_options **options; /* [count] owned */
    cau_setting *settings;    /* [count] the same for study/; texts in the arena */
    bool warm;                /* settings differ only in penalties */
    cau_arena arena;
} cau_grid;

/* All combinations of the values; the first name varies slowest. CAUCUS_ERR_ARGUMENT for a text
 * that is not a grid, an option that cannot vary or is also set by itself, and a value out of
 * range. Embed the grid zeroed and clear it at the end, also after a failure. */
caucus_status cau_grid_init(caucus_ctx *ctx, const caucus_options *options, cau_grid *grid);
void cau_grid_clear(cau_grid *grid);

#endif
