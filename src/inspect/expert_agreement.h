/* expert_agreement.h - what the members of a pool, and the pool, say of a file: how often each is
 * right, and how much they differ. */

#ifndef CAU_INSPECT_EXPERT_AGREEMENT_H
#define CAU_INSPECT_EXPERT_AGREEMENT_H

#include "model/model.h"

/* Counts over all positions of the file. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t J;
    uint64_t positions;
    uint64_t labelled; /* positions whose label the file tells; "?" is none */
    uint64_t *right;   /* [J + 1] of these: member j has the same label; J is the pool */
    uint64_t *differ;  /* [J][J] positions where i and j have different labels */
    double ambiguity;  /* mean over positions, in nats: see ballot.c */
} cau_expert_agreement;

/* Reads a file with a pool, sequence by sequence; memory grows with the longest. Fails as tagging
 * does; CAUCUS_ERR_FORMAT for a file without instances. A label that the pool does not have is one
 * that nobody gets right. */
caucus_status cau_expert_agreement_count(caucus_ctx *ctx, const caucus_model *pool,
                                         const cau_read_options *read, const char *path,
                                         cau_expert_agreement *out);
void cau_expert_agreement_clear(cau_expert_agreement *ballot);

/* The share of positions where members i and j differ, and its mean over all pairs (0 without
 * any). */
double cau_expert_agreement_differ(const cau_expert_agreement *ballot, size_t i, size_t j);
double cau_expert_agreement_disagreement(const cau_expert_agreement *ballot);

#endif
