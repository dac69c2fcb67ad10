/* label_counts.c - see label_counts.h. */

#include "study/runs.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "study/folds.h"

/* Scratch memory, with room for the longest sequence. */
typedef struct {
    uint32_t *number;            /* [labels of training] their numbers in the whole data */
    uint32_t *gold, *label;      /* [T] */
    cau_chunk *expected, *found; /* [T] */
} count_scratch;

static void clear_scratch(count_scratch *r)
{
    free(r->number);
    free(r->gold);
    free(r->label);
    free(r->expected);
    free(r->found);
}

bool cau_labels_are_chunked(const cau_dataset *set, const cau_tags *tags)
{
    if (!set->sequence || !tags->chunked) return false;
    for (size_t y = 0; y < tags->count; y++)
        if (tags->tag[y].place != CAU_OUTSIDE) return true;
    return false;
}

static size_t held_sequence(const cau_held_data *held, size_t k)
{
    return held->which ? held->which[k] : k;
}

static caucus_status init_scratch(caucus_ctx *ctx, const cau_held_data *held,
                                  const cau_alphabet *ours, const cau_alphabet *theirs,
                                  count_scratch *r)
{
    const size_t Y = cau_alphabet_size(theirs);
    size_t longest = 0;
    for (size_t k = 0; k < held->count; k++) {
        const size_t T = cau_dataset_length(held->set, held_sequence(held, k));
        if (T > longest) longest = T;
    }
    *r = (count_scratch){.number = cau_alloc(Y, sizeof *r->number),
                         .gold = cau_alloc(longest, sizeof *r->gold),
                         .label = cau_alloc(longest, sizeof *r->label),
                         .expected = cau_alloc(longest, sizeof *r->expected),
                         .found = cau_alloc(longest, sizeof *r->found)};
    if (!r->number || !r->gold || !r->label || !r->expected || !r->found)
        return cau_fail_memory(ctx, "the held-out labels");
    for (uint32_t y = 0; y < Y; y++) {
        const cau_str name = cau_alphabet_name(theirs, y);
        r->number[y] = cau_alphabet_find(ours, name.s, name.n);
    }
    return CAUCUS_OK;
}

/* Counts one sequence of T labels. */
static void count_sequence(const cau_tags *tags, size_t T, count_scratch *r, cau_label_counts *out)
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

caucus_status cau_count_labels(caucus_ctx *ctx, const cau_held_data *held, const cau_alphabet *ours,
                               const cau_alphabet *theirs, const uint32_t *predicted,
                               cau_label_counts *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = held->set;
    cau_label_counts sum = {0};
    count_scratch r = {0};
    TRY(init_scratch(ctx, held, ours, theirs, &r));
    for (size_t k = 0; k < held->count; k++) {
        const size_t s = held_sequence(held, k), begin = cau_dataset_begin(set, s);
        const size_t T = cau_dataset_length(set, s);
        for (size_t t = 0; t < T; t++, predicted++) {
            const bool partial = set->gold[begin + t] & CAU_SET;
            r.gold[t] = partial ? CAU_UNKNOWN : set->gold[begin + t];
            r.label[t] = partial || *predicted == CAU_UNKNOWN ? CAU_UNKNOWN : r.number[*predicted];
        }
        count_sequence(held->tags, T, &r, &sum);
    }
    *out = sum;
done:
    clear_scratch(&r);
    return st;
}

void cau_label_counts_add(cau_label_counts *sum, const cau_label_counts *more)
{
    sum->tokens += more->tokens;
    sum->right += more->right;
    sum->chunks.gold += more->chunks.gold;
    sum->chunks.found += more->chunks.found;
    sum->chunks.correct += more->chunks.correct;
}

double cau_label_accuracy(const cau_label_counts *counts)
{
    return counts->tokens ? (double)counts->right / (double)counts->tokens : NAN;
}
