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
 * With keys, simple patterns, which are for the node alone, are in families (feature_block.h). The
 * chunking template of CRF++ has nineteen patterns in five families: words, pairs of words, tags,
 * pairs and triples of tags. Only the contents of these patterns are computed, for a block of
 * positions at a time and family by family: a loop of few instructions without branches. The number
 * of a feature of a simple pattern grows by a constant from one position to the next.
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
    BLOCK = 32, /* positions whose features are made together */
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

/* A pattern in compact form, for the loop over all patterns. */
typedef struct {
    cau_key head, tail;
    uint32_t first, count; /* steps */
    uint32_t run;          /* the number of successive simple patterns that start here */
    uint32_t place;        /* simple: the number of simple patterns before it, */
    uint32_t family;       /* its family, */
    uint32_t member;       /* its number within the family, */
    int32_t shift;         /* and the distance of its cells from those of the first member */
    bool node, edge, has_tail;
} pattern_recipe;

/* A family of patterns. Its content at a position is that of its first member. */
typedef struct {
    cau_family to;
    uint32_t first, count; /* steps of the first member */
    int32_t least, most;   /* shifts */
} pattern_family;

struct cau_extractor {
    const cau_template *t;
    int base;          /* of the keys, or CAU_BY_NAME */
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
    cau_family_contents *contents; /* [family_count] of the block */
    cau_key *content;              /* [family_count][BLOCK + NEAR] their memory */
    size_t simple;                 /* the number of simple patterns */
    uint32_t *number; /* [simple] numbers of their features at the first position of the block */
    uint32_t *pace;   /* [simple] how much they grow from one position to the next */
    char *tags;       /* [T] of a gazetteer */
    cau_strbuf scratch, other, name;
    cau_matcher *matcher; /* NULL where there are no expressions */
};

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the features of a sequence");
}

static bool by_key(const cau_extractor *x)
{
    return x->base != CAU_BY_NAME;
}

/* The key of a text; unused with names. */
static cau_key key_of(const cau_extractor *x, cau_str s)
{
    return by_key(x) ? cau_key_of((unsigned)x->base, s.s, s.n) : (cau_key){0};
}

/* ---- values ------------------------------------------------------------------------------ */

/* The value of a slot whose function returned `result`; `key` is the key of that. */
static slot_value make_value(cau_extractor *x, size_t slot, cau_str result, cau_key key)
{
    const cau_str lead = x->t->slots[slot].lead;
    if (by_key(x)) return (slot_value){.key = lead.n ? cau_key_join(x->lead[slot], key) : key};
    const slot_value v = {.span = {x->text.n, lead.n + result.n}};
    if (lead.n) cau_strbuf_add(&x->text, lead.s, lead.n);
    if (result.n) cau_strbuf_add(&x->text, result.s, result.n);
    return v;
}

/* Writes the result of a term to all slots of the term in a row. */
static void store(cau_extractor *x, slot_value *row, const cau_term *term, cau_str result)
{
    const cau_key key = key_of(x, result);
    for (size_t s = term->slots; s != CAU_NONE; s = x->t->slots[s].next)
        row[s] = make_value(x, s, result, key);
}

static bool add_gram(cau_extractor *x, size_t slot, cau_str gram)
{
    if (!CAU_GROW(x->grams, x->gram_room, x->gram_count + 1)) return false;
    x->grams[x->gram_count++] = make_value(x, slot, gram, key_of(x, gram));
    return true;
}

/* Writes all n-grams of "<cell>", except for "<" and ">" alone, to all slots of the term. */
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
        cau_grams grams = {{marked->s, marked->n}, term->least, term->most, 0, 0, 0};
        cau_str gram;
        while (cau_grams_next(&grams, &gram)) {
            if (grams.n == 1 && (grams.at == 0 || grams.end == marked->n)) continue;
            if (!add_gram(x, slot, gram)) return false;
        }
        row[slot].span.at = first;
        row[slot].span.n = x->gram_count - first;
    }
    return true;
}

/* Adds a text of bytes, the letters of ASCII in lower case, to an empty buffer. */
static void lower_ascii(cau_strbuf *out, cau_str text)
{
    cau_strbuf_add(out, text.s, text.n);
    for (size_t i = 0; i < text.n && !out->failed; i++)
        if (out->s[i] >= 'A' && out->s[i] <= 'Z') out->s[i] = (char)(out->s[i] + ('a' - 'A'));
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
        if (term->bytes)
            lower_ascii(&x->scratch, result);
        else
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
        row[s] = make_value(x, s, result, key_of(x, result));
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
        };
    }
    for (size_t p = t->pattern_count; p-- > 0;) {
        pattern_recipe *r = &x->recipes[p];
        const bool simple = by_key(x) && r->node && !r->edge && t->patterns[p].many == CAU_NONE &&
                            t->patterns[p].number_column == CAU_NONE;
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

caucus_status cau_extractor_new(caucus_ctx *ctx, const cau_template *t, int base,
                                cau_extractor **out)
{
    caucus_status st = CAUCUS_OK;
    cau_extractor *x = cau_calloc(1, sizeof *x);
    if (!x) TRY(no_memory(ctx));
    *x = (cau_extractor){.t = t, .base = base, .S = t->slot_count, .C = t->columns};
    if (t->expression_count) TRY(cau_matcher_new(ctx, &x->matcher));
    x->lead = cau_calloc(x->S, sizeof *x->lead);
    x->recipes = cau_calloc(t->pattern_count, sizeof *x->recipes);
    x->steps = cau_calloc(t->ref_count, sizeof *x->steps);
    x->families = cau_calloc(t->pattern_count, sizeof *x->families);
    x->number = cau_calloc(t->pattern_count, sizeof *x->number);
    x->pace = cau_calloc(t->pattern_count, sizeof *x->pace);
    x->after = cau_calloc(t->after * x->S, sizeof *x->after);
    if (!x->lead || !x->recipes || !x->steps || !x->families || !x->number || !x->pace ||
        !x->after || !make_room(x, 1))
        TRY(no_memory(ctx));
    for (size_t s = 0; s < x->S; s++) x->lead[s] = key_of(x, t->slots[s].lead);
    prepare(x);
    x->contents = cau_calloc(x->family_count, sizeof *x->contents);
    x->content = cau_alloc(x->family_count * (BLOCK + NEAR), sizeof *x->content);
    if (!x->contents || !x->content) TRY(no_memory(ctx));
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
    free(x->content);
    free(x->number);
    free(x->pace);
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
    x->T = 0;
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

static const slot_value *value_at(const row_view *v, pattern_step s)
{
    return v->origin[s.origin] + s.distance;
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
    return value_at(v, s);
}

/* The contents of a family with `refs` references. Inlined, so that refs is a constant for the
 * compiler. */
static inline void join_contents(const cau_extractor *x, const pattern_family *is,
                                 const row_view *v, size_t refs, cau_family_contents *out)
{
    const slot_value *from[REFS];
    size_t stride[REFS];
    for (size_t i = 0; i < refs; i++) from[i] = first_value(x, is, v, i, &stride[i]);
    for (size_t u = 0; u < out->count; u++) {
        cau_key key = from[0][u * stride[0]].key;
        for (size_t i = 1; i < refs; i++) key = cau_key_join(key, from[i][u * stride[i]].key);
        out->content[u] = key;
    }
}

/* The same for any number of references. */
static void join_long_contents(const cau_extractor *x, const pattern_family *is, const row_view *v,
                               cau_family_contents *out)
{
    for (size_t u = 0; u < out->count; u++) {
        cau_key key = {0, 1};
        for (size_t i = 0; i < is->count; i++) {
            size_t stride;
            const slot_value *from = first_value(x, is, v, i, &stride);
            key = cau_key_join(key, from[u * stride].key);
        }
        out->content[u] = key;
    }
}

/* Computes the contents of all families for the positions of a block, and numbers their features.
 */
static bool add_contents(cau_extractor *x, size_t t, size_t positions, cau_feature_block *block)
{
    const row_view v = view_at(x, t);
    size_t number = 0;
    for (size_t f = 0; f < x->family_count; f++) {
        const pattern_family *is = &x->families[f];
        cau_family_contents *out = &x->contents[f];
        *out = (cau_family_contents){.family = &is->to,
                                     .content = x->content + f * (BLOCK + NEAR),
                                     .count = positions + (size_t)(is->most - is->least),
                                     .first = (uint32_t)number};
        number += out->count * is->to.members;
        if (number >= UINT32_MAX) return false;
        if (is->count == 1)
            join_contents(x, is, &v, 1, out);
        else if (is->count == 2)
            join_contents(x, is, &v, 2, out);
        else if (is->count == REFS)
            join_contents(x, is, &v, REFS, out);
        else
            join_long_contents(x, is, &v, out);
    }
    for (size_t p = 0; p < x->t->pattern_count; p++) {
        const pattern_recipe *r = &x->recipes[p];
        const pattern_family *is = &x->families[r->family];
        if (!r->run) continue;
        x->pace[r->place] = is->to.members;
        x->number[r->place] = x->contents[r->family].first +
                              (uint32_t)(r->shift - is->least) * is->to.members + r->member;
    }
    block->contents = x->contents;
    block->families = x->family_count;
    block->nodes.contents = number;
    return true;
}

/* Adds the features of the run of simple patterns that starts at r, `after` positions after the
 * first of the block. Without number[] and pace[], computing them from the families, tagging took
 * 2% longer. */
static bool add_run(const cau_extractor *x, const pattern_recipe *r, uint32_t after,
                    cau_feature_list *nodes)
{
    const uint32_t *number = x->number + r->place, *pace = x->pace + r->place;
    const size_t run = r->run;
    uint32_t *out = cau_add_numbers(nodes, run);
    if (!out) return false;
    for (size_t i = 0; i < run; i++) out[i] = number[i] + after * pace[i];
    return true;
}

/* The position whose features are added to a block. */
typedef struct {
    caucus_ctx *ctx;
    size_t t;
    row_view v;
    cau_feature_block *block;
} extract_position;

/* Adds a feature of a pattern to the nodes, the edges, or both. */
static inline caucus_status add_feature(const extract_position *at, const pattern_recipe *r,
                                        cau_str name, uint64_t key, double value)
{
    cau_feature_block *b = at->block;
    const float narrow = (float)value;
    const bool edge = r->edge && at->t > 0;
    if (narrow == 0) return CAUCUS_OK;
    if (r->node && !isfinite(narrow))
        return cau_fail(at->ctx, CAUCUS_ERR_FORMAT, "the number %g is too large; correct it",
                        value);
    const bool added = b->base == CAU_BY_NAME
                           ? (!r->node || cau_add_copied_name(&b->nodes, name, narrow)) &&
                                 (!edge || cau_add_copied_name(&b->edges, name, 1))
                           : (!r->node || cau_add_key(&b->nodes, key, narrow)) &&
                                 (!edge || cau_add_key(&b->edges, key, 1));
    return added ? CAUCUS_OK : no_memory(at->ctx);
}

/* The features of a pattern as keys: several of them if a reference has several values. */
static caucus_status add_keys(const cau_extractor *x, const extract_position *at, size_t index,
                              double number)
{
    const size_t many = x->t->patterns[index].many;
    const pattern_recipe *r = &x->recipes[index];
    const pattern_step *steps = x->steps + r->first;
    const size_t shared = many == CAU_NONE ? r->count : many; /* references before that one */
    uint64_t start = r->head.hash;
    for (size_t i = 0; i < shared; i++)
        start = cau_key_append(start, value_at(&at->v, steps[i])->key);
    const slot_value *grams = many == CAU_NONE ? NULL : value_at(&at->v, steps[many]);
    for (size_t m = 0; m < (grams ? grams->span.n : 1); m++) {
        uint64_t hash = grams ? cau_key_append(start, x->grams[grams->span.at + m].key) : start;
        for (size_t i = shared + 1; i < r->count; i++)
            hash = cau_key_append(hash, value_at(&at->v, steps[i])->key);
        const uint64_t key = cau_key_finish(r->has_tail ? cau_key_append(hash, r->tail) : hash);
        const caucus_status st = add_feature(at, r, (cau_str){NULL, 0}, key, number);
        if (st) return st;
    }
    return CAUCUS_OK;
}

static void append_value(cau_extractor *x, slot_value v)
{
    if (v.span.n) cau_strbuf_add(&x->name, x->text.s + v.span.at, v.span.n);
}

/* The same as names. */
static caucus_status add_names(cau_extractor *x, const extract_position *at, size_t index,
                               double number)
{
    const cau_pattern *p = &x->t->patterns[index];
    const pattern_step *steps = x->steps + p->first;
    const slot_value *grams = p->many == CAU_NONE ? NULL : value_at(&at->v, steps[p->many]);
    for (size_t m = 0; m < (grams ? grams->span.n : 1); m++) {
        x->name.n = 0;
        cau_strbuf_add(&x->name, p->head.s, p->head.n);
        for (size_t i = 0; i < p->count; i++)
            append_value(x,
                         i == p->many ? x->grams[grams->span.at + m] : *value_at(&at->v, steps[i]));
        cau_strbuf_add(&x->name, p->tail.s, p->tail.n);
        if (x->name.failed) return no_memory(at->ctx);
        const caucus_status st =
            add_feature(at, &x->recipes[index], (cau_str){x->name.s, x->name.n}, 0, number);
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
                        p->number_column, CAU_SHOWN(cell));
    return CAUCUS_OK;
}

/* Adds the features of a pattern that is not simple, or all of them with names. */
static caucus_status add_pattern(cau_extractor *x, const extract_position *at, size_t index)
{
    const cau_pattern *p = &x->t->patterns[index];
    double number = 1;
    if (!p->node && !(p->edge && at->t > 0)) return CAUCUS_OK;
    if (p->number_column != CAU_NONE) {
        bool here;
        const caucus_status st = read_number(at->ctx, x, p, at->t, &here, &number);
        if (st || !here) return st;
    }
    return by_key(x) ? add_keys(x, at, index, number) : add_names(x, at, index, number);
}

/* Fills a block with the features of some positions. After a failure its last row is that of the
 * position that failed. */
static caucus_status fill(caucus_ctx *ctx, cau_extractor *x, size_t t, size_t positions,
                          cau_feature_block *block)
{
    caucus_status st = CAUCUS_OK;
    cau_feature_block_begin(block);
    if (x->simple && !add_contents(x, t, positions, block)) TRY(no_memory(ctx));
    for (size_t u = 0; u < positions; u++) {
        const extract_position at = {ctx, t + u, view_at(x, t + u), block};
        const pattern_recipe *r = x->recipes;
        if (!cau_feature_block_row(block)) TRY(no_memory(ctx));
        for (size_t i = 0; i < x->t->pattern_count; i += r->run ? r->run : 1, r = x->recipes + i) {
            if (!r->run)
                TRY(add_pattern(x, &at, i));
            else if (!add_run(x, r, (uint32_t)u, &block->nodes)) /* where most of the time goes */
                TRY(no_memory(ctx));
        }
    }
    cau_feature_block_end(block);
done:
    return st;
}

caucus_status cau_extractor_fill(caucus_ctx *ctx, cau_extractor *x, size_t t,
                                 cau_feature_block *block)
{
    assert(t < x->T && block->base == x->base);
    if (!x->complete) {
        const caucus_status st = complete(ctx, x);
        if (st) return st;
    }
    const caucus_status st = fill(ctx, x, t, x->T - t < BLOCK ? x->T - t : BLOCK, block);
    return st == CAUCUS_ERR_FORMAT && block->rows > 1 ? fill(ctx, x, t, block->rows - 1, block)
                                                      : st;
}
