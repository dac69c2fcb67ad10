/* tagged.h - tagged files token by token, the files of several systems side by side.
 *
 * System 0 has any number of files, which are read one after the other; each file of --against
 * is another system; with --gold the gold labels have a file of their own. All of them must have
 * the same tokens in sentences of the same length. tagged.c describes the lines. */

#ifndef CAU_EVAL_TAGGED_H
#define CAU_EVAL_TAGGED_H

#include "base/alphabet.h"
#include "eval/eval.h"
#include "text/lines.h"

typedef struct cau_tagged cau_tagged;

/* Events. Between two tokens there is at most one end of a sentence, and there is none before the
 * first token or after the last. */
typedef enum {
    CAU_TAGGED_TOKEN,
    CAU_TAGGED_BREAK, /* the end of a sentence: a blank line, or conlleval's -X- */
    CAU_TAGGED_SEAM,  /* a file of system 0 ends and another begins, without a blank line */
    CAU_TAGGED_END,   /* of all files */
} cau_tagged_kind;

/* A token, valid until the next. */
typedef struct {
    uint32_t gold;         /* in the alphabet; CAU_UNKNOWN for '?', and so are the labels then */
    const uint32_t *label; /* [systems] */
    cau_str word;          /* {NULL, 0} without a word, or if words are not needed */
    bool document;         /* the word is -DOCSTART-: a document begins */
    size_t Y;              /* number of probabilities of system 0, or 0 */
    const double *p;       /* [Y] of the labels 0 to Y - 1 */
} cau_tagged_token;

/* Opens the files, or options->memory in their place; "-" is standard input, once. The options, the
 * paths and the alphabet, to which labels are added, are borrowed. */
caucus_status cau_tagged_open(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, cau_alphabet *labels,
                              cau_tagged **out);

/* The same with labels in memory (see caucus.h) as system 0, which are borrowed. Its other systems,
 * if it has any, stand for those of options->against. Messages name its tokens token:1, token:2 and
 * so on. */
caucus_status cau_tagged_labels(caucus_ctx *ctx, const cau_eval_options *options,
                                const caucus_labels *source, cau_alphabet *labels,
                                cau_tagged **out);
void cau_tagged_free(cau_tagged *tagged);

size_t cau_tagged_systems(const cau_tagged *tagged);

/* The next event; *token is set if it is a token. CAUCUS_ERR_FORMAT with file and line for a
 * malformed line, or for the first line where two files differ. */
caucus_status cau_tagged_next(caucus_ctx *ctx, cau_tagged *tagged, cau_tagged_kind *kind,
                              cau_tagged_token *token);

/* The lines of a system, or (system = systems) of the gold labels, for messages about the last
 * token. */
const cau_lines *cau_tagged_lines(const cau_tagged *tagged, size_t system);

/* Whether a line ends a sentence: all columns are empty, or the first is conlleval's -X-. */
bool cau_tagged_ends_sentence(cau_str line, char delimiter);

#endif
