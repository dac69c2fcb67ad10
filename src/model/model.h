/* model.h - a model in memory: a file image, mapped or just built, and views into it.
 *
 * Training builds the image, saving writes it, opening maps it: there is one form only, so
 * what was trained is what is applied. The layout is described in model/layout.h, and what is
 * verified of a file, and when, in model/verify.c. */

#ifndef CAU_MODEL_MODEL_H
#define CAU_MODEL_MODEL_H

#include "base/strbuf.h"
#include "math/table.h"
#include "model/pool.h"
#include "text/reader.h"

/* The kinds of model. */
typedef enum { CAU_KIND_MAXENT, CAU_KIND_MEMM, CAU_KIND_CRF } cau_kind;

const char *cau_kind_name(cau_kind kind); /* "maxent", "memm", "crf" */

/* A pool has at most so many members. */
enum { CAU_MEMBERS_MOST = 64 };

const char *cau_combine_name(cau_combine combine); /* "product", "mixture", "stack" */
const char *cau_per_name(cau_per per);             /* "sequence", "transition" */
const char *cau_mix_name(cau_mix mix);             /* "chain", "posterior", "rescore" */

/* The names of observations and their weights, on the way into an image: for the nodes (a weight
 * for each label) or for the edges (for each pair y', y of labels: cell y' * Y + y). */
typedef struct {
    cau_table table; /* which weights a row has */
    const double *w; /* [cau_table_size(table)]; rounded to float in the file */
    cau_str (*name)(const void *self, size_t k); /* of row k; asked for by several threads */
} cau_model_part;

/* The weights of one member of a pool, over the same tables. What is NULL is zero; transitions and
 * default weights are kept where the model itself has them. */
typedef struct {
    const double *nodes, *edges; /* as cau_model_part.w */
    const double *plain, *bias;  /* [Y][Y], [Y] */
} cau_member_part;

/* Everything that goes into a new image. */
typedef struct {
    cau_kind kind;
    size_t Y;
    cau_model_part nodes; /* table.width is Y, or 1 for explicit features */
    cau_model_part edges; /* table.rows = 0: none */
    const double *plain;  /* [Y][Y] transitions from row to column, or NULL: none */
    const double *bias;   /* [Y], or NULL: none */
    cau_str (*label)(const void *self, size_t y); /* of class y */
    const void *self;
    cau_read_options read; /* with the template, if there is one: its text is kept */
    cau_str template;      /* the text, for whoever has no more than that */
    cau_str info;          /* "key TAB value" lines, escaped, in order */
    cau_pool pool;         /* J = 0: a single model; else the weights above are sum_j alpha_j w_j,
                              of a stack those of the model that hears its member. No `say` */
    const cau_member_part *member; /* [J] */
    const double *gate_base;       /* [J], or NULL: no gate; of mixtures by transition only */
    const double *gate; /* [nodes.table.rows][J], rounded to float in the file; NULL: 0 */
} cau_model_parts;

/* Parts with the names, labels and reading options of data, which must outlive them: a model over
 * these tables with the weights w. */
cau_model_parts cau_model_parts_of(const caucus_data *data, cau_kind kind, cau_table nodes,
                                   cau_table edges, cau_member_part w, cau_str info);

/* A place in a table of names (lookup.c). */
typedef struct {
    uint32_t low, high; /* the hash of the name, mixed; all ones where the place is free */
    uint32_t row;       /* its observation, or CAU_UNKNOWN: the place is free */
} cau_name_slot;

/* A weight of a packed row. */
typedef struct {
    uint32_t cell;
    float weight;
} cau_packed;

/* What of a mapped image has been verified (layout.h). */
typedef struct cau_blocks cau_blocks;

/* Observations in an image: how they are found by name, and their weights. Views. */
typedef struct {
    size_t K, width;
    const cau_name_slot *slot; /* [slots and some more] the table of names */
    size_t slots;              /* where the search for a name can begin */
    const uint64_t *name_at;   /* [K+1] offsets into name_bytes */
    const char *name_bytes;
    const float *dense;       /* [K][width], or NULL: packed */
    const uint64_t *start;    /* packed: [K+1] */
    const cau_packed *packed; /* row k is start[k] .. start[k+1]-1, cells ascending */
    cau_blocks *blocks;       /* of the model */
} cau_observations;

/* A member of a pool: the observations of the model, with weights of its own, in the same cells.
 * Views. */
typedef struct {
    cau_observations nodes, edges;
    const float *plain, *bias;
} cau_member;

struct caucus_model {
    void *image; /* mapped, or from malloc */
    size_t bytes;
    bool mapped;
    cau_blocks *blocks; /* NULL: the image was built here, so there is nothing to verify. Owned */

    cau_kind kind;
    size_t Y;
    cau_observations nodes, edges; /* edges.K = 0: there are none */
    cau_read_options read;         /* but for the template: whoever reads compiles `template` */
    cau_str template;              /* its text; {NULL, 0} where there is none */

    /* views into the image */
    unsigned base;            /* of the hashes of names */
    const uint64_t *label_at; /* [Y+1]; each label ends with a NUL */
    const char *label_bytes;
    cau_str info;       /* key NUL value NUL ..., the values escaped as text.h does it */
    const float *plain; /* [Y][Y], or NULL */
    const float *bias;  /* [Y], or NULL */

    cau_pool pool;      /* J = 0: a single model; alpha is in the image */
    cau_member *member; /* [J] owned */
    cau_gate gate;      /* in the image */
};

/* Builds an image. Observations whose weights, also in all members and the gate, are zero are left
 * out: the file then has a smaller K. Weights are packed when less than half of the cells are used,
 * by the model or by a member. CAUCUS_ERR_NUMERIC for weights that are not finite. */
caucus_status cau_model_build(caucus_ctx *ctx, const cau_model_parts *parts, caucus_model **out);

/* Whether members can vote like this: at most CAU_MEMBERS_MOST of them, ways of voting that exist,
 * alphas that are finite; those of a mixture not negative and not all zero. A stack has one member
 * and, like no members at all, no way of voting. */
bool cau_model_pool_fits(const cau_pool *pool);

/* Maps a file. Truncated and foreign ones are CAUCUS_ERR_FORMAT, and damaged ones where the damage
 * is in what finds the observations; of a pool, wherever it is. The weights and names of a single
 * model are verified later, and whoever uses them sees to it: by cau_model_verify, all of them; or,
 * for a tagger, by cau_model_sound, those of each observation that it meets. */
caucus_status cau_model_open(caucus_ctx *ctx, const char *path, caucus_model **out);

/* The same from the bytes of a file, which are copied. */
caucus_status cau_model_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                   caucus_model **out);

/* Verifies all of a model. CAUCUS_ERR_FORMAT when it is damaged, with a sentence unless ctx is
 * NULL. Like all of verifying, safe from many threads at once; what was verified once takes no
 * time. */
caucus_status cau_model_verify(caucus_ctx *ctx, const caucus_model *model);

/* Whether the weights of an observation are right; if not they must not be used, and
 * cau_model_intact fails from then on, as cau_model_verify does. */
bool cau_model_sound(const cau_observations *of, uint32_t k);
caucus_status cau_model_intact(caucus_ctx *ctx, const caucus_model *model);

/* Verifies all of it first. */
caucus_status cau_model_save(caucus_ctx *ctx, const caucus_model *model, const char *path);
void cau_model_free(caucus_model *model);

/* The observation of a name among the nodes or the edges, or CAU_UNKNOWN. */
uint32_t cau_model_find(const caucus_model *model, const cau_observations *of, const char *s,
                        size_t n);

/* The same in steps, for whoever has many names to find: the hash of a name (or one that was
 * joined from parts); asking for the place in the table where it would be; and later the
 * observation of a hash, which asks for its weights. By then the memory has had time to
 * answer. */
uint64_t cau_model_hash(const caucus_model *model, const char *s, size_t n);
void cau_model_ask(const cau_observations *of, uint64_t hash);
uint32_t cau_model_answer(const cau_observations *of, uint64_t hash);

cau_str cau_model_name(const cau_observations *of, size_t k);
const char *cau_model_label(const caucus_model *model, size_t y);
uint32_t cau_model_label_find(const caucus_model *model, cau_str label);

/* What the file says of itself: the value of a key, or NULL; and pair after pair, starting
 * with *at = 0: false after the last. */
const char *cau_model_info(const caucus_model *model, const char *key);
bool cau_model_info_next(const caucus_model *model, size_t *at, const char **key,
                         const char **value);

/* The weight of observation k for a cell: a class, or a pair of them on an edge (for width 1,
 * cell 0). */
double cau_model_weight(const cau_observations *of, size_t k, size_t cell);

/* Adds the weights of some features to the scores of their cells.
 *     s[c] += sum_i value[i] w[id[i]][c],  s [width], value NULL: all 1 */
void cau_model_add(const cau_observations *of, size_t count, const uint32_t *id, const float *value,
                   double *s);

/* Scores of an instance, default weights included: s [Y]. CAUCUS_ERR_ARGUMENT when its
 * groups do not fit the model. */
caucus_status cau_model_scores(const caucus_model *model, const cau_instance *instance, double *s);

#endif
