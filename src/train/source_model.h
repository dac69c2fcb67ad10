/* source_model.h - the weights of another model, matched by the names of features and labels: the
 * start of a run (--from), or the means of its penalty (--mean). */

#ifndef CAU_TRAIN_SOURCE_MODEL_H
#define CAU_TRAIN_SOURCE_MODEL_H

#include "dataset/dataset.h"
#include "model/model.h"

/* Borrows the data. Embed it zeroed, clear it at the end. */
typedef struct {
    const caucus_model *model; /* NULL: no model */
    caucus_model *opened;      /* the same model if it was opened here; else NULL */
    const caucus_data *data;
    uint32_t *theirs; /* [Y] the model's number of each of our labels */
    uint32_t *ours;   /* [Y of the model] and the other way */
} cau_source_model;

/* For a problem over this data. Opens the model at `path`, or borrows `model` if path is NULL. */
caucus_status cau_source_model_open(caucus_ctx *ctx, const caucus_data *data, const char *path,
                                    const caucus_model *model, cau_source_model *out);
void cau_source_model_clear(cau_source_model *other);

/* Copies its weights of the observations of a table to w [cau_table_size(table)]; weights that it
 * lacks keep their values in w. `edge`: the observations are those on edges. */
void cau_source_model_weights(const cau_source_model *other, const cau_table *table, bool edge,
                              double *w);

/* The same for its plain transitions [Y][Y], or its default weights [Y]. */
void cau_source_model_common(const cau_source_model *other, bool chain, double *w);

/* Its weight of one plain transition, cell y' * Y + y. */
double cau_source_model_transition(const cau_source_model *other, size_t cell);

/* The cells for which it has a weight of our observation k: cells [width], unsorted. Returns their
 * number. */
size_t cau_source_model_cells(const cau_source_model *other, size_t k, bool edge, uint32_t *cells);

#endif
