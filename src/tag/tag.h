/* tag.h - applying a model to a file, sequence by sequence.
 *
 * For columns, a line of output is the input line and the label; for other formats, the gold label
 * and the label, or the label alone if there is no gold label. Fields are separated by a TAB. A
 * line of CoNLL-U stays such a line: the label replaces the one in its field. Running text becomes
 * a JSON object on a line, with the predicted spans and, with segments, their probabilities
 * (text/spans.h). The following fields are optional and come in this order:
 *
 *     domain              of a gated pool: p(general | x) at this token, the say of its last member
 *     label_probability   p(label at this token | x)
 *     segments            at the first token of a segment, p(all its labels | x); "_" at all
 *                         other tokens
 *     probabilities       label:p of every label, in the order of the model; or, with top, of
 *                         the best ones, best first
 *
 * With sequence_probability a line "# p" with p(labels | x) stands before each sequence. With
 * nbest, each of the best labellings is a block of its own that begins with "# rank p", rank from
 * 0, and a blank line stands between them: the form of CRF++. Where exact decoding of a mixture
 * came to its limit, " uncertified" follows p, and a note at the end tells how many sequences.
 * Blank lines and lines that are not data stay where they are (the latter in the first of several
 * blocks). */

#ifndef CAU_TAG_TAG_H
#define CAU_TAG_TAG_H

#include "infer/decode.h"
#include "model/model.h"

typedef struct {
    cau_format format;         /* auto is the model's own */
    cau_layout_options layout; /* what is not said is as in the training data */
    bool probabilities;        /* of all labels */
    uint64_t top;              /* of the best n labels of each token; 0: none */
    bool label_probability;
    bool domain;    /* CAUCUS_ERR_ARGUMENT for a model without a gate */
    cau_paths drop; /* globs: features with such names are treated as unknown */

    /* for CRF and MEMM */
    bool sequence_probability;
    uint64_t nbest; /* 0: the best labelling, without a rank */
    cau_decode_rule decode;
    cau_scheme_name scheme; /* what it forbids is impossible, and all probabilities are
                       those of the model given that */
    bool forced;   /* the label of a token in the input is given: "a" is this one, "a|b" one of
                      these, "?" or none any; probabilities are given that as well */
    bool segments; /* by the scheme, or by whatever letters the labels have */

    bool labels;  /* CoNLL-U: write the gold label and the label, not the line */
    size_t chunk; /* bytes that a thread works on at a time; 0: choose */
} cau_tag_options;

/* Combinations that make no sense are CAUCUS_ERR_ARGUMENT. A fault in the input is told with its
 * line, and all sequences before it are answered. */
caucus_status cau_tag(caucus_ctx *ctx, const caucus_model *model, const cau_tag_options *options,
                      unsigned threads, const char *path, caucus_write_fn *write, void *user);

/* Writes the features that a template makes of a file, one line for each instance: label TAB
 * feature TAB feature ..., with names escaped and values written as in CRFsuite's format, so that
 * the output is data in that format. Features of edges follow a field "|". Blank lines are kept;
 * lines that are not data are left out. */
caucus_status cau_features_show(caucus_ctx *ctx, const cau_data_options *options, const char *path,
                                caucus_write_fn *write, void *user);

#endif
