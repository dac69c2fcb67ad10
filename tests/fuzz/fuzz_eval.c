/* fuzz_eval.c - random bytes as a file of predictions, scored and reported in all forms.
 *
 * The counts must agree with each other, and all measures must be in their range. */

#include "eval/scores.h"

#include "fuzz.h"

static void check(const caucus_scores *s)
{
    uint64_t sum = 0, correct = 0, support = 0, predicted = 0, binned = 0;
    for (size_t i = 0; i < s->pairs.keys.count; i++) {
        require(s->pairs.pair[i].gold < s->Y && s->pairs.pair[i].predicted < s->Y);
        sum += s->pairs.pair[i].count;
        if (s->pairs.pair[i].gold == s->pairs.pair[i].predicted) correct += s->pairs.pair[i].count;
    }
    for (size_t y = 0; y < s->Y; y++) {
        const cau_prf c = cau_counts_prf(s->classes[y].counts, 0);
        support += s->classes[y].counts.gold;
        predicted += s->classes[y].counts.found;
        require(c.precision >= 0 && c.precision <= 1 && c.recall >= 0 && c.recall <= 1);
        require(c.f1 >= 0 && c.f1 <= 1);
    }
    require(s->instances > 0 && sum == s->instances && correct == s->correct);
    require(support == sum && predicted == sum);
    require(s->measures.low <= s->measures.accuracy + 1e-12);
    require(s->measures.high >= s->measures.accuracy - 1e-12);
    if (!s->calibration.given) return;
    for (size_t b = 0; b < s->calibration.B; b++) binned += s->calibration.bins[b].count;
    require(binned == sum && s->calibration.known <= sum);
    require(s->measures.calibration_error >= 0 && s->measures.calibration_error <= 1 + 1e-12);
    if (s->calibration.known == 0) return;
    require(s->measures.log_loss >= 0 && s->measures.brier >= -1e-5 && s->measures.brier <= 2.1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memory_file file = memory_file_new(data, size);
    caucus_ctx *ctx = new_context();
    const char *paths[] = {file.path};
    for (int probabilities = 0; probabilities < 2; probabilities++) {
        cau_eval_options options = {.probabilities = probabilities, .confusion = true, .bins = 7};
        caucus_scores *scores = NULL;
        if (cau_scores_read(ctx, &options, paths, 1, &scores)) continue;
        check(scores);
        for (int json = 0; json < 2; json++) {
            size_t left = 1 << 20;
            options.json = json;
            (void)cau_scores_write(ctx, scores, &options, limited_write, &left);
        }
        cau_scores_free(scores);
    }
    caucus_ctx_free(ctx);
    close(file.fd);
    return 0;
}
