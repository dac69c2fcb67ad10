/* gold.h - the gold label of an instance: a label, a set of possible labels, or unknown. */

#ifndef CAU_DATASET_GOLD_H
#define CAU_DATASET_GOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/alphabet.h"

/* gold[i] is a label; or CAU_UNKNOWN, any label ("?" in a file, or a label that training does not
 * have); or CAU_SET + s, one of the labels of set s ("B-PER|O" in a file). Test for CAU_UNKNOWN
 * first: it is larger than CAU_SET. */
#define CAU_SET 0x80000000u

/* Set s is label[start[s]] .. label[start[s+1]-1]: two or more labels, ascending. */
typedef struct {
    size_t count;
    size_t *start;   /* [count + 1]; NULL without sets */
    uint32_t *label; /* [start[count]] */
} cau_label_sets;

#endif
