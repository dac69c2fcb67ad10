/* load_crfpp.c - reads the models of CRF++, binary and text.
 *
 * A binary model has, without padding and in the order of the bytes of the machine that wrote it
 * (only little endian is read):
 *
 *     version 100, type 0      32 bits each
 *     cost factor              a double
 *     maxid, xsize, dsize      numbers of weights and of columns, bytes of the double array
 *     size, labels             each label ends with a NUL
 *     size, templates          likewise; then NULs up to a multiple of 4
 *     a double array           from the name of a feature to its first weight (darts.h)
 *     maxid weights            floats
 *
 * A text model has the same in parts that end with an empty line: lines `version: 100` and so on;
 * labels; templates; lines `number name`; weights.
 *
 * A feature whose name begins with U has Y weights, one that begins with B has Y x Y, before times
 * Y plus current. Scores are multiplied by the cost factor. */

#include <stdlib.h>

#include "peers/darts.h"
#include "peers/peer_model.h"

enum { HEADER = 4 + 4 + 8 + 3 * 4 };

/* The weights of a model while its features are added. */
typedef struct {
    caucus_ctx *ctx;
    cau_peer_model *to;
    uint64_t maxid;
    const char *floats; /* binary: [maxid] */
    const double *w;    /* text: [maxid] */
    uint64_t used;      /* weights of the features so far: no more than there are */
} crfpp_weights;

static double weight_at(const crfpp_weights *f, uint64_t i)
{
    if (f->w) return f->w[i];
    const uint32_t bits = cau_peer_u32(f->floats + 4 * i);
    float w;
    memcpy(&w, &bits, sizeof w);
    return (double)w;
}

static caucus_status add_feature(crfpp_weights *f, cau_str name, uint64_t first)
{
    caucus_status st = CAUCUS_OK;
    const uint64_t Y = f->to->Y, count = name.s[0] == 'U' ? Y : Y * Y;
    if (name.s[0] != 'U' && name.s[0] != 'B')
        TRY(cau_peer_damaged(f->ctx, f->to, "a feature '%.*s'", CAU_SHOWN(name)));
    f->used += count;
    if (first > f->maxid || count > f->maxid - first || f->used > f->maxid)
        TRY(cau_peer_damaged(f->ctx, f->to, "feature '%.*s' has weights outside of the file",
                             CAU_SHOWN(name)));
    TRY(cau_peer_add_observation(f->ctx, f->to, name));
    for (uint64_t i = 0; i < count; i++) {
        const double w = weight_at(f, first + i);
        TRY(name.s[0] == 'U' ? cau_peer_add_node_weight(f->ctx, f->to, (uint32_t)i, w)
                             : cau_peer_add_edge_weight(f->ctx, f->to, (uint32_t)i, w));
    }
done:
    return st;
}

static caucus_status set_columns(caucus_ctx *ctx, cau_peer_model *to, uint64_t xsize)
{
    if (xsize == 0 || xsize > UINT16_MAX)
        return cau_peer_damaged(ctx, to, "%llu columns", (unsigned long long)xsize);
    to->read.columns = xsize;
    return CAUCUS_OK;
}

static caucus_status set_template(caucus_ctx *ctx, cau_peer_model *to, cau_str text)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_peer_set_template(ctx, to, text, "x"));
    if (to->plains) TRY(cau_peer_set_transitions(ctx, to));
done:
    return st;
}

/* ---- binary ---------------------------------------------------------------------------------- */

/* The next part of the file, which begins with its size. */
static caucus_status next_part(caucus_ctx *ctx, const cau_peer_model *to, cau_str *rest,
                               const char *what, cau_str *part)
{
    if (rest->n < 4 || cau_peer_u32(rest->s) > rest->n - 4)
        return cau_peer_damaged(ctx, to, "the %s are longer than the file", what);
    *part = (cau_str){rest->s + 4, cau_peer_u32(rest->s)};
    if (part->n && part->s[part->n - 1])
        return cau_peer_damaged(ctx, to, "the %s do not end where they should", what);
    *rest = (cau_str){part->s + part->n, rest->n - 4 - part->n};
    return CAUCUS_OK;
}

/* The next text up to its NUL, in a part that ends with one; false at the end. */
static bool next_text(cau_str *rest, cau_str *text)
{
    if (rest->n == 0) return false;
    *text = (cau_str){rest->s, strlen(rest->s)};
    *rest = (cau_str){rest->s + text->n + 1, rest->n - text->n - 1};
    return true;
}

static caucus_status read_labels(caucus_ctx *ctx, cau_peer_model *to, cau_str part)
{
    caucus_status st = CAUCUS_OK;
    cau_str rest = part, label;
    uint64_t count = 0;
    while (next_text(&rest, &label)) count++;
    TRY(cau_peer_set_labels(ctx, to, count));
    for (count = 0; next_text(&part, &label); count++) to->label[count] = label;
done:
    return st;
}

static caucus_status read_templates(caucus_ctx *ctx, cau_peer_model *to, cau_str part)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf text = {0};
    cau_str line;
    while (next_text(&part, &line)) {
        if (memchr(line.s, '\n', line.n)) TRY(cau_peer_damaged(ctx, to, "a template of two lines"));
        cau_strbuf_add(&text, line.s, line.n);
        cau_strbuf_add(&text, "\n", line.n > 0);
    }
    if (text.failed) TRY(cau_fail_memory(ctx, "a template"));
    const char *copy = cau_arena_copy(&to->arena, text.s ? text.s : "", text.n);
    if (!copy) TRY(cau_fail_memory(ctx, "a template"));
    TRY(set_template(ctx, to, (cau_str){copy, text.n}));
done:
    cau_strbuf_clear(&text);
    return st;
}

caucus_status cau_load_crfpp(caucus_ctx *ctx, cau_str file, cau_peer_model *to)
{
    caucus_status st = CAUCUS_OK;
    cau_darts_key *key = NULL;
    size_t keys = 0;
    cau_str labels = {NULL, 0}, templates = labels;
    if (file.n < HEADER) TRY(cau_peer_damaged(ctx, to, "it ends within its header"));
    crfpp_weights f = {.ctx = ctx, .to = to, .maxid = cau_peer_u32(file.s + 16)};
    const uint32_t dsize = cau_peer_u32(file.s + 24);
    to->kind = CAU_KIND_CRF;
    TRY(set_columns(ctx, to, cau_peer_u32(file.s + 20)));
    cau_str rest = {file.s + HEADER, file.n - HEADER};
    TRY(next_part(ctx, to, &rest, "labels", &labels));
    TRY(next_part(ctx, to, &rest, "templates", &templates));
    if (dsize > rest.n || (rest.n - dsize) != 4 * f.maxid)
        TRY(cau_peer_damaged(ctx, to, "%zu bytes of features and weights where it notes %llu",
                             rest.n, (unsigned long long)(dsize + 4 * f.maxid)));
    f.floats = rest.s + dsize;
    TRY(read_labels(ctx, to, labels));
    TRY(read_templates(ctx, to, templates));
    st = cau_darts_read(&to->arena, (cau_str){rest.s, dsize}, &key, &keys);
    if (st == CAUCUS_ERR_MEMORY) TRY(cau_fail_memory(ctx, "the features of a model"));
    if (st) TRY(cau_peer_damaged(ctx, to, "the names of features are no double array"));
    for (size_t k = 0; k < keys; k++) {
        cau_str name = key[k].text;
        name.n -= name.n > 1 && name.s[name.n - 1] == '\r'; /* of a template with CR LF */
        TRY(add_feature(&f, name, key[k].value));
    }
done:
    return st;
}

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct {
    cau_str name;
    uint64_t first; /* weight */
} crfpp_feature;

typedef struct {
    crfpp_weights weights;
    cau_peer_lines lines;
    crfpp_feature *feature; /* [features] */
    double *w;              /* [maxid] */
    size_t features, feature_room;
} crfpp_text;

#define DAMAGED(f, what)                                                                           \
    cau_peer_damaged((f)->weights.ctx, (f)->weights.to, "line %zu: %s", (f)->lines.number, what)

/* The next line of a part; false at the empty line that ends it. */
static caucus_status next_of_part(crfpp_text *f, cau_str *line, bool *more)
{
    if (!cau_peer_next_line(&f->lines, line)) return DAMAGED(f, "the file ends here");
    *more = line->n > 0;
    return CAUCUS_OK;
}

static caucus_status read_header(crfpp_text *f)
{
    caucus_status st = CAUCUS_OK;
    cau_str line, name, value;
    uint64_t version = 0, xsize = 0;
    double cost_factor;
    for (bool more;;) {
        TRY(next_of_part(f, &line, &more));
        if (!more) break;
        bool good = cau_peer_next_word(&line, &name) && cau_peer_next_word(&line, &value);
        if (good && cau_peer_is(name, "version:"))
            good = cau_parse_count(value.s, value.n, &version);
        else if (good && cau_peer_is(name, "cost-factor:"))
            good = cau_parse_real(value.s, value.n, &cost_factor);
        else if (good && cau_peer_is(name, "maxid:"))
            good = cau_parse_count(value.s, value.n, &f->weights.maxid);
        else if (good && cau_peer_is(name, "xsize:"))
            good = cau_parse_count(value.s, value.n, &xsize);
        else
            good = false;
        if (!good) TRY(DAMAGED(f, "not a line of its header"));
    }
    if (version / 100 != 1) TRY(DAMAGED(f, "another version than 100"));
    TRY(set_columns(f->weights.ctx, f->weights.to, xsize));
done:
    return st;
}

static caucus_status read_text_labels(crfpp_text *f)
{
    caucus_status st = CAUCUS_OK;
    cau_str line;
    uint64_t count = 0;
    bool more;
    const cau_peer_lines begin = f->lines;
    for (;; count++) {
        TRY(next_of_part(f, &line, &more));
        if (!more) break;
    }
    TRY(cau_peer_set_labels(f->weights.ctx, f->weights.to, count));
    f->lines = begin;
    for (size_t y = 0; y < count; y++) TRY(next_of_part(f, &f->weights.to->label[y], &more));
    TRY(next_of_part(f, &line, &more));
done:
    return st;
}

static caucus_status read_text_templates(crfpp_text *f)
{
    caucus_status st = CAUCUS_OK;
    const char *begin = f->lines.rest.s;
    cau_str line = {NULL, 0};
    for (bool more = true; more;) TRY(next_of_part(f, &line, &more));
    TRY(set_template(f->weights.ctx, f->weights.to, (cau_str){begin, (size_t)(line.s - begin)}));
done:
    return st;
}

static caucus_status read_names(crfpp_text *f)
{
    caucus_status st = CAUCUS_OK;
    cau_str line, number;
    for (bool more;;) {
        uint64_t first = 0;
        TRY(next_of_part(f, &line, &more));
        if (!more) break;
        if (!cau_peer_next_word(&line, &number) || !cau_parse_count(number.s, number.n, &first) ||
            line.n < 2)
            TRY(DAMAGED(f, "not the number and the name of a feature"));
        if (!CAU_GROW(f->feature, f->feature_room, f->features + 1))
            TRY(cau_fail_memory(f->weights.ctx, "the features of a model"));
        f->feature[f->features++] = (crfpp_feature){{line.s + 1, line.n - 1}, first};
    }
done:
    return st;
}

static caucus_status read_weights(crfpp_text *f)
{
    caucus_status st = CAUCUS_OK;
    cau_str line;
    const uint64_t maxid = f->weights.maxid;
    if (maxid > f->lines.rest.n) TRY(DAMAGED(f, "fewer weights than it notes"));
    f->w = cau_alloc((size_t)maxid, sizeof *f->w);
    if (!f->w) TRY(cau_fail_memory(f->weights.ctx, "the weights of a model"));
    for (uint64_t i = 0; i < maxid; i++)
        if (!cau_peer_next_line(&f->lines, &line) || !cau_parse_real(line.s, line.n, &f->w[i]))
            TRY(DAMAGED(f, "not a weight"));
    if (f->lines.rest.n) TRY(DAMAGED(f, "more weights than it notes"));
    f->weights.w = f->w;
done:
    return st;
}

caucus_status cau_load_crfpp_text(caucus_ctx *ctx, cau_str file, cau_peer_model *to)
{
    caucus_status st = CAUCUS_OK;
    crfpp_text f = {.weights = {.ctx = ctx, .to = to}, .lines = {file, 0}};
    to->kind = CAU_KIND_CRF;
    TRY(read_header(&f));
    TRY(read_text_labels(&f));
    TRY(read_text_templates(&f));
    TRY(read_names(&f));
    TRY(read_weights(&f));
    for (size_t k = 0; k < f.features; k++)
        TRY(add_feature(&f.weights, f.feature[k].name, f.feature[k].first));
done:
    free(f.feature);
    free(f.w);
    return st;
}
