/* ballot.h - what the members of a pool, and the pool, say of a file: how often each is right, and
 * how much they differ. */

#ifndef CAU_APPLY_BALLOT_H
#define CAU_APPLY_BALLOT_H

#include "model/model.h"

/* Counts over all positions of the file. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t J;
    uint64_t positions;
    uint64_t labelled; /* positions whose label the file tells; "?" is none */
    uint64_t *right;   /* [J + 1] of these: member j has the same label; J is the pool */
    uint64_t *differ;  /* [J][J] positions where i and j have different labels */
    double ambiguity;  /* mean over positions, in nats: see ballot.c */
} cau_ballot;

/* Reads a file with a pool, sequence by sequence; memory grows with the longest. Fails as tagging
 * does; CAUCUS_ERR_FORMAT for a file without instances. A label that the pool does not have is one
 * that nobody gets right. */
caucus_status cau_ballot_count(caucus_ctx *ctx, const caucus_model *pool,
                               const cau_read_options *read, const char *path, cau_ballot *out);
void cau_ballot_clear(cau_ballot *ballot);

/* The share of positions where members i and j differ, and its mean over all pairs (0 without
 * any). */
double cau_ballot_differ(const cau_ballot *ballot, size_t i, size_t j);
double cau_ballot_disagreement(const cau_ballot *ballot);

#endif
