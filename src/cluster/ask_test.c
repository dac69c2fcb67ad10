/* ask_test.c - questions compared with the samples that they are chosen from, the effect of each
 * answer, and the file of answers. */

#include "support/cluster_sample.h"

#include <math.h>
#include <unistd.h>

typedef struct {
    caucus_ctx *ctx;
    sample_notes notes;
    cau_cluster_options o;
    cau_cluster_work w;
    sample_answerer who;
} ask_bench;

static void bench_init(ask_bench *b, const char *script)
{
    *b = (ask_bench){.ctx = test_ctx(), .o = sample_options()};
    b->who = (sample_answerer){.script = script, .w = &b->w, .user = b};
    caucus_on_note(b->ctx, sample_note, &b->notes);
}

static ask_bench *bench_new(const char *script)
{
    ask_bench *b = malloc(sizeof *b);
    assert_non_null(b);
    bench_init(b, script);
    return b;
}

static caucus_status bench_run(ask_bench *b)
{
    const caucus_status st = sample_work(b->ctx, &b->o, &b->w);
    return st ? st : cau_cluster_ask(&b->w, sample_ask, &b->who);
}

static void bench_clear(ask_bench *b)
{
    cau_cluster_clear(&b->w);
    caucus_ctx_free(b->ctx);
}

static void bench_free(ask_bench *b)
{
    bench_clear(b);
    free(b);
}

/* The share of the kept samples in which two items are together, counted sample by sample. */
static double share(const cau_partitions *p, const uint8_t *keep, size_t a, size_t b)
{
    size_t both = 0, all = 0;
    for (size_t s = 0; s < p->S; s++) {
        if (keep && !keep[s]) continue;
        all++;
        both += p->z[s * p->N + a] == p->z[s * p->N + b];
    }
    return (double)both / (double)all;
}

static uint32_t item_of(const cau_cluster_work *w, const char *name)
{
    return cau_alphabet_find(w->items.items, name, strlen(name));
}

/* The least |p - 1/2| over all open pairs. */
static double least_certain(const cau_cluster_work *w, const uint8_t *keep)
{
    double best = 1;
    for (uint32_t a = 0; a < w->samples.N; a++)
        for (uint32_t b = a + 1; b < w->samples.N; b++)
            if (cau_links_state(w->links, a, b) == CAU_PAIR_OPEN)
                best = fmin(best, fabs(share(&w->samples, keep, a, b) - .5));
    return best;
}

/* ---- gold classes ---------------------------------------------------------------------------- */

/* Links from gold classes agree with the classes, no link follows from earlier ones, and each draw
 * adds a milestone with the mean of the measures over its samples. */
static void gold_answers(void **state)
{
    (void)state;
    ask_bench *b = bench_new("");
    b->o.gold = sample_classes();
    b->o.ask = 7;
    assert_ok(b->ctx, sample_work(b->ctx, &b->o, &b->w));
    assert_ok(b->ctx, cau_cluster_ask(&b->w, NULL, NULL));
    const cau_cluster_work *w = &b->w;
    assert_int_equal(w->asked, 7);
    assert_int_equal(cau_links_count(w->links), 7);
    cau_links *before = NULL;
    assert_ok(b->ctx, cau_links_new(b->ctx, SAMPLE_N, &before));
    for (size_t i = 0; i < 7; i++) {
        const cau_link link = cau_links_at(w->links, i);
        assert_near(link.together, w->gold[link.a] == w->gold[link.b] ? 1 : 0, 0);
        assert_int_equal(cau_links_state(before, link.a, link.b), CAU_PAIR_OPEN);
        assert_ok(b->ctx, cau_links_add(b->ctx, before, w->items.items, link));
    }
    cau_links_free(before);

    assert_int_equal(w->milestones, 8);
    for (size_t i = 0; i < 8; i++) assert_int_equal(w->milestone[i].links, i);
    cau_cluster_measures mean = {0};
    for (size_t s = 0; s < w->samples.S; s++) {
        cau_cluster_measures one;
        assert_int_equal(cau_cluster_measure(w->gold, w->samples.z + s * SAMPLE_N, SAMPLE_N, &one),
                         CAUCUS_OK);
        mean.v += one.v, mean.v_beta += one.v_beta, mean.vi += one.vi;
        mean.homogeneity += one.homogeneity, mean.completeness += one.completeness;
        mean.clusters += one.clusters;
    }
    const cau_cluster_measures *m = &w->milestone[7].measures;
    const double S = (double)w->samples.S;
    assert_near(m->v, mean.v / S, 1e-12);
    assert_near(m->v_beta, mean.v_beta / S, 1e-12);
    assert_near(m->vi, mean.vi / S, 1e-12);
    assert_near(m->homogeneity, mean.homogeneity / S, 1e-12);
    assert_near(m->completeness, mean.completeness / S, 1e-12);
    assert_near(m->clusters, mean.clusters / S, 1e-12);
    assert_near(m->clusters, w->milestone[7].diagnosis.clusters, 1e-12);
    bench_free(b);
}

/* At each draw, items without a link are scored apart. */
static void unlinked_items_are_scored_apart(void **state)
{
    (void)state;
    ask_bench *b = bench_new("");
    b->o.gold = sample_classes();
    b->o.ask = 3;
    assert_ok(b->ctx, sample_work(b->ctx, &b->o, &b->w));
    assert_ok(b->ctx, cau_cluster_ask(&b->w, NULL, NULL));
    const cau_cluster_work *w = &b->w;
    bool linked[SAMPLE_N] = {false};
    size_t n = 0;
    uint32_t items[SAMPLE_N];
    for (size_t i = 0; i < 3; i++) {
        const cau_link link = cau_links_at(w->links, i);
        linked[link.a] = linked[link.b] = true;
    }
    for (uint32_t i = 0; i < SAMPLE_N; i++)
        if (!linked[i]) items[n++] = i;
    assert_true(n >= 4);
    cau_cluster_measures mean = {0};
    for (size_t s = 0; s < w->samples.S; s++) {
        cau_cluster_measures one;
        uint32_t classes[SAMPLE_N], clusters[SAMPLE_N];
        for (size_t i = 0; i < n; i++) {
            classes[i] = w->gold[items[i]];
            clusters[i] = w->samples.z[s * SAMPLE_N + items[i]];
        }
        assert_int_equal(cau_cluster_measure(classes, clusters, n, &one), CAUCUS_OK);
        mean.v += one.v / (double)w->samples.S;
        mean.rand += one.rand / (double)w->samples.S;
    }
    assert_int_equal(w->milestone[0].unlinked_items, SAMPLE_N);
    assert_near(w->milestone[0].unlinked.v, w->milestone[0].measures.v, 0);
    assert_int_equal(w->milestone[3].unlinked_items, n);
    assert_near(w->milestone[3].unlinked.v, mean.v, 1e-12);
    assert_near(w->milestone[3].unlinked.rand, mean.rand, 1e-12);
    bench_free(b);
}

/* Counts what most samples say of each question, against the script "n". */
typedef struct {
    size_t agreed, tied;
} vote_count;

static void count_vote(sample_answerer *self, const caucus_question *q)
{
    vote_count *votes = self->user;
    const double p = share(&self->w->samples, NULL, item_of(self->w, q->a), item_of(self->w, q->b));
    votes->agreed += p < .5;
    votes->tied += p == .5;
}

/* A question on which the samples are divided evenly agrees with neither answer. */
static void ties_agree_with_no_answer(void **state)
{
    (void)state;
    size_t tied = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ask_bench *b = bench_new("n");
        vote_count votes = {0, 0};
        b->o.ask = 5;
        b->o.seed = seed;
        b->who.look = count_vote;
        b->who.user = &votes;
        assert_ok(b->ctx, bench_run(b));
        assert_int_equal(b->w.right, votes.agreed);
        assert_int_equal(b->w.tied, votes.tied);
        tied += votes.tied;
        bench_free(b);
    }
    assert_true(tied > 0);
}

/* Answers that may be wrong become soft links. Their pairs are not asked about again, also when the
 * answers are read from their file, unless they are undone. */
static void answers_may_be_wrong(void **state)
{
    (void)state;
    ask_bench *b = bench_new("nyun"), *c = bench_new("n");
    b->o.ask = 20;
    b->o.trust = .9;
    b->o.answers = test_path("soft.tsv");
    unlink(b->o.answers);
    assert_ok(b->ctx, bench_run(b));
    assert_int_equal(b->w.asked, 20);
    assert_int_equal(cau_links_count(b->w.links), 20);
    assert_string_equal(b->who.asked[3], b->who.asked[1]); /* undone, so asked again */
    for (size_t i = 0; i < 20; i++) {
        const cau_link link = cau_links_at(b->w.links, i);
        assert_near(link.together, .1, 1e-15);
        assert_int_equal(cau_links_state(b->w.links, link.a, link.b), CAU_PAIR_OPEN);
        for (size_t j = 0; j < i; j++) {
            const cau_link other = cau_links_at(b->w.links, j);
            assert_true(link.a != other.a || link.b != other.b);
        }
    }
    c->o = b->o; /* all 45 pairs, of which 20 have an answer in the file */
    c->o.ask = 60;
    assert_ok(c->ctx, bench_run(c));
    assert_int_equal(c->who.at, 25);
    assert_int_equal(c->w.asked, 45);
    assert_int_equal(c->w.skipped, 0);
    bench_free(b);
    bench_free(c);
}

/* Items without a class are neither scored nor asked about. */
static void gold_of_some(void **state)
{
    (void)state;
    static const char few[] = "apple\tsweet things\nkale\tnot so sweet\n\nstranger\tx\npear\tsweet "
                              "things\n";
    ask_bench *b = bench_new("");
    b->o.gold = test_file("few.tsv", few, sizeof few - 1);
    b->o.ask = 100;
    assert_ok(b->ctx, sample_work(b->ctx, &b->o, &b->w));
    assert_ok(b->ctx, cau_cluster_ask(&b->w, NULL, NULL));
    const uint32_t *gold = b->w.gold;
    assert_int_equal(gold[0], gold[1]); /* apple, pear */
    assert_int_not_equal(gold[0], gold[6]);
    assert_int_equal(gold[2], CAU_UNKNOWN);
    assert_int_equal(b->w.asked, 2); /* the third of the three pairs follows */
    assert_int_equal(b->w.skipped, 45 - 3);
    assert_near(b->w.milestone[b->w.milestones - 1].measures.v, 1, 1e-12);
    assert_non_null(strstr(b->notes.text, "few.tsv: 3 of 10 items have a class"));
    assert_non_null(strstr(b->notes.text, "after 2 answers there is nothing left to ask"));
    bench_free(b);
}

static void gold_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } bad[] = {{"apple\n", "bad.tsv:1: an item without a class; write item TAB class"},
               {"apple\tx\napple\ty\n", "bad.tsv:2: apple has a second class"},
               {"\nstranger\tx\n", "bad.tsv: none of its items is among those to be clustered"},
               {"", "bad.tsv: none of its items"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ask_bench *b = bench_new("");
        b->o.gold = test_text("bad.tsv", bad[i].text);
        assert_fails(b->ctx, sample_work(b->ctx, &b->o, &b->w), CAUCUS_ERR_FORMAT, bad[i].part);
        bench_free(b);
    }
}

/* ---- which pairs ----------------------------------------------------------------------------- */

static void is_least_certain(sample_answerer *self, const caucus_question *q)
{
    const cau_cluster_work *w = self->w;
    const uint32_t a = item_of(w, q->a), b = item_of(w, q->b);
    assert_int_equal(cau_links_state(w->links, a, b), CAU_PAIR_OPEN);
    assert_near(q->together, share(&w->samples, NULL, a, b), 1e-6);
    assert_near(fabs(q->together - .5), least_certain(w, NULL), 1e-6);
    assert_int_equal(q->total, 6);
    assert_int_equal(q->number, self->at);
    assert_true(q->a_count > 0 && q->b_count > 0);
}

static void the_least_certain(void **state)
{
    (void)state;
    ask_bench *b = bench_new("t");
    b->o.ask = 6;
    b->who.look = is_least_certain;
    assert_ok(b->ctx, bench_run(b));
    assert_int_equal(b->who.at, 6);
    assert_int_equal(b->w.milestones, 7);
    bench_free(b);
}

/* Scores are x_v log( (x_v / x.) / (n_v / n.) ), the sum of all counts is 48, and the highest
 * scores come first. */
static void looks_at_features(sample_answerer *self, const caucus_question *q)
{
    (void)self;
    if (strcmp(q->a, "fork") != 0 || strcmp(q->b, "ladle") != 0) return;
    assert_int_equal(q->a_count, 2); /* 3 log(3/5 48/7), 2 log(2/5 48/8) */
    assert_string_equal(q->a_features[0], "steel");
    assert_string_equal(q->a_features[1], "long");
    assert_int_equal(q->b_count, 3); /* 2 log(2/4 48/7), log(1/4 48/8), log(1/4 48/10) */
    assert_string_equal(q->b_features[0], "steel");
    assert_string_equal(q->b_features[1], "long");
    assert_string_equal(q->b_features[2], "round");
}

static void shown_features(void **state)
{
    (void)state;
    ask_bench *b = bench_new("s");
    b->o.ask = 1;
    b->who.look = looks_at_features;
    assert_ok(b->ctx, bench_run(b)); /* all 45 pairs are asked about */
    assert_int_equal(b->who.at, 45);
    assert_int_equal(b->w.skipped, 45);
    bench_free(b);
}

/* Random questions are open pairs as well, but not always the least certain ones. */
static void at_random(void **state)
{
    (void)state;
    ask_bench *b = bench_new("t"), *c = bench_new("t");
    b->o.ask = c->o.ask = 8;
    b->o.select = CAU_SELECT_RANDOM;
    assert_ok(b->ctx, bench_run(b));
    assert_ok(c->ctx, bench_run(c));
    assert_int_equal(b->w.asked, 8);
    assert_memory_not_equal(b->who.asked, c->who.asked, sizeof b->who.asked);
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < i; j++) assert_string_not_equal(b->who.asked[i], b->who.asked[j]);
    assert_null(strstr(b->notes.text, "agree on every pair"));
    bench_free(b);
    bench_free(c);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* The samples as a test of batches follows them. */
typedef struct {
    uint32_t z[20 * SAMPLE_N]; /* at the last question */
    uint8_t keep[20];          /* samples that agree with all answers since they were drawn */
    size_t left, draws;
    caucus_question last;
    bool any;
} follower;

static bool drawn_anew(follower *f, const cau_partitions *p)
{
    assert_int_equal(p->S, 20);
    const bool new = !f->any || memcmp(f->z, p->z, sizeof f->z) != 0;
    memcpy(f->z, p->z, sizeof f->z);
    f->any = true;
    f->draws += new;
    return new;
}

static void of_one_draw(sample_answerer *self, const caucus_question *q)
{
    follower *f = self->user;
    const cau_cluster_work *w = self->w;
    const bool new = drawn_anew(f, &w->samples);
    assert_int_equal(new, self->at == 1 || self->at == 5);
    assert_near(q->together, share(&w->samples, NULL, item_of(w, q->a), item_of(w, q->b)), 1e-6);
    if (new) f->left = 0;
    assert_true(!f->left || fabs(q->together - .5) >= fabs(f->last.together - .5) - 1e-9);
    f->left = 1;
    f->last = *q;
}

/* A batch of four questions comes from one set of samples, the least certain pair first. */
static void naive(void **state)
{
    (void)state;
    ask_bench *b = bench_new("n"); /* cannot-links alone imply nothing */
    follower f = {0};
    b->o.ask = 8;
    b->o.batch = 4;
    b->who.look = of_one_draw;
    b->who.user = &f;
    assert_ok(b->ctx, bench_run(b));
    assert_int_equal(b->who.at, 8);
    assert_int_equal(f.draws, 2);
    assert_int_equal(b->w.milestones, 3);
    assert_int_equal(b->w.milestone[1].links, 4);
    bench_free(b);
}

static void is_open(sample_answerer *self, const caucus_question *q)
{
    const cau_cluster_work *w = self->w;
    assert_int_equal(cau_links_state(w->links, item_of(w, q->a), item_of(w, q->b)), CAU_PAIR_OPEN);
}

/* A batch of all pairs skips those that follow from earlier answers. Three classes need 7 links to
 * join their items and 3 to separate them; then no pair is open. */
static void naive_settled(void **state)
{
    (void)state;
    ask_bench *b = bench_new("t");
    b->o.ask = b->o.batch = 45;
    b->who.look = is_open;
    assert_ok(b->ctx, bench_run(b));
    assert_true(b->w.asked >= 10 && b->w.asked < 45);
    assert_int_equal(b->w.milestones, 2);
    assert_non_null(strstr(b->notes.text, "there is nothing left to ask"));
    bench_free(b);
}

/* Each question is the least certain pair over the samples that agree with the answers so far. New
 * samples are drawn when fewer than the threshold are left. The answer is always "apart", which
 * drops samples. */
static void agreeing_only(sample_answerer *self, const caucus_question *q)
{
    follower *f = self->user;
    const cau_cluster_work *w = self->w;
    const cau_partitions *p = &w->samples;
    const size_t links = cau_links_count(w->links);
    size_t would = 0; /* number of earlier samples that would be left */
    if (f->any && links) {
        const cau_link link = cau_links_at(w->links, links - 1);
        for (size_t s = 0; s < p->S; s++) {
            const uint32_t *z = f->z + s * p->N;
            if ((z[link.a] == z[link.b]) != (link.together > .5)) f->keep[s] = 0;
            would += f->keep[s];
        }
    }
    const bool first = !f->any, new = drawn_anew(f, p);
    if (!first) assert_int_equal(new, would < w->o->threshold);
    if (new) memset(f->keep, 1, sizeof f->keep);
    const uint32_t a = item_of(w, q->a), b = item_of(w, q->b);
    assert_near(q->together, share(p, f->keep, a, b), 1e-6);
    assert_near(fabs(q->together - .5), least_certain(w, f->keep), 1e-6);
    f->left += new ? 0 : p->S - would; /* dropped at least once */
}

static void filtered(void **state)
{
    (void)state;
    for (uint64_t threshold = 5; threshold < 15; threshold++) {
        ask_bench *b = bench_new("n");
        follower f = {0};
        b->o.ask = b->o.batch = 10;
        b->o.batch_mode = CAU_BATCH_FILTERED;
        b->o.threshold = threshold;
        b->who.look = agreeing_only;
        b->who.user = &f;
        assert_ok(b->ctx, bench_run(b));
        assert_int_equal(b->w.asked, 10);
        assert_true(f.draws > 1 && f.draws < 10 && f.left > 0);
        assert_int_equal(b->w.milestones, f.draws + 1); /* the last draw follows the last answer */
        bench_free(b);
    }
}

/* ---- skip, undo, quit ------------------------------------------------------------------------ */

static void skipped(void **state)
{
    (void)state;
    ask_bench *b = bench_new("ssst");
    b->o.ask = 3;
    assert_ok(b->ctx, bench_run(b));
    assert_int_equal(b->who.at, 6);
    assert_int_equal(b->w.skipped, 3);
    assert_int_equal(b->w.asked, 3);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(b->who.number[i], i < 3 ? 1 : i - 2);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(b->who.asked[i], b->who.asked[j]);
    }
    bench_free(b);
}

/* After an undo, the same question comes next, with new samples; the counts are those of the
 * answers that remain. */
static void taken_back(void **state)
{
    (void)state;
    static const struct {
        cau_batch_mode mode;
        uint64_t batch;
    } ways[] = {{CAU_BATCH_NAIVE, 1}, {CAU_BATCH_NAIVE, 3}, {CAU_BATCH_FILTERED, 3}};
    for (size_t i = 0; i < 3; i++) {
        ask_bench *b = bench_new("nnunq");
        b->o.gold = sample_classes();
        b->o.ask = 10;
        b->o.batch_mode = ways[i].mode;
        b->o.batch = ways[i].batch;
        b->o.answers = test_path("undo.tsv");
        unlink(b->o.answers);
        assert_ok(b->ctx, bench_run(b));
        assert_int_equal(b->who.at, 5);
        assert_string_equal(b->who.asked[3], b->who.asked[1]);
        static const size_t numbers[] = {1, 2, 3, 2, 3};
        for (size_t k = 0; k < 5; k++) assert_int_equal(b->who.number[k], numbers[k]);
        assert_int_equal(b->w.asked, 2);
        assert_true(b->w.right + b->w.tied <= 2);
        assert_int_equal(cau_links_count(b->w.links), 2);
        for (size_t m = 1; m < b->w.milestones; m++)
            assert_true(b->w.milestone[m].links > b->w.milestone[m - 1].links);
        assert_int_equal(b->w.milestone[b->w.milestones - 1].links, 2);
        char *kept = sample_read(b->o.answers), first[64], second[64];
        snprintf(first, sizeof first, "%s", b->who.asked[0]);
        snprintf(second, sizeof second, "%s", b->who.asked[1]);
        *strchr(first, ' ') = *strchr(second, ' ') = '\t';
        char want[160];
        snprintf(want, sizeof want, "%s\tcannot\n%s\tcannot\n", first, second);
        assert_string_equal(kept, want);
        free(kept);
        bench_free(b);
    }
}

/* One undo more than there are answers gives a note and the same question again. */
static void taken_back_too_often(void **state)
{
    (void)state;
    ask_bench *b = bench_new("unuuyq");
    b->o.ask = 3;
    b->o.answers = test_path("first.tsv");
    unlink(b->o.answers);
    assert_ok(b->ctx, bench_run(b));
    assert_int_equal(b->who.at, 6);
    for (size_t i = 0; i < 5; i++)
        if (i != 2) assert_string_equal(b->who.asked[i], b->who.asked[0]);
    const char *note = strstr(b->notes.text, "there is no answer to take back");
    assert_non_null(note);
    assert_non_null(strstr(note + 1, "there is no answer to take back"));
    assert_int_equal(b->w.asked, 1);
    assert_near(cau_links_at(b->w.links, 0).together, 1, 0);
    bench_free(b);
}

static void quits(void **state)
{
    (void)state;
    ask_bench *b = bench_new("ttq"), *c = bench_new("q");
    b->o.ask = c->o.ask = 20;
    b->o.batch = 5;
    assert_ok(b->ctx, bench_run(b));
    assert_int_equal(b->w.asked, 2);
    assert_int_equal(b->w.milestones, 2); /* the last samples were drawn under both answers */
    assert_int_equal(b->w.milestone[1].links, 2);
    for (size_t i = 0; i < 2; i++) {
        const cau_link link = cau_links_at(b->w.links, i);
        assert_near(share(&b->w.samples, NULL, link.a, link.b), link.together, 0);
    }
    assert_ok(c->ctx, bench_run(c));
    assert_int_equal(c->w.asked, 0);
    assert_int_equal(c->w.milestones, 1); /* without a new answer there is no new draw */
    bench_free(b);
    bench_free(c);
}

static void no_answer_at_all(void **state)
{
    (void)state;
    ask_bench *b = bench_new("?");
    b->o.ask = 1;
    assert_fails(b->ctx, bench_run(b), CAUCUS_ERR_ARGUMENT, "99 is no answer");
    bench_free(b);
}

/* ---- the file of answers --------------------------------------------------------------------- */

/* All answers are in the file before the next question is asked. */
static void is_on_the_disk(sample_answerer *self, const caucus_question *q)
{
    (void)q;
    cau_strbuf want = {0};
    const cau_cluster_work *w = self->w;
    for (size_t i = 0; i < cau_links_count(w->links); i++)
        cau_link_write(cau_links_at(w->links, i), w->items.items, &want);
    cau_strbuf_add(&want, "", 1);
    char *kept = sample_read(w->o->answers);
    assert_string_equal(kept ? kept : "", want.s);
    assert_int_equal(cau_links_count(w->links), q->number - 1);
    free(kept);
    cau_strbuf_clear(&want);
}

/* A failure loses no answer; the same command continues with new questions. */
static void goes_on(void **state)
{
    (void)state;
    const char *path = test_path("kept.tsv");
    unlink(path);
    for (size_t batch = 1; batch <= 4; batch += 3) {
        unlink(path);
        ask_bench *b = bench_new("ttt!");
        b->o.ask = 8;
        b->o.batch = batch;
        b->o.answers = path;
        b->who.look = is_on_the_disk;
        assert_int_equal(bench_run(b), CAUCUS_ERR_IO);
        assert_int_equal(b->who.at, 4);
        char *kept = sample_read(path);
        size_t lines = 0;
        for (const char *c = kept; *c; c++) lines += *c == '\n';
        assert_int_equal(lines, 3);
        free(kept);

        ask_bench *c = bench_new("t");
        c->o = b->o;
        c->who.look = is_on_the_disk;
        assert_ok(c->ctx, bench_run(c));
        assert_non_null(strstr(c->notes.text, "kept.tsv: going on after 3 answers\n"));
        assert_int_equal(c->who.at, 5);
        assert_int_equal(c->who.number[0], 4);
        assert_int_equal(c->w.asked, 8);
        assert_int_equal(c->w.earlier, 3);
        assert_true(c->w.right + c->w.tied <= 5);
        assert_int_equal(c->w.milestone[0].links, 3);
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 3; j++)
                assert_string_not_equal(c->who.asked[i], b->who.asked[j]);

        ask_bench *d = bench_new("!"); /* no question if the file has all answers */
        d->o = b->o;
        assert_ok(d->ctx, bench_run(d));
        assert_int_equal(d->who.at, 0);
        assert_non_null(strstr(d->notes.text, "after 8 answers; raise --ask to be asked more"));
        bench_free(b);
        bench_free(c);
        bench_free(d);
    }
}

/* Answers of an earlier session can be undone, too. */
static void takes_back_earlier(void **state)
{
    (void)state;
    static const char two[] = "apple\tpear\tmust\npear\tfork\tcannot\n";
    ask_bench *b = bench_new("uuuq");
    b->o.ask = 5;
    b->o.answers = test_file("earlier.tsv", two, sizeof two - 1);
    assert_ok(b->ctx, bench_run(b));
    assert_string_equal(b->who.asked[1], "pear fork");
    assert_string_equal(b->who.asked[2], "apple pear");
    assert_int_equal(b->w.asked, 0);
    assert_int_equal(b->w.earlier, 0);
    char *kept = sample_read(b->o.answers);
    assert_string_equal(kept, "");
    free(kept);
    bench_free(b);
}

static void contradicted(void **state)
{
    (void)state;
    static const char links[] = "apple\tpear\tmust\npear\tplum\tmust\n";
    static const char answers[] = "leek\tkale\tmust\nplum\tapple\tcannot\n";
    ask_bench *b = bench_new("t");
    b->o.links = test_file("links.tsv", links, sizeof links - 1);
    b->o.answers = test_file("wrong.tsv", answers, sizeof answers - 1);
    assert_fails(b->ctx, bench_run(b), CAUCUS_ERR_FORMAT, "wrong.tsv:2: ");
    assert_non_null(
        strstr(caucus_message(b->ctx), "plum must pear, pear must apple, so plum cannot apple"));
    char *kept = sample_read(b->o.answers);
    assert_string_equal(kept, answers);
    free(kept);
    bench_free(b);
}

static void cannot_be_kept(void **state)
{
    (void)state;
    ask_bench *b = bench_new("t");
    b->o.ask = 2;
    b->o.answers = "/nowhere/at/all.tsv";
    assert_fails(b->ctx, bench_run(b), CAUCUS_ERR_IO, "/nowhere/at/all.tsv");
    assert_int_equal(b->who.at, 1);
    bench_free(b);
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct {
    cau_batch_mode mode;
    const char *gold, *answers;
    ask_bench b;
} ask_small;

static caucus_status small_session(void *self)
{
    ask_small *s = self;
    ask_bench *b = &s->b;
    b->o.gold = s->gold;
    b->o.answers = s->answers;
    b->o.chains = 1;
    b->o.burn_in = 1;
    b->o.samples = 4;
    b->o.ask = 3;
    b->o.batch = 2;
    b->o.batch_mode = s->mode;
    b->who.at = 0;
    unlink(b->o.answers);
    const caucus_status st = bench_run(b);
    cau_cluster_clear(&b->w);
    b->notes.n = 0;
    return st;
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ask_small s = {.mode = i ? CAU_BATCH_FILTERED : CAU_BATCH_NAIVE,
                       .gold = sample_classes(),
                       .answers = test_path("memory.tsv")};
        bench_init(&s.b, "tsut");
        assert_true(test_every_allocation(small_session, &s) > 50);
        s.b.w = (cau_cluster_work){0};
        bench_clear(&s.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gold_answers),
        cmocka_unit_test(unlinked_items_are_scored_apart),
        cmocka_unit_test(ties_agree_with_no_answer),
        cmocka_unit_test(answers_may_be_wrong),
        cmocka_unit_test(gold_of_some),
        cmocka_unit_test(gold_refused),
        cmocka_unit_test(the_least_certain),
        cmocka_unit_test(shown_features),
        cmocka_unit_test(at_random),
        cmocka_unit_test(naive),
        cmocka_unit_test(naive_settled),
        cmocka_unit_test(filtered),
        cmocka_unit_test(skipped),
        cmocka_unit_test(taken_back),
        cmocka_unit_test(taken_back_too_often),
        cmocka_unit_test(quits),
        cmocka_unit_test(no_answer_at_all),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(takes_back_earlier),
        cmocka_unit_test(contradicted),
        cmocka_unit_test(cannot_be_kept),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
