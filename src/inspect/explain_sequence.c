/* explain_sequence.c - why a sequence got its labels and not others.
 *
 * The labels y of a sequence are compared with another labelling z: the second best, or the best
 * one that has the labels of --against. For a CRF the score is a sum over positions, so that
 *
 *     log p(y|x) - log p(z|x) = sum_t ( sum_k f_k(x,t) (w_k,y_t - w_k,z_t)     features, intercept
 *                                       + a(y_{t-1},y_t) - a(z_{t-1},z_t)      transitions
 *                                       + edge features of the same pairs )
 *
 * and its terms are the reasons. A MEMM normalises after each label, which adds the terms
 * -log Z_t(y_{t-1}) + log Z_t(z_{t-1}), the "normaliser". For a classifier there is one position.
 *
 * For each token the features are shown with what they add to its label, to its label in z, and to
 * the most probable others; and the transitions from the label before, and to the label after.
 * A pool that is a product of sequences is one table of weights, and then each of its experts is
 * explained too; the experts of other pools vote, and each is explained. As JSON:
 *
 *   {"format": 1, "sequence": true, "labels": [...], "probability": p(y|x),
 *    "other": [...] or null, "other_probability": p(z|x) or null,
 *    "tokens": [{"line", "token": its first cell, or the whole line, "gold", "label", "other",
 *                "classes": [{"label", "probability"}, ...],
 *                "weights": [of the components of a gated pool] or null}, ...],
 *    "voters": [{"expert": number or null for the model as a whole, "name", "weight",
 *        "labels": [its own best], "log_odds": log p(y|x) - log p(z|x) of this voter,
 *        "difference": [{"token": number from 1, "what": "feature", "default", "transition", "edge"
 *            or "normaliser", "name", "value"}, ...]  the terms of log_odds, largest first,
 *        "tokens": [{"classes": [LABEL, ...], "probabilities": [...], "scores": [...],
 *            "default": [...] or null,
 *            "features": [{"feature", "value", "contributions": [...], "separates"}, ...],
 *            "unknown": [...], "from": LABEL or null, "transition": [...] or null,
 *            "edges": [{"feature", "contributions"}, ...],
 *            "to": LABEL or null, "next": [...] or null}, ...]}, ...]} */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "infer/apply.h"
#include "inspect/inspect.h"

enum { SHOWN = 5, TERMS_PRINTED = 20 };

#define TEXT_NAME "the text"

/* The sequence labelled by the whole model. */
typedef struct {
    const caucus_model *model;
    const cau_read_options *read;
    cau_str text;
    size_t T;
    uint32_t *label, *other; /* [T] y and z */
    bool has_other;
    double p, p_other; /* NAN: unknown */
    double *marginal;  /* [T][Y] */
    double *mixing;    /* [T][J] of a gated pool, or NULL */
} labelled;

/* A term of the log odds of y and z. */
typedef struct {
    size_t t;
    const char *what;
    const cau_alphabet *names; /* NULL: it has no name */
    uint32_t id;               /* in these; a name moves when others are added */
    double value;
} odds_term;

/* A model, or a member of it, that is explained. */
typedef struct {
    caucus_model model; /* a view */
    cau_named_scorer scorer;
    cau_reader *reader;
    double *s;    /* [T][Y] scores of the nodes, intercepts included */
    double *edge; /* [T][Y][Y] of edge features, or NULL */
    odds_term *terms;
    size_t count, room;
    double *raw; /* [T] the sum of the terms at each position */
} sequence_voter;

/* ---- the labellings -------------------------------------------------------------------- */

/* Reads the instances of the text and passes them to the scorer. */
static caucus_status push_text(caucus_ctx *ctx, const labelled *l, cau_scorer *scorer,
                               cau_reader **reader)
{
    caucus_status st = CAUCUS_OK;
    bool ended = false;
    cau_scorer_begin(scorer);
    TRY(cau_reader_memory(ctx, TEXT_NAME, l->text, l->read, (int)l->model->base, reader));
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance x;
        TRY(cau_reader_next(ctx, *reader, &event, &x));
        if (event == CAU_READ_INSTANCE && ended)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "--explain: several sequences; give one of them"));
        if (event == CAU_READ_INSTANCE) TRY(cau_scorer_push(ctx, scorer, *reader, &x));
        ended |= event == CAU_READ_BREAK && scorer->T > 0;
    }
    if (scorer->T == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--explain: the text has no features; give tokens as in the data"));
    if (l->model->kind == CAU_KIND_MAXENT && scorer->T > 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--explain: several lines; give one of them"));
done:
    return st;
}

/* The labels of --against as constraints. */
static caucus_status read_against(caucus_ctx *ctx, const labelled *l, const char *against,
                                  cau_forced_labels *forced)
{
    caucus_status st = CAUCUS_OK;
    size_t n = 0;
    cau_forced_labels_begin(forced);
    for (const char *s = against + strspn(against, " \t"); *s; s += strspn(s, " \t")) {
        const cau_instance given = {.label = {s, strcspn(s, " \t")}, .number = ++n};
        if (n <= l->T) TRY(cau_forced_labels_add(ctx, forced, l->model, "--against", &given));
        s += given.label.n;
    }
    if (n != l->T)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--against: %zu label%s, but the text has %zu token%s; give one for each, or "
                     "? for any",
                     n, n == 1 ? "" : "s", l->T, l->T == 1 ? "" : "s"));
done:
    return st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}

/* The labelling z of a classifier: the second best class, or the given one. */
static caucus_status choose_class(caucus_ctx *ctx, labelled *l, const char *against)
{
    const size_t Y = l->model->Y;
    if (against) {
        l->other[0] = cau_model_label_find(l->model, cau_str_of(against));
        if (l->other[0] == CAU_UNKNOWN)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--against: the model has no label '%s'",
                            against);
    } else if (Y > 1) {
        uint32_t best[2];
        cau_best_classes(l->marginal, Y, 2, best);
        l->other[0] = best[best[0] == l->label[0]];
    }
    l->has_other = Y > 1;
    l->p_other = l->has_other ? l->marginal[l->other[0]] : NAN;
    return CAUCUS_OK;
}

/* The labelling z of a sequence model, whose decoding with n-best lists is in `decoded`. */
static caucus_status choose_path(caucus_ctx *ctx, labelled *l, const cau_decoder *decoder,
                                 cau_labeller *labeller, const char *against)
{
    caucus_status st = CAUCUS_OK;
    cau_forced_labels forced = {0};
    const cau_decoded *d = &labeller->decoded;
    l->p = d->probability[0];
    if (against) {
        TRY(read_against(ctx, l, against, &forced));
        st = cau_decode(decoder, &labeller->decoded, l->T, labeller->scorer.scores,
                        labeller->scorer.mixing, &forced);
        if (st) TRY(cau_fail(ctx, st, "--against: the model cannot give these labels"));
        memcpy(l->other, d->path, l->T * sizeof *l->other);
        l->has_other = true;
    } else if (d->count > 1) {
        memcpy(l->other, d->path + l->T, l->T * sizeof *l->other);
        l->p_other = d->probability[1];
        l->has_other = true;
    }
done:
    cau_forced_labels_clear(&forced);
    return st;
}

/* Fills in the labellings and probabilities of the whole model. */
static caucus_status label_text(caucus_ctx *ctx, labelled *l, const char *against)
{
    caucus_status st = CAUCUS_OK;
    const bool chain = l->model->kind != CAU_KIND_MAXENT;
    const size_t Y = l->model->Y, J = l->model->pool.J;
    const cau_decode_options how = {
        .nbest = chain ? 2 : 0, .marginals = true, .probability = chain};
    cau_decoder decoder = {0};
    cau_labeller labeller = {0};
    cau_reader *reader = NULL;
    TRY(cau_decoder_init(ctx, &decoder, l->model, &how));
    TRY(cau_labeller_init(ctx, &labeller, l->model, &decoder));
    TRY(push_text(ctx, l, &labeller.scorer, &reader));
    TRY(cau_labeller_end(ctx, &labeller, NULL));
    l->T = labeller.decoded.T;
    l->label = cau_calloc(l->T, sizeof *l->label);
    l->other = cau_calloc(l->T, sizeof *l->other);
    l->marginal = cau_calloc(l->T * Y, sizeof *l->marginal);
    if (labeller.scorer.mixing) l->mixing = cau_calloc(l->T * J, sizeof *l->mixing);
    if (!l->label || !l->other || !l->marginal || (labeller.scorer.mixing && !l->mixing))
        TRY(cau_fail_memory(ctx, "the labels of the text"));
    memcpy(l->label, labeller.decoded.path, l->T * sizeof *l->label);
    memcpy(l->marginal, labeller.decoded.marginal, l->T * Y * sizeof *l->marginal);
    if (l->mixing) memcpy(l->mixing, labeller.scorer.mixing, l->T * J * sizeof *l->mixing);
    l->p = l->marginal[l->label[0]];
    l->p_other = NAN;
    TRY(chain ? choose_path(ctx, l, &decoder, &labeller, against) : choose_class(ctx, l, against));
done:
    cau_reader_free(reader);
    cau_labeller_clear(&labeller);
    cau_decoder_clear(&decoder);
    return st;
}

/* ---- the reasons of one voter ---------------------------------------------------------- */

/* Adds a term of the log odds at position t, unless it is 0. */
static bool add_term(sequence_voter *v, size_t t, const char *what, const cau_alphabet *names,
                     uint32_t id, double value)
{
    v->raw[t] += value;
    if (value == 0) return true;
    if (!CAU_GROW(v->terms, v->room, v->count + 1)) return false;
    v->terms[v->count++] = (odds_term){t, what, names, id, value};
    return true;
}

/* The classes that are shown at position t: y_t, z_t and the most probable others. */
static size_t shown_classes(const labelled *l, size_t t, uint32_t *shown)
{
    const size_t Y = l->model->Y, most = Y < SHOWN ? Y : SHOWN;
    uint32_t best[SHOWN + 2];
    const size_t wanted = Y < SHOWN + 2 ? Y : SHOWN + 2;
    size_t n = 0;
    shown[n++] = l->label[t];
    if (l->has_other && l->other[t] != l->label[t]) shown[n++] = l->other[t];
    cau_best_classes(l->marginal + t * Y, Y, wanted, best);
    const size_t fixed = n;
    for (size_t i = 0; i < wanted && n < most; i++)
        if (best[i] != shown[0] && best[i] != shown[fixed - 1]) shown[n++] = best[i];
    return n;
}

/* The features of an instance that the model has, and the names of the others. */
static bool add_features(sequence_voter *v, const labelled *l, size_t t, const uint32_t *shown,
                         size_t n, cau_tree *tree)
{
    const cau_indexed_instance *x = &v->scorer.instance;
    const cau_observations *nodes = &v->model.nodes;
    const uint32_t y = l->label[t], z = l->has_other ? l->other[t] : y;
    bool memory = true;
    cau_tree_array(tree, "features");
    for (size_t i = 0; i < x->start[1]; i++) {
        const uint32_t k = v->scorer.row[x->id[i]];
        const double value = x->value ? (double)x->value[i] : 1;
        const cau_str name = cau_alphabet_name(v->scorer.names, x->id[i]);
        double part[SHOWN];
        if (k == CAU_UNKNOWN) continue;
        for (size_t c = 0; c < n; c++) part[c] = value * cau_model_weight(nodes, k, shown[c]);
        cau_tree_record(tree, NULL, {"feature", cau_json_text(name)},
                        {"value", cau_json_number(value)},
                        {"contributions", cau_json_numbers(part, n)},
                        {"separates", cau_json_number(part[0] - (n > 1 ? part[1] : 0))});
        memory &= add_term(v, t, "feature", v->scorer.names, x->id[i],
                           value * (cau_model_weight(nodes, k, y) - cau_model_weight(nodes, k, z)));
    }
    cau_tree_end(tree);
    cau_tree_array(tree, "unknown");
    for (size_t i = 0; i < x->start[1]; i++)
        if (v->scorer.row[x->id[i]] == CAU_UNKNOWN)
            cau_tree_text(tree, NULL, cau_alphabet_name(v->scorer.names, x->id[i]));
    cau_tree_end(tree);
    return memory;
}

static double transition(const caucus_model *m, uint32_t from, uint32_t to)
{
    return m->transitions ? (double)m->transitions[from * m->Y + to] : 0;
}

/* The transitions into position t from y_{t-1}, and the edge features there. */
static bool add_edges(sequence_voter *v, const labelled *l, size_t t, const uint32_t *shown,
                      size_t n, cau_tree *tree)
{
    const caucus_model *m = &v->model;
    const cau_indexed_instance *x = &v->scorer.instance;
    const size_t Y = m->Y;
    bool memory = true;
    if (t == 0 || m->kind == CAU_KIND_MAXENT) {
        cau_tree_fields(tree, {"from", json_null()}, {"transition", json_null()});
        cau_tree_array(tree, "edges");
        cau_tree_end(tree);
        return true;
    }
    const uint32_t before = l->label[t - 1], y = l->label[t];
    const uint32_t other = l->has_other ? l->other[t - 1] : before,
                   z = l->has_other ? l->other[t] : y;
    double part[SHOWN];
    for (size_t c = 0; c < n; c++) part[c] = transition(m, before, shown[c]);
    cau_tree_fields(tree, {"from", cau_json_string(cau_model_label(m, before))},
                    {"transition", cau_json_numbers(part, n)});
    memory &=
        add_term(v, t, "transition", NULL, 0, transition(m, before, y) - transition(m, other, z));
    cau_tree_array(tree, "edges");
    for (size_t i = 0; i < x->edges; i++) {
        const cau_str name = cau_alphabet_name(v->scorer.alphabets.edges, x->edge[i]);
        const uint32_t k = m->edges.K ? cau_model_find(m, &m->edges, name.s, name.n) : CAU_UNKNOWN;
        if (k == CAU_UNKNOWN) continue;
        cau_model_add(&m->edges, 1, &k, NULL, v->edge + t * Y * Y);
        for (size_t c = 0; c < n; c++)
            part[c] = cau_model_weight(&m->edges, k, before * Y + shown[c]);
        cau_tree_record(tree, NULL, {"feature", cau_json_text(name)},
                        {"contributions", cau_json_numbers(part, n)});
        memory &= add_term(v, t, "edge", v->scorer.alphabets.edges, x->edge[i],
                           cau_model_weight(&m->edges, k, before * Y + y) -
                               cau_model_weight(&m->edges, k, other * Y + z));
    }
    cau_tree_end(tree);
    return memory;
}

/* Adds the object of position t, whose instance has been scored. */
static bool add_token(sequence_voter *v, const labelled *l, size_t t, cau_tree *tree)
{
    const caucus_model *m = &v->model;
    uint32_t shown[SHOWN];
    double p[SHOWN], s[SHOWN], bias[SHOWN], next[SHOWN];
    const size_t Y = m->Y, n = shown_classes(l, t, shown);
    const uint32_t y = l->label[t], z = l->has_other ? l->other[t] : y;
    const bool last = t + 1 == l->T || m->kind == CAU_KIND_MAXENT;
    cau_tree_object(tree, NULL);
    cau_tree_array(tree, "classes");
    for (size_t c = 0; c < n; c++) {
        cau_tree_string(tree, NULL, cau_model_label(m, shown[c]));
        p[c] = l->marginal[t * Y + shown[c]];
        s[c] = v->s[t * Y + shown[c]];
        bias[c] = m->bias ? (double)m->bias[shown[c]] : 0;
        next[c] = last ? 0 : transition(m, shown[c], l->label[t + 1]);
    }
    cau_tree_end(tree);
    cau_tree_fields(tree, {"probabilities", cau_json_numbers(p, n)},
                    {"scores", cau_json_numbers(s, n)},
                    {"default", m->bias ? cau_json_numbers(bias, n) : json_null()});
    bool memory = add_features(v, l, t, shown, n, tree) && add_edges(v, l, t, shown, n, tree);
    if (m->bias)
        memory &= add_term(v, t, "default", NULL, 0, (double)m->bias[y] - (double)m->bias[z]);
    cau_tree_fields(
        tree, {"to", last ? json_null() : cau_json_string(cau_model_label(m, l->label[t + 1]))},
        {"next", last ? json_null() : cau_json_numbers(next, n)});
    cau_tree_end(tree);
    return memory;
}

static cau_str name_of(const odds_term *d)
{
    return d->names ? cau_alphabet_name(d->names, d->id) : (cau_str){NULL, 0};
}

/* Larger terms first, then in the order of the text. */
static int compare_odds(const void *a, const void *b)
{
    const odds_term *x = a, *y = b;
    const double u = fabs(x->value), v = fabs(y->value);
    if (u != v) return u > v ? -1 : 1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    const int order = strcmp(x->what, y->what);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* The score of the step into position t of a path. */
static double step(const cau_lattice *x, const uint32_t *path, size_t t)
{
    const size_t Y = x->Y;
    const double *edge = x->per_position ? x->edge + t * Y * Y : x->edge;
    return x->node[t * Y + path[t]] + (t ? edge[path[t - 1] * Y + path[t]] : 0);
}

/* Computes the best labelling of the voter itself, in `own` [T], and the terms of a MEMM that are
 * left: what normalising adds. */
static caucus_status decode_voter(caucus_ctx *ctx, sequence_voter *v, const labelled *l,
                                  uint32_t *own)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = &v->model;
    const size_t T = l->T, Y = m->Y;
    const cau_chain_ops *ops = m->kind == CAU_KIND_CRF ? &cau_crf_ops : &cau_memm_ops;
    cau_chain_work *work = NULL;
    cau_transitions a = {0};
    cau_lattice x;
    double *weights = NULL;
    if (m->kind == CAU_KIND_MAXENT) {
        own[0] = cau_best_class(v->s, Y);
        return CAUCUS_OK;
    }
    TRY(cau_chain_work_new(ctx, Y, &work));
    TRY(cau_transitions_init(ctx, &a, Y));
    weights = cau_alloc(Y * Y, sizeof *weights);
    if (!weights) TRY(cau_fail_memory(ctx, "the transitions"));
    for (uint32_t i = 0; i < Y; i++)
        for (uint32_t j = 0; j < Y; j++) weights[i * Y + j] = transition(m, i, j);
    cau_transitions_set(&a, weights);
    TRY(ops->lattice(work, &a, T, v->s, v->edge, &x));
    TRY(cau_chain_best(work, &x, own, NULL));
    for (size_t t = 0; l->has_other && m->kind == CAU_KIND_MEMM && t < T; t++) {
        const double rest = step(&x, l->label, t) - step(&x, l->other, t) - v->raw[t];
        /* what rounding leaves is no term */
        if (fabs(rest) > 1e-9 && !add_term(v, t, "normaliser", NULL, 0, rest))
            TRY(cau_fail_memory(ctx, "the terms"));
    }
done:
    if (st == CAUCUS_ERR_MEMORY) st = cau_fail_memory(ctx, "the labels of an expert");
    if (st == CAUCUS_ERR_NUMERIC)
        st = cau_fail(ctx, st, "no labelling of the text has a finite score; are its values?");
    free(weights);
    cau_transitions_clear(&a);
    cau_chain_work_free(work);
    return st;
}

static void add_labels(cau_tree *tree, const char *key, const caucus_model *m, size_t T,
                       const uint32_t *label)
{
    cau_tree_array(tree, key);
    for (size_t t = 0; t < T; t++) cau_tree_string(tree, NULL, cau_model_label(m, label[t]));
    cau_tree_end(tree);
}

static void add_difference(const sequence_voter *v, cau_tree *tree)
{
    cau_tree_array(tree, "difference");
    for (size_t i = 0; i < v->count; i++) {
        const odds_term *d = &v->terms[i];
        cau_tree_record(tree, NULL, {"token", cau_json_count(d->t + 1)},
                        {"what", cau_json_string(d->what)}, {"name", cau_json_text(name_of(d))},
                        {"value", cau_json_number(d->value)});
    }
    cau_tree_end(tree);
}

static caucus_status explain_tokens(caucus_ctx *ctx, sequence_voter *v, const labelled *l,
                                    cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    size_t t = 0;
    TRY(cau_reader_memory(ctx, TEXT_NAME, l->text, l->read, CAU_BY_NAME, &v->reader));
    cau_tree_array(tree, "tokens");
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance x;
        TRY(cau_reader_next(ctx, v->reader, &event, &x));
        if (event != CAU_READ_INSTANCE) continue;
        TRY(cau_named_scores(ctx, &v->scorer, v->reader, &x, v->s + t * v->model.Y));
        if (!add_token(v, l, t++, tree)) TRY(cau_fail_memory(ctx, "the features of the text"));
    }
    cau_tree_end(tree);
done:
    return st;
}

/* Explains expert number `expert` of the pool, or the model as a whole (SIZE_MAX). */
static caucus_status explain_voter(caucus_ctx *ctx, labelled *l, const caucus_model *model,
                                   size_t expert, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    const bool whole = expert == SIZE_MAX;
    const size_t T = l->T, Y = model->Y;
    uint32_t *own = cau_calloc(T, sizeof *own);
    sequence_voter v = {.model = *model};
    double odds = 0;
    v.s = cau_calloc(T * Y, sizeof *v.s);
    v.raw = cau_calloc(T, sizeof *v.raw);
    if (model->edges.K) v.edge = cau_calloc(T * Y, Y * sizeof *v.edge);
    if (!own || !v.s || !v.raw || (model->edges.K && !v.edge))
        TRY(cau_fail_memory(ctx, "the scores of the text"));
    TRY(cau_named_scorer_init(ctx, &v.scorer, &v.model));
    TRY(cau_alphabet_new(ctx, &v.scorer.alphabets.edges));
    cau_tree_object(tree, NULL);
    cau_tree_value(tree, "expert", whole ? json_null() : cau_json_count(expert + 1));
    if (whole)
        cau_tree_string(tree, "name", NULL);
    else
        cau_tree_expert_name(tree, l->model, expert);
    cau_tree_number(tree, "weight", whole ? 1 : l->model->pool.alpha[expert]);
    TRY(explain_tokens(ctx, &v, l, tree));
    TRY(decode_voter(ctx, &v, l, own));
    add_labels(tree, "labels", model, T, own);
    for (size_t i = 0; i < v.count; i++) odds += v.terms[i].value;
    if (whole && l->has_other && isnan(l->p_other)) l->p_other = l->p * exp(-odds);
    cau_tree_number(tree, "log_odds", l->has_other ? odds : NAN);
    if (v.count) qsort(v.terms, v.count, sizeof *v.terms, compare_odds);
    add_difference(&v, tree);
    cau_tree_end(tree);
done:
    cau_reader_free(v.reader);
    cau_alphabet_free(v.scorer.alphabets.edges);
    cau_named_scorer_clear(&v.scorer);
    free(v.terms);
    free(v.s);
    free(v.edge);
    free(v.raw);
    free(own);
    return st;
}

/* ---- the whole ------------------------------------------------------------------------- */

/* The length of the first cell of a line of columns, or of the whole line. */
static size_t word_length(const cau_reader *reader, cau_str line)
{
    size_t n = 0;
    if (!cau_has_cells(cau_reader_format(reader))) return line.n;
    while (n < line.n && line.s[n] != '\t' && line.s[n] != ' ') n++;
    return n;
}

/* The lines and their gold labels, with what the model as a whole says. */
static caucus_status add_lines(caucus_ctx *ctx, const labelled *l, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = l->model;
    const size_t Y = m->Y, J = m->pool.J;
    cau_reader *reader = NULL;
    size_t t = 0;
    TRY(cau_reader_memory(ctx, TEXT_NAME, l->text, l->read, CAU_BY_NAME, &reader));
    cau_tree_array(tree, "tokens");
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance x;
        uint32_t shown[SHOWN];
        TRY(cau_reader_next(ctx, reader, &event, &x));
        if (event != CAU_READ_INSTANCE) continue;
        const char *other = l->has_other ? cau_model_label(m, l->other[t]) : NULL;
        cau_tree_object(tree, NULL);
        const cau_str word = {x.line.s, word_length(reader, x.line)};
        cau_tree_fields(tree, {"line", cau_json_text(x.line)}, {"token", cau_json_text(word)},
                        {"gold", cau_json_text(x.label)},
                        {"label", cau_json_string(cau_model_label(m, l->label[t]))},
                        {"other", cau_json_string(other)});
        cau_tree_array(tree, "classes");
        const size_t n = shown_classes(l, t, shown);
        for (size_t c = 0; c < n; c++)
            cau_tree_record(tree, NULL, {"label", cau_json_string(cau_model_label(m, shown[c]))},
                            {"probability", cau_json_number(l->marginal[t * Y + shown[c]])});
        cau_tree_end(tree);
        cau_tree_value(tree, "weights",
                       l->mixing ? cau_json_numbers(l->mixing + t * J, J) : json_null());
        cau_tree_end(tree);
        t++;
    }
    cau_tree_end(tree);
done:
    cau_reader_free(reader);
    return st;
}

caucus_status cau_explain_sequence(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_read_options *read, const char *text,
                                   const char *against, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    cau_read_options how = *read;
    how.layout.header = false; /* it is not the first line of a file */
    labelled l = {.model = model, .read = &how, .text = cau_str_of(text)};
    const bool votes = cau_voting(model) != NULL;
    TRY(label_text(ctx, &l, against));
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    cau_tree_bool(tree, "sequence", true);
    add_labels(tree, "labels", model, l.T, l.label);
    cau_tree_number(tree, "probability", l.p);
    if (l.has_other)
        add_labels(tree, "other", model, l.T, l.other);
    else
        cau_tree_value(tree, "other", json_null());
    TRY(add_lines(ctx, &l, tree));
    cau_tree_array(tree, "voters");
    if (!votes) TRY(explain_voter(ctx, &l, model, SIZE_MAX, tree));
    for (size_t j = 0; j < model->pool.J; j++) {
        const caucus_model member = cau_pool_member(model, j);
        if (!cau_is_silent(model, j)) TRY(explain_voter(ctx, &l, &member, j, tree));
    }
    cau_tree_end(tree);
    cau_tree_number(tree, "other_probability", l.p_other);
    cau_tree_end(tree);
done:
    free(l.label);
    free(l.other);
    free(l.marginal);
    free(l.mixing);
    return st;
}

/* ---- as text --------------------------------------------------------------------------- */

static void print_voter(cau_writer *out, const json_t *root, const json_t *voter)
{
    static const cau_column columns[] = {{"token", "{token}"},
                                         {NULL, "<{line}"},
                                         {"labels", "<{labels}"},
                                         {"reason", "<{reason}"},
                                         {"log odds", "{value:.6f}"}};
    const json_t *difference = cau_at(voter, "difference"), *tokens = cau_at(root, "tokens");
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    double rest = 0;
    for (size_t i = 0; i < json_array_size(difference); i++) {
        const json_t *d = json_array_get(difference, i);
        const json_t *token = json_array_get(tokens, cau_count_at(d, "token") - 1);
        if (i >= TERMS_PRINTED) {
            rest += cau_number_at(d, "value");
            continue;
        }
        cau_tree_object(&rows, NULL);
        cau_tree_count(&rows, "token", cau_count_at(d, "token"));
        cau_tree_value(&rows, "word", json_incref(cau_at(token, "token")));
        cau_tree_print(&rows, "labels", token, "{label} / {other}");
        cau_tree_print(&rows, "reason", d, json_is_null(cau_at(d, "name")) ? "({what})" : "{name}");
        cau_tree_number(&rows, "value", cau_number_at(d, "value"));
        cau_tree_end(&rows);
    }
    if (rest != 0)
        cau_tree_record(&rows, NULL, {"reason", cau_json_string("(all others)")},
                        {"value", cau_json_number(rest)});
    cau_tree_record(&rows, NULL, {"reason", cau_json_string("together")},
                    {"value", cau_json_number(cau_number_at(voter, "log_odds"))});
    cau_print_rows(out, columns, sizeof columns / sizeof *columns, &rows);
}

void cau_print_sequence(cau_writer *out, const json_t *root)
{
    const cau_column columns[] = {{"token", "<{token}"},
                                  {"label", "<{label}"},
                                  {"probability", "{classes.0.probability:.6f}"},
                                  {"instead", "<{other}"},
                                  {"gold", "<{gold}"}};
    const bool other = !json_is_null(cau_at(root, "other"));
    const json_t *voters = cau_at(root, "voters");
    cau_print_table(out, columns, other ? 5 : 3, cau_at(root, "tokens"));
    cau_print(out, root, "\nprobability of these labels: {probability:.6f}");
    if (other) cau_print(out, root, "; of those instead: {other_probability:.6f}");
    cau_print(out, root, "\n");
    for (size_t i = 0; other && i < json_array_size(voters); i++) {
        const json_t *voter = json_array_get(voters, i);
        if (json_is_null(cau_at(voter, "expert")))
            cau_print(out, voter, "\nwhy these labels:\n");
        else
            cau_print(out, voter, "\nexpert {expert}{name:| }{name}, weight {weight:.6f}:\n");
        print_voter(out, root, voter);
    }
}
