/* seen.h - which pairs of observation and label, or of two labels, occur in the data. */

#ifndef CAU_TRAIN_SEEN_H
#define CAU_TRAIN_SEEN_H

#include "math/table.h"
#include "train/source_model.h"

/* A table that lists, for each observation on a node, the labels that its instances have. A set of
 * labels counts as all of its labels, an unknown label as no label. If there is another model, the
 * pairs for which it has weights count as seen, too. Free start and cell. */
caucus_status cau_seen_nodes(caucus_ctx *ctx, const cau_dataset *set, const cau_source_model *other,
                             cau_table *out);

/* The same for observations on edges and pairs of labels. */
caucus_status cau_seen_edges(caucus_ctx *ctx, const cau_dataset *set, const cau_source_model *other,
                             cau_table *out);

/* Adds to a table the cells that it lists in other processes. Collective. */
caucus_status cau_seen_unite(caucus_ctx *ctx, cau_table *table);

/* The same table with all cells in the rows that list at least `least` of them: a row that is
 * whole is faster to work with. (*added)[i] is 1 for the weights that were not listed before, else
 * 0. Free start, cell and added. */
caucus_status cau_table_fill(caucus_ctx *ctx, const cau_table *table, size_t least, cau_table *out,
                             uint8_t **added);

/* The same table with the rows k that have keep[k] == 0 left empty. Free start and cell. */
caucus_status cau_table_mask(caucus_ctx *ctx, const cau_table *table, const uint8_t *keep,
                             cau_table *out);

/* A copy. Free start and cell. */
caucus_status cau_table_copy(caucus_ctx *ctx, const cau_table *table, cau_table *out);
void cau_table_clear(cau_table *table); /* frees them */

/* unseen [Y*Y] <- 1 for the pairs that never follow each other, also in the other model, else 0. */
void cau_unseen_transitions(const cau_dataset *set, const cau_source_model *other, uint8_t *unseen);

/* The index in the table of the weight of row k for a cell; SIZE_MAX if the row lacks the cell. */
size_t cau_table_find(const cau_table *table, size_t k, size_t cell);

#endif
