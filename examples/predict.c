/* predict.c - how to use a model from C.
 *
 *     cc predict.c $(pkg-config --cflags --libs caucus) -o predict
 *     ./predict desk.model "Can I pay my fine by card?"
 *
 * Prints every class with its probability for a line of text; desk.model comes from
 * `caucus train -o desk.model examples/desk/train.txt`. */

#include <caucus.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: predict MODEL TEXT\n");
        return 2;
    }
    caucus_ctx *ctx = NULL;
    caucus_model *model = NULL;
    caucus_options *options = NULL;
    caucus_tagger *tagger = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = caucus_model_open(ctx, argv[1], &model);
    if (!st) st = caucus_options_new(ctx, "tag", &options);
    if (!st) st = caucus_options_set(ctx, options, "probabilities", "1");
    if (!st) st = caucus_tagger_new(ctx, model, options, &tagger);

    /* These three lines can be repeated for as many texts as there are. */
    if (!st) st = caucus_tagger_add_text(ctx, tagger, argv[2]);
    if (!st) st = caucus_tagger_run(ctx, tagger);
    const double *p = st ? NULL : caucus_tagger_marginals(tagger);

    for (size_t y = 0; p && y < caucus_model_classes(model); y++)
        printf("%s\t%.2f\n", caucus_model_class(model, y), p[y]);
    if (st) fprintf(stderr, "predict: %s\n", caucus_message(ctx));
    caucus_tagger_free(tagger);
    caucus_options_free(options);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
    return st ? 1 : 0;
}
