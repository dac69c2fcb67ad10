/* chunk_scores.c - predicted chunks against gold chunks.
 *
 * Precision, recall and F1 of a type count chunks that are the same in both ends and in type. Over
 * all types
 *     micro      from the sums of the counts; this is conlleval's average
 *     macro      the mean over the types that have a chunk, gold or found
 *     weighted   the mean weighted by the gold chunks of each type
 * with 0 for 0/0.
 *
 * Errors are classified by counterparts. The counterpart of a chunk is the chunk of the other side
 * that shares most tokens with it; ties prefer a chunk of the same type, then the first. The chunks
 * of a side do not overlap, so a chunk of the same span is the counterpart and the only chunk that
 * overlaps. So each gold chunk and each found chunk has one outcome:
 *
 *                    span      type            gold side       found side
 *     right          same      same            the same number on both
 *     retyped        same      other           the same number on both
 *     misplaced      other     same
 *     confused       other     other
 *     alone          nothing overlaps          missed          spurious
 *
 * and the outcomes of a side sum to its chunks. The confusion of types counts each gold chunk in
 * the cell (its type, type of its counterpart or "none"), and each spurious chunk in ("none", its
 * type), so a row sums to the gold chunks of its type. Misplaced gold chunks are classified in two
 * ways:
 *
 *     ends     left, right or both differ from the gold ends; the found chunk is too long if it
 *              contains the gold chunk, too short if it is contained in it, else shifted:
 *                  gold          [======]          [======]          [======]
 *                  found       [==========]          [==]         [======]
 *     pieces   one found chunk for one gold chunk; split: several found chunks, of any type,
 *              overlap the gold chunk; joined: the counterpart overlaps several gold chunks;
 *              mixed: both
 *
 * Both lists are in order, so the chunks that overlap a chunk are a range that only moves forward.
 * Time is linear in the number of tokens. Memory is allocated only for new types and new pairs of
 * types. */

#include "eval/scores.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

caucus_status cau_chunk_scores_new(caucus_ctx *ctx, cau_chunk_scores **out)
{
    cau_chunk_scores *scores = cau_calloc(1, sizeof *scores);
    if (!scores) return cau_fail_memory(ctx, "the scores of chunks");
    scores->ctx = ctx;
    *out = scores;
    return CAUCUS_OK;
}

void cau_chunk_scores_free(cau_chunk_scores *scores)
{
    if (!scores) return;
    cau_confusion_clear(&scores->confusion);
    free(scores->count);
    free(scores->type);
    free(scores->names);
    free(scores);
}

/* ---- counting a sentence ------------------------------------------------------------- */

static void count_tokens(cau_chunk_scores *scores, const cau_tags *tags,
                         const cau_sentence *sentence)
{
    const uint32_t *gold = cau_sentence_gold(sentence)->label, *label = sentence->by[0].label;
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

/* Makes room for the counts of all types; new ones start at 0. */
static bool grow_types(cau_chunk_scores *scores, size_t types)
{
    if (types <= scores->types) return true;
    if (!CAU_GROW(scores->count, scores->room, types)) return false;
    memset(scores->count + scores->types, 0, (types - scores->types) * sizeof *scores->count);
    scores->types = types;
    return true;
}

/* The chunks of the other side that overlap one, first .. end-1, and its counterpart. */
typedef struct {
    size_t first, end;
    const cau_chunk *counterpart; /* NULL: none */
} chunk_overlap;

static uint32_t tokens_in_common(const cau_chunk *a, const cau_chunk *b)
{
    uint32_t begin = a->begin > b->begin ? a->begin : b->begin;
    uint32_t end = a->end < b->end ? a->end : b->end;
    return end - begin; /* they overlap */
}

/* Searches others [n] from `first` on; earlier ones end before the chunk begins. */
static chunk_overlap find_overlap(const cau_chunk *chunk, const cau_chunk *others, size_t n,
                                  size_t first)
{
    while (first < n && others[first].end <= chunk->begin) first++;
    chunk_overlap o = {first, first, NULL};
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
    chunk_overlap o = {0};
    for (size_t i = 0; i < n; i++) {
        o = find_overlap(&gold[i], found, m, o.first);
        const cau_chunk *other = o.counterpart;
        const cau_chunk_outcome outcome = outcome_of(&gold[i], other);
        scores->outcome[CAU_GOLD][outcome]++;
        scores->count[gold[i].type].gold++;
        scores->count[gold[i].type].correct += outcome == CAU_CHUNK_RIGHT;
        if (!cau_confusion_add(&scores->confusion, gold[i].type, other ? other->type : CAU_UNKNOWN))
            return false;
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
    chunk_overlap o = {0};
    for (size_t i = 0; i < m; i++) {
        o = find_overlap(&found[i], gold, n, o.first);
        const cau_chunk_outcome outcome = outcome_of(&found[i], o.counterpart);
        scores->outcome[CAU_FOUND][outcome]++;
        scores->count[found[i].type].found++;
        if (outcome == CAU_CHUNK_ALONE &&
            !cau_confusion_add(&scores->confusion, CAU_UNKNOWN, found[i].type))
            return false;
    }
    return true;
}

caucus_status cau_chunk_scores_add(cau_chunk_scores *scores, const cau_tags *tags,
                                   const cau_sentence *sentence)
{
    const cau_labelled *gold = cau_sentence_gold(sentence), *found = &sentence->by[0];
    if (!grow_types(scores, cau_alphabet_size(tags->types)) ||
        !count_gold(scores, gold->chunk, gold->chunks, found->chunk, found->chunks) ||
        !count_found(scores, found->chunk, found->chunks, gold->chunk, gold->chunks))
        return cau_fail_memory(scores->ctx, "the types of chunks");
    count_tokens(scores, tags, sentence);
    return CAUCUS_OK;
}

/* ---- measures ------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    cau_str p = ((const cau_named_counts *)a)->name, q = ((const cau_named_counts *)b)->name;
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
        scores->type[n++] = (cau_named_counts){{at, name.n}, scores->count[i]};
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

static void add_weighted(cau_prf *sum, cau_prf x, double weight)
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
    scores->micro = cau_counts_prf(all, 0);
    for (size_t i = 0; i < scores->n; i++) {
        const cau_counts c = scores->type[i].counts;
        add_weighted(&scores->macro, cau_counts_prf(c, 0), 1 / (double)scores->n);
        if (all.gold)
            add_weighted(&scores->weighted, cau_counts_prf(c, 0),
                         (double)c.gold / (double)all.gold);
    }
}

/* The pairs of types; the names are the types in order and, last, "none". */
static bool finish_confusion(cau_chunk_scores *scores, const uint32_t *rank)
{
    cau_str *name = cau_calloc(scores->n + 1, sizeof *name);
    if (!name) return false;
    for (size_t i = 0; i < scores->n; i++) name[i] = scores->type[i].name;
    cau_confusion_finish(&scores->confusion, rank, name, scores->n + 1);
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
    if (!rank || !make_types(scores, tags, rank) || !finish_confusion(scores, rank))
        TRY(cau_fail_memory(scores->ctx, "the scores of chunks"));
    make_averages(scores);
done:
    free(rank);
    return st;
}
