/* intern.h - from the names of features to ids. */

#ifndef CAU_DATASET_INTERN_H
#define CAU_DATASET_INTERN_H

#include "base/alphabet.h"
#include "text/reader.h"

/* Alphabets of the features of nodes and of edges; `edges` may be NULL. */
typedef struct {
    cau_alphabet *names, *edges;
} cau_alphabets;

/* An instance whose features are ids. A group has each of them once. */
typedef struct {
    double weight;
    size_t groups;       /* 1; for explicit features the number of classes */
    const size_t *start; /* [groups + 1]: features of group g are start[g] .. start[g+1]-1 */
    const uint32_t *id;
    const float *value;   /* NULL: all 1 */
    size_t edges;         /* features of the edge from the previous instance */
    const uint32_t *edge; /* [edges] */
} cau_indexed_instance;

/* Features in one or more groups. A group has each feature once, in the order of first occurrence.
 */
typedef struct {
    size_t count; /* features in all groups */
    size_t groups;
    uint32_t *id;   /* [count] */
    float *value;   /* [count] */
    bool plain;     /* all values are 1 */
    size_t *start;  /* [groups + 1] */
    uint32_t *slot; /* [slots] the index of an id within its group, if the group has it */
    size_t slots, id_room, value_room, start_room;
} cau_sparse_row;

/* Interns the features of one instance after the other. Set the first two, the rest zeroed; clear
 * it at the end. */
typedef struct {
    cau_alphabets *alphabets; /* borrowed */
    bool add;                 /* new names are added; without, they are left out */
    cau_sparse_row nodes, edges;
    uint32_t *id; /* scratch */
    size_t id_room;
} cau_interner;

/* Turns the names of an instance into ids. Features that a group has twice are merged as the block
 * says (cau_repeats); those whose values add up to 0 are left out. *out is valid until the next
 * call. CAUCUS_ERR_FORMAT, with the place in `file` unless that is NULL, when values add up to a
 * number that is not finite. A failure may leave new names in the alphabets. */
caucus_status cau_intern(caucus_ctx *ctx, cau_interner *interner, const char *file,
                         const cau_instance *instance, cau_indexed_instance *out);
void cau_interner_clear(cau_interner *interner);

#endif
