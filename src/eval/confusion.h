/* confusion.h - counts of pairs (gold, predicted) of classes or of types of chunks. */

#ifndef CAU_EVAL_CONFUSION_H
#define CAU_EVAL_CONFUSION_H

#include "base/key_set.h"
#include "report/report.h"

typedef struct {
    uint32_t gold, predicted;
    uint64_t count;
} cau_pair;

/* Start with zeros. */
typedef struct {
    cau_key_set keys;
    cau_pair *pair; /* [keys.count] */
    size_t room;

    /* Set by cau_confusion_finish; from then on `gold` and `predicted` are indices of names. */
    size_t n;
    cau_str *name; /* [n]; {NULL, 0} stands for no counterpart, "" for chunks without a type */
} cau_confusion;

void cau_confusion_clear(cau_confusion *confusion);

/* Counts a pair once more; false if memory is short. */
bool cau_confusion_add(cau_confusion *confusion, uint32_t gold, uint32_t predicted);

/* Replaces each id x of the pairs by rank[x], and CAU_UNKNOWN by n - 1, then sorts the pairs. Takes
 * over name [n]. */
void cau_confusion_finish(cau_confusion *confusion, const uint32_t *rank, cau_str *name, size_t n);

/* The pairs as an array of {"gold", "predicted", "count"}, null for no counterpart. */
void cau_confusion_tree(const cau_confusion *confusion, cau_tree *tree, const char *key);

/* Prints the most frequent pairs that differ, at most `most` of them. */
void cau_confusion_print_list(const cau_confusion *confusion, cau_writer *out, size_t most);

/* Prints all pairs: a row for each gold label, a column for each predicted one, a dot for 0. If
 * that takes more than `width` columns, prints the list instead. */
void cau_confusion_print_matrix(const cau_confusion *confusion, cau_writer *out, size_t width,
                                size_t most);

/* Draws a figure; with more than 60 names, of the most frequent ones, and a note says so. `what`
 * the names are: "classes" or "types". */
caucus_status cau_confusion_plot(caucus_ctx *ctx, const cau_confusion *confusion, const char *what,
                                 const char *path);

#endif
