/* dataset.h - labelled instances as sparse matrices. */

#ifndef CAU_DATASET_DATASET_H
#define CAU_DATASET_DATASET_H

#include "base/memory.h"
#include "dataset/intern.h"
#include "math/csr.h"

/* gold[i] is a label; or CAU_UNKNOWN, any label ("?" in a file, or a label that training does not
 * have); or CAU_SET + s, one of the labels of set s ("B-PER|O" in a file). Test for CAU_UNKNOWN
 * first: it is larger than CAU_SET. */
#define CAU_SET 0x80000000u

/* Set s is label[start[s]] .. label[start[s+1]-1]: two or more labels, ascending. */
typedef struct {
    size_t count;
    size_t *start;   /* [count + 1]; NULL without sets */
    uint32_t *label; /* [start[count]] */
} cau_label_sets;

/* N instances over K observations and Y classes.
 *
 * Usually an instance is one row of X and each observation has a weight for each class:
 * group = 1, width = Y. With explicit features (megam's # sections) an instance has a row
 * for each class and an observation has one weight: group = Y, width = 1. In both cases the
 * scores X W are N*Y numbers, Y to an instance. */
typedef struct {
    size_t N, K, Y;
    size_t group, width;
    cau_csr x;           /* [N*group][K] */
    cau_csr xt;          /* [K][N*group]; of the training set only */
    uint32_t *gold;      /* [N]; see above */
    cau_label_sets sets; /* the sets of labels in gold; in sequences only */
    bool partial;        /* some gold is not a single label */
    float *weight;       /* [N], or NULL: all are 1 */
    size_t *sequence;    /* [S+1] first instance of each sequence; NULL: each instance is one */
    size_t S;
    uint32_t
        *unit;  /* [S] the document, group or file of each sequence, numbered from 0 in the order
                   in which they appear; training set only; NULL: each sequence is its own */
    bool files; /* units are files, with the numbers of their paths: an empty file leaves a gap,
                   and parts of the set keep the numbers (subset.h) */
    size_t all_N, all_S; /* a part of a set (cau_data_share): the sizes of the whole; else 0 */
    size_t E;            /* observations on edges */
    cau_csr e; /* [N][E] those of the edge from the instance before; start is NULL where E = 0.
                  The first instance of a sequence has none */
} cau_dataset;

/* The first instance of sequence s (N for s = S), and the number of its instances. Without
 * sequences each instance is a sequence. */
static inline size_t cau_dataset_begin(const cau_dataset *set, size_t s)
{
    return set->sequence ? set->sequence[s] : s;
}
static inline size_t cau_dataset_length(const cau_dataset *set, size_t s)
{
    return cau_dataset_begin(set, s + 1) - cau_dataset_begin(set, s);
}

/* Instances and sequences of the whole set, of which this may be the part of one process. */
static inline size_t cau_dataset_all(const cau_dataset *set)
{
    return set->all_N ? set->all_N : set->N;
}
static inline size_t cau_dataset_all_sequences(const cau_dataset *set)
{
    return set->all_N ? set->all_S : set->S;
}

/* All data of a training run: the sets and the names that they share. */
typedef struct caucus_data {
    cau_alphabets alphabets; /* of the K observations, and of the E on edges */
    cau_alphabet *labels;    /* of the Y classes */
    cau_read_options read;   /* with the detected format, the columns and the template */
    cau_template *template;  /* owned; NULL: not columns */
    bool transitions;        /* the model has plain transitions: no template, or one with "B" */
    cau_dataset train, dev, test; /* N = 0 where there is none */
    float *idf; /* [K] by which the values of read.tfidf were multiplied (tfidf.h), or NULL */
    const char **domain; /* [domains] names of the units, where these are domains; in the arena */
    size_t domains;
    cau_arena arena;
    size_t cutoff;                   /* the cut-off that was applied */
    uint64_t fingerprint;            /* of the bytes read for training, in order */
    bool shared;                     /* the sets are parts, of processes that train together */
    bool open;                       /* still growing */
    struct cau_data_adding *builder; /* while it grows, else NULL */
} caucus_data;

/* Names and labels of a model that is trained further: they are kept even if the data lacks them.
 */
typedef struct {
    cau_alphabets alphabets;
    cau_alphabet *labels;
} cau_known;

/* How files become sets. */
typedef struct {
    cau_read_options read;
    const char *template;   /* a file; NULL: read.template, or the default one */
    const char *dev, *test; /* files, or NULL; refused if the data has a DEV or TEST part
                               (megam) */
    const char *by;      /* which sequences belong together: "sequence" (or NULL: none), "document",
                            "file" (in any format), or the number of a column, from 0; see
                            cv_groups.h */
    double dev_fraction; /* part of the training sequences that becomes the dev set, in whole
                            units; 0: none */
    uint64_t seed;       /* random seed of that split */
    size_t cutoff;       /* observations in fewer instances are dropped; 0, 1: none are */
    const cau_known *known; /* of a model that is trained further; borrowed; NULL: nothing */
    bool partial;       /* "?" and "a|b" are partial labels of sequences; without, "?" is refused */
    bool plain;         /* neither: they are labels like any other */
    const char *target; /* memory: groups are domains, this one is the first; NULL: no domains */
    size_t chunk;       /* bytes of a file that a thread reads at a time; 0: choose */
} cau_data_options;

/* Reads and indexes. Dev and test sets are read with the names of the training set: features that
 * only they have are left out. Instances are weighted by options later, not here. */
caucus_status cau_data_read(caucus_ctx *ctx, const cau_data_options *options,
                            const char *const *paths, size_t count, caucus_data **out);

/* Names the units, which are domains. The names are copied. */
caucus_status cau_data_name_domains(caucus_ctx *ctx, caucus_data *data, const char *const *names,
                                    size_t count);

/* Keeps of each set the part of this process, and drops the rest: successive sequences, with about
 * the same number of features for each rank of ctx->comm. Names and labels stay, so the parts
 * together are the data. All ranks must have the same data. Units are dropped. */
caucus_status cau_data_share(caucus_ctx *ctx, caucus_data *data);

/* From memory: see caucus.h. NULL options are the default ones, with partial labels. cau_data_close
 * splits off the dev set, drops features, reads the dev and test files of the options, and indexes,
 * as cau_data_read does. After a failure caused by the data, more may be added unless the dev set
 * was split off or features were dropped. A set has sequences if there was a break: then the
 * instances after the last break are a sequence as well, and labels may be partial. In other sets
 * "a|b" is one label, and cau_data_close refuses "?". */
caucus_status cau_data_new(caucus_ctx *ctx, const cau_data_options *options, caucus_data **out);
caucus_status cau_data_set_template(caucus_ctx *ctx, caucus_data *data, const char *text);
caucus_status cau_data_set_part(caucus_ctx *ctx, caucus_data *data, cau_part part);
caucus_status cau_data_set_group(caucus_ctx *ctx, caucus_data *data, const char *name);
caucus_status cau_data_add(caucus_ctx *ctx, caucus_data *data, const char *label, double weight,
                           const caucus_feature *features, size_t count);
caucus_status cau_data_add_cells(caucus_ctx *ctx, caucus_data *data, const char *label,
                                 double weight, const char *const *cells, size_t count);
caucus_status cau_data_add_text(caucus_ctx *ctx, caucus_data *data, const char *label,
                                double weight, const char *text);
caucus_status cau_data_break(caucus_ctx *ctx, caucus_data *data); /* ends a sequence */
caucus_status cau_data_close(caucus_ctx *ctx, caucus_data *data);
void cau_data_free(caucus_data *data);

/* The bytes that a set takes up. */
size_t cau_dataset_bytes(const cau_dataset *set);

#endif
