/* eval.c - one pass over tagged data, which feeds every part of the scores.
 *
 *     token     -> pair of labels, probabilities, and which systems are right
 *     sentence  -> its chunks -> scores of chunks, known words, the units of a comparison
 *
 * Labels are read as labels of chunks as long as each one is O or a label of the scheme; the
 * current sentence is kept in memory. The first other label makes all labels classes: the counts of
 * chunks are dropped and tokens are counted one by one, so that a file of classes without a blank
 * line takes no memory. If all labels are O, they are classes. --classes decides for classes in
 * advance;
 * --scheme, --raw and --conlleval decide for chunks. */

#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"
#include "eval/tagged.h"
#include "report/plot.h"

/* ---- options ------------------------------------------------------------------------- */

/* Why the options do not go together; NULL if they do. */
static const char *conflict(const cau_eval_options *o)
{
    const bool tables = o->conlleval || o->latex;
    const bool scheme = o->scheme != CAU_SCHEME_NONE;
    if (o->strict && !scheme) return "--strict needs --scheme; name the scheme of the labels";
    if (o->raw && scheme)
        return "--raw uses whole labels as types and --scheme splits them; drop one";
    if (o->classes && (scheme || o->raw || o->outside || tables))
        return "--classes scores no chunks; drop it, or --scheme, --raw, --outside, --conlleval "
               "and --latex";
    if (o->json && tables) return "--conlleval and --latex are tables; drop them or --json";
    if (o->plot_calibration && !o->probabilities)
        return "--plot-calibration needs --probabilities, and data that has them";
    if (o->unit == CAU_UNIT_DOCUMENT && !o->against.count)
        return "--unit needs --against; name another system, or drop --unit";
    if (o->pairs == CAU_PAIRS_FIRST && !o->against.count)
        return "--pairs needs --against; name another system, or drop --pairs";
    if (o->clusters &&
        (o->classes || scheme || o->raw || o->outside || tables || o->probabilities || o->gold ||
         o->known.count || o->against.count || o->confusion || o->plot_confusion))
        return "--clusters reads clusterings, not labels; of the other options only --json goes "
               "with it";
    return NULL;
}

caucus_status cau_eval_delimiter(caucus_ctx *ctx, const cau_eval_options *options, char *out)
{
    *out = '\0';
    if (!options->delimiter || cau_delimiter_parse(options->delimiter, out)) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "--delimiter '%s': give one character, or \\t for TAB", options->delimiter);
}

caucus_status cau_eval_check(caucus_ctx *ctx, const cau_eval_options *options)
{
    caucus_status st = CAUCUS_OK;
    char delimiter;
    const char *wrong = conflict(options);
    if (wrong) TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s", wrong));
    TRY(cau_eval_delimiter(ctx, options, &delimiter));
    TRY(cau_plot_check(ctx, options->plot_confusion));
    TRY(cau_plot_check(ctx, options->plot_calibration));
done:
    return st;
}

/* ---- sentences ----------------------------------------------------------------------- */

typedef struct {
    caucus_ctx *ctx;
    const cau_eval_options *options;
    caucus_scores *scores;
    cau_tagged *in;
    size_t systems;

    cau_tags tags;
    bool decided;        /* further labels do not change `chunks` */
    bool chunks;         /* labels are labels of chunks, as far as is known */
    uint64_t illegal[2]; /* labels, of gold and of system 0 */

    /* the current sentence */
    size_t T;
    cau_labelled *by; /* [systems + 1] */
    uint32_t *form;   /* [T] with known words */
    size_t form_room;
    bool document;

    bool ended;         /* some sentence has ended */
    bool *right;        /* [systems], scratch */
    cau_counts *counts; /* [systems], scratch */
} eval_pass;

static caucus_status out_of_memory(const eval_pass *p)
{
    return cau_fail_memory(p->ctx, "the scores");
}

static cau_sentence current_sentence(const eval_pass *p)
{
    return (cau_sentence){p->T, p->systems, p->by, p->form, p->document};
}

static caucus_status add_to_sentence(eval_pass *p, const cau_tagged_token *token)
{
    if (p->T == UINT32_MAX)
        return cau_fail(p->ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "a sentence of more than %zu tokens; blank lines end sentences",
                        CAU_AT_ARGS(cau_tagged_lines(p->in, 0)), p->T);
    for (size_t i = 0; i <= p->systems; i++) {
        cau_labelled *by = &p->by[i];
        if (!CAU_GROW(by->label, by->label_room, p->T + 1)) return out_of_memory(p);
        by->label[p->T] = i < p->systems ? token->label[i] : token->gold;
    }
    if (p->scores->known) {
        if (!CAU_GROW(p->form, p->form_room, p->T + 1)) return out_of_memory(p);
        p->form[p->T] = cau_words_known_form(p->scores->known, token->word);
    }
    p->T++;
    return CAUCUS_OK;
}

static caucus_status find_chunks(eval_pass *p)
{
    for (size_t i = 0; i <= p->systems; i++) {
        cau_labelled *by = &p->by[i];
        uint64_t *illegal = i == p->systems ? &p->illegal[0] : i == 0 ? &p->illegal[1] : NULL;
        if (!CAU_GROW(by->chunk, by->chunk_room, p->T)) return out_of_memory(p);
        by->chunks = cau_chunks_of(&p->tags, by->label, p->T, by->chunk, illegal);
    }
    return CAUCUS_OK;
}

/* Counts the current sentence, whose labels are labels of chunks, and begins the next. */
static caucus_status end_sentence(eval_pass *p)
{
    caucus_status st = CAUCUS_OK;
    caucus_scores *scores = p->scores;
    if (p->T == 0) return CAUCUS_OK;
    TRY(find_chunks(p));
    const cau_sentence sentence = current_sentence(p);
    const cau_labelled *gold = cau_sentence_gold(&sentence);
    if (cau_chunk_scores_add(scores->chunks, &p->tags, &sentence)) TRY(out_of_memory(p));
    if (scores->known) cau_words_known_add(scores->known, &p->tags, &sentence);
    if (scores->compare) {
        for (size_t i = 0; i < p->systems; i++)
            p->counts[i] = (cau_counts){
                gold->chunks, p->by[i].chunks,
                cau_chunks_common(gold->chunk, gold->chunks, p->by[i].chunk, p->by[i].chunks)};
        if (cau_compare_break(scores->compare, p->counts, p->document)) TRY(out_of_memory(p));
    }
    p->T = 0;
    p->document = false;
done:
    return st;
}

/* Counts the tokens of the current sentence, whose labels are classes. */
static void count_classes(eval_pass *p)
{
    for (size_t i = 0; i <= p->systems; i++) p->by[i].chunks = 0;
    const cau_sentence sentence = current_sentence(p);
    if (p->scores->known) cau_words_known_add(p->scores->known, &p->tags, &sentence);
    p->T = 0;
}

/* The end of a sentence whose labels are classes. */
static caucus_status end_classes(eval_pass *p)
{
    const bool document = p->document;
    p->document = false;
    if (p->scores->compare && cau_compare_break(p->scores->compare, NULL, document))
        return out_of_memory(p);
    return CAUCUS_OK;
}

/* ---- tokens -------------------------------------------------------------------------- */

/* Makes labels classes from here on. */
static void drop_chunks(eval_pass *p)
{
    p->chunks = false;
    p->decided = true;
    p->tags.chunked = false;
    cau_chunk_scores_free(p->scores->chunks);
    p->scores->chunks = NULL;
}

/* Reports a label of the token that the scheme of the options does not have. */
static caucus_status fail_foreign(const eval_pass *p, const cau_tagged_token *token)
{
    const uint32_t id = p->tags.foreign;
    const cau_str label = cau_alphabet_name(p->scores->labels, id);
    const cau_scheme_name scheme = p->tags.scheme;
    size_t source = 0;
    while (source < p->systems && token->label[source] != id) source++;
    return cau_fail(p->ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the label '%.*s' is not a label of %s, which has %s; fix it, or leave "
                           "out --scheme",
                    CAU_AT_ARGS(cau_tagged_lines(p->in, source)), CAU_SHOWN(label),
                    cau_scheme_text(scheme), cau_scheme_looks(scheme));
}

/* Learns the meaning of new labels. */
static caucus_status learn_labels(eval_pass *p, const cau_tagged_token *token)
{
    if (cau_alphabet_size(p->scores->labels) == p->tags.count) return CAUCUS_OK;
    if (cau_tags_learn(&p->tags, p->scores->labels)) return out_of_memory(p);
    if (p->tags.chunked || !p->chunks) return CAUCUS_OK;
    if (p->tags.scheme != CAU_SCHEME_NONE) return fail_foreign(p, token);
    if (!p->decided) drop_chunks(p);
    return CAUCUS_OK;
}

static caucus_status count_token(eval_pass *p, const cau_tagged_token *token)
{
    caucus_scores *scores = p->scores;
    if (token->gold == CAU_UNKNOWN) {
        scores->skipped++;
        return CAUCUS_OK;
    }
    if (!cau_confusion_add(&scores->pairs, token->gold, token->label[0])) return out_of_memory(p);
    scores->instances++;
    scores->correct += token->gold == token->label[0];
    if (token->Y)
        cau_calibration_add(&scores->calibration, token->Y, token->p, token->gold, token->label[0]);
    if (scores->compare) {
        for (size_t i = 0; i < p->systems; i++) p->right[i] = token->label[i] == token->gold;
        if (cau_compare_token(scores->compare, p->right)) return out_of_memory(p);
    }
    return CAUCUS_OK;
}

static caucus_status add_token(eval_pass *p, const cau_tagged_token *token)
{
    caucus_status st = CAUCUS_OK;
    if (p->scores->known && !token->word.s)
        TRY(cau_fail(
            p->ctx, CAUCUS_ERR_FORMAT,
            CAU_AT "no word in column %llu (from 0) before the labels; --known needs words: "
                   "give their column with --word",
            CAU_AT_ARGS(cau_tagged_lines(p->in, 0)), (unsigned long long)p->options->word));
    TRY(learn_labels(p, token));
    TRY(count_token(p, token));
    p->document |= token->document;
    if (p->chunks || p->scores->known) TRY(add_to_sentence(p, token));
    if (!p->chunks) count_classes(p);
done:
    return st;
}

static caucus_status read_tokens(eval_pass *p)
{
    caucus_status st = CAUCUS_OK;
    cau_tagged_kind kind;
    cau_tagged_token token;
    do {
        TRY(cau_tagged_next(p->ctx, p->in, &kind, &token));
        if (kind == CAU_TAGGED_TOKEN) {
            TRY(add_token(p, &token));
            continue;
        }
        /* for classes the end of a file ends a sentence only if the data has blank lines */
        p->ended |= kind == CAU_TAGGED_BREAK;
        if (p->chunks)
            TRY(end_sentence(p));
        else if (p->ended)
            TRY(end_classes(p));
    } while (kind != CAU_TAGGED_END);
done:
    return st;
}

/* ---- the whole input ----------------------------------------------------------------------- */

static caucus_status new_compare(eval_pass *p, const char *first)
{
    caucus_status st = CAUCUS_OK;
    const char **names = cau_alloc(p->systems, sizeof *names);
    if (!names) TRY(out_of_memory(p));
    names[0] = first;
    for (size_t i = 1; i < p->systems; i++) names[i] = p->options->against.path[i - 1];
    for (size_t i = 0; i < p->systems; i++)
        if (strcmp(names[i], "-") == 0) names[i] = "standard input";
    TRY(cau_compare_new(p->ctx, p->systems, names, p->options->unit, p->options->pairs,
                        &p->scores->compare));
done:
    free(names);
    return st;
}

static caucus_status prepare(eval_pass *p, const char *const *paths, size_t count,
                             const caucus_labels *labels)
{
    caucus_status st = CAUCUS_OK;
    const cau_eval_options *o = p->options;
    caucus_scores *scores = p->scores;
    p->decided = o->classes || o->scheme != CAU_SCHEME_NONE || o->raw || o->conlleval || o->latex;
    p->chunks = !o->classes;
    p->tags =
        (cau_tags){.scheme = o->scheme, .strict = o->strict, .raw = o->raw, .outside = o->outside};
    TRY(cau_alphabet_new(p->ctx, &scores->labels));
    if (cau_tags_learn(&p->tags, scores->labels)) TRY(out_of_memory(p));
    p->tags.chunked = p->chunks;
    TRY(labels ? cau_tagged_labels(p->ctx, o, labels, scores->labels, &p->in)
               : cau_tagged_open(p->ctx, o, paths, count, scores->labels, &p->in));
    p->systems = cau_tagged_systems(p->in);
    p->right = cau_calloc(p->systems, sizeof *p->right);
    p->counts = cau_calloc(p->systems, sizeof *p->counts);
    p->by = cau_calloc(p->systems + 1, sizeof *p->by);
    if (!p->right || !p->counts || !p->by) TRY(out_of_memory(p));
    if (o->probabilities) TRY(cau_calibration_init(p->ctx, &scores->calibration, (size_t)o->bins));
    if (p->chunks) TRY(cau_chunk_scores_new(p->ctx, &scores->chunks));
    if (o->known.count) TRY(cau_words_known_read(p->ctx, o, &scores->known));
    if (p->systems > 1) TRY(new_compare(p, paths[0]));
done:
    return st;
}

static caucus_status finish(eval_pass *p, const char *const *paths, size_t count)
{
    caucus_status st = CAUCUS_OK;
    caucus_scores *scores = p->scores;
    const cau_eval_options *o = p->options;
    if (scores->instances == 0) {
        const char *what = count == 1 ? paths[0] : "the input";
        if (scores->skipped)
            TRY(cau_fail(p->ctx, CAUCUS_ERR_FORMAT,
                         "%s: the gold label of every instance is '?'; give data with labels",
                         what));
        TRY(cau_fail(p->ctx, CAUCUS_ERR_FORMAT,
                     "%s: no instances; give lines that end with the gold label and the predicted "
                     "one",
                     what));
    }
    if (!p->decided && cau_alphabet_size(p->tags.types) == 0) drop_chunks(p); /* all is O */
    TRY(cau_classes_finish(p->ctx, scores));
    cau_calibration_finish(scores);
    if (scores->chunks && cau_chunk_scores_finish(scores->chunks, &p->tags, p->illegal))
        TRY(out_of_memory(p));
    if (scores->compare)
        TRY(cau_compare_finish(p->ctx, scores->compare, scores->chunks != NULL,
                               o->resamples ? o->resamples : 10000, o->seed,
                               o->threads ? o->threads : 1));
    TRY(cau_scores_finish(p->ctx, scores));
done:
    return st;
}

/* Scores files, or `labels` unless it is NULL. */
static caucus_status score(caucus_ctx *ctx, const cau_eval_options *options,
                           const char *const *paths, size_t count, const caucus_labels *labels,
                           caucus_scores **out)
{
    caucus_status st = CAUCUS_OK;
    eval_pass p = {.ctx = ctx, .options = options};
    TRY(cau_eval_check(ctx, options));
    p.scores = cau_calloc(1, sizeof *p.scores);
    if (!p.scores) TRY(out_of_memory(&p));
    if (options->clusters) {
        TRY(cau_clusterings_read(ctx, options->clusters, paths, count, &p.scores->tree));
    } else {
        TRY(prepare(&p, paths, count, labels));
        TRY(read_tokens(&p));
        TRY(finish(&p, paths, count));
    }
    *out = p.scores;
    p.scores = NULL; /* the caller owns it from here */
done:
    cau_tagged_free(p.in);
    for (size_t i = 0; p.by && i <= p.systems; i++) {
        free(p.by[i].label);
        free(p.by[i].chunk);
    }
    free(p.by);
    free(p.form);
    cau_tags_clear(&p.tags);
    free(p.right);
    free(p.counts);
    cau_scores_free(p.scores);
    return st;
}

caucus_status cau_scores_read(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, caucus_scores **out)
{
    return score(ctx, options, paths, count, NULL, out);
}

caucus_status cau_scores_labels(caucus_ctx *ctx, const cau_eval_options *options,
                                const caucus_labels *labels, caucus_scores **out)
{
    const char *const name = labels->name ? labels->name : "the labels";
    cau_eval_options how = *options;
    if (options->clusters)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--clusters scores files of clusterings; leave it out");
    if (options->probabilities && !labels->probabilities)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--probabilities needs the probabilities of the labels; give them or "
                        "leave it out");
    if (labels->count == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "no labels to score; give one at least");
    if (labels->other_count && options->against.count)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--against names files of other systems, whose labels are in memory "
                        "already; leave it out");
    how.probabilities = labels->probabilities != NULL;
    if (labels->other_count) how.against = (cau_paths){labels->other_count, labels->other_names};
    return score(ctx, &how, &name, 1, labels, out);
}

void cau_scores_free(caucus_scores *scores)
{
    if (!scores) return;
    cau_tree_clear(&scores->tree);
    cau_alphabet_free(scores->labels);
    cau_confusion_clear(&scores->pairs);
    free(scores->classes);
    free(scores->calibration.bins);
    cau_chunk_scores_free(scores->chunks);
    cau_words_known_free(scores->known);
    cau_compare_free(scores->compare);
    free(scores);
}
