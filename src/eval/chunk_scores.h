/* chunk_scores.h - chunks found against chunks that are there: what conlleval counts, and more. */

#ifndef CAU_EVAL_CHUNK_SCORES_H
#define CAU_EVAL_CHUNK_SCORES_H

#include "eval/chunks.h"
#include "report/report.h"

/* What became of a chunk: how its counterpart on the other side, the chunk that it shares most
 * tokens with, compares (chunk_scores.c says more). Each chunk is one of these. */
typedef enum {
    CAU_CHUNK_RIGHT,     /* same span, same type */
    CAU_CHUNK_RETYPED,   /* same span, other type */
    CAU_CHUNK_MISPLACED, /* other span, same type */
    CAU_CHUNK_CONFUSED,  /* other span, other type */
    CAU_CHUNK_ALONE,     /* none overlaps: missed if it is gold, spurious if it was found */
    CAU_CHUNK_OUTCOMES
} cau_chunk_outcome;

/* Which ends of a misplaced chunk are wrong, how, and how many chunks take part. */
typedef enum { CAU_ENDS_LEFT, CAU_ENDS_RIGHT, CAU_ENDS_BOTH, CAU_ENDS } cau_chunk_ends;
typedef enum { CAU_SPAN_LONG, CAU_SPAN_SHORT, CAU_SPAN_SHIFTED, CAU_SPANS } cau_chunk_span;
typedef enum {
    CAU_PIECES_ONE,    /* one gold chunk, one found */
    CAU_PIECES_SPLIT,  /* several found ones overlap the gold one */
    CAU_PIECES_JOINED, /* the found one overlaps several gold ones */
    CAU_PIECES_MIXED,  /* both */
    CAU_PIECES
} cau_chunk_pieces;

typedef struct {
    double precision, recall, f1;
} cau_chunk_average;

typedef struct {
    cau_str name;
    cau_counts counts;
} cau_type_score;

/* Gold chunks of a type whose counterpart is of another or the same; CAU_UNKNOWN is none. */
typedef struct {
    uint32_t gold, found;
    uint64_t count;
} cau_type_pair;

enum { CAU_GOLD, CAU_FOUND }; /* the two sides */

/* Counts while sentences come, measures at the end; memory grows with the types and with the
 * pairs of them that occur. For the files of this room. */
typedef struct {
    caucus_ctx *ctx;
    uint64_t tokens, right;        /* labels that are the same */
    uint64_t inside, right_inside; /* of tokens whose gold label is not O */
    uint64_t outcome[2][CAU_CHUNK_OUTCOMES];
    uint64_t misplaced[CAU_ENDS][CAU_SPANS], pieces[CAU_PIECES]; /* of gold chunks */

    cau_counts *count; /* [types] by the numbers of cau_tags */
    size_t types, room;
    cau_alphabet *pairs; /* of types but (x, x) of right chunks, as 8 bytes each */
    uint64_t *pair;      /* [pairs] how often */
    size_t pair_room;

    /* After cau_chunk_scores_finish: */
    cau_scheme_name scheme;
    bool strict, raw;
    uint64_t illegal[2];
    size_t n;
    cau_type_score *type; /* [n] types of gold or found chunks, by the bytes of their names */
    char *names;          /* that they point into */
    cau_counts all;
    cau_chunk_average micro, macro, weighted; /* weighted by the gold chunks of a type */
    size_t confusions;
    cau_type_pair *confusion; /* [confusions] by gold, then by found: indices of `type` */
    size_t shown;             /* n + 1, or 0 where that is too many for a figure */
    cau_str *shown_name;      /* [shown] */
    double *shown_count;      /* [shown][shown] */
} cau_chunk_scores;

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

/* Without a type: "chunk-precision", "chunk-recall", "chunk-f1", the same as "chunk-macro-f1" and
 * "chunk-weighted-f1", "chunk-support", "chunk-found", "chunk-correct", "accuracy-tokens",
 * "accuracy-inside" (tokens that are not O in the gold), "illegal-gold" and "illegal-predicted".
 * With one: "precision", "recall", "f1", "support", "found", "correct". NaN where there is none. */
double cau_chunk_scores_get(const cau_chunk_scores *scores, const char *measure, const char *type);

/* What conlleval prints, to the byte; with `latex` what its -l prints. */
void cau_chunk_scores_conlleval(const cau_chunk_scores *scores, cau_writer *sheet, bool latex);

/* The tables beyond it: averages, support, token accuracy with and without O, confusion of types
 * and of boundaries, illegal labels; and all of it as the value of a key "chunks" of `root`. */
void cau_chunk_scores_report(const cau_chunk_scores *scores, cau_writer *sheet);
void cau_chunk_scores_json(const cau_chunk_scores *scores, cau_writer *sheet, json_t *root);

/* The confusion of types for a figure: n names and counts [n][n] by gold, then found, borrowed. The
 * last name is "", which is no chunk. n is 0 where there are more than 500 types. */
void cau_chunk_scores_confusion(const cau_chunk_scores *scores, size_t *n, const cau_str **names,
                                const double **counts);

#endif
