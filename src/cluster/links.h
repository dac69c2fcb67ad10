/* links.h - must-links, cannot-links and soft links between items.
 *
 * Hard links are closed under implication: must-linked items form a group, and two groups have a
 * cannot-link if any of their items have one. A link that contradicts others is refused with the
 * shortest chain of links that proves it.
 *
 * A soft link is an observation with probability p in (0,1) that two items are together: it
 * multiplies the probability of a partition by p if they are, and by 1 - p if they are not. In
 * logarithms, up to a constant, it adds log(p / (1-p)) to partitions in which they are together.
 * Several soft links of one pair add up. Soft links never contradict. A soft link between items
 * that hard links keep together or apart is stored, because it counts again if those are undone,
 * but it has the same factor in every legal partition and is not part of the constraints.
 *
 * A link costs O(log) on average, and an undo no more than the link did. A refusal, and the first
 * use of the constraints after a change, cost O(N + links log links). */

#ifndef CAU_CLUSTER_LINKS_H
#define CAU_CLUSTER_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alphabet.h"
#include "base/strbuf.h"

/* One link as given. */
typedef struct {
    uint32_t a, b;   /* items, different */
    double together; /* 1: must, 0: cannot, between: soft */
} cau_link;

/* Links between N items, growing. */
typedef struct cau_links cau_links;
caucus_status cau_links_new(caucus_ctx *ctx, size_t N, cau_links **out);
void cau_links_free(cau_links *links);

/* Adds a link. CAUCUS_ERR_FORMAT if it contradicts others: the message has the chain of links that
 * proves it, by the names of the items ("a must b, b must c, so a cannot c contradicts"), and
 * nothing is added. Implied and repeated links are fine. */
caucus_status cau_links_add(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                            cau_link link);

/* Reads a file of lines `a b must`, `a b cannot`, `a b must:0.9`, `a b cannot:0.8`, with cells
 * between TABs (or blanks if there is no TAB). Lines that begin with '#' are comments, and so is
 * the rest of a line from a '#' after the third cell. CAUCUS_ERR_FORMAT with file and line for an
 * unknown item, a link to itself, or a contradiction; links of earlier lines stay. */
caucus_status cau_links_read(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                             const char *path);

/* The links in the order of adding, and a link as a line of such a file, with its line end. Names
 * must have no TABs and line ends. */
size_t cau_links_count(const cau_links *links);
cau_link cau_links_at(const cau_links *links, size_t i);
void cau_link_write(cau_link link, const cau_alphabet *names, cau_strbuf *out);

/* Undoes the last link, soft or hard. CAUCUS_ERR_ARGUMENT without links. */
caucus_status cau_links_drop_last(caucus_ctx *ctx, cau_links *links);

/* The implied state of a pair. O(log); safe from several threads. */
typedef enum { CAU_PAIR_OPEN, CAU_PAIR_TOGETHER, CAU_PAIR_APART } cau_pair_state;
cau_pair_state cau_links_state(const cau_links *links, uint32_t a, uint32_t b);

/* The constraints of the sampler: groups of items (a single item is a group of one), and pairs of
 * groups with a cannot-link. Views, valid until the links change. */
typedef struct {
    size_t N, G;
    const uint32_t *group;  /* [N] group of each item; groups are numbered by their first items */
    const size_t *start;    /* [G+1] */
    const uint32_t *member; /* [N] items of group g: start[g] .. start[g+1]-1, ascending */
    const size_t *forbid_start; /* [G+1] */
    const uint32_t *forbid;     /* groups with a cannot-link to g, ascending; in both directions */
    const size_t
        *soft_start; /* [N+1] soft links of each item, in both directions, of open pairs only */
    const uint32_t *soft_item;   /* the other item, ascending, each once */
    const double *soft_log_odds; /* log(p / (1-p)), summed over the links of the pair */
} cau_constraints;
caucus_status cau_links_constraints(caucus_ctx *ctx, cau_links *links, cau_constraints *out);

#endif
