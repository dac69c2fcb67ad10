/* links.h - what is known of pairs of items: must be together, must not, or probably.
 *
 * Hard links are closed under what follows from them: items that must be together are a group, and
 * groups are forbidden to each other when any of their items are. A link that contradicts others is
 * refused with the shortest chain of links that proves it.
 *
 * A soft link says with probability p (in (0,1)) that two items are together: the partition's
 * probability is multiplied by p where they are, by 1 - p where they are not. In logarithms, and up
 * to a constant, it adds log(p / (1-p)) to partitions in which they are together. Several soft
 * links of one pair add up. Soft links contradict nothing: one between items that hard links keep
 * together or apart is kept as a link, for it counts again when those are taken back, but it has
 * the same factor in every partition that is left, and so it is no part of the constraints.
 *
 * A link costs O(log) on average, an undo no more than the link did; a refusal and the first look
 * at the constraints after a change cost O(N + links log links). */

#ifndef CAU_CLUSTER_LINKS_H
#define CAU_CLUSTER_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alphabet.h"
#include "base/strbuf.h"

/* One link as it was given. */
typedef struct {
    uint32_t a, b;   /* items, different */
    double together; /* 1: must, 0: cannot, between: soft */
} cau_link;

/* Links between N items, growing. */
typedef struct cau_links cau_links;
caucus_status cau_links_new(caucus_ctx *ctx, size_t N, cau_links **out);
void cau_links_free(cau_links *links);

/* Adds one. CAUCUS_ERR_FORMAT when it contradicts: the sentence has the chain of links that proves
 * it, by the names of the items ("a must b, b must c, so a cannot c contradicts"); nothing is
 * added. One that is implied already, or given again, is fine. */
caucus_status cau_links_add(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                            cau_link link);

/* From a file: lines `a b must`, `a b cannot`, `a b must:0.9`, `a b cannot:0.8`, cells between TABs
 * (or blanks, where there is no TAB). Lines that begin with '#' are comments, as is what follows
 * the third cell from a '#' on. CAUCUS_ERR_FORMAT with file and line for an unknown item, a link to
 * itself, a contradiction; links of the lines before stay. */
caucus_status cau_links_read(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                             const char *path);

/* The links in the order of their coming, and how to write one as a line of such a file, with its
 * line end; reading it gives the same link. Names must be without TABs and line ends. */
size_t cau_links_count(const cau_links *links);
cau_link cau_links_at(const cau_links *links, size_t i);
void cau_link_write(cau_link link, const cau_alphabet *names, cau_strbuf *out);

/* Takes the last link back (undo), soft or hard. CAUCUS_ERR_ARGUMENT when there is none. */
caucus_status cau_links_drop_last(caucus_ctx *ctx, cau_links *links);

/* What follows for a pair: known together, known apart, or not known. O(log); threads may ask at
 * the same time. */
typedef enum { CAU_PAIR_OPEN, CAU_PAIR_TOGETHER, CAU_PAIR_APART } cau_pair_state;
cau_pair_state cau_links_state(const cau_links *links, uint32_t a, uint32_t b);

/* As the sampler sees them: groups of items (single items are groups of one), and which groups may
 * not be together. Views, valid until the links change. */
typedef struct {
    size_t N, G;
    const uint32_t *group;       /* [N] of each item, numbered by their first item */
    const size_t *start;         /* [G+1] */
    const uint32_t *member;      /* [N] items of group g: start[g] .. start[g+1]-1, ascending */
    const size_t *forbid_start;  /* [G+1] */
    const uint32_t *forbid;      /* groups that are forbidden to g, ascending; both ways */
    const size_t *soft_start;    /* [N+1] soft links of each item, both ways, of open pairs alone */
    const uint32_t *soft_item;   /* the other item, ascending, each once */
    const double *soft_log_odds; /* log(p / (1-p)), summed over the links of the pair */
} cau_constraints;
caucus_status cau_links_constraints(caucus_ctx *ctx, cau_links *links, cau_constraints *out);

#endif
