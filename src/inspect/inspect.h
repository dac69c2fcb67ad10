/* inspect.h - what a model contains, and why it decides as it does.
 *
 * A view adds its results to a tree of JSON values, which is described where it is made, and prints
 * its text from that tree. */

#ifndef CAU_INSPECT_INSPECT_H
#define CAU_INSPECT_INSPECT_H

#include "base/memory.h"
#include "model/model.h"
#include "report/report.h"

/* ---- the command (inspect.c) --------------------------------------------------------- */

typedef struct {
    uint64_t top;             /* features shown for each class */
    const char *expectations; /* data for expectations, or NULL */
    const char *explain;      /* a line of input to explain, or a sequence, or NULL */
    const char *against;      /* labels to compare with, or NULL */
    const char *members;      /* data to compare the experts of a pool on, or NULL */
    bool dump;                /* the whole model as exact text */
    bool json;
    cau_format format;         /* of the data; auto: the format of the model */
    cau_layout_options layout; /* what is not said is as in the training data */
} cau_inspect_options;

caucus_status cau_inspect(caucus_ctx *ctx, const caucus_model *model,
                          const cau_inspect_options *options, unsigned threads,
                          caucus_write_fn *write, void *user);

/* The name of the default weights where features have names. */
#define CAU_DEFAULT_NAME "(default)"

/* ---- the strongest weights (top_features.c) ------------------------------------------ */

/* A weight: its size |w|, its observation (a row) and its cell in the row. */
typedef struct {
    float size;
    uint32_t k, cell;
} cau_top_feature;

/* The strongest first; equal ones in the order of the model. */
typedef struct {
    cau_top_feature *entries;
    size_t count, room;
} cau_top_list;

enum { CAU_FOR, CAU_AGAINST, CAU_SIGNS }; /* weights above 0, and below */

typedef struct {
    cau_top_list *lists;      /* [groups][CAU_SIGNS] */
    cau_top_feature *entries; /* of all lists */
    size_t nonzeros;          /* weights that are not zero */
    bool by_cell;
} cau_top_features;

/* Finds up to `top` weights for each list. With `by_cell` each cell is a group, else all are one
 * group. Clear it in either case; a zeroed one may be cleared, too. */
caucus_status cau_top_features_find(caucus_ctx *ctx, const cau_observations *of, bool by_cell,
                                    uint64_t top, cau_top_features *out);
void cau_top_features_clear(cau_top_features *s);

/* How the cell of a weight is shown: not at all, as a label, or as a pair of labels. */
typedef enum { CAU_CELL_HIDDEN, CAU_CELL_LABEL, CAU_CELL_PAIR } cau_cell_kind;

/* Adds {"feature": NAME, "label": LABEL, "weight": w}; with pairs of labels "from" and "to" take
 * the place of "label". A feature of {NULL, 0} is left out. */
void cau_tree_weight(cau_tree *tree, const caucus_model *model, cau_str feature, cau_cell_kind kind,
                     size_t cell, double weight);

/* Prints an array of these, one to a line. */
void cau_print_weights(cau_writer *out, const json_t *weights);

/* ---- names and numbers in the model file --------------------------------------------- */

/* Adds the value of a key of the model file, unescaped, or null. */
void cau_tree_info(cau_tree *tree, const char *name, const caucus_model *model, const char *key);

/* Adds the "name" of expert j, or of its domain in a gated pool, whose last one is "general"; null
 * without a name. */
void cau_tree_expert_name(cau_tree *tree, const caucus_model *pool, size_t j);

/* Prints "domain 1" or, for domain 0, "general"; and the "name" of the component after it. */
void cau_print_component(cau_writer *out, size_t domain, const json_t *component);

/* ---- scores of single instances whose features keep their names (named_scorer.c) --------- */

/* It must not move once it is initialised. */
typedef struct {
    const caucus_model *model;
    cau_alphabet *names;           /* of all features so far, also those that the model lacks */
    uint32_t *row;                 /* for each name the observation of the model, or CAU_UNKNOWN */
    cau_indexed_instance instance; /* the one scored last, by the numbers of these names */

    size_t rows, row_room;
    cau_alphabets alphabets;
    cau_interner interner;
    uint32_t *id; /* the features that the model has, by their rows */
    float *value;
    size_t *start;
    size_t id_room, value_room, start_room;
} cau_named_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_named_scorer_init(caucus_ctx *ctx, cau_named_scorer *scorer,
                                    const caucus_model *model);
void cau_named_scorer_clear(cau_named_scorer *scorer);

/* s [Y] <- the scores of an instance from a reader of names, without those of the edge into it; for
 * a pool by the sums of its weights. Fails like cau_check_groups and cau_intern. */
caucus_status cau_named_scores(caucus_ctx *ctx, cau_named_scorer *scorer, const cau_reader *reader,
                               const cau_instance *instance, double *s);

/* ---- the views ----------------------------------------------------------------------- */

/* The parts of the model and its `top` strongest features, the domains of a gated pool, and the
 * experts of any pool; the experts are scored on a file of data unless `data` is NULL. */
caucus_status cau_summary(caucus_ctx *ctx, const caucus_model *model, uint64_t top,
                          const cau_read_options *read, const char *data, cau_tree *tree);
void cau_print_summary(cau_writer *out, const json_t *summary);

/* Its parts "domains" and "experts". */
caucus_status cau_domain_view(caucus_ctx *ctx, const caucus_model *pool, uint64_t top,
                              cau_tree *tree);
void cau_print_domains(cau_writer *out, const json_t *domains);
caucus_status cau_pool_view(caucus_ctx *ctx, const caucus_model *pool, uint64_t top,
                            const cau_read_options *read, const char *data, cau_tree *tree);
void cau_print_experts(cau_writer *out, const json_t *experts);

/* What each feature of one line adds to the scores of the best classes. For a gated pool: for each
 * component, and what it adds to the weights of the components. */
caucus_status cau_explain(caucus_ctx *ctx, const caucus_model *model, const cau_read_options *read,
                          const char *line, cau_tree *tree);
void cau_print_explanation(cau_writer *out, const json_t *explanation);

/* Why a sequence got its labels and not others: those with the labels `against`, separated by
 * blanks, "?" for any; NULL: the second best ones. Of a classifier, one instance. For any model
 * but a stack. */
caucus_status cau_explain_sequence(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_read_options *read, const char *text,
                                   const char *against, cau_tree *tree);
void cau_print_sequence(cau_writer *out, const json_t *explanation);

/* The `most` sequences of a file of labelled data whose labels by the model are most surely wrong,
 * each explained. CAUCUS_ERR_UNSUPPORTED for models that are not explained as sequences. */
caucus_status cau_worst_errors(caucus_ctx *ctx, const caucus_model *model,
                               const cau_read_options *read, const char *path, size_t most,
                               cau_tree *tree);
void cau_print_errors(cau_writer *out, const json_t *errors);

/* The command `eval --errors`: reads the template of the model, and writes a table or JSON. */
caucus_status cau_errors(caucus_ctx *ctx, const caucus_model *model, const char *path, size_t most,
                         bool json, caucus_write_fn *write, void *user);

/* Counts and expectations of each (feature, class) over a file, written at once. */
caucus_status cau_expectations(const caucus_model *model, const cau_read_options *read,
                               const char *path, bool json, cau_writer *out);

/* ---- the members of a pool on data (expert_agreement.c) ------------------------------ */

/* Counts over all positions of a file. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t J;
    uint64_t positions;
    uint64_t labelled; /* positions that have a label in the file, other than "?" */
    uint64_t *right;   /* [J + 1] of these: member j has the same label; J is the pool */
    uint64_t *differ;  /* [J][J] positions where i and j have different labels */
    double ambiguity;  /* mean over positions, in nats: see expert_agreement.c */
} cau_expert_agreement;

/* Applies a pool and its members to a file, sequence by sequence; memory grows with the longest.
 * Fails as tagging does; CAUCUS_ERR_FORMAT for a file without instances. A label that the pool does
 * not have is never right. */
caucus_status cau_expert_agreement_count(caucus_ctx *ctx, const caucus_model *pool,
                                         const cau_read_options *read, const char *path,
                                         cau_expert_agreement *out);
void cau_expert_agreement_clear(cau_expert_agreement *agreement);

#endif
