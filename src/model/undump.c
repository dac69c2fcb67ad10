/* undump.c - reads the text of a model (dump.h) back into an image.
 *
 * There is one function for each kind of line, called in the order of the lines. A function starts
 * at the current line, whose keyword has been read, and reads up to the first line of another kind.
 *
 * Weights are stored by voice, as in build.c: voice 0 is the model's own, voice 1 + j that of
 * member j, whose lines follow each line of the model. The weights of the gate, whose cells are
 * members, are stored separately. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "model/dump.h"

enum { VOICES = 1 + CAU_MEMBERS_MOST };

/* A growing array. */
typedef struct {
    double *w;
    size_t room;
} undump_numbers;

/* The observations read so far: a table that lists its cells (math/table.h). */
typedef struct {
    cau_alphabet *names;
    size_t *start; /* [rows + 1] */
    uint32_t *cell;
    size_t start_room, cell_room;
    undump_numbers voice[VOICES];
} undump_rows;

/* A weight of the current row. */
typedef struct {
    uint64_t cell;
    size_t voice;
    double w;
} cell_weight;

/* The model read so far. */
typedef struct {
    caucus_ctx *ctx;
    cau_fields in;

    cau_kind kind;
    cau_read_options read;
    cau_strbuf template, info;
    cau_pool pool; /* its alphas are those below */
    double alpha[CAU_MEMBERS_MOST];
    bool gated;
    double gate_base[CAU_MEMBERS_MOST];
    undump_numbers gate; /* [rows of the nodes][J] */
    cau_alphabet *labels;
    undump_numbers bias[VOICES]; /* [Y], NULL without intercepts */
    double *plain[VOICES];       /* [Y][Y], NULL without transitions */
    size_t width;                /* of the nodes */
    cell_weight *row;            /* [row_count] the current row */
    size_t row_count, row_room;
    undump_rows nodes, edges;
} undump;

#define FAIL(u, ...) CAU_FIELDS_FAIL(&(u)->in, __VA_ARGS__)
#define SHORT CAU_FIELDS_SHORT

static const char *kind_at(int i)
{
    return cau_kind_name((cau_kind)i);
}

static const char *format_at(int i)
{
    return cau_format_name((cau_format)i);
}

static const char *combine_at(int i)
{
    return cau_combine_name((cau_combine)i);
}

static const char *per_at(int i)
{
    return cau_per_name((cau_per)i);
}

static const char *mix_at(int i)
{
    return cau_mix_name((cau_mix)i);
}

/* The first line up to the last read option. */
static caucus_status read_settings(undump *u)
{
    caucus_status st = CAUCUS_OK;
    cau_str line;
    int kind = 0, format = 0;
    TRY(cau_lines_next(u->ctx, u->in.lines, &line));
    if (!line.s || !cau_fields_is(line, CAU_DUMP_FIRST_LINE))
        TRY(cau_fail(u->ctx, CAUCUS_ERR_FORMAT,
                     "%s: the first line is not '" CAU_DUMP_FIRST_LINE
                     "'; give a file that `caucus inspect --dump` wrote",
                     cau_lines_name(u->in.lines)));
    TRY(cau_fields_choice_line(&u->in, "kind", "maxent, memm or crf", kind_at, CAU_KIND_CRF + 1,
                               &kind));
    TRY(cau_fields_choice_line(&u->in, "format", "text or columns", format_at, CAU_FORMATS,
                               &format));
    u->kind = (cau_kind)kind;
    u->read.format = (cau_format)format;
    TRY(cau_fields_number_line(&u->in, "ngrams", 1, 8, &u->read.ngrams));
    TRY(cau_fields_flag_line(&u->in, "lower", &u->read.lower));
    TRY(cau_fields_flag_line(&u->in, "counts", &u->read.counts));
    TRY(cau_fields_flag_line(&u->in, "values", &u->read.values));
    TRY(cau_fields_flag_line(&u->in, "comments", &u->read.comments));
    TRY(cau_fields_flag_line(&u->in, "docstart", &u->read.docstart));
    TRY(cau_fields_number_line(&u->in, "columns", 0, UINT32_MAX, &u->read.columns));
done:
    return st;
}

/* "template TAB text", if there is one. Compiles the text to check it. */
static caucus_status read_template(undump *u)
{
    caucus_status st = CAUCUS_OK;
    cau_template *compiled = NULL;
    cau_strbuf place = {0};
    if (!cau_fields_is(u->in.keyword, "template")) return CAUCUS_OK;
    TRY(cau_fields_text(&u->in, "a text", &u->template));
    TRY(cau_fields_end(&u->in));
    if (u->template.n == 0) TRY(FAIL(u, "an empty template; remove the line"));
    cau_strbuf_printf(&place, CAU_AT "the template", CAU_AT_ARGS(u->in.lines));
    TRY(cau_strbuf_status(u->ctx, &place));
    TRY(cau_template_parse(u->ctx, place.s, (cau_str){u->template.s, u->template.n}, NULL,
                           &compiled));
    TRY(cau_fields_next(&u->in));
done:
    cau_template_free(compiled);
    cau_strbuf_clear(&place);
    return st;
}

/* "info TAB key TAB value" lines, kept as they are */
static caucus_status read_info(undump *u)
{
    caucus_status st = CAUCUS_OK;
    while (cau_fields_is(u->in.keyword, "info")) {
        cau_str key = cau_fields_take(&u->in), value = cau_fields_take(&u->in);
        if (!value.s) TRY(FAIL(u, "info without a key and a value; add them"));
        TRY(cau_fields_end(&u->in));
        cau_strbuf_add(&u->info, key.s, (size_t)(value.s + value.n - key.s)); /* with the tab */
        cau_strbuf_add(&u->info, "\n", 1);
        TRY(cau_fields_next(&u->in));
    }
    st = cau_strbuf_status(u->ctx, &u->info);
done:
    return st;
}

/* Reads the remaining fields as numbers, at most CAU_MEMBERS_MOST. */
static caucus_status take_numbers(undump *u, const char *what, double *x, size_t *count)
{
    *count = 0;
    for (cau_str field; field = cau_fields_take(&u->in), field.s; ++*count) {
        if (*count == CAU_MEMBERS_MOST)
            return FAIL(u, "more than %d members; leave some out", CAU_MEMBERS_MOST);
        if (!cau_parse_real(field.s, field.n, &x[*count]))
            return FAIL(u, "'%.*s' is no %s; give a number such as 0x1p-1 or 0.5", SHORT(field),
                        what);
    }
    return CAUCUS_OK;
}

/* "pool TAB combine TAB per TAB mix TAB alpha ...", if it is a pool. */
static caucus_status read_pool(undump *u)
{
    caucus_status st = CAUCUS_OK;
    int combine = 0, per = 0, mix = 0;
    if (!cau_fields_is(u->in.keyword, "pool")) return CAUCUS_OK;
    TRY(cau_fields_choice(&u->in, "way to combine", "product, mixture or stack", combine_at,
                          CAU_COMBINE_STACK + 1, &combine));
    TRY(cau_fields_choice(&u->in, "step to vote on", "sequence or transition", per_at,
                          CAU_PER_TRANSITION + 1, &per));
    TRY(cau_fields_choice(&u->in, "way to decode a mixture", "chain, posterior, rescore or exact",
                          mix_at, CAU_MIX_EXACT + 1, &mix));
    u->pool = (cau_pool){.combine = (cau_combine)combine,
                         .per = (cau_per)per,
                         .mix = (cau_mix)mix,
                         .alpha = u->alpha};
    TRY(take_numbers(u, "weight of a member", u->alpha, &u->pool.J));
    if (combine == CAU_COMBINE_STACK && (u->pool.J != 1 || per || mix))
        TRY(FAIL(u, "a stack that is more than 'stack', 'sequence', 'chain' and the weight of one "
                    "member; correct it"));
    if (u->pool.J == 0 || !cau_model_pool_fits(&u->pool))
        TRY(FAIL(u, "members cannot vote with these weights; give each a finite one, and in a "
                    "mixture none below 0 and one above"));
    TRY(cau_fields_next(&u->in));
done:
    return st;
}

/* "gate TAB base ...", if the pool has a gate. */
static caucus_status read_gate(undump *u)
{
    caucus_status st = CAUCUS_OK;
    size_t count;
    if (u->pool.J == 0 || !cau_fields_is(u->in.keyword, "gate")) return CAUCUS_OK;
    if (!cau_pool_takes_gate(&u->pool))
        TRY(FAIL(u, "a gate in a pool that is no mixture by transition; remove it"));
    TRY(take_numbers(u, "number of a gate", u->gate_base, &count));
    bool finite = true;
    for (size_t j = 0; j < count; j++) finite &= isfinite(u->gate_base[j]);
    if (count != u->pool.J || !finite)
        TRY(FAIL(u, "a gate of %zu members with other than %zu finite numbers; correct it",
                 u->pool.J, u->pool.J));
    u->gated = true;
    TRY(cau_fields_next(&u->in));
done:
    return st;
}

/* Sets *voice to that of the current line if it is a member line with a higher voice, else to 0:
 * the line then does not belong to the line before. */
static caucus_status take_member(undump *u, size_t *voice)
{
    const size_t last = *voice;
    *voice = 0;
    if (u->pool.J == 0 || !cau_fields_is(u->in.keyword, "member")) return CAUCUS_OK;
    cau_str field = cau_fields_take(&u->in);
    uint64_t j;
    if (!field.s || !cau_parse_count(field.s, field.n, &j) || j < last || j >= u->pool.J)
        return FAIL(u, "'%.*s' is not a member below %zu, ascending; correct it", SHORT(field),
                    u->pool.J);
    *voice = (size_t)j + 1;
    return CAUCUS_OK;
}

/* Makes room for n numbers of each voice, and sets the last of them to 0. */
static bool grow_voices(const undump *u, undump_numbers voice[VOICES], size_t n)
{
    for (size_t v = 0; v <= u->pool.J; v++) {
        if (!CAU_GROW(voice[v].w, voice[v].room, n)) return false;
        voice[v].w[n - 1] = 0;
    }
    return true;
}

/* "class TAB label [TAB intercept]" lines. */
static caucus_status read_classes(undump *u)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_fields_expect(&u->in, "class"));
    for (size_t y = 0, v = 0; cau_fields_is(u->in.keyword, "class"); y++) {
        TRY(cau_fields_name(&u->in, u->labels));
        if (y > 0 && !u->in.rest.s != !u->bias->w)
            TRY(FAIL(u, "default weights for some classes only; give them for all or for none"));
        if (u->in.rest.s && !grow_voices(u, u->bias, y + 1))
            TRY(cau_fail_memory(u->ctx, "the default weights"));
        do {
            if (u->bias->w)
                TRY(cau_fields_parse_weight(&u->in, cau_fields_take(&u->in), &u->bias[v].w[y]));
            TRY(cau_fields_end(&u->in));
            TRY(cau_fields_next(&u->in));
            if (u->bias->w) TRY(take_member(u, &v));
        } while (v > 0);
    }
done:
    return st;
}

/* A cell: "y", or "y'>y" for pairs, of Y classes each. */
static bool parse_cell(cau_str text, size_t Y, bool pairs, uint64_t *cell)
{
    const char *sign = pairs ? memchr(text.s, '>', text.n) : NULL;
    uint64_t from = 0, to;
    if (pairs) {
        size_t n = sign ? (size_t)(sign - text.s) : 0;
        if (!cau_parse_count(text.s, n, &from) || from >= Y) return false;
        text = (cau_str){sign + 1, text.n - n - 1};
    }
    if (!cau_parse_count(text.s, text.n, &to) || to >= Y) return false;
    *cell = from * Y + to;
    return true;
}

/* The meaning of the cells of a row. */
typedef enum { CLASSES, PAIRS, MEMBERS } undump_cells;

/* Reads the remaining fields as "cell:weight", with ascending cells of `count` classes or members,
 * and adds them to the current row. */
static caucus_status take_weights(undump *u, size_t count, undump_cells of, size_t voice)
{
    static const char *const cell[] = {"class", "class>class", "member"};
    caucus_status st = CAUCUS_OK;
    uint64_t least = 0;
    for (cau_str field; field = cau_fields_take(&u->in), field.s;) {
        cell_weight x = {.voice = voice};
        const char *colon = memchr(field.s, ':', field.n);
        size_t n = colon ? (size_t)(colon - field.s) : 0;
        if (!parse_cell((cau_str){field.s, n}, count, of == PAIRS, &x.cell) || x.cell < least)
            TRY(FAIL(u, "'%.*s' is not %s:weight with %s below %zu, ascending; correct it",
                     SHORT(field), cell[of], of == MEMBERS ? "members" : "classes", count));
        TRY(cau_fields_parse_weight(&u->in, (cau_str){colon + 1, field.n - n - 1}, &x.w));
        if (!CAU_GROW(u->row, u->row_room, u->row_count + 1))
            TRY(cau_fail_memory(u->ctx, "the weights"));
        u->row[u->row_count++] = x;
        least = x.cell + 1;
    }
done:
    return st;
}

/* "from TAB class TAB class:weight ..." lines, one for each class or none at all. */
static caucus_status read_transitions(undump *u)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = cau_alphabet_size(u->labels);
    size_t pairs;
    if (!cau_fields_is(u->in.keyword, "from")) return CAUCUS_OK;
    if (u->kind == CAU_KIND_MAXENT)
        TRY(FAIL(u, "transitions in a model of kind maxent; remove them"));
    for (size_t v = 0; v <= u->pool.J; v++)
        if (!cau_size_mul(Y, Y, &pairs) || !(u->plain[v] = cau_calloc(pairs, sizeof **u->plain)))
            TRY(cau_fail_memory(u->ctx, "the transitions"));
    for (size_t y = 0, v = 0; y < Y; y++) {
        TRY(cau_fields_expect(&u->in, "from"));
        cau_str field = cau_fields_take(&u->in);
        uint64_t from;
        if (!field.s || !cau_parse_count(field.s, field.n, &from) || from != y)
            TRY(FAIL(u,
                     "transitions from class '%.*s' where those from %zu should stand; give "
                     "them for each class in order",
                     SHORT(field), y));
        do {
            TRY(take_weights(u, Y, CLASSES, v));
            for (size_t i = 0; i < u->row_count; i++)
                u->plain[v][y * Y + u->row[i].cell] = u->row[i].w;
            u->row_count = 0;
            TRY(cau_fields_next(&u->in));
            TRY(take_member(u, &v));
        } while (v > 0);
    }
done:
    return st;
}

/* "weights TAB each class" or "all classes". */
static caucus_status read_width(undump *u)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_fields_expect(&u->in, "weights"));
    cau_str width = cau_fields_take(&u->in);
    if (cau_fields_is(width, CAU_DUMP_EACH_CLASS))
        u->width = cau_alphabet_size(u->labels);
    else if (cau_fields_is(width, CAU_DUMP_ALL_CLASSES) && u->kind == CAU_KIND_MAXENT)
        u->width = 1;
    else
        TRY(FAIL(u,
                 "'%.*s' is neither '" CAU_DUMP_EACH_CLASS
                 "' nor, for maxent, '" CAU_DUMP_ALL_CLASSES "'; correct it",
                 SHORT(width)));
    TRY(cau_fields_end(&u->in));
    TRY(cau_fields_next(&u->in));
done:
    return st;
}

static int by_cell(const void *a, const void *b)
{
    const cell_weight *p = a, *q = b;
    return (p->cell > q->cell) - (p->cell < q->cell);
}

/* Appends the current row of all voices to the n weights so far. */
static caucus_status add_row(undump *u, undump_rows *r, size_t *n)
{
    if (u->pool.J > 0 && u->row_count > 1) qsort(u->row, u->row_count, sizeof *u->row, by_cell);
    for (size_t i = 0; i < u->row_count; i++) {
        const cell_weight *x = &u->row[i];
        if (i == 0 || x[-1].cell != x->cell) {
            if (!CAU_GROW(r->cell, r->cell_room, *n + 1) || !grow_voices(u, r->voice, *n + 1))
                return cau_fail_memory(u->ctx, "the weights");
            r->cell[(*n)++] = (uint32_t)x->cell;
        }
        r->voice[x->voice].w[*n - 1] = x->w;
    }
    u->row_count = 0;
    return CAUCUS_OK;
}

/* "gate TAB member:weight ..." for row k of the nodes, if there is such a line. */
static caucus_status read_row_gate(undump *u, size_t k)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = u->pool.J;
    if (!CAU_GROW(u->gate.w, u->gate.room, (k + 1) * J)) TRY(cau_fail_memory(u->ctx, "the gate"));
    for (size_t j = 0; j < J; j++) u->gate.w[k * J + j] = 0;
    if (!cau_fields_is(u->in.keyword, "gate")) return CAUCUS_OK;
    TRY(take_weights(u, J, MEMBERS, 0));
    for (size_t i = 0; i < u->row_count; i++) u->gate.w[k * J + u->row[i].cell] = u->row[i].w;
    u->row_count = 0;
    TRY(cau_fields_next(&u->in));
done:
    return st;
}

/* Lines of observations, with cells of Y classes. */
static caucus_status read_rows(undump *u, const char *keyword, size_t Y, undump_cells of,
                               undump_rows *r)
{
    caucus_status st = CAUCUS_OK;
    size_t n = 0, v = 0;
    for (size_t K = 0;; K++) {
        if (!CAU_GROW(r->start, r->start_room, K + 1)) TRY(cau_fail_memory(u->ctx, "the weights"));
        r->start[K] = n;
        if (!cau_fields_is(u->in.keyword, keyword)) break;
        TRY(cau_fields_name(&u->in, r->names));
        do {
            TRY(take_weights(u, Y, of, v));
            TRY(cau_fields_next(&u->in));
            TRY(take_member(u, &v));
        } while (v > 0);
        TRY(add_row(u, r, &n));
        if (u->gated && of == CLASSES) TRY(read_row_gate(u, K));
    }
done:
    return st;
}

/* "end TAB features TAB edges". */
static caucus_status read_end(undump *u)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_fields_expect(&u->in, "end"));
    static const char *const what[] = {"features", "edges"};
    const size_t came[] = {cau_alphabet_size(u->nodes.names), cau_alphabet_size(u->edges.names)};
    for (size_t i = 0; i < 2; i++) {
        cau_str count = cau_fields_take(&u->in);
        uint64_t said;
        if (!count.s || !cau_parse_count(count.s, count.n, &said) || said != came[i])
            TRY(FAIL(u, "the end of '%.*s' %s, but %zu came; copy the text again or correct it",
                     SHORT(count), what[i], came[i]));
    }
    TRY(cau_fields_end(&u->in));
    cau_str line;
    TRY(cau_lines_next(u->ctx, u->in.lines, &line));
    if (line.s) TRY(FAIL(u, "text after the end of the dump; remove it"));
done:
    return st;
}

static cau_str node_name(const void *self, size_t k)
{
    return cau_alphabet_name(((const undump *)self)->nodes.names, (uint32_t)k);
}

static cau_str edge_name(const void *self, size_t k)
{
    return cau_alphabet_name(((const undump *)self)->edges.names, (uint32_t)k);
}

static cau_str label_of(const void *self, size_t y)
{
    return cau_alphabet_name(((const undump *)self)->labels, (uint32_t)y);
}

static cau_model_part part_of(const undump_rows *r, size_t width,
                              cau_str (*name)(const void *self, size_t k))
{
    return (cau_model_part){.table = {.rows = cau_alphabet_size(r->names),
                                      .width = width,
                                      .start = r->start,
                                      .cell = r->cell},
                            .w = r->voice->w,
                            .name = name};
}

static caucus_status read_all(undump *u)
{
    caucus_status st = CAUCUS_OK;
    TRY(read_settings(u));
    TRY(cau_fields_next(&u->in));
    TRY(read_template(u));
    TRY(read_info(u));
    TRY(read_pool(u));
    TRY(read_gate(u));
    TRY(read_classes(u));
    TRY(read_transitions(u));
    TRY(read_width(u));
    TRY(read_rows(u, "feature", u->width, CLASSES, &u->nodes));
    if (cau_fields_is(u->in.keyword, "edge") && u->kind == CAU_KIND_MAXENT)
        TRY(FAIL(u, "an edge in a model of kind maxent; remove it"));
    TRY(read_rows(u, "edge", cau_alphabet_size(u->labels), PAIRS, &u->edges));
    TRY(read_end(u));
done:
    return st;
}

static void clear_rows(undump_rows *r)
{
    cau_alphabet_free(r->names);
    free(r->start);
    free(r->cell);
    for (size_t v = 0; v < VOICES; v++) free(r->voice[v].w);
}

static caucus_status build(undump *u, caucus_model **out)
{
    const size_t Y = cau_alphabet_size(u->labels);
    cau_member_part member[CAU_MEMBERS_MOST];
    for (size_t v = 1; v <= u->pool.J; v++)
        member[v - 1] = (cau_member_part){.nodes = u->nodes.voice[v].w,
                                          .edges = u->edges.voice[v].w,
                                          .transitions = u->plain[v],
                                          .bias = u->bias[v].w};
    const cau_model_parts parts = {.kind = u->kind,
                                   .Y = Y,
                                   .nodes = part_of(&u->nodes, u->width, node_name),
                                   .edges = part_of(&u->edges, Y * Y, edge_name),
                                   .transitions = *u->plain,
                                   .bias = u->bias->w,
                                   .label = label_of,
                                   .self = u,
                                   .read = u->read,
                                   .template = {u->template.s, u->template.n},
                                   .info = {u->info.s, u->info.n},
                                   .pool = u->pool,
                                   .member = member,
                                   .gate_base = u->gated ? u->gate_base : NULL,
                                   .gate = u->gate.w};
    return cau_model_build(u->ctx, &parts, out);
}

caucus_status cau_model_undump(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    undump u = {.ctx = ctx, .in.ctx = ctx};

    TRY(cau_alphabet_new(ctx, &u.labels));
    TRY(cau_alphabet_new(ctx, &u.nodes.names));
    TRY(cau_alphabet_new(ctx, &u.edges.names));
    TRY(cau_lines_open(ctx, path, &u.in.lines));
    TRY(read_all(&u));
    TRY(build(&u, out));
done:
    cau_lines_free(u.in.lines);
    cau_alphabet_free(u.labels);
    clear_rows(&u.nodes);
    clear_rows(&u.edges);
    cau_strbuf_clear(&u.in.name);
    cau_strbuf_clear(&u.template);
    cau_strbuf_clear(&u.info);
    for (size_t v = 0; v < VOICES; v++) free(u.bias[v].w), free(u.plain[v]);
    free(u.row);
    free(u.gate.w);
    return st;
}
