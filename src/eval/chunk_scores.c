/* chunk_scores.c - chunks found against chunks that are there.
 *
 * Precision, recall and F1 of a type count chunks that are the same in both ends and in type. Of
 * all types
 *     micro      from the sums of the counts; this is conlleval's
 *     macro      the mean over the types that have a chunk, in the gold labels or found
 *     weighted   the mean weighted by the gold chunks of each type
 * with 0 for 0/0.
 *
 * The errors are told by counterparts. The counterpart of a chunk is, on the other side, the
 * chunk that it shares most tokens with; between equals one of its own type, then the first. As
 * the chunks of a side do not overlap, a chunk of the same span is the counterpart, and the only
 * one that overlaps. So each gold chunk and each found chunk has one outcome:
 *
 *                    span      type            gold side       found side
 *     right          same      same            the same number on both
 *     retyped        same      other           the same number on both
 *     misplaced      other     same
 *     confused       other     other
 *     alone          nothing overlaps          missed          spurious
 *
 * and the outcomes of a side sum to its chunks. The confusion of types puts each gold chunk in
 * the cell (its type, type of its counterpart or none), and each spurious one in (none, its
 * type): a row sums to the gold chunks of its type. Boundaries are those of misplaced gold
 * chunks, told in two ways that both sum to their number:
 *
 *     ends     left, right or both differ from the gold ones; the found chunk is too long where it
 *              contains the gold one, too short where it is contained, else shifted:
 *                  gold          [======]          [======]          [======]
 *                  found       [==========]          [==]         [======]
 *     pieces   one found for one gold; split: several found chunks, of any type, overlap the gold
 *              one; joined: the counterpart overlaps several gold ones; mixed: both
 *
 * Both lists are in order, so that what overlaps a chunk is a range that moves forward: time is
 * linear in the tokens. Nothing is allocated but for types and pairs of types that are new. */

#include "eval/chunk_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum { SHOWN_MAX = 500 }; /* types in a figure */

caucus_status cau_chunk_scores_new(caucus_ctx *ctx, cau_chunk_scores **out)
{
    caucus_status st = CAUCUS_OK;
    cau_chunk_scores *scores = cau_calloc(1, sizeof *scores);
    if (!scores) return cau_fail_memory(ctx, "the scores of chunks");
    scores->ctx = ctx;
    TRY(cau_alphabet_new(ctx, &scores->pairs));
    *out = scores;
    scores = NULL; /* the caller owns it from here */
done:
    cau_chunk_scores_free(scores);
    return st;
}

void cau_chunk_scores_free(cau_chunk_scores *scores)
{
    if (!scores) return;
    cau_alphabet_free(scores->pairs);
    free(scores->count);
    free(scores->pair);
    free(scores->type);
    free(scores->names);
    free(scores->confusion);
    free(scores->shown_name);
    free(scores->shown_count);
    free(scores);
}

/* ---- counting a sentence ------------------------------------------------------------- */

static void count_tokens(cau_chunk_scores *scores, const cau_tags *tags,
                         const cau_sentence *sentence)
{
    const uint32_t *gold = sentence->gold, *label = sentence->label[0];
    for (size_t t = 0; t < sentence->T; t++) {
        if (gold[t] == CAU_UNKNOWN) continue;
        const struct cau_tag tag = tags->tag[gold[t]];
        const bool inside = tag.place != CAU_OUTSIDE;
        const bool right = label[t] != CAU_UNKNOWN && tags->tag[label[t]].same == tag.same;
        scores->tokens++;
        scores->right += right;
        scores->inside += inside;
        scores->right_inside += inside && right;
    }
}

/* Counts are there for all types, from 0. */
static bool have_types(cau_chunk_scores *scores, size_t types)
{
    if (types <= scores->types) return true;
    if (!CAU_GROW(scores->count, scores->room, types)) return false;
    memset(scores->count + scores->types, 0, (types - scores->types) * sizeof *scores->count);
    scores->types = types;
    return true;
}

static bool count_pair(cau_chunk_scores *scores, uint32_t gold, uint32_t found)
{
    const uint32_t key[2] = {gold, found};
    const size_t before = cau_alphabet_size(scores->pairs);
    if (!CAU_GROW(scores->pair, scores->pair_room, before + 1)) return false;
    uint32_t id = cau_alphabet_add(scores->pairs, (const char *)key, sizeof key);
    if (id == CAU_UNKNOWN) return false;
    if (id == before) scores->pair[id] = 0;
    scores->pair[id]++;
    return true;
}

/* The chunks of the other side that overlap one, first .. end-1, and its counterpart. */
typedef struct {
    size_t first, end;
    const cau_chunk *counterpart; /* NULL: none */
} overlap;

static uint32_t tokens_in_common(const cau_chunk *a, const cau_chunk *b)
{
    uint32_t begin = a->begin > b->begin ? a->begin : b->begin;
    uint32_t end = a->end < b->end ? a->end : b->end;
    return end - begin; /* they overlap */
}

/* Finds them among others [n], where none before `first` is left that overlaps. */
static overlap find_overlap(const cau_chunk *chunk, const cau_chunk *others, size_t n, size_t first)
{
    while (first < n && others[first].end <= chunk->begin) first++;
    overlap o = {first, first, NULL};
    uint32_t most = 0;
    for (; o.end < n && others[o.end].begin < chunk->end; o.end++) {
        const cau_chunk *other = &others[o.end];
        const uint32_t common = tokens_in_common(chunk, other);
        const bool own_type =
            other->type == chunk->type && o.counterpart && o.counterpart->type != chunk->type;
        if (common > most || (common == most && own_type)) {
            most = common;
            o.counterpart = other;
        }
    }
    return o;
}

static cau_chunk_outcome outcome_of(const cau_chunk *chunk, const cau_chunk *counterpart)
{
    if (!counterpart) return CAU_CHUNK_ALONE;
    const bool span = chunk->begin == counterpart->begin && chunk->end == counterpart->end;
    const bool type = chunk->type == counterpart->type;
    if (span) return type ? CAU_CHUNK_RIGHT : CAU_CHUNK_RETYPED;
    return type ? CAU_CHUNK_MISPLACED : CAU_CHUNK_CONFUSED;
}

static void count_misplaced(cau_chunk_scores *scores, const cau_chunk *gold, const cau_chunk *found)
{
    const bool left = found->begin != gold->begin, right = found->end != gold->end;
    const bool longer = found->begin <= gold->begin && found->end >= gold->end;
    const bool shorter = found->begin >= gold->begin && found->end <= gold->end;
    cau_chunk_ends ends = left && right ? CAU_ENDS_BOTH : left ? CAU_ENDS_LEFT : CAU_ENDS_RIGHT;
    cau_chunk_span span = longer ? CAU_SPAN_LONG : shorter ? CAU_SPAN_SHORT : CAU_SPAN_SHIFTED;
    scores->misplaced[ends][span]++;
}

static bool count_gold(cau_chunk_scores *scores, const cau_chunk *gold, size_t n,
                       const cau_chunk *found, size_t m)
{
    overlap o = {0};
    for (size_t i = 0; i < n; i++) {
        o = find_overlap(&gold[i], found, m, o.first);
        const cau_chunk *other = o.counterpart;
        const cau_chunk_outcome outcome = outcome_of(&gold[i], other);
        scores->outcome[CAU_GOLD][outcome]++;
        scores->count[gold[i].type].gold++;
        if (outcome == CAU_CHUNK_RIGHT) {
            scores->count[gold[i].type].correct++;
            continue;
        }
        if (!count_pair(scores, gold[i].type, other ? other->type : CAU_UNKNOWN)) return false;
        if (outcome != CAU_CHUNK_MISPLACED) continue;
        count_misplaced(scores, &gold[i], other);
        const bool split = o.end - o.first > 1;
        const bool joined = (i > 0 && gold[i - 1].end > other->begin) ||
                            (i + 1 < n && gold[i + 1].begin < other->end);
        scores->pieces[split    ? joined ? CAU_PIECES_MIXED : CAU_PIECES_SPLIT
                       : joined ? CAU_PIECES_JOINED
                                : CAU_PIECES_ONE]++;
    }
    return true;
}

static bool count_found(cau_chunk_scores *scores, const cau_chunk *found, size_t m,
                        const cau_chunk *gold, size_t n)
{
    overlap o = {0};
    for (size_t i = 0; i < m; i++) {
        o = find_overlap(&found[i], gold, n, o.first);
        const cau_chunk_outcome outcome = outcome_of(&found[i], o.counterpart);
        scores->outcome[CAU_FOUND][outcome]++;
        scores->count[found[i].type].found++;
        if (outcome == CAU_CHUNK_ALONE && !count_pair(scores, CAU_UNKNOWN, found[i].type))
            return false;
    }
    return true;
}

caucus_status cau_chunk_scores_add(cau_chunk_scores *scores, const cau_tags *tags,
                                   const cau_sentence *sentence)
{
    const cau_chunk *gold = sentence->gold_chunk, *found = sentence->chunk[0];
    const size_t n = sentence->gold_chunks, m = sentence->chunks[0];
    if (!have_types(scores, cau_alphabet_size(tags->types)) ||
        !count_gold(scores, gold, n, found, m) || !count_found(scores, found, m, gold, n))
        return cau_fail_memory(scores->ctx, "the types of chunks");
    count_tokens(scores, tags, sentence);
    return CAUCUS_OK;
}

/* ---- measures ------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    cau_str p = ((const cau_type_score *)a)->name, q = ((const cau_type_score *)b)->name;
    int order = memcmp(p.s, q.s, p.n < q.n ? p.n : q.n);
    return order ? order : (p.n > q.n) - (p.n < q.n);
}

/* The types that have chunks, in order, and rank [types] of each among them. */
static bool make_types(cau_chunk_scores *scores, const cau_tags *tags, uint32_t *rank)
{
    size_t bytes = 0, n = 0;
    for (uint32_t i = 0; i < scores->types; i++) bytes += cau_alphabet_name(tags->types, i).n;
    scores->names = cau_alloc(bytes, 1);
    scores->type = cau_alloc(scores->types, sizeof *scores->type);
    if (!scores->names || !scores->type) return false;

    char *at = scores->names;
    for (uint32_t i = 0; i < scores->types; i++) {
        const cau_str name = cau_alphabet_name(tags->types, i);
        if (!scores->count[i].gold && !scores->count[i].found) continue;
        memcpy(at, name.s, name.n);
        scores->type[n++] = (cau_type_score){{at, name.n}, scores->count[i]};
        at += name.n;
    }
    scores->n = n;
    qsort(scores->type, n, sizeof *scores->type, compare_names);
    for (uint32_t i = 0; i < n; i++) {
        const cau_str name = scores->type[i].name;
        rank[cau_alphabet_find(tags->types, name.s, name.n)] = i;
    }
    return true;
}

static cau_chunk_average average_of(cau_counts c)
{
    return (cau_chunk_average){cau_counts_precision(c), cau_counts_recall(c), cau_counts_f1(c)};
}

static void add_weighted(cau_chunk_average *sum, cau_chunk_average x, double weight)
{
    sum->precision += weight * x.precision;
    sum->recall += weight * x.recall;
    sum->f1 += weight * x.f1;
}

static void make_averages(cau_chunk_scores *scores)
{
    cau_counts all = {0};
    for (size_t i = 0; i < scores->n; i++) {
        all.gold += scores->type[i].counts.gold;
        all.found += scores->type[i].counts.found;
        all.correct += scores->type[i].counts.correct;
    }
    scores->all = all;
    scores->micro = average_of(all);
    for (size_t i = 0; i < scores->n; i++) {
        const cau_counts c = scores->type[i].counts;
        add_weighted(&scores->macro, average_of(c), 1 / (double)scores->n);
        if (all.gold)
            add_weighted(&scores->weighted, average_of(c), (double)c.gold / (double)all.gold);
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const cau_type_pair *p = a, *q = b;
    if (p->gold != q->gold) return p->gold < q->gold ? -1 : 1;
    return (p->found > q->found) - (p->found < q->found);
}

/* The confusion of types, right chunks in it as well. */
static bool make_confusion(cau_chunk_scores *scores, const uint32_t *rank)
{
    const size_t pairs = cau_alphabet_size(scores->pairs);
    cau_type_pair *confusion = cau_alloc(pairs + scores->n, sizeof *confusion);
    if (!confusion) return false;
    scores->confusion = confusion;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t key[2];
        memcpy(key, cau_alphabet_name(scores->pairs, i).s, sizeof key);
        for (size_t side = 0; side < 2; side++)
            if (key[side] != CAU_UNKNOWN) key[side] = rank[key[side]];
        confusion[i] = (cau_type_pair){key[CAU_GOLD], key[CAU_FOUND], scores->pair[i]};
    }
    size_t count = pairs;
    for (uint32_t i = 0; i < scores->n; i++)
        if (scores->type[i].counts.correct)
            confusion[count++] = (cau_type_pair){i, i, scores->type[i].counts.correct};
    qsort(confusion, count, sizeof *confusion, compare_pairs);

    size_t kept = 0; /* misplaced chunks of a type and right ones are one pair */
    for (size_t i = 0; i < count; i++)
        if (kept && compare_pairs(&confusion[kept - 1], &confusion[i]) == 0)
            confusion[kept - 1].count += confusion[i].count;
        else
            confusion[kept++] = confusion[i];
    scores->confusions = kept;
    return true;
}

static bool make_figure(cau_chunk_scores *scores)
{
    if (scores->n > SHOWN_MAX) return true;
    const size_t n = scores->n + 1;
    scores->shown_name = cau_alloc(n, sizeof *scores->shown_name);
    scores->shown_count = cau_calloc(n * n, sizeof *scores->shown_count);
    if (!scores->shown_name || !scores->shown_count) return false;
    scores->shown = n;
    for (size_t i = 0; i + 1 < n; i++) {
        const cau_str name = scores->type[i].name;
        scores->shown_name[i] = name.n ? name : CAU_STR("(no type)");
    }
    scores->shown_name[n - 1] = CAU_STR("");
    for (size_t i = 0; i < scores->confusions; i++) {
        const cau_type_pair *pair = &scores->confusion[i];
        const size_t gold = pair->gold == CAU_UNKNOWN ? n - 1 : pair->gold;
        const size_t found = pair->found == CAU_UNKNOWN ? n - 1 : pair->found;
        scores->shown_count[gold * n + found] = (double)pair->count;
    }
    return true;
}

caucus_status cau_chunk_scores_finish(cau_chunk_scores *scores, const cau_tags *tags,
                                      const uint64_t illegal[2])
{
    caucus_status st = CAUCUS_OK;
    scores->scheme = tags->scheme;
    scores->strict = tags->strict;
    scores->raw = tags->raw;
    for (size_t side = 0; side < 2; side++) scores->illegal[side] = illegal[side];
    uint32_t *rank = cau_alloc(scores->types, sizeof *rank);
    if (!rank || !make_types(scores, tags, rank) || !make_confusion(scores, rank) ||
        !make_figure(scores))
        TRY(cau_fail_memory(scores->ctx, "the scores of chunks"));
    make_averages(scores);
done:
    free(rank);
    return st;
}

void cau_chunk_scores_confusion(const cau_chunk_scores *scores, size_t *n, const cau_str **names,
                                const double **counts)
{
    *n = scores->shown;
    *names = scores->shown_name;
    *counts = scores->shown_count;
}

/* ---- one of them --------------------------------------------------------------------- */

/* "precision", "recall" or "f1"; NaN for another. */
static double member(cau_chunk_average average, const char *name)
{
    if (strcmp(name, "precision") == 0) return average.precision;
    if (strcmp(name, "recall") == 0) return average.recall;
    if (strcmp(name, "f1") == 0) return average.f1;
    return NAN;
}

/* The same or "support", "found", "correct". */
static double member_or_count(cau_chunk_average average, cau_counts counts, const char *name)
{
    if (strcmp(name, "support") == 0) return (double)counts.gold;
    if (strcmp(name, "found") == 0) return (double)counts.found;
    if (strcmp(name, "correct") == 0) return (double)counts.correct;
    return member(average, name);
}

/* What follows a prefix; NULL where there is none. */
static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

double cau_chunk_scores_get(const cau_chunk_scores *scores, const char *measure, const char *type)
{
    if (type) {
        const cau_type_score key = {.name = {type, strlen(type)}};
        const cau_type_score *found =
            bsearch(&key, scores->type, scores->n, sizeof key, compare_names);
        if (!found) return NAN;
        return member_or_count(average_of(found->counts), found->counts, measure);
    }
    const char *rest;
    if ((rest = after(measure, "chunk-macro-"))) return member(scores->macro, rest);
    if ((rest = after(measure, "chunk-weighted-"))) return member(scores->weighted, rest);
    if ((rest = after(measure, "chunk-"))) return member_or_count(scores->micro, scores->all, rest);
    if (strcmp(measure, "accuracy-tokens") == 0)
        return scores->tokens ? (double)scores->right / (double)scores->tokens : NAN;
    if (strcmp(measure, "accuracy-inside") == 0)
        return scores->inside ? (double)scores->right_inside / (double)scores->inside : NAN;
    if (strcmp(measure, "illegal-gold") == 0) return (double)scores->illegal[CAU_GOLD];
    if (strcmp(measure, "illegal-predicted") == 0) return (double)scores->illegal[CAU_FOUND];
    return NAN;
}
