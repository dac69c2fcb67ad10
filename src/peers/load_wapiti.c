/* load_wapiti.c - reads the models of Wapiti.
 *
 *     #mdl#TYPE#ACTIVE          0 maxent, 1 memm, 2 crf; in old files #mdl#ACTIVE
 *     #rdr#PATTERNS/LAST/AUTO   LAST: the largest column; old files have no AUTO
 *     5:u:%x[0,0],              a pattern; strings are LENGTH:bytes,
 *     #qrk#2                    number of labels
 *     2:NN,
 *     #qrk#7                    number of observations
 *     5:u:the,
 *     12=0x1.8p-1               a weight that is not 0, by its number
 *
 * The weights of the observations follow one another: Y for u, Y x Y (before times Y plus current)
 * for b, both for *. Wapiti decodes a model of type maxent as a crf, so one with weights of edges
 * becomes a crf here.
 *
 * Without patterns the cells of data are observations, and with AUTO they are those without their
 * first letter u. Such models read CRFsuite's items of these names; observations b and * would need
 * features of edges there. */

#include <stdlib.h>

#include "peers/peer_model.h"

static const char MACROS[] = "xXtTmM";

static const uint64_t NO_WEIGHT = UINT64_MAX;

typedef enum { TYPE_MAXENT, TYPE_MEMM, TYPE_CRF } wapiti_type;

/* The file while it is read. */
typedef struct {
    caucus_ctx *ctx;
    cau_peer_model *to;
    cau_str rest;
    wapiti_type type;
    uint64_t active, patterns;
    bool automatic;
    bool edges;      /* there are weights of edges */
    uint64_t weight; /* number of the weight that comes next, or NO_WEIGHT */
    double w;        /* and that weight */
} wapiti_file;

#define DAMAGED(f, ...) cau_peer_damaged((f)->ctx, (f)->to, __VA_ARGS__)

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool skip(cau_str *rest, const char *text)
{
    const size_t n = strlen(text);
    if (rest->n < n || memcmp(rest->s, text, n) != 0) return false;
    *rest = (cau_str){rest->s + n, rest->n - n};
    return true;
}

/* A whole number of at most 18 digits. */
static bool next_number(cau_str *rest, uint64_t *out)
{
    size_t n = 0;
    while (n < rest->n && n < 18 && rest->s[n] >= '0' && rest->s[n] <= '9') n++;
    if (!cau_parse_count(rest->s, n, out)) return false;
    *rest = (cau_str){rest->s + n, rest->n - n};
    return true;
}

/* LENGTH:bytes, and the end of the line. */
static caucus_status next_string(wapiti_file *f, const char *what, cau_str *out)
{
    uint64_t length = 0;
    if (!next_number(&f->rest, &length) || !skip(&f->rest, ":") || length > f->rest.n)
        return DAMAGED(f, "%s is longer than the file", what);
    *out = (cau_str){f->rest.s, (size_t)length};
    f->rest = (cau_str){f->rest.s + length, f->rest.n - (size_t)length};
    if (!skip(&f->rest, ",\n")) return DAMAGED(f, "%s does not end where it should", what);
    if (memchr(out->s, '\0', out->n)) return DAMAGED(f, "%s has a NUL", what);
    return CAUCUS_OK;
}

/* #qrk#N */
static caucus_status next_count(wapiti_file *f, const char *what, uint64_t *out)
{
    if (!skip(&f->rest, "#qrk#") || !next_number(&f->rest, out) || !skip(&f->rest, "\n"))
        return DAMAGED(f, "no number of %s", what);
    return CAUCUS_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static caucus_status read_header(wapiti_file *f)
{
    caucus_status st = CAUCUS_OK;
    uint64_t type = 0, last, automatic = 0;
    bool good = skip(&f->rest, "#mdl#") && next_number(&f->rest, &f->active);
    if (good && skip(&f->rest, "#")) {
        type = f->active;
        good = next_number(&f->rest, &f->active);
    }
    if (!good || type > TYPE_CRF || !skip(&f->rest, "\n")) TRY(DAMAGED(f, "a bad first line"));
    f->type = (wapiti_type)type;
    good = skip(&f->rest, "#rdr#") && next_number(&f->rest, &f->patterns) && skip(&f->rest, "/") &&
           next_number(&f->rest, &last);
    if (good && skip(&f->rest, "/")) good = next_number(&f->rest, &automatic);
    if (!good || !skip(&f->rest, "\n")) TRY(DAMAGED(f, "a bad second line"));
    f->automatic = automatic != 0;
done:
    return st;
}

static caucus_status read_patterns(wapiti_file *f)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf text = {0};
    cau_str pattern;
    cau_strbuf_add(&text, "@bytes\n", 7); /* as Wapiti reads cells; for all macros but %x */
    bool bytes = false;
    for (uint64_t i = 0; i < f->patterns; i++) {
        TRY(next_string(f, "a pattern", &pattern));
        if (pattern.n == 0 || !strchr("ub*", pattern.s[0]) || memchr(pattern.s, '\n', pattern.n) ||
            memchr(pattern.s, '#', pattern.n))
            TRY(DAMAGED(f, "a pattern '%.*s'", CAU_SHOWN(pattern)));
        for (size_t c = 0; c + 1 < pattern.n; c++)
            bytes = bytes || (pattern.s[c] == '%' && pattern.s[c + 1] != 'x');
        cau_strbuf_add(&text, pattern.s, pattern.n);
        cau_strbuf_add(&text, "\n", 1);
    }
    const size_t skipped = bytes ? 0 : 7;
    const char *copy = text.failed ? NULL : cau_arena_copy(&f->to->arena, text.s, text.n);
    if (!copy) TRY(cau_fail_memory(f->ctx, "a template"));
    TRY(cau_peer_set_template(f->ctx, f->to, (cau_str){copy + skipped, text.n - skipped}, MACROS));
done:
    cau_strbuf_clear(&text);
    return st;
}

static caucus_status read_labels(wapiti_file *f)
{
    caucus_status st = CAUCUS_OK;
    uint64_t count;
    TRY(next_count(f, "labels", &count));
    TRY(cau_peer_set_labels(f->ctx, f->to, count));
    for (size_t y = 0; y < count; y++) TRY(next_string(f, "a label", &f->to->label[y]));
done:
    return st;
}

/* ---- observations and weights ---------------------------------------------------------------- */

/* Reads the next line of a weight; the numbers ascend. */
static caucus_status next_weight(wapiti_file *f)
{
    const uint64_t before = f->weight;
    if (f->active == 0) {
        f->weight = NO_WEIGHT;
        return f->rest.n ? DAMAGED(f, "more weights than it notes") : CAUCUS_OK;
    }
    const char *newline = f->rest.n ? memchr(f->rest.s, '\n', f->rest.n) : NULL;
    if (!newline || !next_number(&f->rest, &f->weight) || !skip(&f->rest, "=") ||
        newline < f->rest.s || !cau_parse_real(f->rest.s, (size_t)(newline - f->rest.s), &f->w))
        return DAMAGED(f, "not the number of a weight and the weight");
    f->rest = (cau_str){newline + 1, f->rest.n - (size_t)(newline + 1 - f->rest.s)};
    f->active--;
    if (before != NO_WEIGHT && f->weight <= before)
        return DAMAGED(f, "weight %llu after %llu", (unsigned long long)f->weight,
                       (unsigned long long)before);
    return CAUCUS_OK;
}

typedef caucus_status add_weight_fn(caucus_ctx *ctx, cau_peer_model *m, uint32_t cell, double w);

/* Takes the next `count` weights from number *first on. */
static caucus_status take_weights(wapiti_file *f, uint64_t *first, uint64_t count,
                                  add_weight_fn *add)
{
    caucus_status st = CAUCUS_OK;
    while (f->weight != NO_WEIGHT && f->weight < *first + count) {
        TRY(add(f->ctx, f->to, (uint32_t)(f->weight - *first), f->w));
        f->edges = f->edges || (add == cau_peer_add_edge_weight && f->w != 0);
        TRY(next_weight(f));
    }
    *first += count;
done:
    return st;
}

static caucus_status check_observation(const wapiti_file *f, cau_str name)
{
    if (!cau_peer_on_nodes(name) && !cau_peer_on_edges(name))
        return DAMAGED(f, "an observation '%.*s'", CAU_SHOWN(name));
    if (f->patterns == 0 && cau_peer_on_edges(name))
        return cau_fail(f->ctx, CAUCUS_ERR_UNSUPPORTED,
                        "%s: a Wapiti model without patterns that has observations of two labels "
                        "('%.*s'); train it with patterns",
                        f->to->path, CAU_SHOWN(name));
    return CAUCUS_OK;
}

static caucus_status read_observations(wapiti_file *f)
{
    caucus_status st = CAUCUS_OK;
    cau_str *name = NULL;
    size_t names = 0, room = 0;
    uint64_t count, first = 0;
    const uint64_t Y = f->to->Y;
    TRY(next_count(f, "observations", &count));
    for (; names < count; names++) {
        if (!CAU_GROW(name, room, names + 1)) TRY(cau_fail_memory(f->ctx, "the observations"));
        TRY(next_string(f, "an observation", &name[names]));
        TRY(check_observation(f, name[names]));
    }
    TRY(next_weight(f));
    for (size_t k = 0; k < names; k++) {
        cau_str shown = name[k];
        if (f->automatic) shown = (cau_str){shown.s + 1, shown.n - 1};
        TRY(f->patterns ? cau_peer_add_observation(f->ctx, f->to, shown)
                        : cau_peer_add_row(f->ctx, &f->to->nodes, shown));
        if (cau_peer_on_nodes(name[k])) TRY(take_weights(f, &first, Y, cau_peer_add_node_weight));
        if (cau_peer_on_edges(name[k]))
            TRY(take_weights(f, &first, Y * Y, cau_peer_add_edge_weight));
    }
    if (f->weight != NO_WEIGHT)
        TRY(DAMAGED(f, "weight %llu of %llu", (unsigned long long)f->weight,
                    (unsigned long long)first));
done:
    free(name);
    return st;
}

caucus_status cau_load_wapiti(caucus_ctx *ctx, cau_str file, cau_peer_model *to)
{
    caucus_status st = CAUCUS_OK;
    wapiti_file f = {.ctx = ctx, .to = to, .rest = file, .weight = NO_WEIGHT};
    to->read.format = CAU_FORMAT_CRFSUITE;
    TRY(read_header(&f));
    if (f.patterns) TRY(read_patterns(&f));
    if (f.patterns && f.automatic) TRY(DAMAGED(&f, "patterns, and observations that are cells"));
    TRY(read_labels(&f));
    if (to->plains) TRY(cau_peer_set_transitions(ctx, to));
    TRY(read_observations(&f));
    to->kind = f.type == TYPE_MEMM             ? CAU_KIND_MEMM
               : f.type == TYPE_CRF || f.edges ? CAU_KIND_CRF
                                               : CAU_KIND_MAXENT;
    if (to->kind == CAU_KIND_MAXENT) { /* there are none */
        free(to->transitions);
        to->transitions = NULL;
    }
done:
    return st;
}
