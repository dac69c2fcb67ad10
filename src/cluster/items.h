/* items.h - the items to cluster: names, and counts or values of features. */

#ifndef CAU_CLUSTER_ITEMS_H
#define CAU_CLUSTER_ITEMS_H

#include "base/alphabet.h"
#include "math/csr.h"

/* In the order of --format. */
typedef enum {
    CAU_ITEMS_AUTO,
    CAU_ITEMS_ROWS,     /* item TAB feature:count TAB feature:count ... (blanks do as well) */
    CAU_ITEMS_LONG,     /* item TAB feature TAB count, or with commas; a line that names the columns
                           may come first; more columns: --columns says which */
    CAU_ITEMS_DENSE,    /* item TAB number TAB number ...; a line that names the columns may come
                           first */
    CAU_ITEMS_SVMLIGHT, /* index:value pairs; the item is the text after '#', or its number */
} cau_items_format;

/* In the order of --weigh. */
typedef enum { CAU_WEIGH_NONE, CAU_WEIGH_TFIDF } cau_weigh;

typedef struct {
    cau_items_format format;
    uint64_t
        columns[3]; /* long form: which columns are item, feature, count, from 0; all 0: 0 1 2 */
    cau_weigh weigh;
    double total;     /* scale each row to this sum; 0: as it is */
    uint64_t least;   /* items with fewer occurrences than this in all are left out; 0: none */
    const char *only; /* a file whose first column names the items that are wanted; or NULL */
} cau_items_options;

/* N items over V features. Every item has a feature. */
typedef struct {
    cau_alphabet *items;    /* N names, in input order */
    cau_alphabet *features; /* V names */
    cau_csr x;              /* [N][V], columns ascending; values are not 0, and not NULL */
} cau_items;

/* items_read.h builds them. CAUCUS_ERR_FORMAT for a duplicate item (in the long form, where the
 * lines of an item may be anywhere, for a duplicate pair), an item without features, or a value
 * that is not finite. Negative values are allowed only in the dense form and in memory. tf-idf is
 * count * log(N / items with the feature); features of every item or of no item are left out. */
void cau_items_clear(cau_items *items);

/* log(N / items with it) of each feature, idf [V]: that of tf-idf. */
void cau_items_idf(const cau_items *items, double *idf);

#endif
