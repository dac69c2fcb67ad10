/* cluster_sample.h - ten items of three classes that a few counts do not separate well, their
 * clustering before the first question, and an annotator who answers by a script. */

#ifndef CAU_SUPPORT_CLUSTER_SAMPLE_H
#define CAU_SUPPORT_CLUSTER_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/work.h"
#include "support/support.h"

enum { SAMPLE_N = 10 };

static inline const char *sample_items(void)
{
    static const char text[] = "apple\tsweet:3\tround:2\tred:1\n"
                               "pear\tsweet:2\tgreen:2\n"
                               "plum\tsweet:2\tround:1\tblue:1\n"
                               "leek\tgreen:3\tlong:2\n"
                               "bean\tgreen:2\tlong:2\tround:1\n"
                               "beet\tround:2\tred:3\n"
                               "kale\tgreen:4\tlong:1\n"
                               "fork\tsteel:3\tlong:2\n"
                               "ladle\tsteel:2\tround:1\tlong:1\n"
                               "sieve\tsteel:2\tround:3\n";
    return test_file("items.tsv", text, sizeof text - 1);
}

static inline const char *sample_classes(void)
{
    static const char text[] =
        "apple\tfruit\npear\tfruit\nplum\tfruit\nleek\tgreens\nbean\tgreens\n"
        "beet\tgreens\nkale\tgreens\nfork\ttool\nladle\ttool\nsieve\ttool\n";
    return test_file("classes.tsv", text, sizeof text - 1);
}

/* Few sweeps, so that the samples stay uncertain. */
static inline cau_cluster_options sample_options(void)
{
    return (cau_cluster_options){
        .nmf_starts = 1,
        .nmf_seed = 1,
        .dp = {.likelihood = CAU_MULTINOMIAL,
               .start = {.alpha = 1, .beta = .5, .k0 = .1, .a0 = 1, .b0_scale = 1},
               .alpha_shape = 1,
               .alpha_rate = 1,
               .fixed_base = true,
               .restricted = 3},
        .starts = 10,
        .penalty = 1,
        .split_merge = 1,
        .chains = 2,
        .burn_in = 10,
        .samples = 10,
        .lag = 1,
        .again = 2,
        .batch = 1,
        .trust = 1,
        .threshold = 5,
        .top = 3,
        .seed = 1,
        .threads = 1,
    };
}

/* ---- notes and files ------------------------------------------------------------------------- */

typedef struct {
    char text[4096];
    size_t n;
} sample_notes;

static inline void sample_note(void *user, const char *sentence)
{
    sample_notes *notes = user;
    const int n = snprintf(notes->text + notes->n, sizeof notes->text - notes->n, "%s\n", sentence);
    notes->n += n > 0 && (size_t)n < sizeof notes->text - notes->n ? (size_t)n : 0;
}

/* A whole file as a string, or NULL if there is no such file. The caller frees it. */
static inline char *sample_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    const size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

/* ---- a clustering ---------------------------------------------------------------------------- */

/* Reads the items of files. */
static inline caucus_status sample_read_items(caucus_ctx *ctx, const cau_items_options *options,
                                              const char *const *paths, size_t count,
                                              cau_items *out)
{
    cau_item_builder builder = {0};
    caucus_status st = cau_items_begin(ctx, options, &builder);
    if (!st) st = cau_items_read(ctx, &builder, paths, count);
    if (!st) st = cau_items_finish(ctx, &builder, out);
    cau_item_builder_clear(&builder);
    return st;
}

/* A clustering before its first question. It reads o->gold and o->links. */
static inline caucus_status sample_work(caucus_ctx *ctx, const cau_cluster_options *o,
                                        cau_cluster_work *w)
{
    caucus_status st = CAUCUS_OK;
    const char *const path = sample_items();
    *w = (cau_cluster_work){.ctx = ctx, .o = o};
    if ((st = sample_read_items(ctx, &o->items, &path, 1, &w->items))) return st;
    const size_t N = w->items.x.rows;
    if ((st = cau_links_new(ctx, N, &w->links))) return st;
    if (o->links && (st = cau_links_read(ctx, w->links, w->items.items, o->links))) return st;
    if (o->gold) {
        w->gold = cau_alloc(N, sizeof *w->gold);
        if (!w->gold) return CAUCUS_ERR_MEMORY;
        if ((st = cau_cluster_gold(ctx, o->gold, w->items.items, w->gold))) return st;
    }
    w->points = (cau_points){.N = N, .V = w->items.x.columns, .sparse = &w->items.x};
    return st;
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct sample_answerer sample_answerer;
struct sample_answerer {
    const char *script; /* y n s u q; t: the truth; ! fails; ? gives no answer; the last repeats */
    size_t at;
    cau_cluster_work *w; /* may be NULL */
    char asked[64][32];  /* "apple pear", in the order of the questions */
    size_t number[64];
    void (*look)(sample_answerer *self, const caucus_question *q); /* or NULL */
    void *user;
};

/* The class of an item: fruit, greens or tool, numbered in the order of the items. */
static inline int sample_class(const char *item)
{
    static const char *const names[SAMPLE_N] = {"apple", "pear", "plum", "leek",  "bean",
                                                "beet",  "kale", "fork", "ladle", "sieve"};
    size_t i = 0;
    while (i < SAMPLE_N && strcmp(names[i], item) != 0) i++;
    return i < 3 ? 0 : i < 7 ? 1 : 2;
}

static inline caucus_status sample_ask(void *user, const caucus_question *q, caucus_answer *answer)
{
    sample_answerer *s = user;
    char key = s->script[s->at < strlen(s->script) ? s->at : strlen(s->script) - 1];
    assert_true(s->at < 64);
    snprintf(s->asked[s->at], sizeof s->asked[0], "%s %s", q->a, q->b);
    s->number[s->at++] = q->number;
    if (s->look) s->look(s, q);
    if (key == 't') key = sample_class(q->a) == sample_class(q->b) ? 'y' : 'n';
    if (key == '!') return CAUCUS_ERR_IO;
    *answer = key == 'y'   ? CAUCUS_ANSWER_TOGETHER
              : key == 'n' ? CAUCUS_ANSWER_APART
              : key == 's' ? CAUCUS_ANSWER_SKIP
              : key == 'u' ? CAUCUS_ANSWER_UNDO
              : key == 'q' ? CAUCUS_ANSWER_QUIT
                           : (caucus_answer)99;
    return CAUCUS_OK;
}

#endif
