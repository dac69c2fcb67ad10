/* chunks.c - from labels to chunks.
 *
 * Every scheme is read by the one rule of scheme.h: a label continues the chunk before it if
 * that chunk has its type and is open (its last label is B or I) and the label is I or E; any other
 * label except O begins a chunk. So the labels of a sentence form runs, and each run is a chunk:
 *
 *     B-NP I-NP  I-VP  O  B-NP  B-NP        iob2, one label illegal
 *     [   NP   ] [VP ]    [NP ] [NP ]
 *
 * conlleval reads B, I and O in this way, so its output follows. It reads E and S differently
 * (for it an S is not a chunk of its own); here iobes and bilou give the chunks of the
 * same text in iob2. Besides the letters of the scheme there are
 *     X-         same as X: the type is ""
 *     .          same as O
 *     [ and ]    chunks of one token, with a type or without, if no scheme is given
 * as in conlleval, and
 *     -X-        same as O: it replaces a label in the -DOCSTART- lines of CoNLL-2003
 * With `raw`, each label except O is a type, and each token with such a label is a chunk. A label
 * that fits none of these rules counts as O; `foreign` is the first such label.
 *
 * Inside a run every label continues the one before it, which all schemes allow. Only the ends of a
 * run can break the rules of a scheme:
 *     the first label   needs an open chunk of its type before it, but has no such chunk
 *                       (I in iob2; I and E in iobes; B in iob1, unless it follows B or I of its
 *                       type)
 *     the last label    must be continued, but ends its run (B and I in iobes)
 * Such labels are `illegal`; a run of one label that is both counts once. In strict reading a run
 * with an illegal label is no chunk, and its tokens count as O. This is the strict mode of seqeval:
 *     iob2     O I-PER          no chunk          B-PER I-LOC    PER, one token
 *     iobes    B-PER I-PER O    no chunk          B-PER E-LOC    no chunk
 * A label that was read as O still counts as a label before the next run: in iob1, O B-NP B-NP has
 * one chunk, because the second B follows a label of its type. */

#include "eval/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- the meaning of labels ---------------------------------------------------------------- */

static bool is_text(cau_str label, const char *text)
{
    return text && strlen(text) == label.n && memcmp(text, label.s, label.n) == 0;
}

static bool is_bracket(cau_str label)
{
    return (label.s[0] == '[' || label.s[0] == ']') && (label.n == 1 || label.s[1] == '-');
}

/* Splits a label into place and type; false if it is not a label of the scheme. */
static bool parse_label(const cau_tags *tags, cau_str label, cau_place *place, cau_str *type)
{
    *place = CAU_OUTSIDE;
    *type = (cau_str){"", 0};
    if (is_text(label, "O") || is_text(label, tags->outside)) return true;
    if (tags->raw) {
        *place = CAU_SINGLE;
        *type = label;
        return true;
    }
    if (label.n == 0) return false;
    if (is_text(label, ".") || is_text(label, "-X-")) return true;
    if (label.n == 2 && label.s[1] == '-') label.n = 1;
    if (tags->scheme == CAU_SCHEME_NONE && is_bracket(label)) {
        *place = CAU_SINGLE;
        if (label.n > 2) *type = (cau_str){label.s + 2, label.n - 2};
        return true;
    }
    return cau_scheme_parse(tags->scheme, label, place, type);
}

/* The id of a spelling if the alphabet has it and it is less than `first`, else `first`. */
static uint32_t earlier(const cau_alphabet *labels, const char *spelling, size_t n, uint32_t first)
{
    uint32_t id = cau_alphabet_find(labels, spelling, n);
    return id < first ? id : first; /* CAU_UNKNOWN is the largest id */
}

/* The first label with the meaning of label `id`. */
static uint32_t first_spelling(const cau_tags *tags, const cau_alphabet *labels, uint32_t id)
{
    cau_str label = cau_alphabet_name(labels, id);
    bool bare = tags->raw; /* and X- is a type */
    bool short_or_long = label.n == 1 || (label.n == 2 && label.s[1] == '-');
    uint32_t same = id;
    if (is_text(label, "O") || is_text(label, tags->outside) ||
        (!bare && (is_text(label, "O-") || is_text(label, "-X-")))) {
        same = earlier(labels, "O", 1, same);
        if (!bare) same = earlier(labels, "O-", 2, same);
        if (!bare) same = earlier(labels, "-X-", 3, same);
        if (tags->outside) same = earlier(labels, tags->outside, strlen(tags->outside), same);
    } else if (!bare && short_or_long) {
        const char spelling[] = {label.s[0], '-'};
        same = earlier(labels, spelling, 1, same);
        same = earlier(labels, spelling, 2, same);
    }
    return same;
}

caucus_status cau_tags_learn(cau_tags *tags, const cau_alphabet *labels)
{
    if (!tags->types) {
        caucus_ctx silent = {0}; /* the caller reports the failure */
        caucus_status st = cau_alphabet_new(&silent, &tags->types);
        if (st) return st;
        tags->chunked = true;
        tags->foreign = CAU_UNKNOWN;
    }
    const size_t size = cau_alphabet_size(labels);
    if (size <= tags->count) return CAUCUS_OK;
    if (!CAU_GROW(tags->tag, tags->room, size)) return CAUCUS_ERR_MEMORY;
    for (; tags->count < size; tags->count++) {
        const uint32_t id = (uint32_t)tags->count;
        struct cau_tag tag = {.same = first_spelling(tags, labels, id)};
        cau_str type;
        if (!parse_label(tags, cau_alphabet_name(labels, id), &tag.place, &type)) {
            tag.place = CAU_OUTSIDE;
            if (tags->chunked) tags->foreign = id;
            tags->chunked = false;
        }
        if (tag.place != CAU_OUTSIDE) {
            tag.type = cau_alphabet_add(tags->types, type.s, type.n);
            if (tag.type == CAU_UNKNOWN) return CAUCUS_ERR_MEMORY;
        }
        tags->tag[id] = tag;
    }
    return CAUCUS_OK;
}

void cau_tags_clear(cau_tags *tags)
{
    cau_alphabet_free(tags->types);
    free(tags->tag);
    tags->types = NULL;
    tags->tag = NULL;
    tags->count = tags->room = 0;
}

/* ---- the chunks of a sentence -------------------------------------------------------- */

/* Whether `tag`, the first label of a run, needs another label before it. */
static bool begins_wrongly(cau_scheme_name scheme, struct cau_tag before, struct cau_tag tag)
{
    if (cau_scheme_first(scheme, tag.place)) return false;
    bool after_open = before.type == tag.type && cau_place_continues(before.place, CAU_INSIDE);
    return !after_open;
}

size_t cau_chunks_of(const cau_tags *tags, const uint32_t *labels, size_t T, cau_chunk *chunks,
                     uint64_t *illegal)
{
    static const struct cau_tag outside = {.place = CAU_OUTSIDE};
    struct cau_tag before = outside; /* the label of token t - 1 */
    size_t n = 0;
    uint64_t wrong = 0;
    for (size_t t = 0; t < T;) {
        struct cau_tag tag = labels[t] == CAU_UNKNOWN ? outside : tags->tag[labels[t]];
        if (tag.place == CAU_OUTSIDE) {
            before = tag;
            t++;
            continue;
        }

        const size_t begin = t;
        const bool wrong_begin = begins_wrongly(tags->scheme, before, tag);
        do {
            before = tag;
            t++;
            tag = t == T || labels[t] == CAU_UNKNOWN ? outside : tags->tag[labels[t]];
        } while (tag.type == before.type && cau_place_continues(before.place, tag.place));
        const bool wrong_end = !cau_scheme_last(tags->scheme, before.place);

        const bool both_of_one = wrong_begin && wrong_end && t - begin == 1;
        wrong += (uint64_t)wrong_begin + wrong_end - both_of_one;
        if (tags->strict && (wrong_begin || wrong_end)) continue;
        chunks[n++] = (cau_chunk){(uint32_t)begin, (uint32_t)t, before.type};
    }
    if (illegal) *illegal += wrong;
    return n;
}

size_t cau_chunks_common(const cau_chunk *a, size_t n, const cau_chunk *b, size_t m)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < n && j < m;) {
        common += a[i].begin == b[j].begin && a[i].end == b[j].end && a[i].type == b[j].type;
        if (a[i].begin < b[j].begin)
            i++;
        else
            j++;
    }
    return common;
}

/* ---- counts -------------------------------------------------------------------------- */

static double divide(double a, double b, double undefined)
{
    return b > 0 ? a / b : undefined;
}

cau_prf cau_counts_prf(cau_counts c, double undefined)
{
    const double gold = (double)c.gold, found = (double)c.found, correct = (double)c.correct;
    return (cau_prf){.precision = divide(correct, found, undefined),
                     .recall = divide(correct, gold, undefined),
                     .f1 = divide(2 * correct, found + gold, undefined)};
}

double cau_counts_f1(cau_counts c)
{
    return cau_counts_prf(c, 0).f1;
}
