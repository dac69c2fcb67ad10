/* fuzz_eval.c - any bytes as a file of predictions, scored and reported in every form.
 *
 * Whatever comes, the counts must agree with each other and all measures stay in range. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eval/scores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes a megabyte, so that a matrix of thousands of classes does not take all day. */
static caucus_status take(void *user, const char *bytes, size_t length)
{
    size_t *left = user;
    if (length > *left || (length && !bytes)) return CAUCUS_ERR_STOPPED;
    *left -= length;
    return CAUCUS_OK;
}

static void insist(bool truth)
{
    if (!truth) abort();
}

static void check(const caucus_scores *s)
{
    uint64_t sum = 0, correct = 0, support = 0, predicted = 0, binned = 0;
    for (size_t i = 0; i < s->P; i++) {
        insist(s->pairs[i].gold < s->Y && s->pairs[i].predicted < s->Y);
        sum += s->pairs[i].count;
        if (s->pairs[i].gold == s->pairs[i].predicted) correct += s->pairs[i].count;
    }
    for (size_t y = 0; y < s->Y; y++) {
        const cau_class_score *c = &s->classes[y];
        support += c->support;
        predicted += c->predicted;
        insist(c->precision >= 0 && c->precision <= 1 && c->recall >= 0 && c->recall <= 1);
        insist(c->f1 >= 0 && c->f1 <= 1);
    }
    insist(s->instances > 0 && sum == s->instances && correct == s->correct);
    insist(support == sum && predicted == sum);
    insist(s->measures.low <= s->measures.accuracy + 1e-12);
    insist(s->measures.high >= s->measures.accuracy - 1e-12);
    if (!s->calibration.given) return;
    for (size_t b = 0; b < s->calibration.B; b++) binned += s->calibration.bins[b].count;
    insist(binned == sum && s->calibration.known <= sum);
    insist(s->measures.calibration_error >= 0 && s->measures.calibration_error <= 1 + 1e-12);
    if (s->calibration.known == 0) return;
    insist(s->measures.log_loss >= 0 && s->measures.brier >= -1e-5 && s->measures.brier <= 2.1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("tagged", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);

    caucus_ctx *ctx = NULL;
    if (caucus_ctx_new(&ctx)) abort();
    const char *paths[] = {path};
    for (int probabilities = 0; probabilities < 2; probabilities++) {
        cau_eval_options options = {.probabilities = probabilities, .confusion = true, .bins = 7};
        caucus_scores *scores = NULL;
        if (cau_scores_read(ctx, &options, paths, 1, &scores)) continue;
        check(scores);
        for (int json = 0; json < 2; json++) {
            size_t left = 1 << 20;
            options.json = json;
            (void)cau_scores_write(ctx, scores, &options, take, &left);
        }
        cau_scores_free(scores);
    }
    caucus_ctx_free(ctx);
    close(file);
    return 0;
}
