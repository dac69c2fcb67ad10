/* tally.c - how good the answers of a run are on the data that it did not train on. */

#include "study/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "study/folds.h"

/* Room for the longest sequence. */
typedef struct {
    uint32_t *number;            /* [Y of training] our number of each of its labels */
    uint32_t *gold, *label;      /* [T] */
    cau_chunk *expected, *found; /* [T] */
} room;

static void room_clear(room *r)
{
    free(r->number);
    free(r->gold);
    free(r->label);
    free(r->expected);
    free(r->found);
}

bool cau_tally_chunked(const cau_dataset *set, const cau_tags *tags)
{
    if (!set->sequence || !tags->chunked) return false;
    for (size_t y = 0; y < tags->count; y++)
        if (tags->tag[y].place != CAU_OUTSIDE) return true;
    return false;
}

static size_t sequence_of(const cau_held *held, size_t k)
{
    return held->which ? held->which[k] : k;
}

static caucus_status room_of(caucus_ctx *ctx, const cau_held *held, const cau_alphabet *ours,
                             const cau_alphabet *theirs, room *r)
{
    const size_t Y = cau_alphabet_size(theirs);
    size_t longest = 0;
    for (size_t k = 0; k < held->count; k++) {
        const size_t s = sequence_of(held, k);
        const size_t T = cau_sequence_begin(held->set, s + 1) - cau_sequence_begin(held->set, s);
        if (T > longest) longest = T;
    }
    *r = (room){.number = cau_alloc(Y, sizeof *r->number),
                .gold = cau_alloc(longest, sizeof *r->gold),
                .label = cau_alloc(longest, sizeof *r->label),
                .expected = cau_alloc(longest, sizeof *r->expected),
                .found = cau_alloc(longest, sizeof *r->found)};
    if (!r->number || !r->gold || !r->label || !r->expected || !r->found)
        return cau_fail_memory(ctx, "the answers");
    for (uint32_t y = 0; y < Y; y++) {
        const cau_str name = cau_alphabet_name(theirs, y);
        r->number[y] = cau_alphabet_find(ours, name.s, name.n);
    }
    return CAUCUS_OK;
}

/* Counts the T labels of a sequence. */
static void tally_sequence(const cau_tags *tags, size_t T, room *r, cau_tally *out)
{
    for (size_t t = 0; t < T; t++) {
        out->tokens += r->gold[t] != CAU_UNKNOWN;
        out->right += r->gold[t] != CAU_UNKNOWN && r->label[t] == r->gold[t];
    }
    if (!tags) return;
    const size_t expected = cau_chunks_of(tags, r->gold, T, r->expected, NULL);
    const size_t found = cau_chunks_of(tags, r->label, T, r->found, NULL);
    out->chunks.gold += expected;
    out->chunks.found += found;
    out->chunks.correct += cau_chunks_common(r->expected, expected, r->found, found);
}

caucus_status cau_tally_answers(caucus_ctx *ctx, const cau_held *held, const cau_alphabet *ours,
                                const cau_alphabet *theirs, const uint32_t *answer, cau_tally *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = held->set;
    cau_tally sum = {0};
    room r = {0};
    TRY(room_of(ctx, held, ours, theirs, &r));
    for (size_t k = 0; k < held->count; k++) {
        const size_t s = sequence_of(held, k), begin = cau_sequence_begin(set, s);
        const size_t T = cau_sequence_begin(set, s + 1) - begin;
        for (size_t t = 0; t < T; t++, answer++) {
            const bool open = set->gold[begin + t] & CAU_SET;
            r.gold[t] = open ? CAU_UNKNOWN : set->gold[begin + t];
            r.label[t] = open ? CAU_UNKNOWN : r.number[*answer];
        }
        tally_sequence(held->tags, T, &r, &sum);
    }
    *out = sum;
done:
    room_clear(&r);
    return st;
}

void cau_tally_add(cau_tally *sum, const cau_tally *more)
{
    sum->tokens += more->tokens;
    sum->right += more->right;
    sum->chunks.gold += more->chunks.gold;
    sum->chunks.found += more->chunks.found;
    sum->chunks.correct += more->chunks.correct;
}

double cau_tally_accuracy(const cau_tally *tally)
{
    return tally->tokens ? (double)tally->right / (double)tally->tokens : NAN;
}
