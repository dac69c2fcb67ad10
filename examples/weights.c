/* weights.c - how to read what a model holds.
 *
 *     cc weights.c $(pkg-config --cflags --libs caucus) -o weights
 *     ./weights desk.model
 *
 * Reads a model file into memory, as a program would that gets it from elsewhere, and prints for
 * each class its intercept and its strongest feature, then the strongest transition if there are
 * any. */

#include <caucus.h>
#include <stdio.h>
#include <stdlib.h>

/* All bytes of a file, to be freed; NULL when it cannot be read. */
static char *read_bytes(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    *length = 0;
    if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*length);
        if (bytes && fread(bytes, 1, *length, file) != *length) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file) fclose(file);
    return bytes;
}

static caucus_status print_classes(caucus_ctx *ctx, const caucus_model *model)
{
    const size_t Y = caucus_model_classes(model);
    const size_t K = caucus_model_features(model, CAUCUS_TOKEN_FEATURES);
    caucus_status st = CAUCUS_OK;
    double *w = malloc(Y * sizeof *w), *most = calloc(Y, sizeof *most);
    size_t *best = calloc(Y, sizeof *best);
    if (!w || !most || !best) st = CAUCUS_ERR_MEMORY;
    for (size_t k = 0; k < K && !st; k++) {
        st = caucus_model_weights(ctx, model, CAUCUS_NONE, CAUCUS_TOKEN_FEATURES, k, w);
        for (size_t y = 0; y < Y && !st; y++)
            if (w[y] > most[y]) {
                most[y] = w[y];
                best[y] = k;
            }
    }
    for (size_t y = 0; y < Y && !st; y++) {
        size_t length = 0;
        const char *name = caucus_model_feature(model, CAUCUS_TOKEN_FEATURES, best[y], &length);
        printf("%s\t%.2f\t%.*s\t%.2f\n", caucus_model_class(model, y),
               caucus_model_intercept(model, CAUCUS_NONE, y), (int)length, name ? name : "",
               most[y]);
    }
    free(w);
    free(most);
    free(best);
    return st;
}

static void print_transition(const caucus_model *model)
{
    const size_t Y = caucus_model_classes(model);
    size_t from = 0, to = 0;
    double most = 0;
    for (size_t a = 0; a < Y; a++)
        for (size_t b = 0; b < Y; b++) {
            const double w = caucus_model_transition(model, CAUCUS_NONE, a, b);
            if (w > most) {
                most = w;
                from = a;
                to = b;
            }
        }
    if (most > 0)
        printf("%s -> %s\t%.2f\n", caucus_model_class(model, from), caucus_model_class(model, to),
               most);
}

int main(int argc, char **argv)
{
    size_t length = 0;
    char *bytes = argc == 2 ? read_bytes(argv[1], &length) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: weights MODEL (a file that can be read)\n");
        return 2;
    }
    caucus_ctx *ctx = NULL;
    caucus_model *model = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = caucus_model_from_bytes(ctx, bytes, length, &model);
    free(bytes); /* they were copied */
    if (!st) st = print_classes(ctx, model);
    if (!st) print_transition(model);
    if (st) fprintf(stderr, "weights: %s\n", caucus_message(ctx));
    caucus_model_free(model);
    caucus_ctx_free(ctx);
    return st ? 1 : 0;
}
