/* chunk_scores.h - chunks found against chunks that are there: what conlleval counts, and more. */

#ifndef CAU_EVAL_CHUNK_SCORES_H
#define CAU_EVAL_CHUNK_SCORES_H

#include "base/sheet.h"
#include "eval/chunks.h"

typedef struct cau_chunk_scores cau_chunk_scores;

caucus_status cau_chunk_scores_new(caucus_ctx *ctx, cau_chunk_scores **out);
void cau_chunk_scores_free(cau_chunk_scores *scores);

/* Counts a sentence of system 0. `tags` has learnt its labels, and is the same for all.
 * CAUCUS_ERR_MEMORY. */
caucus_status cau_chunk_scores_add(cau_chunk_scores *scores, const cau_tags *tags,
                                   const cau_sentence *sentence);

/* After the last sentence: the types in order, the measures. `illegal` labels of gold and of the
 * system, by the scheme. CAUCUS_ERR_MEMORY. */
caucus_status cau_chunk_scores_finish(cau_chunk_scores *scores, const cau_tags *tags,
                                      const uint64_t illegal[2]);

/* "chunk-precision", "chunk-recall", "chunk-f1", "chunk-macro-f1", "accuracy-inside" (tokens that
 * are not O in the gold), ... without a type; "precision", "recall", "f1", "support", "found" with
 * one. NaN where there is none. */
double cau_chunk_scores_get(const cau_chunk_scores *scores, const char *measure, const char *type);

/* What conlleval prints, to the byte; with `latex` what its -l prints. */
void cau_chunk_scores_conlleval(const cau_chunk_scores *scores, cau_sheet *sheet, bool latex);

/* The tables beyond it: averages, support, token accuracy with and without O, confusion of types
 * and of boundaries, illegal labels; and all of it as the value of a key "chunks" of `root`. */
void cau_chunk_scores_report(const cau_chunk_scores *scores, cau_sheet *sheet);
void cau_chunk_scores_json(const cau_chunk_scores *scores, cau_sheet *sheet, json_t *root);

/* The confusion of types for a figure: n names ("" is none) and counts [n][n], borrowed. */
void cau_chunk_scores_confusion(const cau_chunk_scores *scores, size_t *n, const cau_str **names,
                                const double **counts);

#endif
