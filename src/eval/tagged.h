/* tagged.h - tagged files token by token, those of several systems in lock step.
 *
 * System 0 has any number of files, which are read one after the other; each file of --against
 * is another system; with --gold the true labels have a file of their own. All of them must have
 * the same tokens in sentences of the same length. How a line is taken apart is in tagged.c. */

#ifndef CAU_EVAL_TAGGED_H
#define CAU_EVAL_TAGGED_H

#include "base/alphabet.h"
#include "eval/eval.h"
#include "text/lines.h"

typedef struct cau_tagged cau_tagged;

/* What comes next. Between two tokens there is at most one end of a sentence, and none stands
 * before the first token or after the last. */
typedef enum {
    CAU_TAGGED_TOKEN,
    CAU_TAGGED_BREAK, /* the end of a sentence: a blank line, or one of conlleval's -X- */
    CAU_TAGGED_SEAM,  /* one file of system 0 ends, and another begins, without a blank line */
    CAU_TAGGED_END,   /* of all files */
} cau_tagged_kind;

/* A token, valid until the next. */
typedef struct {
    uint32_t gold;         /* in the alphabet; CAU_UNKNOWN: '?', as are the labels then */
    const uint32_t *label; /* [systems] */
    cau_str word;          /* {NULL, 0} where there is none, or where nobody asks for words */
    bool document;         /* the word is -DOCSTART-: a document begins */
    size_t Y;              /* probabilities of system 0; 0: none */
    const double *p;       /* [Y] of the labels 0 to Y - 1 */
} cau_tagged_token;

/* Opens the files, or what options->memory has in their place; "-" is standard input, once. The
 * options, the paths and the alphabet, which grows with the labels met, are borrowed. */
caucus_status cau_tagged_open(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, cau_alphabet *labels,
                              cau_tagged **out);

/* The same, system 0 being labels in memory (see caucus.h), which are borrowed. Messages call its
 * tokens token:1, token:2 and so on. */
caucus_status cau_tagged_labels(caucus_ctx *ctx, const cau_eval_options *options,
                                const caucus_labels *source, cau_alphabet *labels,
                                cau_tagged **out);
void cau_tagged_free(cau_tagged *tagged);

size_t cau_tagged_systems(const cau_tagged *tagged);

/* Goes on; *token is set when a token comes. CAUCUS_ERR_FORMAT with file and line when a line
 * cannot be read, or with the first line of two files that differs. */
caucus_status cau_tagged_next(caucus_ctx *ctx, cau_tagged *tagged, cau_tagged_kind *kind,
                              cau_tagged_token *token);

/* Where the label of a system stands, or (system = systems) the true one, for messages about the
 * token that came last. */
const cau_lines *cau_tagged_lines(const cau_tagged *tagged, size_t system);

/* The separator that an option names, one character or \t as two. False when it is none. */
bool cau_tagged_delimiter(const char *option, char *out);

#endif
