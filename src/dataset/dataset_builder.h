/* dataset_builder.h - a dataset while it grows: adding, splitting, filtering and renumbering. */

#ifndef CAU_DATASET_DATASET_BUILDER_H
#define CAU_DATASET_DATASET_BUILDER_H

#include <stdbool.h>

#include "dataset/dataset.h"

/* A dataset with room to grow. Embed it zeroed, and clear it at the end. Its set is valid at any
 * time except for K, E, Y, width, xt and, without sequences, S: cau_builder_close sets all of them
 * but xt. gold is a number in the alphabet of labels as they are written, until
 * cau_resolve_labels. */
typedef struct {
    cau_dataset set;
    bool units;    /* sequences have a unit; set it before the first of them is added */
    uint32_t unit; /* of the next instance and its sequence: any number */
    size_t start_room, column_room, value_room, gold_room, weight_room, sequence_room, unit_room;
    size_t edge_start_room, edge_room;
} cau_dataset_builder;

/* Adds a copy of an instance. CAUCUS_ERR_MEMORY, or CAUCUS_ERR_ARGUMENT when there would be 2^32
 * rows or more; a failure changes nothing. All instances must have the same number of groups. */
caucus_status cau_builder_add(cau_dataset_builder *builder, const cau_indexed_instance *instance,
                              uint32_t gold);

/* Ends a sequence, which is made of the instances since the last end, if there are any. Call it for
 * all sequences of a dataset or never. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_builder_break(cau_dataset_builder *builder);

/* Whether the next instance is the first of its sequence. */
bool cau_builder_between(const cau_dataset_builder *builder);

/* The number of sequences; without sequences, of instances. */
size_t cau_builder_sequences(const cau_dataset_builder *builder);

/* Moves the sequences with leave[s] to the end of another builder and closes the gaps. After
 * CAUCUS_ERR_MEMORY both builders can only be cleared. */
caucus_status cau_builder_split(cau_dataset_builder *from, const bool *leave,
                                cau_dataset_builder *to);

/* Copies the sequences which[0 .. count-1] of a set (instances, where it has no sequences) to the
 * end of a builder; NULL stands for the first `count`. Copies their units too if the builder has
 * units. Fails like cau_builder_add, after which the builder can only be cleared. */
caucus_status cau_builder_take(cau_dataset_builder *to, const cau_dataset *from,
                               const uint32_t *which, size_t count);

/* Sets name [K] and edge [E] to 1 for observations that are in at least max(cutoff, 1) instances,
 * and to 0 for the others. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_builder_frequent(const cau_dataset_builder *builder, size_t cutoff, size_t K,
                                   uint32_t *name, size_t E, uint32_t *edge);

/* Renumbers the observations by name [K] and those on edges by edge [E]; NULL leaves the numbers as
 * they are. Drops the observations whose number becomes CAU_UNKNOWN. */
void cau_builder_map(cau_dataset_builder *builder, const uint32_t *name, const uint32_t *edge);

/* Makes the set final, with K observations, E on edges and Y classes: releases unused memory, and
 * numbers the units in the order in which they appear (files keep their numbers). It may be called
 * again after CAUCUS_ERR_MEMORY. The set stays in the builder: a caller that takes it zeroes the
 * builder. */
caucus_status cau_builder_close(cau_dataset_builder *builder, size_t group, size_t K, size_t E,
                                size_t Y);

void cau_builder_clear(cau_dataset_builder *builder);
void cau_dataset_clear(cau_dataset *set);

#endif
