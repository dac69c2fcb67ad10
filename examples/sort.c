/* sort.c - how to cluster items that a program has in memory, and to answer questions about them.
 *
 *     cc sort.c $(pkg-config --cflags --libs caucus) -o sort
 *     ./sort
 *
 * Prints the cluster of each item, the questions that were answered, how often two items were
 * together in the samples, and the cluster of a new item. */

#include <caucus.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 6, FEATURES = 2 };

static const struct {
    const char *name, *kind; /* what a person would say that it is */
    caucus_feature features[FEATURES];
} items[ITEMS] = {
    {"apple", "fruit", {{"sweet", 9}, {"round", 6}}},
    {"pear", "fruit", {{"sweet", 8}, {"round", 7}}},
    {"plum", "fruit", {{"sweet", 6}, {"round", 9}}},
    {"fork", "tool", {{"steel", 9}, {"long", 5}}},
    {"knife", "tool", {{"steel", 7}, {"long", 8}}},
    {"ladle", "tool", {{"steel", 8}, {"round", 7}}},
};

static const char *kind_of(const char *name)
{
    int i = 0;
    while (strcmp(items[i].name, name) != 0) i++;
    return items[i].kind;
}

/* Stands for a person who is asked. */
static caucus_status answer(void *user, const caucus_question *question, caucus_answer *out)
{
    (void)user;
    *out = strcmp(kind_of(question->a), kind_of(question->b)) == 0 ? CAUCUS_ANSWER_TOGETHER
                                                                   : CAUCUS_ANSWER_APART;
    return CAUCUS_OK;
}

/* The share of samples in which two items are together. */
static double together(const caucus_clustering *clustering, size_t a, size_t b)
{
    const size_t samples = caucus_clustering_samples(clustering);
    size_t count = 0;
    for (size_t s = 0; s < samples; s++) {
        const uint32_t *cluster = caucus_clustering_sample(clustering, s);
        count += cluster[a] == cluster[b];
    }
    return (double)count / (double)samples;
}

/* Prints the cluster of an item that was not among the others. */
static caucus_status assign(caucus_ctx *ctx, const caucus_clustering *clustering)
{
    static const caucus_feature spoon[] = {{"steel", 8}, {"long", 4}, {"unheard of", 1}};
    caucus_model *model = NULL;
    caucus_tagger *tagger = NULL;
    caucus_status st = caucus_clustering_model(ctx, clustering, &model);
    if (!st) st = caucus_tagger_new(ctx, model, NULL, &tagger);
    if (!st) st = caucus_tagger_add_features(ctx, tagger, spoon, 3);
    if (!st) st = caucus_tagger_run(ctx, tagger);
    if (!st) printf("spoon\t%s\n", caucus_model_class(model, *caucus_tagger_labels(tagger, 0)));
    caucus_tagger_free(tagger);
    caucus_model_free(model);
    return st;
}

int main(void)
{
    caucus_ctx *ctx = NULL;
    caucus_options *options = NULL;
    caucus_clustering *clustering = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = caucus_options_new(ctx, "cluster", &options);
    if (!st) st = caucus_options_set(ctx, options, "ask", "2");
    if (!st) st = caucus_options_set(ctx, options, "burn-in", "20");
    if (!st) st = caucus_clustering_new(ctx, options, &clustering);
    for (int i = 0; i < ITEMS && !st; i++)
        st = caucus_clustering_add(ctx, clustering, items[i].name, items[i].features, FEATURES);
    if (!st) st = caucus_clustering_link(ctx, clustering, "knife", "ladle", 1); /* is known */
    if (!st) st = caucus_clustering_run(ctx, clustering, answer, NULL);

    const uint32_t *cluster = st ? NULL : caucus_clustering_assignment(clustering);
    for (size_t i = 0; cluster && i < caucus_clustering_items(clustering); i++)
        printf("%s\t%u\t%.2f\n", caucus_clustering_item(clustering, i), (unsigned)cluster[i],
               caucus_clustering_certainty(clustering)[i]);
    for (size_t q = 0; !st && q < caucus_clustering_answers(clustering); q++) {
        const caucus_answered asked = caucus_clustering_answer(clustering, q);
        printf("%s and %s: %s\n", caucus_clustering_item(clustering, asked.a),
               caucus_clustering_item(clustering, asked.b), asked.together ? "together" : "apart");
    }
    if (!st) printf("plum and ladle: %.2f\n", together(clustering, 2, 5));
    if (!st) st = assign(ctx, clustering);
    if (st) fprintf(stderr, "sort: %s\n", caucus_message(ctx));
    caucus_clustering_free(clustering);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
    return st ? 1 : 0;
}
