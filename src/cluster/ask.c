/* ask.c - asks questions and applies the answers.
 *
 *     naive      asks the n best pairs of one set of samples, except pairs that follow from earlier
 *                answers
 *     joint      the same with n pairs chosen for what their answers tell together
 *     filtered   asks the best pair, drops the samples that disagree with the answer, and
 *                chooses the next pair by the others (Vlachos et al. 2010). About half of the
 *                samples go each time; when fewer than a threshold are left, new ones are drawn
 *
 * After each batch the chains continue under the links so far. Every answer is written, with all
 * others, before the next question is asked: after an interruption the same command continues and
 * nothing is lost.
 *
 * An undone answer ends its batch, because samples were drawn under it or dropped for it. The next
 * batch begins with the same question. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "cluster/work.h"
#include "text/columns.h"
#include "text/lines.h"

enum {
    TELLING = 6, /* features shown for an item */
    CANDIDATES =
        2000 /* least certain pairs among which --select vi and --batch-mode joint choose */
};

typedef struct {
    cau_cluster_work *w;
    caucus_ask_fn *ask;
    void *user;
    cau_rng rng;
    size_t first; /* number of links that are answers */
    uint64_t
        *skip; /* [skips] pairs not to ask about (again): skipped, or answered by a soft link */
    size_t skips, skip_room;
    enum {
        DISAGREED,
        TIED,
        AGREED
    } *
        vote; /* [given] each answer of this session with most samples */
    size_t given, vote_room;
    uint8_t *keep;               /* [S] samples that agree with the answers of the batch */
    cau_question first_of_batch; /* the question whose answer was undone, if any */
    bool taken_back,
        changed;  /* an answer was undone in this batch; links changed since the last draw */
    bool certain; /* the note that all samples agree was given */
    bool quit;
} session;

/* ---- gold classes ---------------------------------------------------------------------------- */

caucus_status cau_cluster_gold(caucus_ctx *ctx, const char *path, const cau_alphabet *items,
                               uint32_t *gold)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = cau_alphabet_size(items);
    cau_lines *lines = NULL;
    cau_alphabet *classes = NULL;
    size_t found = 0;
    for (size_t i = 0; i < N; i++) gold[i] = CAU_UNKNOWN;
    TRY(cau_alphabet_new(ctx, &classes));
    TRY(cau_lines_open(ctx, path, &lines));
    for (;;) {
        cau_str line;
        TRY(cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        if (line.n == 0) continue;
        const cau_separator by = cau_separator_of(line, 0);
        cau_str item, class;
        cau_column_first(&line, by, &item);
        cau_column_first(&line, by, &class);
        if (class.n == 0)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "an item without a class; write item TAB class",
                         CAU_AT_ARGS(lines)));
        const uint32_t i = cau_alphabet_find(items, item.s, item.n);
        if (i == CAU_UNKNOWN) continue;
        const uint32_t c = cau_alphabet_add(classes, class.s, class.n);
        if (c == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the classes"));
        if (gold[i] != CAU_UNKNOWN && gold[i] != c)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "%.*s has a second class; leave it in one of them",
                         CAU_AT_ARGS(lines), CAU_SHOWN(item)));
        found += gold[i] == CAU_UNKNOWN;
        gold[i] = c;
    }
    if (found == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: none of its items is among those to be clustered; check the file", path));
    if (found < N)
        cau_note(ctx, "%s: %zu of %zu items have a class; scores are of these", path, found, N);
done:
    cau_lines_free(lines);
    cau_alphabet_free(classes);
    return st;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static caucus_status save_answers(session *s)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_work *w = s->w;
    cau_strbuf text = {0};
    cau_output *out = NULL;
    if (!w->o->answers) return CAUCUS_OK;
    for (size_t i = s->first; i < cau_links_count(w->links); i++)
        cau_link_write(cau_links_at(w->links, i), w->items.items, &text);
    TRY(cau_strbuf_status(w->ctx, &text));
    TRY(cau_output_open(w->ctx, w->o->answers, &out));
    TRY(cau_output_write(w->ctx, out, text.s ? text.s : "", text.n));
    TRY(cau_output_commit(w->ctx, out));
done:
    cau_output_free(out);
    cau_strbuf_clear(&text);
    return st;
}

/* ---- one question ---------------------------------------------------------------------------- */

/* Features that an item has more of than the average item: x_v log( (x_v / x.) / (n_v / n.) ). */
static size_t top_features_of(const cau_cluster_work *w, const double *all, double total,
                              uint32_t item, const char **names)
{
    const cau_csr *x = &w->items.x;
    double best[TELLING], sum = 0;
    size_t count = 0;
    for (size_t at = x->start[item]; at < x->start[item + 1]; at++) sum += (double)x->value[at];
    for (size_t at = x->start[item]; at < x->start[item + 1]; at++) {
        const uint32_t v = x->column[at];
        const double value = (double)x->value[at];
        const double score = value * log(value / sum * total / all[v]);
        if (!(score > 0) || (count == TELLING && score <= best[TELLING - 1])) continue;
        size_t place = count < TELLING ? count++ : TELLING - 1;
        for (; place > 0 && best[place - 1] < score; place--) {
            best[place] = best[place - 1];
            names[place] = names[place - 1];
        }
        best[place] = score;
        names[place] = cau_alphabet_name(w->items.features, v).s;
    }
    return count;
}

static caucus_status ask_person(session *s, const cau_question *q, caucus_answer *answer)
{
    const cau_cluster_work *w = s->w;
    const cau_csr *x = &w->items.x;
    const char *a[TELLING], *b[TELLING];
    double total = 0, *all = cau_calloc(x->columns, sizeof *all);
    if (!all) return cau_fail_memory(w->ctx, "a question");
    for (size_t at = 0; at < cau_csr_nonzeros(x); at++) {
        all[x->column[at]] += (double)x->value[at];
        total += (double)x->value[at];
    }
    const caucus_question question = {
        .a = cau_alphabet_name(w->items.items, q->a).s,
        .b = cau_alphabet_name(w->items.items, q->b).s,
        .together = q->together,
        .number = w->asked + 1,
        .total = (size_t)w->o->ask,
        .a_features = a,
        .b_features = b,
        .a_count = top_features_of(w, all, total, q->a, a),
        .b_count = top_features_of(w, all, total, q->b, b),
    };
    free(all);
    return s->ask(s->user, &question, answer);
}

static caucus_answer ask_gold(const cau_cluster_work *w, const cau_question *q)
{
    const uint32_t a = w->gold[q->a], b = w->gold[q->b];
    if (a == CAU_UNKNOWN || b == CAU_UNKNOWN) return CAUCUS_ANSWER_SKIP;
    return a == b ? CAUCUS_ANSWER_TOGETHER : CAUCUS_ANSWER_APART;
}

static uint64_t pair_of(const session *s, uint32_t a, uint32_t b)
{
    return a < b ? cau_pair_index(s->w->points.N, a, b) : cau_pair_index(s->w->points.N, b, a);
}

static caucus_status pass_over(session *s, uint32_t a, uint32_t b)
{
    if (!CAU_GROW(s->skip, s->skip_room, s->skips + 1))
        return cau_fail_memory(s->w->ctx, "the questions");
    s->skip[s->skips++] = pair_of(s, a, b);
    return CAUCUS_OK;
}

/* Lets a pair be asked about again. */
static void reopen(session *s, uint32_t a, uint32_t b)
{
    const uint64_t pair = pair_of(s, a, b);
    size_t left = 0;
    for (size_t i = 0; i < s->skips; i++)
        if (s->skip[i] != pair) s->skip[left++] = s->skip[i];
    s->skips = left;
}

static caucus_status answered(session *s, const cau_question *q, bool together)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    if (!CAU_GROW(s->vote, s->vote_room, s->given + 1)) TRY(cau_fail_memory(w->ctx, "the answers"));
    const double trust = w->o->trust;
    TRY(cau_links_add(w->ctx, w->links, w->items.items,
                      (cau_link){.a = q->a, .b = q->b, .together = together ? trust : 1 - trust}));
    if (trust < 1) TRY(pass_over(s, q->a, q->b)); /* a soft link leaves the pair open */
    s->vote[s->given] = q->together == .5                ? TIED
                        : together == (q->together > .5) ? AGREED
                                                         : DISAGREED;
    w->right += s->vote[s->given] == AGREED;
    w->tied += s->vote[s->given++] == TIED;
    w->asked++;
    s->changed = true;
    TRY(save_answers(s));
done:
    return st;
}

/* Undoes the last answer, which may be one of the file. */
static caucus_status undo(session *s)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    const cau_link last = cau_links_at(w->links, cau_links_count(w->links) - 1);
    TRY(cau_links_drop_last(w->ctx, w->links));
    reopen(s, last.a, last.b);
    w->asked--;
    if (s->given) {
        w->right -= s->vote[--s->given] == AGREED;
        w->tied -= s->vote[s->given] == TIED;
    } else {
        w->earlier--;
    }
    s->first_of_batch =
        (cau_question){last.a < last.b ? last.a : last.b, last.a < last.b ? last.b : last.a, 0};
    s->taken_back = s->changed = true;
    TRY(save_answers(s));
done:
    return st;
}

/* Asks a question and applies the answer; *linked tells whether it added a link. */
static caucus_status put_question(session *s, const cau_question *q, bool *linked)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    caucus_answer answer = CAUCUS_ANSWER_SKIP;
    *linked = false;
    while (s->ask) {
        TRY(ask_person(s, q, &answer));
        if (answer != CAUCUS_ANSWER_UNDO || cau_links_count(w->links) > s->first) break;
        cau_note(w->ctx, "there is no answer to take back");
    }
    if (!s->ask) answer = ask_gold(w, q);
    switch (answer) {
    case CAUCUS_ANSWER_SKIP:
        TRY(pass_over(s, q->a, q->b));
        w->skipped++;
        break;
    case CAUCUS_ANSWER_UNDO:
        TRY(undo(s));
        break;
    case CAUCUS_ANSWER_QUIT:
        s->quit = true;
        break;
    case CAUCUS_ANSWER_TOGETHER:
    case CAUCUS_ANSWER_APART:
        TRY(answered(s, q, answer == CAUCUS_ANSWER_TOGETHER));
        *linked = true;
        break;
    default:
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT, "%d is no answer to a question", (int)answer));
    }
done:
    return st;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Puts the question of the undone answer first, unless it follows from other links. */
static void put_first(session *s, size_t n, cau_question *list, size_t *count)
{
    const cau_partitions *samples = &s->w->samples;
    cau_question q = s->first_of_batch;
    size_t at = 0;
    s->taken_back = false;
    if (cau_links_state(s->w->links, q.a, q.b) != CAU_PAIR_OPEN) return;
    for (size_t i = 0; i < samples->S; i++) {
        const uint32_t *z = samples->z + i * samples->N;
        q.together += z[q.a] == z[q.b] ? 1 / (double)samples->S : 0;
    }
    while (at < *count && (list[at].a != q.a || list[at].b != q.b)) at++;
    if (at == *count) at = *count < n ? (*count)++ : n - 1;
    memmove(list + 1, list, at * sizeof *list);
    list[0] = q;
}

/* The n questions whose answers tell most, of the CANDIDATES least certain ones. */
static caucus_status choose_most_telling(session *s, const uint8_t *keep, size_t n,
                                         cau_question *out, size_t *count)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    const size_t most = n < CANDIDATES ? CANDIDATES : n;
    size_t found = 0;
    cau_question *list = cau_alloc(most, sizeof *list);
    if (!list) TRY(cau_fail_memory(w->ctx, "the questions"));
    TRY(cau_questions_best(w->ctx, &w->samples, keep, w->links, s->skip, s->skips, &s->rng, most,
                           list, &found));
    if (w->o->batch_mode == CAU_BATCH_JOINT)
        TRY(cau_questions_jointly(w->ctx, &w->samples, keep, w->o->trust, &s->rng, n, list, found));
    else
        TRY(cau_questions_by_vi(w->ctx, &w->samples, keep, w->o->trust, list, found));
    *count = found < n ? found : n;
    memcpy(out, list, *count * sizeof *out);
done:
    free(list);
    return st;
}

/* Chooses the next n questions. */
static caucus_status choose(session *s, const uint8_t *keep, size_t n, cau_question *out,
                            size_t *count)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    const bool random = w->o->select == CAU_SELECT_RANDOM;
    if (random)
        TRY(cau_questions_random(w->ctx, &w->samples, w->links, s->skip, s->skips, &s->rng, n, out,
                                 count));
    else if (w->o->select == CAU_SELECT_VI || w->o->batch_mode == CAU_BATCH_JOINT)
        TRY(choose_most_telling(s, keep, n, out, count));
    else
        TRY(cau_questions_best(w->ctx, &w->samples, keep, w->links, s->skip, s->skips, &s->rng, n,
                               out, count));
    if (!random && !keep && !s->certain && *count && !(out->together > 0 && out->together < 1)) {
        cau_note(w->ctx, "the samples agree on every pair now; what is asked is chosen at random");
        s->certain = true;
    }
    if (s->taken_back) put_first(s, n, out, count);
done:
    return st;
}

static caucus_status draw(session *s, bool first)
{
    s->changed = false;
    return cau_cluster_draw(s->w, first);
}

static caucus_status naive_batch(session *s, size_t want, bool *any)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    size_t count = 0;
    bool linked;
    cau_question *list = cau_alloc(want, sizeof *list);
    if (!list) TRY(cau_fail_memory(w->ctx, "the questions"));
    TRY(choose(s, NULL, want, list, &count));
    *any = count > 0;
    for (size_t i = 0; i < count && !s->quit && !s->taken_back; i++)
        if (cau_links_state(w->links, list[i].a, list[i].b) == CAU_PAIR_OPEN)
            TRY(put_question(s, &list[i], &linked));
done:
    free(list);
    return st;
}

static caucus_status filtered_batch(session *s, size_t want, bool *any)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work *w = s->w;
    size_t left = w->samples.S;
    memset(s->keep, 1, left);
    *any = false;
    for (size_t done = 0; done < want && !s->quit;) {
        cau_question q;
        size_t count = 0;
        bool linked;
        if (left < w->o->threshold && left < w->samples.S) {
            TRY(draw(s, false));
            left = w->samples.S;
            memset(s->keep, 1, left);
        }
        TRY(choose(s, s->keep, 1, &q, &count));
        if (count == 0) break;
        *any = true;
        TRY(put_question(s, &q, &linked));
        if (s->taken_back) break;
        if (!linked) continue;
        done++;
        left = cau_questions_filter(
            &w->samples, &q, cau_links_at(w->links, cau_links_count(w->links) - 1).together > .5,
            s->keep);
    }
done:
    return st;
}

/* ---- all questions --------------------------------------------------------------------------- */

caucus_status cau_cluster_ask(cau_cluster_work *w, caucus_ask_fn *ask, void *user)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    session s = {.w = w, .ask = ask, .user = user, .first = cau_links_count(w->links)};
    w->first_answer = s.first;
    cau_rng_init(&s.rng, o->seed);
    if (o->answers) {
        if (access(o->answers, F_OK) == 0) {
            TRY(cau_links_read(w->ctx, w->links, w->items.items, o->answers));
            w->asked = w->earlier = cau_links_count(w->links) - s.first;
            for (size_t i = s.first; i < cau_links_count(w->links); i++) {
                const cau_link link = cau_links_at(w->links, i);
                TRY(pass_over(&s, link.a, link.b));
            }
            cau_note(w->ctx, "%s: going on after %zu answer%s%s", o->answers, w->asked,
                     w->asked == 1 ? "" : "s",
                     o->ask && w->asked >= o->ask ? "; raise --ask to be asked more" : "");
        }
    }
    TRY(draw(&s, true));
    s.keep = cau_alloc(w->samples.S, sizeof *s.keep);
    if (!s.keep) TRY(cau_fail_memory(w->ctx, "the samples"));
    while (w->asked < o->ask && !s.quit) {
        const size_t left = (size_t)o->ask - w->asked;
        const size_t want = left < o->batch ? left : (size_t)o->batch;
        bool any = false;
        if (o->batch_mode == CAU_BATCH_FILTERED)
            TRY(filtered_batch(&s, want, &any));
        else
            TRY(naive_batch(&s, want, &any));
        if (!any) {
            cau_note(w->ctx, "after %zu answers there is nothing left to ask", w->asked);
            break;
        }
        if (s.changed) TRY(draw(&s, false));
    }
done:
    free(s.skip);
    free(s.vote);
    free(s.keep);
    return st;
}
