/* domains.h - labelled data of several domains as the parts of MEGA see it: instances, each of
 * which is classified by itself, domain after domain.
 *
 * data->train holds the instances of all domains, and the unit of a sequence (of an instance, where
 * there are none) is its domain: 0 is the one that matters ("in"), the others are where labels are
 * plentiful ("out"). Component d is that of domain d, component D the general one.
 *
 * A MEMM is a classifier that sees the label before. So in sequences an instance has, behind the K
 * observations of its position, more columns: K + y for the label y before it (unless the template
 * wants no plain transitions) and, for each observation e of E on the edge, K + Y + e*Y + y. The
 * first of a sequence has none of these. As in all chains, a sequence has the weight of its first.
 */

#ifndef CAU_ADAPT_DOMAINS_H
#define CAU_ADAPT_DOMAINS_H

#include "dataset/dataset.h"

typedef struct {
    size_t D;        /* domains, at least 2 */
    size_t N, Y;     /* instances, classes */
    size_t K, E;     /* observations of the data: of positions, and (of chains) on edges */
    bool chain;      /* instances see the label before */
    cau_dataset all; /* all instances: K is the number of all columns; x, xt, gold, weight */
    bool borrowed;   /* these four are the data's own */
    cau_dataset *of; /* [D] the instances of each domain: the columns and values of its x, its gold
                        and its weight are views into `all`, the rest is its own */
    size_t *begin;   /* [D+1] where they are among all */
} cau_domains;

/* Borrows data, of which it copies what is not in this form already. Embed it zeroed, clear it at
 * the end. CAUCUS_ERR_FORMAT, with a sentence, when a domain is empty or labels are left open;
 * CAUCUS_ERR_UNSUPPORTED for features that are given for each class apart (megam's explicit form).
 */
caucus_status cau_domains_init(caucus_ctx *ctx, const caucus_data *data, bool chain,
                               cau_domains *out);
void cau_domains_clear(cau_domains *domains);

/* A view of the target domain alone, whose sequences come first; each is a group of its own. It
 * borrows everything. */
cau_dataset cau_target_set(const cau_dataset *train);

#endif
