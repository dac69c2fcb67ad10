/* chunks.h - from labels to chunks; precision, recall and F1. */

#ifndef CAU_EVAL_CHUNKS_H
#define CAU_EVAL_CHUNKS_H

#include "base/alphabet.h"
#include "report/report.h"
#include "text/scheme.h"

/* Tokens begin .. end-1 of a sentence are a chunk of a type. */
typedef struct {
    uint32_t begin, end;
    uint32_t type; /* in cau_tags.types */
} cau_chunk;

/* The meaning of labels, by their ids in an alphabet that may still grow. Embed it zeroed with the
 * first four fields set, clear it at the end. Threads may share it in cau_chunks_of, between calls
 * of cau_tags_learn. */
typedef struct {
    cau_scheme_name scheme;
    bool strict;         /* chunks that begin or end with an illegal label are ignored */
    bool raw;            /* each label except O is a type, and each token a chunk */
    const char *outside; /* another name of O, or NULL */

    cau_alphabet *types; /* of the labels learnt so far; "" for labels without a type */
    struct cau_tag {
        cau_place place;
        uint32_t type;
        uint32_t same; /* the first label with the same meaning: O and `outside`, B and B- */
    } * tag;           /* [count] by the id of the label */
    size_t count, room;
    bool chunked;     /* all labels learnt so far are O or labels of the scheme */
    uint32_t foreign; /* the first other label, which counts as O; or CAU_UNKNOWN */
} cau_tags;

/* Learns the new labels of the alphabet. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_tags_learn(cau_tags *tags, const cau_alphabet *labels);
void cau_tags_clear(cau_tags *tags);

/* The chunks of a sentence of T labels, in order, into `chunks` [T]; returns their number. The
 * label CAU_UNKNOWN counts as O. The number of illegal labels (see chunks.c) is added to *illegal,
 * which may be NULL. */
size_t cau_chunks_of(const cau_tags *tags, const uint32_t *labels, size_t T, cau_chunk *chunks,
                     uint64_t *illegal);

/* The number of chunks that two lists have in common: begin, end and type. */
size_t cau_chunks_common(const cau_chunk *a, size_t n, const cau_chunk *b, size_t m);

/* Numbers of chunks, or of instances of a class. */
typedef struct {
    uint64_t gold, found, correct;
} cau_counts;
typedef struct {
    cau_str name; /* of a class or type */
    cau_counts counts;
} cau_named_counts;

/* precision = correct / found, recall = correct / gold, F1 = 2 correct / (found + gold), each
 * `undefined` for 0/0. */
typedef struct {
    double precision, recall, f1;
} cau_prf;
cau_prf cau_counts_prf(cau_counts c, double undefined);
double cau_counts_f1(cau_counts c); /* 0 for 0/0 */

/* As fields of a record; and as an object under a key. */
#define CAU_PRF_FIELDS(prf)                                                                        \
    {"precision", cau_json_number((prf).precision)}, {"recall", cau_json_number((prf).recall)},    \
    {                                                                                              \
        "f1", cau_json_number((prf).f1)                                                            \
    }
static inline void cau_tree_prf(cau_tree *tree, const char *key, cau_prf prf)
{
    cau_tree_record(tree, key, CAU_PRF_FIELDS(prf));
}

/* The labels of a sentence from one source (a system, or gold), and their chunks. */
typedef struct {
    uint32_t *label;  /* [T] */
    cau_chunk *chunk; /* [chunks] */
    size_t chunks;
    size_t label_room, chunk_room;
} cau_labelled;

/* A sentence of an evaluation. Where the gold label is '?', all labels are CAU_UNKNOWN, and the
 * token is not counted. */
typedef struct {
    size_t T, systems;
    const cau_labelled *by; /* [systems + 1]: the systems, then gold */
    const uint32_t *form; /* [T] of known words (known.c), CAU_UNKNOWN for unknown ones; or NULL */
    bool document;        /* the first of a document */
} cau_sentence;

static inline const cau_labelled *cau_sentence_gold(const cau_sentence *sentence)
{
    return &sentence->by[sentence->systems];
}

#endif
