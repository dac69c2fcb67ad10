/* conllu.h - the lines of CoNLL-U: ten fields separated by TABs.
 *
 *     # text = The cats
 *     1-2<TAB>Thecats<TAB>_ ...                  a token of several words: not data
 *     1<TAB>The<TAB>the<TAB>DET<TAB>DT<TAB>Definite=Def<TAB>2<TAB>det<TAB>_<TAB>_
 *     2.1<TAB>...                                an empty node: not data
 *
 * A label is a field, or an attribute in FEATS or MISC, as in feats.Case. */

#ifndef CAU_TEXT_CONLLU_H
#define CAU_TEXT_CONLLU_H

#include <stdbool.h>

#include "base/strbuf.h"

enum { CAU_CONLLU_FIELDS = 10, CAU_CONLLU_FORM = 1 };

/* id, form, lemma, upos, xpos, feats, head, deprel, deps, misc */
extern const cau_str cau_conllu_names[CAU_CONLLU_FIELDS];

/* Where a label is. */
typedef struct {
    size_t field;
    cau_str key; /* the attribute, or {NULL, 0} */
} cau_conllu_label;

/* Reads "upos", "feats.Case"; NULL is upos. */
caucus_status cau_conllu_label_parse(caucus_ctx *ctx, const char *text, cau_conllu_label *label);

/* The kind of a line that is not blank. */
typedef enum { CAU_CONLLU_WORD, CAU_CONLLU_ASIDE, CAU_CONLLU_OTHER } cau_conllu_kind;
cau_conllu_kind cau_conllu_line(cau_str line);

/* Whether these first lines of a file are CoNLL-U, perhaps with more fields after its ten. */
bool cau_conllu_looks(const cau_str *lines, size_t count);

/* A field of a line; {NULL, 0} if there are not so many. */
cau_str cau_conllu_field(cau_str line, size_t field);

/* The label of a line: "?" for a field that is "_", "_" for a word without the attribute. It is a
 * part of the line or a constant. */
cau_str cau_conllu_label_of(cau_str line, const cau_conllu_label *where);

/* Adds a line with another label. FEATS stay sorted by name without regard to case. */
void cau_conllu_add(cau_strbuf *out, cau_str line, const cau_conllu_label *where, cau_str label);

#endif
