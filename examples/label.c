/* label.c - how to train a sequence model in memory and label with it, from C.
 *
 *     cc label.c $(pkg-config --cflags --libs caucus) -o label
 *     ./label 4 cups sliced onions
 *
 * Learns a CRF from the few lines of recipes below and prints the words of the command line, each
 * with its label and the probability of that label; then the probability of all labels together.
 * What a model may look at is up to the program: here, a word and its neighbours. */

#include <caucus.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const lessons[] = {
    /* word and label, word and label, ... */
    "2 QTY cups UNIT chopped STATE onions NAME",
    "1 QTY cup UNIT sugar NAME",
    "3 QTY eggs NAME , O beaten STATE",
    "1/2 QTY cup UNIT butter NAME , O melted STATE",
    "2 QTY cloves UNIT garlic NAME , O sliced STATE",
    "a QTY pinch UNIT of O salt NAME",
    "2 QTY sliced STATE tomatoes NAME",
};

enum { WORDS = 64, BYTES = 64, FEATURES = 4 };

/* A sequence: its words, and the features made of them. */
typedef struct {
    size_t T;
    const char *words[WORDS];
    char names[WORDS][FEATURES][BYTES];
    caucus_feature features[WORDS][FEATURES];
    caucus_item items[WORDS]; /* the same as the library wants to see it */
} line;

static void describe(line *x)
{
    for (size_t t = 0; t < x->T; t++) {
        const char *word = x->words[t], *end = word + strlen(word);
        snprintf(x->names[t][0], BYTES, "word=%s", word);
        snprintf(x->names[t][1], BYTES, "before=%s", t > 0 ? x->words[t - 1] : "");
        snprintf(x->names[t][2], BYTES, "after=%s", t + 1 < x->T ? x->words[t + 1] : "");
        if (isdigit((unsigned char)*word))
            snprintf(x->names[t][3], BYTES, "number");
        else
            snprintf(x->names[t][3], BYTES, "ends=%s", end - word > 2 ? end - 2 : word);
        for (size_t k = 0; k < FEATURES; k++)
            x->features[t][k] = (caucus_feature){x->names[t][k], 1};
        x->items[t] = (caucus_item){x->features[t], FEATURES};
    }
}

/* Adds a lesson to the data, as one sequence. */
static caucus_status add(caucus_ctx *ctx, caucus_data *data, const char *lesson, line *x)
{
    char text[256];
    const char *labels[WORDS];
    caucus_status st = CAUCUS_OK;

    snprintf(text, sizeof text, "%s", lesson);
    x->T = 0;
    for (char *word = strtok(text, " "); word && x->T < WORDS; word = strtok(NULL, " ")) {
        x->words[x->T] = word;
        labels[x->T++] = strtok(NULL, " ");
    }
    describe(x);
    for (size_t t = 0; t < x->T && !st; t++)
        st = caucus_data_add_features(ctx, data, labels[t], 1, x->features[t], FEATURES);
    return st ? st : caucus_data_break(ctx, data);
}

/* Learns from all lessons. The model is the caller's. */
static caucus_status learn(caucus_ctx *ctx, line *x, caucus_model **model)
{
    caucus_data *data = NULL;
    caucus_options *options = NULL;
    caucus_status st = caucus_data_new(ctx, NULL, &data);
    for (size_t i = 0; i < sizeof lessons / sizeof *lessons && !st; i++)
        st = add(ctx, data, lessons[i], x);
    if (!st) st = caucus_data_close(ctx, data);
    if (!st) st = caucus_options_new(ctx, "train", &options);
    if (!st) st = caucus_options_set(ctx, options, "model", "crf"); /* "memm" is the other kind */
    if (!st) st = caucus_options_set(ctx, options, "l2", "0.1");
    if (!st) st = caucus_train(ctx, data, options, model);
    caucus_options_free(options);
    caucus_data_free(data);
    return st;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > WORDS) {
        fprintf(stderr, "usage: label WORD... (%d at most)\n", WORDS - 1);
        return 2;
    }
    caucus_ctx *ctx = NULL;
    caucus_model *model = NULL;
    line *x = calloc(1, sizeof *x);
    double *marginals = NULL, probability;
    uint32_t labels[WORDS];
    int result = 1;

    if (!x || caucus_ctx_new(&ctx) != CAUCUS_OK) goto memory;
    if (learn(ctx, x, &model) != CAUCUS_OK) goto failed;

    size_t T = x->T = (size_t)argc - 1, classes = caucus_model_classes(model);
    for (size_t t = 0; t < T; t++) x->words[t] = argv[t + 1];
    describe(x);
    marginals = malloc(T * classes * sizeof *marginals);
    if (!marginals) goto memory;
    if (caucus_label(ctx, model, x->items, T, labels, &probability, marginals) != CAUCUS_OK)
        goto failed;
    for (size_t t = 0; t < T; t++)
        printf("%s\t%s\t%.4f\n", x->words[t], caucus_model_class(model, labels[t]),
               marginals[t * classes + labels[t]]);
    printf("all together\t%.4f\n", probability);
    result = 0;
    goto done;

failed:
    fprintf(stderr, "label: %s\n", caucus_message(ctx));
    goto done;
memory:
    fprintf(stderr, "label: out of memory\n");
done:
    free(marginals);
    free(x);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
    return result;
}
