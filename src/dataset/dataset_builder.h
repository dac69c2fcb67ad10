/* dataset_builder.h - a set of instances while it grows, and what is done to it before it is final.
 */

#ifndef CAU_DATASET_DATASET_BUILDER_H
#define CAU_DATASET_DATASET_BUILDER_H

#include <stdbool.h>

#include "dataset/dataset.h"

/* A dataset with room to grow. Embed it zeroed, and clear it at the end. Its set is valid at any
 * time, but for K, E, Y, width, and S where there are no sequences: cau_builder_close sets them. It
 * has no xt. Its gold is a number in the alphabet of labels as they are written; settle.h makes it
 * what gold.h says. */
typedef struct {
    cau_dataset set;
    bool units;    /* sequences belong to units: to be set before the first of them */
    uint32_t unit; /* what the next instance and its sequence belong to, any number */
    size_t start_room, column_room, value_room, gold_room, weight_room, sequence_room, unit_room;
    size_t edge_start_room, edge_room;
} cau_dataset_builder;

/* One more instance, copied. CAUCUS_ERR_MEMORY, or CAUCUS_ERR_ARGUMENT when there would be 2^32
 * rows or more; the pile is as it was then. All instances must have the same groups. */
caucus_status cau_builder_add(cau_dataset_builder *pile, const cau_instance *instance,
                              uint32_t gold);

/* Ends a sequence: the instances since the last end, if any, are one. To be used for all of a
 * pile or not at all. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_builder_break(cau_dataset_builder *pile);

/* Whether the next instance is the first of its sequence. */
bool cau_builder_between(const cau_dataset_builder *pile);

size_t
cau_builder_sequences(const cau_dataset_builder *pile); /* instances, where there are no others */

/* Moves the sequences with leave[s] to the end of another pile; the others close up. On
 * CAUCUS_ERR_MEMORY both piles are good for nothing but cau_builder_clear. */
caucus_status cau_builder_split(cau_dataset_builder *from, const bool *leave,
                                cau_dataset_builder *to);

/* Copies sequences of a set (instances, where it has none) to the end of a pile, in this order;
 * `which` may be NULL: the first `count`. Their units come along if the pile has units. A failure
 * is that of cau_builder_add, and leaves the pile good for nothing but cau_builder_clear. */
caucus_status cau_builder_take(cau_dataset_builder *to, const cau_dataset *from,
                               const uint32_t *which, size_t count);

/* Which observations count: name [K] and edge [E] become 1 for those in at least `cutoff`
 * instances, and in one at all, and 0 for the others. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_builder_frequent(const cau_dataset_builder *pile, size_t cutoff, size_t K,
                                   uint32_t *name, size_t E, uint32_t *edge);

/* Renumbers the observations by name [K] and those on edges by edge [E]; either may be NULL:
 * those stay. What becomes CAU_UNKNOWN is dropped. */
void cau_builder_map(cau_dataset_builder *pile, const uint32_t *name, const uint32_t *edge);

/* Makes the set final, over K observations, E on edges and Y classes: gives back the room for
 * more, and numbers the units in the order of their coming (files keep their numbers). It may be
 * called again after CAUCUS_ERR_MEMORY. The set stays in the pile; who takes it zeroes the pile. */
caucus_status cau_builder_close(cau_dataset_builder *pile, size_t group, size_t K, size_t E,
                                size_t Y);

void cau_builder_clear(cau_dataset_builder *pile);
void cau_dataset_clear(cau_dataset *set);

#endif
