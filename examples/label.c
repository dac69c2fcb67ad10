/* label.c - how to train a CRF on data in memory and label a sequence with it.
 *
 *     cc label.c $(pkg-config --cflags --libs caucus) -o label
 *     ./label 3 grated red carrots
 *     ./label 3 grated red/B-STATE carrots          the label of a word may be given
 *
 * A token is a row of cells: here the word and whether it is a number. The library makes features
 * of the cells, by its default template or by one of your own (caucus_data_template). Prints the
 * words with their labels and probabilities, the two best labellings, and the segments. */

#include <caucus.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Words and labels in turn; of some words the label is not known, or only in part. */
static const char *const lessons[] = {
    "2 B-QTY cups B-UNIT chopped B-STATE onions B-NAME",
    "1 B-QTY cup B-UNIT milk B-NAME",
    "3 B-QTY spoons B-UNIT sugar B-NAME",
    "1 B-QTY large O|B-STATE egg B-NAME",
    "4 B-QTY cups B-UNIT cold O water B-NAME",
    "1 B-QTY spoon B-UNIT melted B-STATE butter B-NAME",
    "2 B-QTY grated B-STATE red B-NAME carrots I-NAME",
    "3 B-QTY chopped B-STATE red B-NAME onions I-NAME",
    "salt B-NAME",
    "3 B-QTY cups B-UNIT flour B-NAME , O sifted B-STATE",
    "5 B-QTY spoons B-UNIT olive B-NAME oil I-NAME",
    "2 B-QTY cloves B-UNIT garlic B-NAME , O sliced B-STATE",
    "a B-QTY pinch B-UNIT of ? salt B-NAME",
    "2 B-QTY sliced B-STATE tomatoes B-NAME",
};
enum { LESSONS = sizeof lessons / sizeof *lessons, CELLS = 2 };

static void make_cells(const char *word, const char *cells[CELLS])
{
    cells[0] = word;
    cells[1] = isdigit((unsigned char)*word) ? "number" : "word";
}

/* Adds a lesson as one sequence. */
static caucus_status add(caucus_ctx *ctx, caucus_data *data, const char *lesson)
{
    char text[256];
    const char *cells[CELLS];
    caucus_status st = CAUCUS_OK;
    snprintf(text, sizeof text, "%s", lesson);
    for (char *word = strtok(text, " "); word && !st; word = strtok(NULL, " ")) {
        make_cells(word, cells);
        st = caucus_data_add_cells(ctx, data, strtok(NULL, " "), 1, cells, CELLS);
    }
    return st ? st : caucus_data_break(ctx, data);
}

/* Learns from all lessons; the last two are development data. */
static caucus_status learn(caucus_ctx *ctx, caucus_model **model)
{
    caucus_data *data = NULL;
    caucus_options *options = NULL;
    caucus_status st = caucus_options_new(ctx, "train", &options);
    if (!st) st = caucus_options_set(ctx, options, "l2", "0.1");
    if (!st) st = caucus_data_new(ctx, options, &data);
    for (int i = 0; i < LESSONS && !st; i++) {
        if (i == LESSONS - 2) st = caucus_data_part(ctx, data, CAUCUS_PART_DEV);
        if (!st) st = add(ctx, data, lessons[i]);
    }
    if (!st) st = caucus_data_close(ctx, data);
    if (!st) st = caucus_train(ctx, data, options, model);
    caucus_data_free(data);
    caucus_options_free(options);
    return st;
}

static caucus_status label(caucus_ctx *ctx, const caucus_model *model, char **words, size_t T)
{
    static const char *const wanted[][2] = {
        {"probabilities", "1"}, {"nbest", "2"}, {"segments", "1"}, {"scheme", "iob2"}};
    const size_t classes = caucus_model_classes(model);
    const char *cells[CELLS];
    caucus_options *options = NULL;
    caucus_tagger *tagger = NULL;
    caucus_status st = caucus_options_new(ctx, "tag", &options);
    for (int i = 0; i < 4 && !st; i++)
        st = caucus_options_set(ctx, options, wanted[i][0], wanted[i][1]);
    if (!st) st = caucus_tagger_new(ctx, model, options, &tagger);
    for (size_t t = 0; t < T && !st; t++) {
        char *given = strchr(words[t], '/');
        if (given) *given++ = '\0';
        make_cells(words[t], cells);
        st = caucus_tagger_add_cells(ctx, tagger, cells, CELLS);
        if (given && !st) st = caucus_tagger_force(ctx, tagger, given);
    }
    if (!st) st = caucus_tagger_run(ctx, tagger);
    if (st) goto done;

    const uint32_t *best = caucus_tagger_labels(tagger, 0);
    const double *marginals = caucus_tagger_marginals(tagger);
    for (size_t t = 0; t < T; t++)
        printf("%s\t%s\t%.2f\n", words[t], caucus_model_class(model, best[t]),
               marginals[t * classes + best[t]]);
    for (size_t rank = 0; rank < caucus_tagger_labellings(tagger); rank++) {
        printf("\nlabelling %zu\t%.2f\n", rank, caucus_tagger_probability(tagger, rank));
        size_t count;
        const caucus_segment *segments = caucus_tagger_segments(tagger, rank, &count);
        for (size_t s = 0; s < count; s++) {
            printf("%s\t%.2f\t", segments[s].type, segments[s].probability);
            for (size_t t = segments[s].begin; t < segments[s].end; t++)
                printf("%s%s", words[t], t + 1 < segments[s].end ? " " : "\n");
        }
    }
done:
    caucus_tagger_free(tagger);
    caucus_options_free(options);
    return st;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: label WORD[/LABEL]...\n");
        return 2;
    }
    caucus_ctx *ctx = NULL;
    caucus_model *model = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = learn(ctx, &model);
    if (!st) st = label(ctx, model, argv + 1, (size_t)argc - 1);
    if (st) fprintf(stderr, "label: %s\n", caucus_message(ctx));
    caucus_model_free(model);
    caucus_ctx_free(ctx);
    return st ? 1 : 0;
}
