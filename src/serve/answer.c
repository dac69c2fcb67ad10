/* answer.c - see answer.h. */

#include "serve/answer.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/utf8.h"

enum {
    TAGGERS = 8,      /* kept by a thread */
    NBEST_MOST = 100, /* time and memory grow with it */
    DIGITS = 9,
};

/* A tagger for a model and options. */
typedef struct {
    caucus_tagger *tagger; /* NULL: the place is free */
    cau_served *served;
    char *text; /* as cau_tag_query.options. Owned */
    caucus_options *options;
    bool probabilities, label_probability, sequence_probability, nbest, segments, domain, forced;
    size_t top;
    uint64_t used; /* when it was used last */
} kept_tagger;

struct cau_answerer {
    caucus_ctx *ctx;
    cau_body body;
    kept_tagger kept[TAGGERS];
    uint64_t clock;
    uint32_t *order; /* [classes] by probability */
    size_t order_room;
};

bool cau_answer_takes(const char *option)
{
    static const char *const names[] = {
        "probabilities", "top",    "label-probability", "domain", "sequence-probability",
        "nbest",         "decode", "segments",          "scheme", "forced"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], option) == 0) return true;
    return false;
}

caucus_status cau_answerer_new(cau_answerer **out)
{
    cau_answerer *a = cau_calloc(1, sizeof *a);
    if (!a || caucus_ctx_new(&a->ctx)) {
        free(a);
        return CAUCUS_ERR_MEMORY;
    }
    caucus_set_threads(a->ctx, 1);
    *out = a;
    return CAUCUS_OK;
}

static void drop_tagger(kept_tagger *k)
{
    caucus_tagger_free(k->tagger);
    caucus_options_free(k->options);
    cau_store_release(k->served);
    free(k->text);
    *k = (kept_tagger){0};
}

void cau_answerer_free(cau_answerer *a)
{
    if (!a) return;
    for (size_t i = 0; i < TAGGERS; i++) drop_tagger(&a->kept[i]);
    cau_body_clear(&a->body);
    free(a->order);
    caucus_ctx_free(a->ctx);
    free(a);
}

void cau_answerer_forget(cau_answerer *a)
{
    for (size_t i = 0; i < TAGGERS; i++)
        if (a->kept[i].served && atomic_load(&a->kept[i].served->users) == 1)
            drop_tagger(&a->kept[i]);
}

const char *cau_answerer_message(const cau_answerer *a)
{
    return caucus_message(a->ctx);
}

/* ---- taggers --------------------------------------------------------------------------- */

/* Sets the options of a text "name=value\n...", which is restored. */
static caucus_status set_options(caucus_ctx *ctx, char *text, caucus_options *options)
{
    caucus_status st = CAUCUS_OK;
    for (char *stop; !st && (stop = strchr(text, '\n')); text = stop + 1) {
        char *value = memchr(text, '=', (size_t)(stop - text));
        *stop = *value = '\0';
        st = caucus_options_set(ctx, options, text, value[1] ? value + 1 : NULL);
        *value = '=';
        *stop = '\n';
    }
    return st;
}

static bool flag(const caucus_options *options, const char *name)
{
    return strcmp(caucus_options_get(options, name), "0") != 0;
}

static size_t count(const caucus_options *options, const char *name)
{
    return (size_t)strtoull(caucus_options_get(options, name), NULL, 10);
}

/* Makes a tagger in place k, which is free. */
static caucus_status make_tagger(cau_answerer *a, const cau_tag_query *q, kept_tagger *k)
{
    caucus_status st = CAUCUS_OK;
    const size_t n = strlen(q->options) + 1;
    k->text = cau_alloc(n, 1);
    if (!k->text) TRY(cau_fail_memory(a->ctx, "a tagger"));
    memcpy(k->text, q->options, n);
    TRY(caucus_options_new(a->ctx, "tag", &k->options));
    TRY(set_options(a->ctx, k->text, k->options));
    const size_t nbest = count(k->options, "nbest");
    if (nbest > NBEST_MOST)
        TRY(cau_fail(a->ctx, CAUCUS_ERR_ARGUMENT, "nbest=%zu; ask for %d at most", nbest,
                     NBEST_MOST));
    k->probabilities = flag(k->options, "probabilities");
    k->label_probability = flag(k->options, "label-probability");
    k->sequence_probability = flag(k->options, "sequence-probability");
    k->nbest = nbest > 0;
    k->segments = flag(k->options, "segments");
    k->domain = flag(k->options, "domain");
    k->forced = flag(k->options, "forced");
    k->top = count(k->options, "top");
    TRY(caucus_tagger_new(a->ctx, q->served->model, k->options, &k->tagger));
    k->served = q->served;
    atomic_fetch_add(&k->served->users, 1);
done:
    if (st) drop_tagger(k);
    return st;
}

/* The tagger for a request: one that is kept, or a new one in the place of the oldest. */
static caucus_status find_tagger(cau_answerer *a, const cau_tag_query *q, kept_tagger **out)
{
    caucus_status st = CAUCUS_OK;
    kept_tagger *oldest = &a->kept[0];
    for (size_t i = 0; i < TAGGERS; i++) {
        kept_tagger *k = &a->kept[i];
        if (k->served == q->served && strcmp(k->text, q->options) == 0) {
            oldest = k;
            break;
        }
        if (k->used < oldest->used) oldest = k;
    }
    if (oldest->served != q->served || strcmp(oldest->text, q->options) != 0) {
        drop_tagger(oldest);
        TRY(make_tagger(a, q, oldest));
    }
    oldest->used = ++a->clock;
    *out = oldest;
done:
    return st;
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void add(cau_strbuf *out, const char *text)
{
    cau_strbuf_add(out, text, strlen(text));
}

/* Adds valid UTF-8 with the escapes of JSON. */
static void add_escaped(cau_strbuf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t begin = i;
        while (i < n && (unsigned char)s[i] >= ' ' && s[i] != '"' && s[i] != '\\') i++;
        cau_strbuf_add(out, s + begin, i - begin);
        if (i == n) break;
        if (s[i] == '"' || s[i] == '\\')
            cau_strbuf_printf(out, "\\%c", s[i]);
        else
            cau_strbuf_printf(out, "\\u%04x", (unsigned)s[i]);
        i++;
    }
}

void cau_json_add(cau_strbuf *out, const char *text)
{
    cau_strbuf_add(out, "\"", 1);
    for (size_t n = strlen(text);;) {
        const size_t valid = cau_utf8_check(text, n);
        add_escaped(out, text, valid);
        if (valid == n) break;
        add(out, "\\ufffd");
        text += valid + 1;
        n -= valid + 1;
    }
    cau_strbuf_add(out, "\"", 1);
}

static void add_number(cau_strbuf *out, double x)
{
    if (isfinite(x))
        cau_strbuf_general(out, x, DIGITS);
    else
        add(out, "null");
}

static void add_count(cau_strbuf *out, size_t n)
{
    cau_strbuf_printf(out, "%zu", n);
}

/* "a key": after a comma, unless it is the first. */
static void add_key(cau_strbuf *out, const char *key)
{
    if (out->n && out->s[out->n - 1] != '{') add(out, ",");
    add(out, "\"");
    add(out, key);
    add(out, "\":");
}

static void add_labels(cau_strbuf *out, const caucus_model *model, const uint32_t *label, size_t T)
{
    add_key(out, "labels");
    add(out, "[");
    for (size_t t = 0; t < T; t++) {
        if (t) add(out, ",");
        cau_json_add(out, caucus_model_class(model, label[t]));
    }
    add(out, "]");
}

static void add_segments(cau_strbuf *out, const caucus_tagger *tagger, size_t rank)
{
    size_t n;
    const caucus_segment *segment = caucus_tagger_segments(tagger, rank, &n);
    add_key(out, "segments");
    add(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) add(out, ",");
        cau_strbuf_printf(out, "{\"begin\":%zu,\"end\":%zu,\"type\":", segment[i].begin,
                          segment[i].end);
        cau_json_add(out, segment[i].type);
        add_key(out, "probability");
        add_number(out, segment[i].probability);
        add(out, "}");
    }
    add(out, "]");
}

/* The n best of Y classes in order [n], best first. */
static void sort_best(const double *p, size_t Y, size_t n, uint32_t *order)
{
    for (size_t y = 0; y < Y; y++) order[y] = (uint32_t)y;
    for (size_t i = 0; i < n; i++)
        for (size_t y = i + 1; y < Y; y++)
            if (p[order[y]] > p[order[i]] || (p[order[y]] == p[order[i]] && order[y] < order[i])) {
                const uint32_t swap = order[i];
                order[i] = order[y];
                order[y] = swap;
            }
}

static void add_probabilities(cau_strbuf *out, const kept_tagger *k, uint32_t *order)
{
    const caucus_model *model = k->served->model;
    const size_t Y = caucus_model_classes(model), T = caucus_tagger_length(k->tagger);
    const size_t shown = k->top && k->top < Y ? k->top : Y;
    const double *p = caucus_tagger_marginals(k->tagger);
    add_key(out, "probabilities");
    add(out, "[");
    for (size_t t = 0; t < T; t++, p += Y) {
        add(out, t ? ",{" : "{");
        if (k->top) sort_best(p, Y, shown, order);
        for (size_t i = 0; i < shown; i++) {
            const size_t y = k->top ? order[i] : i;
            if (i) add(out, ",");
            cau_json_add(out, caucus_model_class(model, y));
            add(out, ":");
            add_number(out, p[y]);
        }
        add(out, "}");
    }
    add(out, "]");
}

/* Numbers of tokens: of its label's probability, or of the general component. */
static void add_token_numbers(cau_strbuf *out, const kept_tagger *k, const char *key,
                              const uint32_t *label)
{
    const size_t Y = caucus_model_classes(k->served->model), T = caucus_tagger_length(k->tagger);
    const double *p = label ? caucus_tagger_marginals(k->tagger) : NULL;
    add_key(out, key);
    add(out, "[");
    for (size_t t = 0; t < T; t++) {
        if (t) add(out, ",");
        add_number(out, label ? p[t * Y + label[t]] : caucus_tagger_domain(k->tagger, t));
    }
    add(out, "]");
}

static void add_nbest(cau_strbuf *out, const kept_tagger *k)
{
    const size_t T = caucus_tagger_length(k->tagger), n = caucus_tagger_labellings(k->tagger);
    add_key(out, "nbest");
    add(out, "[");
    for (size_t rank = 0; rank < n; rank++) {
        add(out, rank ? ",{" : "{");
        add_labels(out, k->served->model, caucus_tagger_labels(k->tagger, rank), T);
        add_key(out, "probability");
        add_number(out, caucus_tagger_probability(k->tagger, rank));
        if (k->segments) add_segments(out, k->tagger, rank);
        add(out, "}");
    }
    add(out, "]");
}

static const char *shown_token(const cau_body_token *token)
{
    return token->text ? token->text : token->count && token->cells ? token->cells[0] : "";
}

static void add_sequence(cau_answerer *a, cau_strbuf *out, const cau_tag_query *q,
                         const kept_tagger *k, const cau_body_token *token)
{
    const size_t T = caucus_tagger_length(k->tagger);
    const uint32_t *label = caucus_tagger_labels(k->tagger, 0);
    add(out, "{");
    if (q->notation == CAU_BODY_LINES) {
        add_key(out, "tokens");
        add(out, "[");
        for (size_t t = 0; t < T; t++) {
            if (t) add(out, ",");
            cau_json_add(out, shown_token(&token[t]));
        }
        add(out, "]");
    }
    add_labels(out, k->served->model, label, T);
    if (k->sequence_probability) {
        add_key(out, "probability");
        add_number(out, caucus_tagger_probability(k->tagger, 0));
    }
    if (k->nbest) add_nbest(out, k);
    if (k->segments && !k->nbest) add_segments(out, k->tagger, 0);
    if (k->probabilities || k->top) add_probabilities(out, k, a->order);
    if (k->label_probability) add_token_numbers(out, k, "label_probabilities", label);
    if (k->domain) add_token_numbers(out, k, "general", NULL);
    if (!caucus_tagger_certified(k->tagger)) {
        add_key(out, "certified");
        add(out, "false");
    }
    add(out, "}");
}

static void add_text(cau_strbuf *out, const kept_tagger *k, const cau_body_token *token)
{
    const size_t T = caucus_tagger_length(k->tagger);
    const uint32_t *label = caucus_tagger_labels(k->tagger, 0);
    for (size_t t = 0; t < T; t++) {
        if (token[t].text) add(out, token[t].text);
        for (size_t i = 0; i < token[t].count; i++) {
            if (token[t].text) break;
            if (i) add(out, "\t");
            add(out, token[t].cells ? token[t].cells[i] : token[t].features[i].name);
        }
        add(out, "\t");
        add(out, caucus_model_class(k->served->model, label[t]));
        add(out, "\n");
    }
}

/* ---- requests -------------------------------------------------------------------------- */

static caucus_status push_token(cau_answerer *a, const kept_tagger *k, const cau_tag_query *q,
                                const cau_body_token *token)
{
    caucus_status st = CAUCUS_OK;
    if (token->form == CAUCUS_FORM_CELLS)
        st = caucus_tagger_add_cells(a->ctx, k->tagger, token->cells, token->count);
    else if (token->form == CAUCUS_FORM_TEXT)
        st = caucus_tagger_add_text(a->ctx, k->tagger, token->text);
    else
        st = caucus_tagger_add_features(a->ctx, k->tagger, token->features, token->count);
    /* in columns a label is a constraint only if the request says so, as in a file */
    if (!st && token->label && (k->forced || q->notation == CAU_BODY_JSON))
        st = caucus_tagger_force(a->ctx, k->tagger, token->label);
    return st;
}

/* Refuses a form that the model does not take, in the words of the protocol. */
static caucus_status check_forms(cau_answerer *a, const caucus_model *model)
{
    static const char *const names[] = {"features", "cells", "text"};
    const caucus_form wanted = caucus_model_form(model, NULL);
    for (size_t t = 0; t < a->body.tokens; t++) {
        const caucus_form form = a->body.token[t].form;
        if (form != wanted && !(wanted == CAUCUS_FORM_TEXT && form == CAUCUS_FORM_FEATURES))
            return cau_fail(a->ctx, CAUCUS_ERR_FORMAT, "token %zu: this model takes %s, not %s",
                            t + 1, names[wanted], names[form]);
    }
    return CAUCUS_OK;
}

static caucus_status parse_body(cau_answerer *a, const cau_tag_query *q)
{
    size_t cells;
    const caucus_form form = caucus_model_form(q->served->model, &cells);
    const caucus_status st =
        cau_body_parse(a->ctx, q->notation, form, cells, q->bytes, q->length, &a->body);
    return st ? st : check_forms(a, q->served->model);
}

caucus_status cau_answer_tag(cau_answerer *a, const cau_tag_query *q, cau_strbuf *out,
                             size_t *sequences, size_t *tokens)
{
    caucus_status st = CAUCUS_OK;
    kept_tagger *k;
    const cau_body *body = &a->body;
    const bool sequences_model = strcmp(caucus_model_kind(q->served->model), "maxent") != 0;
    TRY(find_tagger(a, q, &k));
    TRY(parse_body(a, q));
    if (!CAU_GROW(a->order, a->order_room, caucus_model_classes(q->served->model)))
        TRY(cau_fail_memory(a->ctx, "the labels of a request"));
    if (!q->as_text) {
        add(out, "{\"model\":");
        cau_json_add(out, q->served->name);
        add_key(out, "version");
        add_count(out, (size_t)q->served->version);
        add_key(out, "sequences");
        add(out, "[");
    }
    for (size_t i = 0, t = 0; i < body->sequences; i++) {
        const size_t begin = t;
        for (; t < body->end[i]; t++) TRY(push_token(a, k, q, &body->token[t]));
        TRY(caucus_tagger_run(a->ctx, k->tagger));
        if (i && !q->as_text) add(out, ",");
        if (i && q->as_text && sequences_model) add(out, "\n");
        if (q->as_text)
            add_text(out, k, &body->token[begin]);
        else
            add_sequence(a, out, q, k, &body->token[begin]);
    }
    if (!q->as_text) add(out, "]}\n");
    *sequences = body->sequences;
    *tokens = body->tokens;
    TRY(cau_strbuf_status(a->ctx, out));
done:
    return st;
}

/* Adds a cell or a name as it stands in a file. */
static caucus_status add_field(cau_answerer *a, cau_strbuf *text, const char *field,
                               const char *escaped)
{
    if (field[strcspn(field, "\t\r\n")])
        return cau_fail(a->ctx, CAUCUS_ERR_FORMAT,
                        "a token has a TAB or a line end; it cannot be explained");
    for (const char *s = field; *s; s++) {
        if (strchr(escaped, *s)) cau_strbuf_add(text, "\\", 1);
        cau_strbuf_add(text, s, 1);
    }
    return CAUCUS_OK;
}

/* Adds a token as a line of a file: columns, the items of CRFsuite, or text. */
static caucus_status add_line(cau_answerer *a, cau_strbuf *text, const cau_body_token *token)
{
    caucus_status st = CAUCUS_OK;
    if (token->text) TRY(add_field(a, text, token->text, ""));
    if (token->features) cau_strbuf_add(text, "?", 1);
    for (size_t i = 0; !token->text && i < token->count; i++) {
        if (token->cells && !*token->cells[i])
            TRY(cau_fail(a->ctx, CAUCUS_ERR_FORMAT, "a cell is empty; it cannot be explained"));
        if (i || token->features) cau_strbuf_add(text, "\t", 1);
        TRY(token->cells ? add_field(a, text, token->cells[i], "")
                         : add_field(a, text, token->features[i].name, ":\\"));
        if (token->features && token->features[i].value != 1) {
            cau_strbuf_add(text, ":", 1);
            cau_strbuf_general(text, token->features[i].value, 17);
        }
    }
    cau_strbuf_add(text, "\n", 1);
done:
    return st;
}

caucus_status cau_answer_explain(cau_answerer *a, const cau_tag_query *q, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    caucus_options *options = NULL;
    cau_strbuf text = {0};
    const caucus_form form = caucus_model_form(q->served->model, NULL);
    TRY(parse_body(a, q));
    if (a->body.sequences != 1)
        TRY(cau_fail(a->ctx, CAUCUS_ERR_FORMAT, "the body has %zu sequences; send one of them",
                     a->body.sequences));
    for (size_t t = 0; t < a->body.tokens; t++) TRY(add_line(a, &text, &a->body.token[t]));
    if (text.failed) TRY(cau_fail_memory(a->ctx, "the text"));
    TRY(caucus_options_new(a->ctx, "inspect", &options));
    TRY(caucus_options_set(a->ctx, options, "explain", text.s));
    TRY(caucus_options_set(a->ctx, options, "json", NULL));
    if (form == CAUCUS_FORM_CELLS) {
        TRY(caucus_options_set(a->ctx, options, "format", "columns"));
        TRY(caucus_options_set(a->ctx, options, "delimiter", "\\t"));
        TRY(caucus_options_set(a->ctx, options, "no-label", NULL));
    } else if (a->body.token[0].features) {
        TRY(caucus_options_set(a->ctx, options, "format", "crfsuite"));
    }
    TRY(set_options(a->ctx, q->options, options));
    TRY(caucus_inspect(a->ctx, q->served->model, options, cau_strbuf_write, out));
    TRY(cau_strbuf_status(a->ctx, out));
done:
    caucus_options_free(options);
    cau_strbuf_clear(&text);
    return st;
}

void cau_answer_model(const cau_served *served, cau_strbuf *out)
{
    static const char *const forms[] = {"features", "cells", "text"};
    size_t cells;
    const caucus_model *m = served->model;
    const caucus_form form = caucus_model_form(m, &cells);
    add(out, "{\"name\":");
    cau_json_add(out, served->name);
    cau_strbuf_printf(out, ",\"version\":%ju,\"kind\":\"%s\",\"form\":\"%s\",\"cells\":%zu",
                      (uintmax_t)served->version, caucus_model_kind(m), forms[form], cells);
    cau_strbuf_printf(out, ",\"features\":%zu,\"experts\":%zu,\"classes\":[",
                      caucus_model_features(m, CAUCUS_TOKEN_FEATURES), caucus_model_experts(m));
    for (size_t y = 0; y < caucus_model_classes(m); y++) {
        if (y) add(out, ",");
        cau_json_add(out, caucus_model_class(m, y));
    }
    add(out, "]}");
}
