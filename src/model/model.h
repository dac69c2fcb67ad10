/* model.h - a model in memory: a file image, mapped or just built, and views into it.
 *
 * Training builds the image, saving writes it, opening maps it: there is one form only, so
 * what was trained is what is applied. The layout is described in model/image.c. */

#ifndef CAU_MODEL_MODEL_H
#define CAU_MODEL_MODEL_H

#include "base/text.h"
#include "data/reader.h"

/* Everything that goes into a new image. */
typedef struct {
    size_t K, Y;
    size_t width;       /* weights of an observation: Y, or 1 for explicit features */
    const double *w;    /* [K][width]; rounded to float in the file */
    const double *bias; /* [Y], or NULL: none */
    cau_str (*name)(const void *self, size_t k);  /* of observation k */
    cau_str (*label)(const void *self, size_t y); /* of class y */
    const void *self;
    cau_read_options read;
    cau_str info; /* "key TAB value" lines, escaped, in order */
} cau_model_parts;

/* A place in the table of names: linear probing from hash * slots / 2^64. */
typedef struct {
    uint32_t low, high; /* the 64-bit hash of the name */
    uint32_t row;       /* its observation, or CAU_UNKNOWN: the place is free */
} cau_slot;

struct caucus_model {
    void *image; /* mapped, or from malloc */
    size_t bytes;
    bool mapped;

    size_t K, Y, width;
    cau_read_options read;

    /* views into the image */
    const cau_slot *slot; /* [slots] the table of names */
    size_t slots;
    uint64_t seed;           /* of the hash */
    const uint64_t *name_at; /* [K+1] offsets into name_bytes */
    const char *name_bytes;
    const uint64_t *label_at; /* [Y+1]; each label ends with a NUL */
    const char *label_bytes;
    cau_str info;           /* key NUL value NUL ..., the values escaped as text.h does it */
    const float *bias;      /* [Y], or NULL */
    const float *dense;     /* [K][width], or NULL: packed */
    const uint64_t *start;  /* packed: [K+1] */
    const uint32_t *column; /* packed: class of each weight */
    const float *weight;    /* packed: the weight */
};

/* Builds an image. Observations whose weights are all zero are left out, and the weights are
 * packed when less than half of them are used: the file then has a smaller K. */
caucus_status cau_model_build(caucus_ctx *ctx, const cau_model_parts *parts, caucus_model **out);

/* Maps and checks a file: truncated, damaged or foreign files are CAUCUS_ERR_FORMAT. */
caucus_status cau_model_open(caucus_ctx *ctx, const char *path, caucus_model **out);
caucus_status cau_model_save(caucus_ctx *ctx, const caucus_model *model, const char *path);
void cau_model_free(caucus_model *model);

/* The observation of a name, or CAU_UNKNOWN. */
uint32_t cau_model_find(const caucus_model *model, const char *s, size_t n);

/* The same in steps, for whoever has many names to find: the hash of a name, which asks for
 * the place in the table where it would be, and later the observation of a hash, which asks
 * for its weights. By then the memory has had time to answer. */
uint64_t cau_model_ask(const caucus_model *model, const char *s, size_t n);
uint32_t cau_model_answer(const caucus_model *model, uint64_t hash);

cau_str cau_model_name(const caucus_model *model, size_t k);
const char *cau_model_label(const caucus_model *model, size_t y);
uint32_t cau_model_label_find(const caucus_model *model, cau_str label);

/* What the file says of itself: the value of a key, or NULL; and pair after pair, starting
 * with *at = 0: false after the last. */
const char *cau_model_info(const caucus_model *model, const char *key);
bool cau_model_info_next(const caucus_model *model, size_t *at, const char **key,
                         const char **value);

/* The weight of observation k for class y (for width 1, y = 0). */
double cau_model_weight(const caucus_model *model, size_t k, size_t y);

/* Adds the weights of one group of features to its scores.
 *     s[y] += sum_i value[i] w[id[i]][y],  s [width], value NULL: all 1 */
void cau_model_add(const caucus_model *model, size_t count, const uint32_t *id, const float *value,
                   double *s);

/* Scores of an instance, default weights included: s [Y]. CAUCUS_ERR_ARGUMENT when its
 * groups do not fit the model. */
caucus_status cau_model_scores(const caucus_model *model, const cau_instance *instance, double *s);

#endif
