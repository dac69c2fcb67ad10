/* options.h - all options of all verbs, as the library uses them. */

#ifndef CAU_OPTIONS_H
#define CAU_OPTIONS_H

#include "apply/inspect.h"
#include "apply/tag.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "eval/eval.h"
#include "train/fit.h"

enum { CAU_OPTIONS_MAX = 80 };

struct caucus_options {
    unsigned verb;                     /* one bit */
    const char *text[CAU_OPTIONS_MAX]; /* as set, by row; NULL: not set */
    cau_arena arena;                   /* of these texts, to which paths below point */

    uint64_t seed, threads;
    cau_data_options data;
    cau_train_options train;
    cau_tag_options tag;
    cau_inspect_options inspect;
    cau_eval_options eval;
};

/* "option.name TAB value" lines of the options that were set, in the order of the table: those
 * that shape the way of a training run (a checkpoint must agree with them), or also those
 * that say when to stop (a model file notes them all). */
typedef enum { CAU_OPTIONS_SHAPE, CAU_OPTIONS_ALL } cau_options_which;
void cau_options_kept(const caucus_options *options, cau_options_which which, cau_text *out);

#endif
