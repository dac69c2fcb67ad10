/* answer.h - answers requests with a model: the part of the server that knows no HTTP. */

#ifndef CAU_SERVE_ANSWER_H
#define CAU_SERVE_ANSWER_H

#include "base/strbuf.h"
#include "serve/body.h"
#include "serve/store.h"

/* What a request asks for. */
typedef struct {
    cau_served *served;
    cau_body_notation notation;
    char *options; /* "name=value\n" for each option of "tag" */
    bool as_text;  /* else JSON */
    char *bytes;   /* the body, followed by a NUL; it is changed */
    size_t length;
} cau_tag_query;

/* The memory of a thread that answers: taggers are kept from one request to the next. */
typedef struct cau_answerer cau_answerer;
caucus_status cau_answerer_new(cau_answerer **out);
void cau_answerer_free(cau_answerer *answerer);

/* Labels the sequences of a request. Adds the answer to `out`, whose contents are undefined after a
 * failure; the message is that of the answerer. As JSON:
 *     {"model": NAME, "version": N, "sequences": [
 *        {"tokens": [...],                             of lines only
 *         "labels": [...],
 *         "probability": p,                            sequence-probability
 *         "nbest": [{"labels", "probability", "segments"}, ...],   nbest, best first
 *         "segments": [{"begin", "end", "type", "probability"}, ...],   segments without nbest
 *         "probabilities": [{LABEL: p, ...}, ...],     probabilities, or the best with top
 *         "label_probabilities": [...],                label-probability
 *         "general": [...],                            domain
 *         "certified": false}, ...]}                   exact decoding that came to its limit
 * As text: for each token its cells or its text, a TAB, and the label; a blank line between
 * sequences, but not for a classifier. *sequences and *tokens count what was labelled. */
caucus_status cau_answer_tag(cau_answerer *answerer, const cau_tag_query *question, cau_strbuf *out,
                             size_t *sequences, size_t *tokens);

/* Explains the labels of the one sequence of a request: what `caucus inspect --explain --json`
 * writes for it. The options may have "against" instead of those of "tag". */
caucus_status cau_answer_explain(cau_answerer *answerer, const cau_tag_query *query,
                                 cau_strbuf *out);

const char *cau_answerer_message(const cau_answerer *answerer);

/* Whether a request may set this option of "tag". */
bool cau_answer_takes(const char *option);

/* Forgets the taggers of models that are no longer served. */
void cau_answerer_forget(cau_answerer *answerer);

/* Adds a JSON string; bytes that are not UTF-8 become U+FFFD. */
void cau_json_add(cau_strbuf *out, const char *text);

/* Adds what a client needs to know of a model: {"name", "version", "kind", "form", "cells",
 * "classes", "features", "experts"}. */
void cau_answer_model(const cau_served *served, cau_strbuf *out);

#endif
