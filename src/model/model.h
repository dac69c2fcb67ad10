/* model.h - a model in memory: a file image, mapped or just built, and views into it.
 *
 * Training builds the image, saving writes it, opening maps it. There is only one form, so a model
 * behaves the same before and after saving. model/layout.h describes the layout, and model/verify.c
 * when a file is verified. */

#ifndef CAU_MODEL_MODEL_H
#define CAU_MODEL_MODEL_H

#include "base/strbuf.h"
#include "dataset/intern.h"
#include "math/table.h"
#include "model/pool.h"

/* The kinds of model. */
typedef enum { CAU_KIND_MAXENT, CAU_KIND_MEMM, CAU_KIND_CRF } cau_kind;

const char *cau_kind_name(cau_kind kind); /* "maxent", "memm", "crf" */

enum { CAU_MEMBERS_MOST = 64 }; /* of a pool */

const char *cau_combine_name(cau_combine combine); /* "product", "mixture", "stack" */
const char *cau_per_name(cau_per per);             /* "sequence", "transition" */
const char *cau_mix_name(cau_mix mix);             /* "chain", "posterior", "rescore", "exact" */

/* The names and weights of observations for a new image: on nodes (a weight for each label) or on
 * edges (for each pair y', y of labels: cell y' * Y + y). */
typedef struct {
    cau_table table;    /* the cells of each row */
    const double *w;    /* [cau_table_size(table)]; rounded to float in the file */
    const float *scale; /* [rows] by which the weights of each row are multiplied; NULL: by 1 */
    cau_str (*name)(const void *self, size_t k); /* of row k; called by several threads */
} cau_model_part;

/* The weights of one member of a pool, over the same tables. NULL means all zero; transitions and
 * intercepts are kept only if the model itself has them. */
typedef struct {
    const double *nodes, *edges;      /* as cau_model_part.w */
    const double *transitions, *bias; /* [Y][Y], [Y] */
} cau_member_part;

/* Everything that goes into a new image. */
typedef struct {
    cau_kind kind;
    size_t Y;
    cau_model_part nodes;      /* table.width is Y, or 1 for explicit features */
    cau_model_part edges;      /* table.rows = 0: none */
    const double *transitions; /* [Y][Y] transitions from row to column, or NULL: none */
    const double *bias;        /* [Y], or NULL: none */
    cau_str (*label)(const void *self, size_t y); /* of class y */
    const void *self;
    cau_read_options read; /* with the template, if there is one; its text is kept */
    cau_str template;      /* the text of a template that is not compiled */
    cau_str info;          /* "key TAB value" lines, escaped, in order */
    cau_pool pool; /* J = 0: a single model; else the weights above are sum_j alpha_j w_j, or,
                      in a stack, those of the model on top of its member. No `mixing` */
    const cau_member_part *member; /* [J] */
    const double *gate_base;       /* [J], or NULL: no gate; of mixtures by transition only */
    const double *gate; /* [nodes.table.rows][J], rounded to float in the file; NULL: 0 */
} cau_model_parts;

/* Parts with the names, labels and reading options of data, which must outlive them: a model over
 * these tables with the weights w. */
cau_model_parts cau_model_parts_of(const caucus_data *data, cau_kind kind, cau_table nodes,
                                   cau_table edges, cau_member_part w, cau_str info);

/* A place of the table of names (lookup.c). */
typedef struct {
    uint32_t low, high; /* the mixed hash of the name; all ones in a free place */
    uint32_t row;       /* its observation; CAU_UNKNOWN in a free place */
} cau_name_slot;

/* A weight of a packed row. */
typedef struct {
    uint32_t cell;
    float weight;
} cau_packed;

/* The verification state of a mapped image (layout.h). */
typedef struct cau_blocks cau_blocks;

/* Observations in an image: the table of their names, and their weights. Views. */
typedef struct {
    size_t K, width;
    const cau_name_slot *slot; /* [slots and overflow] the table of names */
    size_t slots;              /* number of places where a search can begin */
    const uint64_t *name_at;   /* [K+1] offsets into name_bytes */
    const char *name_bytes;
    const float *dense;       /* [K][width], or NULL: packed */
    const uint64_t *start;    /* packed: [K+1] */
    const cau_packed *packed; /* row k is start[k] .. start[k+1]-1, cells ascending */
    cau_blocks *blocks;       /* of the model */
} cau_observations;

/* A member of a pool: the observations and cells of the model with other weights. Views. */
typedef struct {
    cau_observations nodes, edges;
    const float *transitions, *bias;
} cau_member;

struct caucus_model {
    void *image; /* mapped, or from malloc */
    size_t bytes;
    bool mapped;
    cau_blocks *blocks; /* NULL: the image was built in memory and needs no check. Owned */

    cau_kind kind;
    size_t Y;
    cau_observations nodes, edges; /* edges.K = 0: none */
    cau_read_options read;         /* without the template, which readers compile from `template` */
    cau_arena texts;               /* of read.layout */
    cau_str template;              /* its text; {NULL, 0} without one */

    /* views into the image */
    unsigned base;            /* of the hashes of names */
    const uint64_t *label_at; /* [Y+1]; each label ends with a NUL */
    const char *label_bytes;
    cau_str info;             /* key NUL value NUL ..., values escaped by cau_strbuf_escape */
    const float *transitions; /* [Y][Y], or NULL */
    const float *bias;        /* [Y], or NULL */

    cau_pool pool;      /* J = 0: a single model; alpha is in the image */
    cau_member *member; /* [J] owned */
    cau_gate gate;      /* in the image */
};

/* Builds an image. Leaves out observations whose weights are all zero, in the model, in all members
 * and in the gate; the file then has a smaller K. Weights are packed if less than half of the cells
 * are used by the model or a member. CAUCUS_ERR_NUMERIC for weights that are not finite. */
caucus_status cau_model_build(caucus_ctx *ctx, const cau_model_parts *parts, caucus_model **out);

/* Whether the settings of a pool are valid: at most CAU_MEMBERS_MOST members, known ways of voting,
 * finite alphas, which in a mixture are not negative and not all zero. A stack has one member and
 * no way of voting, like a single model. */
bool cau_model_pool_fits(const cau_pool *pool);

/* Maps a file. Truncated and foreign files are CAUCUS_ERR_FORMAT, and so are files with damage in
 * the tables that find observations, or anywhere in a pool. The weights and names of a single model
 * are verified on use: cau_model_verify verifies all of them, cau_model_sound those of one
 * observation, for taggers. */
caucus_status cau_model_open(caucus_ctx *ctx, const char *path, caucus_model **out);

/* The same from the bytes of a file, which are copied. */
caucus_status cau_model_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                   caucus_model **out);

/* Verifies the whole model. CAUCUS_ERR_FORMAT when it is damaged, with a message unless ctx is
 * NULL. Safe from many threads at once; bytes are verified only once. */
caucus_status cau_model_verify(caucus_ctx *ctx, const caucus_model *model);

/* Whether the weights of an observation are undamaged. If not they must not be used, and
 * cau_model_intact fails from then on, as cau_model_verify does. */
bool cau_model_sound(const cau_observations *of, uint32_t k);
caucus_status cau_model_intact(caucus_ctx *ctx, const caucus_model *model);

/* Verifies the whole model before it is written. */
caucus_status cau_model_save(caucus_ctx *ctx, const caucus_model *model, const char *path);
void cau_model_free(caucus_model *model);

/* The observation with a name, on nodes or on edges, or CAU_UNKNOWN. */
uint32_t cau_model_find(const caucus_model *model, const cau_observations *of, const char *s,
                        size_t n);

/* The same in steps, for many names: cau_model_hash computes the hash of a name (or it is joined
 * from parts), cau_model_ask prefetches its place in the table, and later cau_model_answer returns
 * the observation and prefetches its weights. */
uint64_t cau_model_hash(const caucus_model *model, const char *s, size_t n);
void cau_model_ask(const cau_observations *of, uint64_t hash);
uint32_t cau_model_answer(const cau_observations *of, uint64_t hash);

cau_str cau_model_name(const cau_observations *of, size_t k);
const char *cau_model_label(const caucus_model *model, size_t y);
uint32_t cau_model_label_find(const caucus_model *model, cau_str label);

/* The description in the file: the value of a key, or NULL; and an iterator over the pairs that
 * starts with *at = 0 and returns false after the last. */
const char *cau_model_info(const caucus_model *model, const char *key);
bool cau_model_info_next(const caucus_model *model, size_t *at, const char **key,
                         const char **value);

/* The weight of observation k for a cell: a class, or a pair of classes on an edge (cell 0 for
 * width 1). */
double cau_model_weight(const cau_observations *of, size_t k, size_t cell);

/* Adds the weights of some features to the scores of their cells.
 *     s[c] += sum_i value[i] w[id[i]][c],  s [width], value NULL: all 1 */
void cau_model_add(const cau_observations *of, size_t count, const uint32_t *id, const float *value,
                   double *s);

/* Scores of an instance, default weights included: s [Y]. CAUCUS_ERR_ARGUMENT when its
 * groups do not fit the model. */
caucus_status cau_model_scores(const caucus_model *model, const cau_indexed_instance *instance,
                               double *s);

#endif
