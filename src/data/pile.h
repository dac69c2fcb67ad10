/* pile.h - a set of instances while it grows, and what is done to it before it is final. */

#ifndef CAU_DATA_PILE_H
#define CAU_DATA_PILE_H

#include <stdbool.h>

#include "data/dataset.h"

/* A dataset with room to grow. Embed it zeroed, and clear it at the end. Its set is valid at any
 * time, but for K, E, Y, width, and S where there are no sequences: cau_pile_close sets them. It
 * has no xt. Its gold is a number in the alphabet of labels as they are written; settle.h makes it
 * what gold.h says. */
typedef struct {
    cau_dataset set;
    bool units;    /* sequences belong to units: to be set before the first of them */
    uint32_t unit; /* what the next instance and its sequence belong to, any number */
    size_t start_room, column_room, value_room, gold_room, weight_room, sequence_room, unit_room;
    size_t edge_start_room, edge_room;
} cau_pile;

/* One more instance, copied. CAUCUS_ERR_MEMORY, or CAUCUS_ERR_ARGUMENT when there would be 2^32
 * rows or more; the pile is as it was then. All instances must have the same groups. */
caucus_status cau_pile_add(cau_pile *pile, const cau_instance *instance, uint32_t gold);

/* Ends a sequence: the instances since the last end, if any, are one. To be used for all of a
 * pile or not at all. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_pile_break(cau_pile *pile);

/* Whether the next instance is the first of its sequence. */
bool cau_pile_between(const cau_pile *pile);

size_t cau_pile_sequences(const cau_pile *pile); /* instances, where there are no others */

/* Moves the sequences with leave[s] to the end of another pile; the others close up. On
 * CAUCUS_ERR_MEMORY both piles are good for nothing but cau_pile_clear. */
caucus_status cau_pile_split(cau_pile *from, const bool *leave, cau_pile *to);

/* Copies sequences of a set (instances, where it has none) to the end of a pile, in this order;
 * `which` may be NULL: the first `count`. Their units come along if the pile has units. A failure
 * is that of cau_pile_add, and leaves the pile good for nothing but cau_pile_clear. */
caucus_status cau_pile_take(cau_pile *to, const cau_dataset *from, const uint32_t *which,
                            size_t count);

/* Which observations count: name [K] and edge [E] become 1 for those in at least `cutoff`
 * instances, and in one at all, and 0 for the others. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_pile_frequent(const cau_pile *pile, size_t cutoff, size_t K, uint32_t *name,
                                size_t E, uint32_t *edge);

/* Renumbers the observations by name [K] and those on edges by edge [E]; either may be NULL:
 * those stay. What becomes CAU_UNKNOWN is dropped. */
void cau_pile_map(cau_pile *pile, const uint32_t *name, const uint32_t *edge);

/* Makes the set final, over K observations, E on edges and Y classes: gives back the room for
 * more, and numbers the units in the order of their coming (files keep their numbers). It may be
 * called again after CAUCUS_ERR_MEMORY. The set stays in the pile; who takes it zeroes the pile. */
caucus_status cau_pile_close(cau_pile *pile, size_t group, size_t K, size_t E, size_t Y);

void cau_pile_clear(cau_pile *pile);
void cau_dataset_clear(cau_dataset *set);

#endif
