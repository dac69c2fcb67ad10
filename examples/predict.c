/* predict.c - how to use a model from C.
 *
 *     cc predict.c $(pkg-config --cflags --libs caucus) -o predict
 *     ./predict desk.model "pay" "my fine"
 *
 * Prints every class with its probability for an instance that has the features named on the
 * command line (for a model trained with --ngrams 2, a feature may be two words). */

#include <caucus.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: predict MODEL [FEATURE]...\n");
        return 2;
    }
    size_t count = (size_t)argc - 2;
    caucus_ctx *ctx = NULL;
    caucus_model *model = NULL;
    caucus_feature *features = malloc((count + 1) * sizeof *features);
    double *p = NULL;
    int result = 1;

    if (!features || caucus_ctx_new(&ctx) != CAUCUS_OK) goto memory;
    if (caucus_model_open(ctx, argv[1], &model) != CAUCUS_OK) {
        fprintf(stderr, "predict: %s\n", caucus_message(ctx));
        goto done;
    }
    for (size_t i = 0; i < count; i++) features[i] = (caucus_feature){argv[i + 2], 1};

    size_t classes = caucus_model_classes(model);
    p = malloc(classes * sizeof *p);
    if (!p || caucus_predict(model, features, count, p) != CAUCUS_OK) goto memory;
    for (size_t y = 0; y < classes; y++) printf("%s\t%.4f\n", caucus_model_class(model, y), p[y]);
    result = 0;
    goto done;

memory:
    fprintf(stderr, "predict: out of memory\n");
done:
    free(p);
    free(features);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
    return result;
}
