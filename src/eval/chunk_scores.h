/* chunk_scores.h - predicted chunks against gold chunks: the counts of conlleval, and more. */

#ifndef CAU_EVAL_CHUNK_SCORES_H
#define CAU_EVAL_CHUNK_SCORES_H

#include "eval/chunks.h"
#include "eval/confusion.h"

/* The outcome of a chunk: how it compares with its counterpart, the chunk of the other side that
 * shares most tokens with it (chunk_scores.c has the details). */
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
    CAU_PIECES_SPLIT,  /* several found chunks overlap the gold chunk */
    CAU_PIECES_JOINED, /* the found chunk overlaps several gold chunks */
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

enum { CAU_GOLD, CAU_FOUND }; /* the two sides */

/* Counts while sentences are added, measures at the end. Memory grows with the types and with the
 * pairs of types that occur. */
typedef struct {
    caucus_ctx *ctx;
    uint64_t tokens, right;        /* right: both labels are the same */
    uint64_t inside, right_inside; /* of tokens whose gold label is not O */
    uint64_t outcome[2][CAU_CHUNK_OUTCOMES];
    uint64_t misplaced[CAU_ENDS][CAU_SPANS], pieces[CAU_PIECES]; /* of gold chunks */

    cau_counts *count; /* [types] by the numbers of cau_tags */
    size_t types, room;
    cau_confusion confusion; /* of types */

    /* After cau_chunk_scores_finish: */
    cau_scheme_name scheme;
    bool strict, raw;
    uint64_t illegal[2];
    size_t n;
    cau_type_score *type; /* [n] types of gold or found chunks, by the bytes of their names */
    char *names;          /* their bytes */
    cau_counts all;
    cau_chunk_average micro, macro, weighted; /* weighted by the gold chunks of a type */
} cau_chunk_scores;

caucus_status cau_chunk_scores_new(caucus_ctx *ctx, cau_chunk_scores **out);
void cau_chunk_scores_free(cau_chunk_scores *scores);

/* Counts a sentence of system 0. `tags` has learnt its labels, and is the same for all sentences.
 * CAUCUS_ERR_MEMORY. */
caucus_status cau_chunk_scores_add(cau_chunk_scores *scores, const cau_tags *tags,
                                   const cau_sentence *sentence);

/* After the last sentence: the types in order, the measures. `illegal` labels of gold and of the
 * system, by the scheme. CAUCUS_ERR_MEMORY. */
caucus_status cau_chunk_scores_finish(cau_chunk_scores *scores, const cau_tags *tags,
                                      const uint64_t illegal[2]);

/* ---- chunk_report.c ------------------------------------------------------------------ */

/* What conlleval prints, to the byte; with `latex` what its -l prints. */
void cau_chunk_scores_conlleval(const cau_chunk_scores *scores, cau_writer *out, bool latex);

/* Adds the results under the key "chunks" of the object that is open in the tree. */
void cau_chunk_scores_tree(const cau_chunk_scores *scores, cau_tree *tree);

/* Prints that subtree as tables, and the confusion of types as a matrix or a list. */
void cau_chunk_scores_print(const json_t *chunks, const cau_confusion *confusion, cau_writer *out);

#endif
