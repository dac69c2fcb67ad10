/* gold.h - what is known of the label of an instance: a label, nothing, or a set of labels. */

#ifndef CAU_DATASET_GOLD_H
#define CAU_DATASET_GOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/alphabet.h"

/* gold[i] is a label; or CAU_UNKNOWN: any of them ("?" in a file, or one that training has not
 * seen); or CAU_SET + s: one of set s ("B-PER|O" in a file). Ask for CAU_UNKNOWN first. */
#define CAU_SET 0x80000000u

/* Set s is label[start[s]] .. label[start[s+1]-1], ascending, two or more of them. */
typedef struct {
    size_t count;
    size_t *start;   /* [count + 1]; NULL while there are none */
    uint32_t *label; /* [start[count]] */
} cau_label_sets;

#endif
