/* scores.c - how to score labels that a program has in memory.
 *
 *     cc scores.c $(pkg-config --cflags --libs caucus) -o scores
 *     ./scores
 *
 * Prints accuracy and the F1 of chunks, all together and by type. */

#include <caucus.h>
#include <stdio.h>

int main(void)
{
    static const char *const gold[] = {"B-PER", "I-PER", "O", "B-LOC", "O", "B-LOC", "O"};
    static const char *const predicted[] = {"B-PER", "I-PER", "O", "B-LOC", "O", "B-PER", "O"};
    static const size_t ends[] = {4, 7}; /* two sequences, of four tokens and of three */
    const caucus_labels labels = {
        .count = 7, .gold = gold, .predicted = predicted, .ends = ends, .sequences = 2};
    caucus_ctx *ctx = NULL;
    caucus_options *options = NULL;
    caucus_scores *scores = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = caucus_options_new(ctx, "eval", &options);
    if (!st) st = caucus_score_labels(ctx, options, &labels, &scores);
    if (!st) {
        printf("accuracy\t%.2f\n", caucus_scores_get(scores, "accuracy", NULL));
        printf("F1\t%.2f\n", caucus_scores_get(scores, "chunk-f1", NULL));
        printf("F1 of LOC\t%.2f\n", caucus_scores_get(scores, "f1", "LOC"));
        printf("F1 of PER\t%.2f\n", caucus_scores_get(scores, "f1", "PER"));
    }
    if (st) fprintf(stderr, "scores: %s\n", caucus_message(ctx));
    caucus_scores_free(scores);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
    return st ? 1 : 0;
}
