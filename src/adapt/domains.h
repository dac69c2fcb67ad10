/* domains.h - labelled data of several domains as MEGA sees it: independent instances, grouped by
 * domain.
 *
 * In data->train the group of a sequence (`unit`) is its domain: 0 is the target, which matters,
 * the others are sources, where labels are plentiful. Component d of MEGA is that of domain d,
 * component D the general one.
 *
 * A MEMM is a classifier that sees the previous label. So an instance of a sequence has more
 * columns than the K observations of its position: K + y for the previous label y (unless the
 * template excludes plain transitions) and, for each observation e of E on the edge, the column
 * K + Y + e*Y + y. The first instance of a sequence has none of these. As in all chains, the weight
 * of a sequence is that of its first instance. */

#ifndef CAU_ADAPT_DOMAINS_H
#define CAU_ADAPT_DOMAINS_H

#include "dataset/dataset.h"

typedef struct {
    size_t D;        /* domains, at least 2 */
    size_t N, Y;     /* instances, classes */
    size_t K, E;     /* observations of the data: of positions, and (of chains) on edges */
    bool chain;      /* instances see the previous label */
    cau_dataset all; /* all instances: K is the number of all columns; x, xt, gold, weight */
    bool borrowed;   /* these four belong to the data */
    cau_dataset *of; /* [D] the instances of each domain: the columns and values of its x, its gold
                        and its weight are views into `all` */
    size_t *begin;   /* [D+1] where they are among all */
} cau_domains;

/* Borrows data, and copies what does not have this form yet. Embed it zeroed, clear it at the end.
 * CAUCUS_ERR_FORMAT if a domain is empty or labels are partial, CAUCUS_ERR_UNSUPPORTED for features
 * that are given for each class (megam's explicit form). */
caucus_status cau_domains_init(caucus_ctx *ctx, const caucus_data *data, bool chain,
                               cau_domains *out);
void cau_domains_clear(cau_domains *domains);

/* A view of the target domain alone, whose sequences come first; each is a group of its own. It
 * borrows everything. */
cau_dataset cau_target_set(const cau_dataset *train);

#endif
