/* options.h - the options of all commands, as the library uses them. */

#ifndef CAU_API_OPTIONS_H
#define CAU_API_OPTIONS_H

#include "adapt/adapt.h"
#include "base/memory.h"
#include "base/thread.h"
#include "cluster/cluster.h"
#include "dataset/dataset.h"
#include "doctor/doctor.h"
#include "eval/eval.h"
#include "inspect/inspect.h"
#include "peers/peers.h"
#include "pool/pools.h"
#include "study/study.h"
#include "tag/tag.h"
#include "text/convert_data.h"
#include "text/convert_scheme.h"
#include "train/fit.h"

enum { CAU_OPTIONS_MAX = 300 };

/* Who answers the questions of cluster, in the order of --by. */
typedef enum { CAU_BY_AUTO, CAU_BY_GOLD, CAU_BY_TERMINAL, CAU_BY_JSON } cau_answers_by;

struct caucus_options {
    unsigned command;                  /* one bit */
    const char *text[CAU_OPTIONS_MAX]; /* by row of the table; NULL: not set */
    cau_arena arena;                   /* holds the texts, to which members below point */

    uint64_t seed, threads;
    cau_data_options data;
    cau_train_options train;
    cau_tag_options tag;
    cau_inspect_options inspect;
    cau_eval_options eval;
    cau_rescheme_options rescheme;
    cau_format convert_to; /* AUTO: the data is not converted */
    cau_model_form model_form;
    cau_doctor_options doctor;
    cau_pool_options pool;
    cau_paths drop; /* of eval with a model */
    uint64_t errors;

    /* adaptation */
    cau_adapt_options adapt; /* method, tuning and MEGA; training.c fills in the rest */
    const char *adapt_target;
    cau_paths adapt_source;

    /* clustering */
    cau_cluster_options cluster;
    const char *cluster_columns;
    double cluster_beta;

    /* studies, and figures of a run */
    uint64_t folds, seeds;
    const char *grid, *plot;
    bool curve, study_json;

    struct { /* the program reads these through caucus_options_get */
        const char *model;
        cau_answers_by answers_by;
        cau_paths models;
        const char *host, *token_file, *access_log;
        uint64_t port, max_body, max_connections, max_queue;
        double max_time;
        bool quiet;
    } program;
};

/* The number of threads: that of the option, or else of the context. */
static inline unsigned cau_options_threads(const caucus_ctx *ctx, const caucus_options *options)
{
    return options->threads ? (unsigned)options->threads : cau_threads(ctx);
}

/* A copy that can be changed, without the options whose names are in `without` (NULL after the
 * last). Free it with caucus_options_free. */
caucus_status cau_options_copy(caucus_ctx *ctx, const caucus_options *options,
                               const char *const *without, caucus_options **out);

/* To leave out no option. */
extern const char *const cau_options_all[];

/* The option of "train" with this name if it may vary in a grid, else NULL: it concerns the model
 * or its training, and its value is not a text. *penalty: whether it is the strength of a penalty.
 */
const caucus_option_info *cau_options_varies(const caucus_options *options, const char *name,
                                             bool *penalty);

/* Whether these are the options of a command; and CAUCUS_ERR_ARGUMENT unless they are those of
 * `first` or of `second`, which may be NULL. */
bool cau_options_of(const caucus_options *options, const char *command);
caucus_status cau_options_expect(caucus_ctx *ctx, const caucus_options *options, const char *first,
                                 const char *second);

/* Whether options of "adapt" go together, as far as they alone show it (training.c). */
caucus_status cau_options_check_adapt(caucus_ctx *ctx, const caucus_options *options);

/* Whether the processes of a job share the data: a training run, not many. */
bool cau_options_share(const caucus_ctx *ctx, const caucus_options *options);

/* Whether an option was set; a default does not count. */
bool cau_options_is_set(const caucus_options *options, const char *name);

/* Adds lines "option.name TAB value" for the options that were set, in the order of the table: all
 * that a model file notes, or only those with which a checkpoint must agree, which leaves out the
 * options that say when to stop. */
typedef enum { CAU_OPTIONS_SHAPE, CAU_OPTIONS_ALL } cau_options_which;
void cau_options_kept(const caucus_options *options, cau_options_which which, cau_strbuf *out);

/* ---- grid.c: the settings of a grid such as "l2=0.1,1,10 l1=0,1" ----------------------------- */

typedef struct {
    size_t count;             /* 1 without a grid: the options as they are */
    caucus_options **options; /* [count] owned */
    cau_setting *settings;    /* [count] the same for study/; texts in the arena */
    bool warm;                /* settings differ only in penalties */
    cau_arena arena;
} cau_grid;

/* All combinations of the values; the first name varies slowest. CAUCUS_ERR_ARGUMENT for a text
 * that is not a grid, an option that cannot vary or is also set by itself, and a value out of
 * range. Embed the grid zeroed and clear it at the end, also after a failure. */
caucus_status cau_grid_init(caucus_ctx *ctx, const caucus_options *options, cau_grid *grid);
void cau_grid_clear(cau_grid *grid);

#endif
