/* chunks.h - the chunks that labels tell of, and how well two lists of them agree. */

#ifndef CAU_EVAL_CHUNKS_H
#define CAU_EVAL_CHUNKS_H

#include "text/alphabet.h"
#include "text/scheme.h"

/* Tokens begin .. end-1 of a sentence are a chunk of a type. */
typedef struct {
    uint32_t begin, end;
    uint32_t type; /* in cau_tags.types */
} cau_chunk;

/* What labels mean, by their numbers in an alphabet that may still grow. Embed it zeroed with the
 * first four fields set, clear it at the end. Constant use (cau_chunks_of after cau_tags_learn)
 * may be shared by threads. */
typedef struct {
    cau_scheme_name scheme;
    bool strict;         /* a label that the scheme does not allow where it stands is O */
    bool raw;            /* each label but O is a type, and each token a chunk */
    const char *outside; /* another name of O; NULL: none */

    cau_alphabet *types; /* of all labels so far; "" is one where labels have none */
    struct cau_tag {
        cau_place place;
        uint32_t type;
        uint32_t same; /* the first label that says the same: O and `outside`, B and B- */
    } * tag;           /* [count] by the number of the label */
    size_t count, room;
    bool chunked;     /* all labels so far are O or of the scheme */
    uint32_t foreign; /* the first that is not; CAU_UNKNOWN: none. It is as O */
} cau_tags;

/* Learns the labels of the alphabet that are new. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_tags_learn(cau_tags *tags, const cau_alphabet *labels);
void cau_tags_clear(cau_tags *tags);

/* The chunks of a sentence of T labels, in order, at most T of them into `chunks` [T]; returns how
 * many. A label CAU_UNKNOWN is as O. *illegal, unless NULL, grows by the labels that the scheme
 * does not allow where they stand (chunks.c says which). */
size_t cau_chunks_of(const cau_tags *tags, const uint32_t *labels, size_t T, cau_chunk *chunks,
                     uint64_t *illegal);

/* How many chunks two lists have in common: begin, end and type. */
size_t cau_chunks_common(const cau_chunk *a, size_t n, const cau_chunk *b, size_t m);

/* What is counted of chunks, and F1 = 2 correct / (found + gold), 0 where there are none. */
typedef struct {
    uint64_t gold, found, correct;
} cau_counts;
double cau_counts_precision(cau_counts c);
double cau_counts_recall(cau_counts c);
double cau_counts_f1(cau_counts c);

/* A sentence as the parts of an evaluation see it. */
typedef struct {
    size_t T, systems;
    const cau_str *word;          /* [T]; {NULL, 0} where the line has no such column */
    const uint32_t *gold;         /* [T]; CAU_UNKNOWN: '?', not to be counted */
    const uint32_t *const *label; /* [systems][T]; CAU_UNKNOWN where gold is */
    const cau_chunk *gold_chunk;  /* [gold_chunks] */
    size_t gold_chunks;
    const cau_chunk *const *chunk; /* [systems][chunks[system]] */
    const size_t *chunks;
    bool document; /* the first of a document */
} cau_sentence;

#endif
