/* eval.c - one pass over tagged files, which feeds every part of the scores.
 *
 *     token     -> pair of labels, probabilities, and which systems are right
 *     sentence  -> its chunks -> scores of chunks, known words, the units of a comparison
 *
 * Whether labels tell of chunks is seen while reading: they do as long as each one is O or of the
 * scheme, and something was not O. Until a label says otherwise, sentences are kept whole, one at
 * a time. The first label that is a class settles it: what was counted of chunks is dropped, and
 * from there on tokens pass through one by one, so that a file of classes without a blank line
 * takes no memory. Options may settle it before: --classes for classes; --scheme, --raw and
 * --conlleval for chunks. */

#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"
#include "eval/tagged.h"
#include "report/plot.h"

/* ---- options ------------------------------------------------------------------------- */

/* What cannot be asked for together, and why. */
static const char *conflict(const cau_eval_options *o)
{
    const bool tables = o->conlleval || o->latex;
    const bool scheme = o->scheme != CAU_SCHEME_NONE;
    if (o->strict && !scheme) return "--strict needs --scheme: which labels are allowed where?";
    if (o->raw && scheme)
        return "--raw takes labels as types and --scheme takes them apart; drop one";
    if (o->classes && (scheme || o->raw || o->outside || tables))
        return "--classes looks for no chunks; drop it, or --scheme, --raw, --outside, --conlleval "
               "and --latex";
    if (o->json && tables) return "--conlleval and --latex are tables; drop them or --json";
    if (o->plot_calibration && !o->probabilities)
        return "--plot-calibration needs --probabilities, and data that has them";
    if (o->unit == CAU_UNIT_DOCUMENT && !o->against.count)
        return "--unit needs --against: there is nothing to compare";
    if (o->clusters &&
        (o->classes || scheme || o->raw || o->outside || tables || o->probabilities || o->gold ||
         o->known.count || o->against.count || o->confusion || o->plot_confusion))
        return "--clusters reads clusterings, not labels; of the other options only --json goes "
               "with it";
    return NULL;
}

caucus_status cau_eval_check(caucus_ctx *ctx, const cau_eval_options *options)
{
    caucus_status st = CAUCUS_OK;
    char delimiter;
    const char *wrong = conflict(options);
    if (wrong) TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s", wrong));
    if (options->delimiter && !cau_tagged_delimiter(options->delimiter, &delimiter))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--delimiter '%s': give one character, or \\t for TAB", options->delimiter));
    TRY(cau_plot_check(ctx, options->plot_confusion));
    TRY(cau_plot_check(ctx, options->plot_calibration));
done:
    return st;
}

/* ---- the sentence under way ---------------------------------------------------------- */

/* The labels that one source gives the tokens of a sentence, and their chunks. */
typedef struct {
    uint32_t *label;  /* [T] */
    cau_chunk *chunk; /* [chunks] */
    size_t chunks, label_room, chunk_room;
} lane;

typedef struct {
    size_t T;
    lane *lane; /* [systems + 1]: the systems, then gold */

    cau_strbuf text;  /* of the words, if they are kept, one after the other */
    size_t *word_end; /* [T] in the text */
    cau_str *word;    /* [T], once the sentence is whole */
    size_t end_room, word_room;

    const uint32_t **label; /* [systems], as cau_sentence has them */
    const cau_chunk **chunk;
    size_t *chunks;
    bool document;
} sentence;

typedef struct {
    caucus_ctx *ctx;
    const cau_eval_options *options;
    caucus_scores *scores;
    cau_tagged *in;
    size_t systems;

    cau_tags tags;
    bool settled;        /* what labels are does not depend on the labels to come */
    bool chunks;         /* they tell of chunks, as far as is known */
    uint64_t illegal[2]; /* labels, of gold and of system 0 */

    sentence sentence;
    bool broken;        /* the end of a sentence has come */
    bool *right;        /* [systems], scratch */
    cau_counts *counts; /* [systems], scratch */
} pass;

static caucus_status out_of_memory(const pass *p)
{
    return cau_fail_memory(p->ctx, "the scores");
}

static caucus_status sentence_init(pass *p)
{
    sentence *s = &p->sentence;
    s->lane = cau_calloc(p->systems + 1, sizeof *s->lane);
    s->label = cau_calloc(p->systems, sizeof *s->label);
    s->chunk = cau_calloc(p->systems, sizeof *s->chunk);
    s->chunks = cau_calloc(p->systems, sizeof *s->chunks);
    return s->lane && s->label && s->chunk && s->chunks ? CAUCUS_OK : out_of_memory(p);
}

static void sentence_clear(sentence *s, size_t systems)
{
    for (size_t i = 0; s->lane && i <= systems; i++) {
        free(s->lane[i].label);
        free(s->lane[i].chunk);
    }
    free(s->lane);
    cau_strbuf_clear(&s->text);
    free(s->word_end);
    free(s->word);
    free(s->label);
    free(s->chunk);
    free(s->chunks);
}

static caucus_status sentence_add(pass *p, const cau_tagged_token *token)
{
    sentence *s = &p->sentence;
    if (s->T == UINT32_MAX)
        return cau_fail(p->ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "a sentence of more than %zu tokens; blank lines end sentences",
                        CAU_AT_ARGS(cau_tagged_lines(p->in, 0)), s->T);
    for (size_t i = 0; i <= p->systems; i++) {
        lane *l = &s->lane[i];
        if (!CAU_GROW(l->label, l->label_room, s->T + 1)) return out_of_memory(p);
        l->label[s->T] = i < p->systems ? token->label[i] : token->gold;
    }
    if (p->scores->known) {
        if (!CAU_GROW(s->word_end, s->end_room, s->T + 1)) return out_of_memory(p);
        cau_strbuf_add(&s->text, token->word.s, token->word.n);
        s->word_end[s->T] = s->text.n;
    }
    s->T++;
    return cau_strbuf_status(p->ctx, &s->text);
}

/* The words where they stand, now that the text no longer moves. */
static caucus_status sentence_words(pass *p)
{
    sentence *s = &p->sentence;
    if (!CAU_GROW(s->word, s->word_room, s->T)) return out_of_memory(p);
    for (size_t t = 0, begin = 0; t < s->T; begin = s->word_end[t++])
        s->word[t] = (cau_str){s->text.s + begin, s->word_end[t] - begin};
    return CAUCUS_OK;
}

/* Tokens t .. t+T-1 of the sentence, as the parts see it. */
static cau_sentence sentence_view(const pass *p, size_t t, size_t T)
{
    const sentence *s = &p->sentence;
    const lane *gold = &s->lane[p->systems];
    for (size_t i = 0; i < p->systems; i++) {
        s->label[i] = s->lane[i].label + t;
        s->chunk[i] = s->lane[i].chunk;
        s->chunks[i] = s->lane[i].chunks;
    }
    return (cau_sentence){.T = T,
                          .systems = p->systems,
                          .word = s->word ? s->word + t : NULL,
                          .gold = gold->label + t,
                          .label = s->label,
                          .gold_chunk = gold->chunk,
                          .gold_chunks = gold->chunks,
                          .chunk = s->chunk,
                          .chunks = s->chunks,
                          .document = s->document};
}

static void sentence_empty(sentence *s)
{
    s->T = 0;
    s->text.n = 0;
    s->document = false;
}

static caucus_status find_chunks(pass *p)
{
    sentence *s = &p->sentence;
    for (size_t i = 0; i <= p->systems; i++) {
        lane *l = &s->lane[i];
        uint64_t *illegal = i == p->systems ? &p->illegal[0] : i == 0 ? &p->illegal[1] : NULL;
        if (!CAU_GROW(l->chunk, l->chunk_room, s->T)) return out_of_memory(p);
        l->chunks = cau_chunks_of(&p->tags, l->label, s->T, l->chunk, illegal);
    }
    return CAUCUS_OK;
}

static void count_chunks(const pass *p)
{
    const lane *system = p->sentence.lane, *gold = system + p->systems;
    for (size_t i = 0; i < p->systems; i++)
        p->counts[i] = (cau_counts){
            gold->chunks, system[i].chunks,
            cau_chunks_common(gold->chunk, gold->chunks, system[i].chunk, system[i].chunks)};
}

/* The parts that go by sentences get this one, whose labels tell of chunks. */
static caucus_status end_sentence(pass *p)
{
    caucus_status st = CAUCUS_OK;
    caucus_scores *scores = p->scores;
    if (p->sentence.T == 0) return CAUCUS_OK;
    TRY(find_chunks(p));
    if (scores->known) TRY(sentence_words(p));
    cau_sentence view = sentence_view(p, 0, p->sentence.T);
    if (cau_chunk_scores_add(scores->chunks, &p->tags, &view)) TRY(out_of_memory(p));
    if (scores->known && cau_words_known_add(scores->known, &p->tags, &view)) TRY(out_of_memory(p));
    if (scores->compare) {
        count_chunks(p);
        if (cau_compare_break(scores->compare, p->counts, view.document)) TRY(out_of_memory(p));
    }
    sentence_empty(&p->sentence);
done:
    return st;
}

/* The tokens of the sentence so far, whose labels are classes: each is one by itself. */
static caucus_status pass_tokens(pass *p)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i <= p->systems; i++) p->sentence.lane[i].chunks = 0;
    if (p->scores->known) TRY(sentence_words(p));
    for (size_t t = 0; p->scores->known && t < p->sentence.T; t++) {
        cau_sentence view = sentence_view(p, t, 1);
        if (cau_words_known_add(p->scores->known, &p->tags, &view)) TRY(out_of_memory(p));
    }
    const bool document = p->sentence.document; /* until the end of the sentence */
    sentence_empty(&p->sentence);
    p->sentence.document = document;
done:
    return st;
}

/* The end of a sentence whose labels are classes. */
static caucus_status end_of_tokens(pass *p)
{
    const bool document = p->sentence.document;
    p->sentence.document = false;
    if (p->scores->compare && cau_compare_break(p->scores->compare, NULL, document))
        return out_of_memory(p);
    return CAUCUS_OK;
}

/* ---- tokens -------------------------------------------------------------------------- */

/* Labels are classes, it turns out. */
static void give_chunks_up(pass *p)
{
    p->chunks = false;
    p->settled = true;
    p->tags.chunked = false;
    cau_chunk_scores_free(p->scores->chunks);
    p->scores->chunks = NULL;
}

/* A label is none of the scheme that was asked for: says whose it is. */
static caucus_status fail_foreign(const pass *p, const cau_tagged_token *token)
{
    const uint32_t id = p->tags.foreign;
    const cau_str label = cau_alphabet_name(p->scores->labels, id);
    const cau_scheme_name scheme = p->tags.scheme;
    size_t who = 0;
    while (who < p->systems && token->label[who] != id) who++;
    return cau_fail(p->ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the label '%.*s' is none of %s, which has %s; fix it, or leave out "
                           "--scheme",
                    CAU_AT_ARGS(cau_tagged_lines(p->in, who)), CAU_SHOWN(label),
                    cau_scheme_text(scheme), cau_scheme_looks(scheme));
}

/* Learns what new labels mean. */
static caucus_status learn_labels(pass *p, const cau_tagged_token *token)
{
    if (cau_alphabet_size(p->scores->labels) == p->tags.count) return CAUCUS_OK;
    if (cau_tags_learn(&p->tags, p->scores->labels)) return out_of_memory(p);
    if (p->tags.chunked || !p->chunks) return CAUCUS_OK;
    if (p->tags.scheme != CAU_SCHEME_NONE) return fail_foreign(p, token);
    if (!p->settled) give_chunks_up(p);
    return CAUCUS_OK;
}

static caucus_status count_token(pass *p, const cau_tagged_token *token)
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

static caucus_status add_token(pass *p, const cau_tagged_token *token)
{
    caucus_status st = CAUCUS_OK;
    if (p->scores->known && !token->word.s)
        TRY(cau_fail(
            p->ctx, CAUCUS_ERR_FORMAT,
            CAU_AT "no word in column %llu, from 0, before the labels; --known needs words, "
                   "and --word tells where they are",
            CAU_AT_ARGS(cau_tagged_lines(p->in, 0)), (unsigned long long)p->options->word));
    TRY(learn_labels(p, token));
    TRY(count_token(p, token));
    p->sentence.document |= token->document;
    if (p->chunks || p->scores->known) TRY(sentence_add(p, token));
    if (!p->chunks) TRY(pass_tokens(p));
done:
    return st;
}

static caucus_status read_tokens(pass *p)
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
        /* A file of classes without blank lines has no sentences, whatever its ends. */
        p->broken |= kind == CAU_TAGGED_BREAK;
        if (p->chunks)
            TRY(end_sentence(p));
        else if (p->broken)
            TRY(end_of_tokens(p));
    } while (kind != CAU_TAGGED_END);
done:
    return st;
}

/* ---- all of it ----------------------------------------------------------------------- */

static caucus_status new_compare(pass *p, const char *first)
{
    caucus_status st = CAUCUS_OK;
    const char **names = cau_alloc(p->systems, sizeof *names);
    if (!names) TRY(out_of_memory(p));
    names[0] = first;
    for (size_t i = 1; i < p->systems; i++) names[i] = p->options->against.path[i - 1];
    for (size_t i = 0; i < p->systems; i++)
        if (strcmp(names[i], "-") == 0) names[i] = "standard input";
    TRY(cau_compare_new(p->ctx, p->systems, names, (cau_unit)p->options->unit,
                        &p->scores->compare));
done:
    free(names);
    return st;
}

static caucus_status prepare(pass *p, const char *const *paths, size_t count,
                             const caucus_labels *labels)
{
    caucus_status st = CAUCUS_OK;
    const cau_eval_options *o = p->options;
    caucus_scores *scores = p->scores;
    p->settled = o->classes || o->scheme != CAU_SCHEME_NONE || o->raw || o->conlleval || o->latex;
    p->chunks = !o->classes;
    p->tags = (cau_tags){.scheme = (cau_scheme_name)o->scheme,
                         .strict = o->strict,
                         .raw = o->raw,
                         .outside = o->outside};
    TRY(cau_alphabet_new(p->ctx, &scores->labels));
    if (cau_tags_learn(&p->tags, scores->labels)) TRY(out_of_memory(p));
    p->tags.chunked = p->chunks;
    TRY(labels ? cau_tagged_labels(p->ctx, o, labels, scores->labels, &p->in)
               : cau_tagged_open(p->ctx, o, paths, count, scores->labels, &p->in));
    p->systems = cau_tagged_systems(p->in);
    p->right = cau_calloc(p->systems, sizeof *p->right);
    p->counts = cau_calloc(p->systems, sizeof *p->counts);
    if (!p->right || !p->counts) TRY(out_of_memory(p));
    TRY(sentence_init(p));
    if (o->probabilities) TRY(cau_calibration_init(p->ctx, &scores->calibration, (size_t)o->bins));
    if (p->chunks) TRY(cau_chunk_scores_new(p->ctx, &scores->chunks));
    if (o->known.count) TRY(cau_words_known_read(p->ctx, o, &scores->known));
    if (p->systems > 1) TRY(new_compare(p, paths[0]));
done:
    return st;
}

static caucus_status finish(pass *p, const char *const *paths, size_t count)
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
    if (!p->settled && cau_alphabet_size(p->tags.types) == 0) give_chunks_up(p); /* all is O */
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
    pass p = {.ctx = ctx, .options = options};
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
    sentence_clear(&p.sentence, p.systems);
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
    const char *const name = "the labels";
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
    how.probabilities = labels->probabilities != NULL;
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
