/* known.h - words of training data, and chunks of words.
 *
 * Wang and Manning's Table 3 scores tokens whose form occurs in the training text (IV) and others
 * (OOV) apart: labels without B- and I-, over entity types, micro-averaged. Chunk-level recall is
 * split by the number of known words of the chunk, and by whether training has the chunk. */

#ifndef CAU_EVAL_KNOWN_H
#define CAU_EVAL_KNOWN_H

#include "eval/chunks.h"
#include "eval/eval.h"
#include "report/report.h"

typedef struct cau_words_known cau_words_known;

/* Reads training data in columns: the word is column options->word, the label the last one. Exact
 * forms: case matters. Free it with cau_words_known_free. CAUCUS_ERR_FORMAT with file and line. */
caucus_status cau_words_known_read(caucus_ctx *ctx, const cau_eval_options *options,
                                   cau_words_known **out);
void cau_words_known_free(cau_words_known *known);

/* The number of a word, or CAU_UNKNOWN if training does not have it. */
uint32_t cau_words_known_form(const cau_words_known *known, cau_str word);

/* Counts a sentence with its forms, of system 0. `tags` has learnt its labels. */
void cau_words_known_add(cau_words_known *known, const cau_tags *tags,
                         const cau_sentence *sentence);

/* Adds the results under the key "known" of the object that is open in the tree; and prints that
 * subtree as tables, for chunks or, if labels are classes, of accuracies. */
void cau_words_known_tree(const cau_words_known *known, cau_tree *tree);
void cau_words_known_print(const json_t *known, cau_writer *out);

#endif
