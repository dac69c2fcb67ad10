/* body.c - see body.h. Lines and columns are cut in place; JSON is parsed by jansson. */

#include "serve/body.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/strbuf.h"

#define TOKEN_FORMS "a string, an array of strings, or an object with cells, text or features"

void cau_body_clear(cau_body *body)
{
    json_decref(body->root);
    cau_arena_clear(&body->arena);
    free(body->token);
    free(body->end);
    *body = (cau_body){0};
}

static caucus_status add_token(caucus_ctx *ctx, cau_body *b, cau_body_token token)
{
    if (!CAU_GROW(b->token, b->token_room, b->tokens + 1))
        return cau_fail_memory(ctx, "the tokens of a request");
    b->token[b->tokens++] = token;
    return CAUCUS_OK;
}

/* Ends a sequence after the tokens so far. */
static caucus_status end_sequence(caucus_ctx *ctx, cau_body *b)
{
    if (!CAU_GROW(b->end, b->end_room, b->sequences + 1))
        return cau_fail_memory(ctx, "the sequences of a request");
    b->end[b->sequences++] = b->tokens;
    return CAUCUS_OK;
}

/* Whether tokens came after the last sequence. */
static bool is_open(const cau_body *b)
{
    return b->tokens > (b->sequences ? b->end[b->sequences - 1] : 0);
}

/* A token of one string, in the form of the model. */
static caucus_status add_string(caucus_ctx *ctx, cau_body *b, caucus_form form, const char *s,
                                const char *label)
{
    cau_body_token token = {.form = form, .count = 1, .label = label};
    if (form == CAUCUS_FORM_TEXT) {
        token.text = s;
    } else if (form == CAUCUS_FORM_CELLS) {
        const char **cell = cau_arena_alloc(&b->arena, 1, sizeof *cell);
        if (!cell) return cau_fail_memory(ctx, "the tokens of a request");
        *cell = s;
        token.cells = cell;
    } else {
        caucus_feature *feature = cau_arena_alloc(&b->arena, 1, sizeof *feature);
        if (!feature) return cau_fail_memory(ctx, "the tokens of a request");
        *feature = (caucus_feature){s, 1};
        token.features = feature;
    }
    return add_token(ctx, b, token);
}

/* ---- lines and columns ----------------------------------------------------------------- */

/* Cuts the next line off the text at *at, ends it with NUL and returns it; NULL at the end. */
static char *next_line(char **at, const char *end)
{
    char *line = *at;
    if (line >= end) return NULL;
    char *stop = memchr(line, '\n', (size_t)(end - line));
    *at = stop ? stop + 1 : line + (end - line);
    if (!stop) stop = line + (end - line); /* the NUL after the body */
    if (stop > line && stop[-1] == '\r') stop--;
    *stop = '\0';
    return line;
}

/* Cuts the next word off the text at *at; NULL at the end. */
static char *next_word(char **at, const char *separators)
{
    char *word = *at + strspn(*at, separators);
    if (!*word) return NULL;
    char *stop = word + strcspn(word, separators);
    *at = *stop ? stop + 1 : stop;
    *stop = '\0';
    return word;
}

static caucus_status parse_lines(caucus_ctx *ctx, cau_body *b, caucus_form form, char *bytes,
                                 const char *end)
{
    caucus_status st = CAUCUS_OK;
    if (form == CAUCUS_FORM_FEATURES)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "this model takes features, not text; send them as JSON"));
    for (char *line; (line = next_line(&bytes, end));) {
        if (form == CAUCUS_FORM_TEXT) {
            TRY(add_string(ctx, b, form, line, NULL));
        } else {
            for (char *word; (word = next_word(&line, " \t"));)
                TRY(add_string(ctx, b, form, word, NULL));
            if (!is_open(b)) continue; /* a blank line */
        }
        TRY(end_sequence(ctx, b));
    }
done:
    return st;
}

/* A token from the cells of a line. */
static caucus_status add_line(caucus_ctx *ctx, cau_body *b, size_t known, char *line, size_t number)
{
    caucus_status st = CAUCUS_OK;
    const char *separators = strchr(line, '\t') ? "\t" : " ";
    size_t n = 1;
    for (const char *c = line; *c; c++) n += *c == *separators;
    const char **cells = cau_arena_alloc(&b->arena, n, sizeof *cells);
    if (!cells) TRY(cau_fail_memory(ctx, "the tokens of a request"));
    n = 0;
    for (char *cell; (cell = next_word(&line, separators));) cells[n++] = cell;
    if (known && n != known && n != known + 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "line %zu: %zu column%s, but the model was trained on %zu; send those, and "
                     "perhaps a label after them",
                     number, n, n == 1 ? "" : "s", known));
    const bool labelled = known && n > known;
    TRY(add_token(ctx, b,
                  (cau_body_token){.form = CAUCUS_FORM_CELLS,
                                   .cells = cells,
                                   .count = labelled ? known : n,
                                   .label = labelled ? cells[known] : NULL}));
done:
    return st;
}

static caucus_status parse_columns(caucus_ctx *ctx, cau_body *b, caucus_form form, size_t cells,
                                   char *bytes, const char *end)
{
    caucus_status st = CAUCUS_OK;
    size_t number = 0;
    if (form != CAUCUS_FORM_CELLS)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "this model takes %s, not columns; send %s",
                     form == CAUCUS_FORM_TEXT ? "texts" : "features",
                     form == CAUCUS_FORM_TEXT ? "text/plain or JSON" : "JSON"));
    for (char *line; (line = next_line(&bytes, end));) {
        number++;
        if (line[strspn(line, " \t")])
            TRY(add_line(ctx, b, cells, line, number));
        else if (is_open(b))
            TRY(end_sequence(ctx, b));
    }
    if (is_open(b)) TRY(end_sequence(ctx, b));
done:
    return st;
}

/* ---- JSON ------------------------------------------------------------------------------ */

/* Adds the place of a token to the message, from 1. */
#define AT_TOKEN(b)                                                                                \
    (b)->sequences + 1, (b)->tokens - ((b)->sequences ? (b)->end[(b)->sequences - 1] : 0) + 1

static caucus_status fail_token(caucus_ctx *ctx, const cau_body *b, const char *what)
{
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, "sequence %zu, token %zu: %s", AT_TOKEN(b), what);
}

/* Strings of an array, as cells or as features of value 1. */
static caucus_status add_array(caucus_ctx *ctx, cau_body *b, caucus_form form, const json_t *array,
                               const char *label)
{
    const size_t n = json_array_size(array);
    const char **cells = NULL;
    caucus_feature *features = NULL;
    if (form == CAUCUS_FORM_CELLS)
        cells = cau_arena_alloc(&b->arena, n, sizeof *cells);
    else
        features = cau_arena_alloc(&b->arena, n, sizeof *features);
    if (!cells && !features) return cau_fail_memory(ctx, "the tokens of a request");
    for (size_t i = 0; i < n; i++) {
        const char *s = json_string_value(json_array_get(array, i));
        if (!s)
            return fail_token(ctx, b, "an array with something that is no string; " TOKEN_FORMS);
        if (cells)
            cells[i] = s;
        else
            features[i] = (caucus_feature){s, 1};
    }
    return add_token(
        ctx, b,
        (cau_body_token){
            .form = form, .cells = cells, .features = features, .count = n, .label = label});
}

/* Features with values: {"name": 0.5, ...}. */
static caucus_status add_features(caucus_ctx *ctx, cau_body *b, json_t *object, const char *label)
{
    caucus_feature *features =
        cau_arena_alloc(&b->arena, json_object_size(object), sizeof *features);
    if (!features) return cau_fail_memory(ctx, "the tokens of a request");
    size_t n = 0;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!json_is_number(value)) return fail_token(ctx, b, "a feature whose value is no number");
        features[n++] = (caucus_feature){name, json_number_value(value)};
    }
    return add_token(
        ctx, b,
        (cau_body_token){
            .form = CAUCUS_FORM_FEATURES, .features = features, .count = n, .label = label});
}

static caucus_status add_object(caucus_ctx *ctx, cau_body *b, json_t *token)
{
    json_t *cells = json_object_get(token, "cells"), *text = json_object_get(token, "text"),
           *features = json_object_get(token, "features"), *label = json_object_get(token, "label");
    const size_t known = (size_t)(!!cells + !!text + !!features);
    if (known != 1 || json_object_size(token) != known + (label ? 1 : 0))
        return fail_token(ctx, b,
                          "an object has one of cells, text and features, and perhaps label");
    if (label && !json_is_string(label)) return fail_token(ctx, b, "the label is no string");
    const char *forced = json_string_value(label);
    if (json_is_array(cells)) return add_array(ctx, b, CAUCUS_FORM_CELLS, cells, forced);
    if (json_is_array(features)) return add_array(ctx, b, CAUCUS_FORM_FEATURES, features, forced);
    if (json_is_object(features)) return add_features(ctx, b, features, forced);
    if (json_is_string(text))
        return add_string(ctx, b, CAUCUS_FORM_TEXT, json_string_value(text), forced);
    return fail_token(ctx, b,
                      "cells are an array, text is a string, features are an array or an object");
}

static caucus_status add_sequence(caucus_ctx *ctx, cau_body *b, caucus_form form, json_t *tokens)
{
    caucus_status st = CAUCUS_OK;
    if (!json_is_array(tokens))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "sequence %zu: not an array of tokens",
                     b->sequences + 1));
    for (size_t i = 0; i < json_array_size(tokens); i++) {
        json_t *token = json_array_get(tokens, i);
        if (json_is_string(token))
            TRY(add_string(ctx, b, form, json_string_value(token), NULL));
        else if (json_is_array(token) && form != CAUCUS_FORM_TEXT)
            TRY(add_array(ctx, b, form, token, NULL));
        else if (json_is_object(token))
            TRY(add_object(ctx, b, token));
        else
            TRY(fail_token(ctx, b, "not a token; it is " TOKEN_FORMS));
    }
    if (!is_open(b))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "sequence %zu: it has no tokens; leave it out",
                     b->sequences + 1));
    TRY(end_sequence(ctx, b));
done:
    return st;
}

static caucus_status parse_json(caucus_ctx *ctx, cau_body *b, caucus_form form, const char *bytes,
                                size_t length)
{
    caucus_status st = CAUCUS_OK;
    json_error_t error;
    b->root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (!b->root)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "line %d, column %d: malformed JSON: %s", error.line,
                     error.column, error.text));
    json_t *tokens = json_object_get(b->root, "tokens"),
           *sequences = json_object_get(b->root, "sequences");
    if (json_object_size(b->root) != 1 || (!tokens && !json_is_array(sequences)))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "the body is not {\"tokens\": [...]} or {\"sequences\": [[...], ...]}; "
                     "options belong into the address, as in /v1/tag?nbest=2"));
    if (tokens) TRY(add_sequence(ctx, b, form, tokens));
    for (size_t i = 0; sequences && i < json_array_size(sequences); i++)
        TRY(add_sequence(ctx, b, form, json_array_get(sequences, i)));
done:
    return st;
}

caucus_status cau_body_parse(caucus_ctx *ctx, cau_body_notation notation, caucus_form form,
                             size_t cells, char *bytes, size_t length, cau_body *body)
{
    caucus_status st = CAUCUS_OK;
    json_decref(body->root);
    body->root = NULL;
    cau_arena_clear(&body->arena);
    body->tokens = body->sequences = 0;
    if (notation == CAU_BODY_JSON) {
        TRY(parse_json(ctx, body, form, bytes, length));
    } else {
        if (memchr(bytes, '\0', length))
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "the body has a NUL byte; send UTF-8 text"));
        if (notation == CAU_BODY_LINES)
            TRY(parse_lines(ctx, body, form, bytes, bytes + length));
        else
            TRY(parse_columns(ctx, body, form, cells, bytes, bytes + length));
    }
    if (!body->sequences)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "the body has no tokens; send one at least"));
done:
    return st;
}
