/* extract.c - the features of a sequence, as names or as keys.
 *
 * A sequence is a table of values with a row for each position and a column for each slot of the
 * template (template_internal.h). Before its first row and after its last there are rows of
 * padding, as many as the template can refer to, so a reference is an address and needs no test:
 *
 *     row 0 .. before-1            padding, made once
 *     row before .. before+T-1     the positions
 *     row before+T ..              padding, copied there when the sequence is complete
 *
 * A value is the text of a slot: literal text, then the result of the function. With keys it is the
 * key of that text, and a feature costs one multiplication for each of its references:
 *
 *     hash = hash(head);   hash = hash * power(value) + hash(value), for each;   likewise the tail
 *
 * Simple patterns, which are for the node alone, are in families (template.h). The chunking
 * template of CRF++ has nineteen patterns in five families: words, pairs of words, tags, pairs and
 * triples of tags. Only the contents of these patterns are made, for a block of positions at a time
 * and family by family: a loop of few instructions without branches. The number of a feature of a
 * simple pattern grows by a constant from one position to the next.
 *
 * With names, a value is a range of `text`, which holds all texts of the sequence one after the
 * other. The value of %chars is a range of `grams`, which are values themselves. All memory is kept
 * from one sequence to the next. */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/utf8.h"
#include "text/template_internal.h"

enum {
    BLOCK = 32, /* positions whose contents are made together */
    NEAR = 8,   /* largest distance in positions between members of a family */
    REFS = 3,   /* families with up to this number of references have a loop of their own */
};

typedef union {
    cau_key key;
    struct {
        size_t at, n; /* bytes of text, or values of grams */
    } span;
} slot_value;

/* A reference as an address: a distance in values from a row that depends on the position. */
typedef struct {
    ptrdiff_t distance;
    cau_origin origin;
} pattern_step;

/* A pattern in the compact form that the loop over all patterns reads. */
typedef struct {
    cau_key head, tail;
    uint32_t first, count; /* steps */
    uint32_t run;          /* the number of successive simple patterns that start here */
    uint32_t place;        /* simple: the number of simple patterns before it, */
    uint32_t family;       /* its family, */
    uint32_t member;       /* its number within the family, */
    int32_t shift;         /* and the distance of its cells from those of the first member */
    bool node, edge, has_tail, special; /* special: %chars or %number */
} pattern_recipe;

/* A family of patterns. Its content at a position is what its first member makes there. */
typedef struct {
    cau_family to;
    uint32_t first, count; /* steps of the first member */
    int32_t least, most;   /* shifts */
    uint32_t given;        /* number of member 0 with the first content of the block */
} pattern_family;

struct cau_extractor {
    const cau_template *t;
    bool by_key;
    unsigned base;
    size_t S, C;       /* slots, columns */
    size_t T;          /* positions so far */
    bool complete;     /* the rows after the last position are there */
    slot_value *rows;  /* [before + T + after][S] */
    slot_value *after; /* [after][S], to be copied */
    cau_str *cells;    /* [T][C], borrowed */
    slot_value *grams;
    size_t gram_count;
    cau_strbuf text;
    size_t gram_start, text_start; /* the first of the sequence, after those of the padding */
    size_t row_room, cell_room, gram_room, tag_room;
    cau_key *lead;            /* [S] of the literal text of a slot */
    pattern_recipe *recipes;  /* [patterns] */
    pattern_step *steps;      /* [references] */
    pattern_family *families; /* [family_count] */
    size_t family_count;
    cau_key *contents; /* [BLOCK + NEAR] of a family */
    size_t simple;     /* the number of simple patterns */
    size_t begin, end; /* positions whose simple patterns have numbers: */
    uint32_t *number;  /* [simple] at the position `begin`, */
    uint32_t *pace;    /* [simple] how much they grow from one position to the next, */
    uint32_t *numbers; /* [simple] at the current position */
    char *tags;        /* [T] of a gazetteer */
    cau_strbuf scratch, other, name;
    cau_matcher *matcher; /* NULL where there are no expressions */
};

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the features of a sequence");
}

static cau_key key_of(const cau_extractor *x, cau_str s)
{
    return cau_key_of(x->base, s.s, s.n);
}

/* ---- values ------------------------------------------------------------------------------ */

/* The value of a slot whose function returned `result`; `key` is the key of that. */
static slot_value make_value(cau_extractor *x, size_t slot, cau_str result, cau_key key)
{
    const cau_str lead = x->t->slots[slot].lead;
    if (x->by_key) return (slot_value){.key = lead.n ? cau_key_join(x->lead[slot], key) : key};
    const slot_value v = {.span = {x->text.n, lead.n + result.n}};
    if (lead.n) cau_strbuf_add(&x->text, lead.s, lead.n);
    if (result.n) cau_strbuf_add(&x->text, result.s, result.n);
    return v;
}

/* Writes the result of a term to all slots of the term in a row. */
static void store(cau_extractor *x, slot_value *row, const cau_term *term, cau_str result)
{
    const cau_key key = x->by_key ? key_of(x, result) : (cau_key){0};
    for (size_t s = term->slots; s != CAU_NONE; s = x->t->slots[s].next)
        row[s] = make_value(x, s, result, key);
}

static bool add_gram(cau_extractor *x, size_t slot, cau_str gram)
{
    if (!CAU_GROW(x->grams, x->gram_room, x->gram_count + 1)) return false;
    x->grams[x->gram_count++] =
        make_value(x, slot, gram, x->by_key ? key_of(x, gram) : (cau_key){0});
    return true;
}

/* Writes all n-grams of "<cell>" except for the marks alone, for all slots of the term. */
static bool store_chars(cau_extractor *x, slot_value *row, const cau_term *term, cau_str cell)
{
    cau_strbuf *marked = &x->other;
    marked->n = 0;
    cau_strbuf_add(marked, "<", 1);
    cau_strbuf_add(marked, cell.s, cell.n);
    cau_strbuf_add(marked, ">", 1);
    if (marked->failed) return false;
    for (size_t slot = term->slots; slot != CAU_NONE; slot = x->t->slots[slot].next) {
        const size_t first = x->gram_count;
        for (size_t at = 0; at < marked->n; at += cau_token_step(marked->s + at, marked->n - at)) {
            size_t end = at;
            for (size_t n = 1; n <= term->most && end < marked->n; n++) {
                end += cau_token_step(marked->s + end, marked->n - end);
                if (n < term->least || (n == 1 && (at == 0 || end == marked->n))) continue;
                if (!add_gram(x, slot, (cau_str){marked->s + at, end - at})) return false;
            }
        }
        row[slot].span.at = first;
        row[slot].span.n = x->gram_count - first;
    }
    return true;
}

/* Writes the result of a term for a cell to a row. */
static caucus_status evaluate(caucus_ctx *ctx, cau_extractor *x, slot_value *row,
                              const cau_term *term, cau_str cell)
{
    caucus_status st = CAUCUS_OK;
    cau_str result = cell;
    bool yes;
    x->scratch.n = 0;
    switch (term->kind) {
    case CAU_TERM_CELL:
        break;
    case CAU_TERM_PREFIX:
        result = cau_token_prefix(cell, term->most);
        break;
    case CAU_TERM_SUFFIX:
        result = cau_token_suffix(cell, term->most);
        break;
    case CAU_TERM_SHAPE:
        cau_token_shape(&x->scratch, cell);
        result = (cau_str){x->scratch.s, x->scratch.n};
        break;
    case CAU_TERM_MATCH:
        st = cau_regex_find(ctx, x->matcher, term->regex, cell, &yes, &result);
        break;
    case CAU_TERM_TEST:
        st = cau_regex_find(ctx, x->matcher, term->regex, cell, &yes, &result);
        if (!st) result = yes ? (cau_str){"true", 4} : (cau_str){"false", 5};
        break;
    case CAU_TERM_CHARS:
        return store_chars(x, row, term, cell) ? CAUCUS_OK : no_memory(ctx);
    case CAU_TERM_LEX:
        return CAUCUS_OK; /* computed when all cells are there */
    }
    if (st) return st;
    if (term->lower) {
        cau_utf8_lower(&x->scratch, result.s, result.n);
        result = (cau_str){x->scratch.s, x->scratch.n};
    }
    if (x->scratch.failed) return no_memory(ctx);
    store(x, row, term, result);
    return CAUCUS_OK;
}

/* ---- beginning and end ------------------------------------------------------------------- */

/* Fills a row with the padding at a distance from the sequence. Expressions of Wapiti are applied
 * to their padding. */
static caucus_status pad(caucus_ctx *ctx, cau_extractor *x, slot_value *row, long distance)
{
    const cau_template *t = x->t;
    for (size_t s = 0; s < x->S; s++) {
        const cau_term *term = &t->terms[t->slots[s].term];
        char buffer[CAU_PADDING_MAX];
        cau_str result = cau_token_padding(buffer, t->slots[s].padding, distance);
        if (term->kind == CAU_TERM_CHARS) {
            row[s].span.at = x->gram_count;
            row[s].span.n = 1;
            if (!add_gram(x, s, result)) return no_memory(ctx);
            continue;
        }
        if (term->applies_to_padding) {
            bool yes;
            caucus_status st = cau_regex_find(ctx, x->matcher, term->regex, result, &yes, &result);
            if (st) return st;
            if (term->kind == CAU_TERM_TEST)
                result = yes ? (cau_str){"true", 4} : (cau_str){"false", 5};
        }
        row[s] = make_value(x, s, result, x->by_key ? key_of(x, result) : (cau_key){0});
    }
    return x->text.failed ? no_memory(ctx) : CAUCUS_OK;
}

/* Makes room for T positions and their padding. */
static bool make_room(cau_extractor *x, size_t T)
{
    size_t rows, values, cells;
    return cau_size_add(T, x->t->before + x->t->after, &rows) &&
           cau_size_mul(rows, x->S, &values) && cau_size_mul(T, x->C, &cells) &&
           CAU_GROW(x->rows, x->row_room, values + 1) && /* an address also without slots */
           CAU_GROW(x->cells, x->cell_room, cells);
}

/* Whether the cells of b are those of a at positions moved by a constant, *shift. */
static bool is_shifted(const cau_extractor *x, const pattern_recipe *b, const pattern_family *a,
                       int32_t *shift)
{
    const ptrdiff_t S = (ptrdiff_t)x->S;
    bool known = false;
    *shift = 0;
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const pattern_step s = x->steps[a->first + i], z = x->steps[b->first + i];
        const ptrdiff_t away = z.distance - s.distance;
        const bool here = s.origin == CAU_FROM_HERE;
        if (s.origin != z.origin || (here ? away % S : away) != 0) return false;
        if (!here) continue;
        if (known && away / S != *shift) return false;
        *shift = (int32_t)(away / S);
        known = true;
    }
    return true;
}

/* Adds a simple pattern to the first family that it fits, or to a new one. */
static void join_family(cau_extractor *x, pattern_recipe *r)
{
    size_t f = 0;
    for (; f < x->family_count; f++) {
        const pattern_family *is = &x->families[f];
        if (is->to.members < CAU_FAMILY_MOST && is_shifted(x, r, is, &r->shift) &&
            is->most - r->shift <= NEAR && r->shift - is->least <= NEAR)
            break;
    }
    pattern_family *to = &x->families[f];
    if (f == x->family_count) {
        to->to.number = (uint32_t)++x->family_count;
        to->first = r->first;
        to->count = r->count;
        r->shift = 0;
    }
    if (r->shift < to->least) to->least = r->shift;
    if (r->shift > to->most) to->most = r->shift;
    r->family = (uint32_t)f;
    r->member = to->to.members++;
    to->to.head[r->member] = r->head.hash;
    to->to.tail[r->member] = r->tail;
}

/* Makes the recipes, steps and families of the patterns. */
static void prepare(cau_extractor *x)
{
    const cau_template *t = x->t;
    for (size_t p = 0; p < t->pattern_count; p++) {
        const cau_pattern *from = &t->patterns[p];
        x->recipes[p] = (pattern_recipe){
            .head = key_of(x, from->head),
            .tail = key_of(x, from->tail),
            .first = (uint32_t)from->first,
            .count = (uint32_t)from->count,
            .has_tail = from->tail.n > 0,
            .node = from->node,
            .edge = from->edge,
            .special = from->many != CAU_NONE || from->number_column != CAU_NONE,
        };
    }
    for (size_t p = t->pattern_count; p-- > 0;) {
        pattern_recipe *r = &x->recipes[p];
        const bool simple = x->by_key && r->node && !r->edge && !r->special;
        r->run = simple + (simple && p + 1 < t->pattern_count ? r[1].run : 0);
    }
    for (size_t i = 0; i < t->ref_count; i++) {
        const cau_ref *from = &t->refs[i];
        x->steps[i] =
            (pattern_step){.distance = (ptrdiff_t)x->S * from->row.offset + (ptrdiff_t)from->slot,
                           .origin = from->row.origin};
    }
    for (size_t p = 0; p < t->pattern_count; p++) {
        x->recipes[p].place = (uint32_t)x->simple;
        if (!x->recipes[p].run) continue;
        join_family(x, &x->recipes[p]);
        x->simple++;
    }
}

caucus_status cau_extractor_new(caucus_ctx *ctx, const cau_template *t, bool keys, unsigned base,
                                cau_extractor **out)
{
    caucus_status st = CAUCUS_OK;
    cau_extractor *x = cau_calloc(1, sizeof *x);
    if (!x) TRY(no_memory(ctx));
    *x = (cau_extractor){.t = t, .by_key = keys, .base = base, .S = t->slot_count, .C = t->columns};
    if (t->expression_count) TRY(cau_matcher_new(ctx, &x->matcher));
    x->lead = cau_calloc(x->S, sizeof *x->lead);
    x->recipes = cau_calloc(t->pattern_count, sizeof *x->recipes);
    x->steps = cau_calloc(t->ref_count, sizeof *x->steps);
    x->families = cau_calloc(t->pattern_count, sizeof *x->families);
    x->contents = cau_alloc(BLOCK + NEAR, sizeof *x->contents);
    x->number = cau_calloc(t->pattern_count, sizeof *x->number);
    x->pace = cau_calloc(t->pattern_count, sizeof *x->pace);
    x->numbers = cau_calloc(t->pattern_count, sizeof *x->numbers);
    x->after = cau_calloc(t->after * x->S, sizeof *x->after);
    if (!x->lead || !x->recipes || !x->steps || !x->families || !x->contents || !x->number ||
        !x->pace || !x->numbers || !x->after || !make_room(x, 1))
        TRY(no_memory(ctx));
    for (size_t s = 0; s < x->S; s++) x->lead[s] = key_of(x, t->slots[s].lead);
    prepare(x);
    for (size_t i = 0; i < t->before; i++)
        TRY(pad(ctx, x, x->rows + i * x->S, (long)i - (long)t->before));
    for (size_t i = 0; i < t->after; i++) TRY(pad(ctx, x, x->after + i * x->S, (long)i + 1));
    x->gram_start = x->gram_count;
    x->text_start = x->text.n;
    *out = x;
    x = NULL;
done:
    cau_extractor_free(x);
    return st;
}

void cau_extractor_free(cau_extractor *x)
{
    if (!x) return;
    free(x->rows);
    free(x->after);
    free(x->cells);
    free(x->grams);
    free(x->lead);
    free(x->recipes);
    free(x->steps);
    free(x->families);
    free(x->contents);
    free(x->number);
    free(x->pace);
    free(x->numbers);
    free(x->tags);
    cau_strbuf_clear(&x->text);
    cau_strbuf_clear(&x->scratch);
    cau_strbuf_clear(&x->other);
    cau_strbuf_clear(&x->name);
    cau_matcher_free(x->matcher);
    free(x);
}

/* ---- a sequence -------------------------------------------------------------------------- */

void cau_extractor_begin(cau_extractor *x)
{
    x->T = x->begin = x->end = 0;
    x->complete = false;
    x->gram_count = x->gram_start;
    x->text.n = x->text_start;
}

caucus_status cau_extractor_add(caucus_ctx *ctx, cau_extractor *x, const cau_str *cells,
                                size_t count)
{
    assert(count >= x->C);
    (void)count;
    if (!make_room(x, x->T + 1)) return no_memory(ctx);
    slot_value *row = x->rows + (x->t->before + x->T) * x->S;
    for (size_t i = 0; i < x->t->term_count; i++) {
        const cau_term *term = &x->t->terms[i];
        caucus_status st = evaluate(ctx, x, row, term, cells[term->column]);
        if (st) return st;
    }
    if (x->text.failed) return no_memory(ctx);
    if (x->C) memcpy(x->cells + x->T * x->C, cells, x->C * sizeof *cells);
    x->T++;
    x->begin = x->end = 0;
    x->complete = false;
    return CAUCUS_OK;
}

/* Computes what needs all positions: the names of gazetteers, and the padding after the last
 * position. */
static caucus_status complete(caucus_ctx *ctx, cau_extractor *x)
{
    const cau_template *t = x->t;
    slot_value *rows = x->rows + t->before * x->S;
    for (size_t i = 0; i < t->term_count; i++) {
        const cau_term *term = &t->terms[i];
        if (term->kind != CAU_TERM_LEX) continue;
        if (!CAU_GROW(x->tags, x->tag_room, x->T) ||
            cau_lexicon_find(term->lexicon, x->cells + term->column, x->C, x->T, &x->scratch,
                             x->tags))
            return no_memory(ctx);
        for (size_t u = 0; u < x->T; u++)
            store(x, rows + u * x->S, term, (cau_str){x->tags + u, 1});
    }
    if (x->text.failed) return no_memory(ctx);
    if (t->after * x->S > 0)
        memcpy(rows + x->T * x->S, x->after, t->after * x->S * sizeof *x->after);
    x->complete = true;
    return CAUCUS_OK;
}

/* ---- features ---------------------------------------------------------------------------- */

/* The rows from which references are counted, at a position. */
typedef struct {
    const slot_value *origin[CAU_ORIGINS];
} row_view;

static const slot_value *look(const row_view *v, pattern_step s)
{
    return v->origin[s.origin] + s.distance;
}

/* Passes a feature to the sink: for the node, the edge, or both. */
static inline caucus_status deliver(const cau_feature_sink *sink, const pattern_recipe *r,
                                    bool edges, cau_str name, uint64_t key, double number)
{
    caucus_status st = CAUCUS_OK;
    if (r->node) st = sink->node(sink->self, name, key, number);
    if (!st && r->edge && edges) st = sink->edge(sink->self, name, key, number);
    return st;
}

/* The key of the feature of a pattern. */
static inline uint64_t make_key(const row_view *v, const pattern_recipe *r,
                                const pattern_step *steps)
{
    uint64_t hash = r->head.hash;
    for (size_t i = 0; i < r->count; i++) hash = cau_key_append(hash, look(v, steps[i])->key);
    return cau_key_finish(r->has_tail ? cau_key_append(hash, r->tail) : hash);
}

/* The rows from which references are counted at position t. */
static row_view view_at(const cau_extractor *x, size_t t)
{
    const slot_value *first = x->rows + x->t->before * x->S;
    return (row_view){.origin = {[CAU_FROM_HERE] = first + t * x->S,
                                 [CAU_FROM_START] = first,
                                 [CAU_FROM_END] = first + x->T * x->S}};
}

/* The value of reference i in the first content of a family in a block that begins at v. *stride is
 * the distance in values to that of the next content. */
static const slot_value *first_value(const cau_extractor *x, const pattern_family *is,
                                     const row_view *v, size_t i, size_t *stride)
{
    pattern_step s = x->steps[is->first + i];
    *stride = s.origin == CAU_FROM_HERE ? x->S : 0;
    s.distance += is->least * (ptrdiff_t)*stride;
    return look(v, s);
}

/* The contents of a family with `refs` references. Inlined, so that refs is a constant for the
 * compiler. */
static inline void contents_of(cau_extractor *x, const pattern_family *is, const row_view *v,
                               size_t count, size_t refs)
{
    const slot_value *from[REFS];
    size_t stride[REFS];
    for (size_t i = 0; i < refs; i++) from[i] = first_value(x, is, v, i, &stride[i]);
    for (size_t u = 0; u < count; u++) {
        cau_key key = from[0][u * stride[0]].key;
        for (size_t i = 1; i < refs; i++) key = cau_key_join(key, from[i][u * stride[i]].key);
        x->contents[u] = key;
    }
}

/* The same for any number of references. */
static void long_contents_of(cau_extractor *x, const pattern_family *is, const row_view *v,
                             size_t count)
{
    for (size_t u = 0; u < count; u++) {
        cau_key key = {0, 1};
        for (size_t i = 0; i < is->count; i++) {
            size_t stride;
            const slot_value *from = first_value(x, is, v, i, &stride);
            key = cau_key_join(key, from[u * stride].key);
        }
        x->contents[u] = key;
    }
}

/* Gets numbers for the simple patterns at position t and the positions after it. */
static caucus_status number_block(cau_extractor *x, size_t t, const cau_feature_sink *sink)
{
    const size_t positions = x->T - t < BLOCK ? x->T - t : BLOCK;
    const row_view v = view_at(x, t);
    for (size_t f = 0; f < x->family_count; f++) {
        pattern_family *is = &x->families[f];
        const size_t count = positions + (size_t)(is->most - is->least);
        if (is->count == 1)
            contents_of(x, is, &v, count, 1);
        else if (is->count == 2)
            contents_of(x, is, &v, count, 2);
        else if (is->count == REFS)
            contents_of(x, is, &v, count, REFS);
        else
            long_contents_of(x, is, &v, count);
        caucus_status st =
            sink->contents(sink->self, positions, &is->to, count, x->contents, &is->given);
        if (st) return st;
    }
    for (size_t p = 0; p < x->t->pattern_count; p++) {
        const pattern_recipe *r = &x->recipes[p];
        const pattern_family *is = &x->families[r->family];
        if (!r->run) continue;
        x->pace[r->place] = is->to.members;
        x->number[r->place] =
            is->given + (uint32_t)(r->shift - is->least) * is->to.members + r->member;
    }
    x->begin = t;
    x->end = t + positions;
    return CAUCUS_OK;
}

/* Passes the numbers of the run of simple patterns that starts at r, at position t. Without
 * number[] and pace[], computing them from the families, tagging took 2% longer. */
static caucus_status give_numbers(const cau_extractor *x, const pattern_recipe *r, size_t t,
                                  const cau_feature_sink *sink)
{
    const uint32_t after = (uint32_t)(t - x->begin);
    const uint32_t *number = x->number + r->place, *pace = x->pace + r->place;
    const size_t run = r->run;
    for (size_t i = 0; i < run; i++) x->numbers[i] = number[i] + after * pace[i];
    return sink->nodes(sink->self, run, x->numbers);
}

/* The keys of the features of a pattern in which a reference has several values. */
static caucus_status give_many(const cau_extractor *x, const row_view *v, const pattern_recipe *r,
                               size_t many, bool edges, double number, const cau_feature_sink *sink)
{
    const pattern_step *steps = x->steps + r->first;
    const slot_value *grams = look(v, steps[many]);
    uint64_t start = r->head.hash;
    for (size_t i = 0; i < many; i++) start = cau_key_append(start, look(v, steps[i])->key);
    for (size_t m = 0; m < grams->span.n; m++) {
        uint64_t hash = cau_key_append(start, x->grams[grams->span.at + m].key);
        for (size_t i = many + 1; i < r->count; i++)
            hash = cau_key_append(hash, look(v, steps[i])->key);
        caucus_status st = deliver(sink, r, edges, (cau_str){NULL, 0},
                                   cau_key_finish(cau_key_append(hash, r->tail)), number);
        if (st) return st;
    }
    return CAUCUS_OK;
}

static void add_span(cau_extractor *x, slot_value v)
{
    if (v.span.n) cau_strbuf_add(&x->name, x->text.s + v.span.at, v.span.n);
}

/* The features of a pattern as names. */
static caucus_status give_names(caucus_ctx *ctx, cau_extractor *x, const row_view *v, size_t index,
                                bool edges, double number, const cau_feature_sink *sink)
{
    const cau_pattern *p = &x->t->patterns[index];
    const pattern_step *steps = x->steps + p->first;
    const slot_value *grams = p->many == CAU_NONE ? NULL : look(v, steps[p->many]);
    for (size_t m = 0; m < (grams ? grams->span.n : 1); m++) {
        x->name.n = 0;
        cau_strbuf_add(&x->name, p->head.s, p->head.n);
        for (size_t i = 0; i < p->count; i++)
            add_span(x, i == p->many ? x->grams[grams->span.at + m] : *look(v, steps[i]));
        cau_strbuf_add(&x->name, p->tail.s, p->tail.n);
        if (x->name.failed) return no_memory(ctx);
        const cau_str name = {x->name.s, x->name.n};
        caucus_status st = deliver(sink, &x->recipes[index], edges, name, 0, number);
        if (st) return st;
    }
    return CAUCUS_OK;
}

/* The number in the cell of %number; *here tells whether the sequence has that cell. */
static caucus_status read_number(caucus_ctx *ctx, const cau_extractor *x, const cau_pattern *p,
                                 size_t t, bool *here, double *out)
{
    const long T = (long)x->T;
    const long from[CAU_ORIGINS] = {[CAU_FROM_HERE] = (long)t, [CAU_FROM_END] = T};
    const long at = from[p->number_row.origin] + p->number_row.offset;
    *here = at >= 0 && at < T;
    if (!*here) return CAUCUS_OK;
    const cau_str cell = x->cells[(size_t)at * x->C + p->number_column];
    if (!cau_parse_real(cell.s, cell.n, out) || !isfinite(*out))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "column %zu has '%.*s', but %%number wants a finite number; fix the cell "
                        "or the template",
                        p->number_column, (int)(cell.n < 60 ? cell.n : 60), cell.s);
    return CAUCUS_OK;
}

/* The features of a pattern as names, or of one with %chars or %number. */
static caucus_status give_special(caucus_ctx *ctx, cau_extractor *x, const row_view *v,
                                  size_t index, size_t t, const cau_feature_sink *sink)
{
    const cau_pattern *p = &x->t->patterns[index];
    const pattern_recipe *r = &x->recipes[index];
    const bool edges = t > 0;
    double number = 1;
    if (p->number_column != CAU_NONE) {
        bool here;
        const caucus_status st = read_number(ctx, x, p, t, &here, &number);
        if (st || !here) return st;
    }
    if (!x->by_key) return give_names(ctx, x, v, index, edges, number, sink);
    if (p->many != CAU_NONE) return give_many(x, v, r, p->many, edges, number, sink);
    return deliver(sink, r, edges, (cau_str){NULL, 0}, make_key(v, r, x->steps + r->first), number);
}

caucus_status cau_extractor_features(caucus_ctx *ctx, cau_extractor *x, size_t t,
                                     const cau_feature_sink *sink)
{
    assert(t < x->T);
    caucus_status st = CAUCUS_OK;
    if (!x->complete) TRY(complete(ctx, x));
    if (x->simple && sink->contents && (t < x->begin || t >= x->end)) TRY(number_block(x, t, sink));
    const row_view v = view_at(x, t);
    const bool edges = t > 0;
    const pattern_recipe *r = x->recipes;
    for (size_t i = 0, next; i < x->t->pattern_count; i = next, r = x->recipes + i) {
        next = i + 1;
        if (r->run && sink->contents) { /* nearly always, and where the time goes */
            next = i + r->run;
            TRY(give_numbers(x, r, t, sink));
        } else if (!r->node && !(r->edge && edges)) {
            continue;
        } else if (x->by_key && !r->special) {
            TRY(deliver(sink, r, edges, (cau_str){NULL, 0}, make_key(&v, r, x->steps + r->first),
                        1));
        } else {
            TRY(give_special(ctx, x, &v, i, t, sink));
        }
    }
done:
    return st;
}
