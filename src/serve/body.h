/* body.h - the bodies of requests: sequences of tokens, in three notations.
 *
 *   lines      text/plain. A sequence on each line, its tokens separated by blanks; for a model of
 *              texts an instance on each line.
 *   columns    text/tab-separated-values. A token on each line, its cells separated by TABs (or by
 *              blanks in lines without a TAB), a blank line between sequences. A column beyond
 *              those of the model is the label.
 *   JSON       {"tokens": [TOKEN, ...]} is one sequence, {"sequences": [[TOKEN, ...], ...]} are
 *              several. A TOKEN is
 *                  "word"              a cell, a text, or a feature, as the model takes it
 *                  ["Kim", "NNP"]      cells or features
 *                  {"cells": [...]}  {"text": "..."}  {"features": [...] or {NAME: value, ...}}
 *              and in the last three "label" may force the label: "a", "a|b", "?".
 *
 * A classifier labels each token by itself; its sequences then only group the answer. */

#ifndef CAU_SERVE_BODY_H
#define CAU_SERVE_BODY_H

#include <jansson.h>

#include "base/memory.h"
#include "caucus.h"

typedef enum { CAU_BODY_LINES, CAU_BODY_COLUMNS, CAU_BODY_JSON } cau_body_notation;

/* Strings end with NUL, and belong to the body or to the bytes. */
typedef struct {
    caucus_form form;
    const char *const *cells;       /* [count] */
    const caucus_feature *features; /* [count] */
    const char *text;
    size_t count;
    const char *label; /* NULL: none */
} cau_body_token;

/* Embed it zeroed and clear it at the end; parsing again replaces the contents and keeps the
 * memory. */
typedef struct {
    cau_body_token *token;
    size_t tokens;
    size_t *end; /* [sequences] the number of tokens up to the end of each */
    size_t sequences;

    json_t *root;
    cau_arena arena;
    size_t token_room, end_room;
} cau_body;

/* Parses `length` bytes, which are followed by a NUL, are changed, and must outlive the body.
 * `form` and `cells` are those of the model (caucus_model_form). CAUCUS_ERR_FORMAT for what is
 * malformed, with its place. */
caucus_status cau_body_parse(caucus_ctx *ctx, cau_body_notation notation, caucus_form form,
                             size_t cells, char *bytes, size_t length, cau_body *body);
void cau_body_clear(cau_body *body);

#endif
