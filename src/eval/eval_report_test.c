/* eval_report_test.c - the tables as they are printed, and the JSON read back. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/eval_sample.h"

static const char *tagged = "a\ta\ta:0.75\tb:0.25\n"
                            "b\ta\ta:0.5\tb:0.5\n"
                            "b\tb\ta:0\tb:1\n"
                            "new\tb\ta:0.125\tb:0.875\n"
                            "?\tb\ta:0.125\tb:0.875\n";

/* Collects the output, up to `limit` bytes; then it fails. */
typedef struct {
    cau_strbuf text;
    size_t limit;
} limited_text;

static caucus_status collect(void *user, const char *bytes, size_t length)
{
    limited_text *c = user;
    if (c->text.n + length > c->limit) return CAUCUS_ERR_STOPPED;
    cau_strbuf_add(&c->text, bytes, length);
    return c->text.failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

static caucus_scores *scores_of(caucus_ctx *ctx, const cau_eval_options *options, const char *text)
{
    caucus_scores *scores = NULL;
    assert_ok(ctx, sample_read(ctx, options, text, &scores));
    return scores;
}

/* The report of a text; free it. */
static char *report_of(const cau_eval_options *options, const char *text)
{
    caucus_ctx *ctx = test_ctx();
    caucus_scores *scores = scores_of(ctx, options, text);
    limited_text c = {.limit = SIZE_MAX / 2};
    assert_ok(ctx, cau_scores_write(ctx, scores, options, collect, &c));
    cau_scores_free(scores);
    caucus_ctx_free(ctx);
    return c.text.s;
}

static void prints_tables(void **state)
{
    (void)state;
    cau_eval_options options = {.probabilities = true, .confusion = true, .bins = 4};
    char *text = report_of(&options, tagged);
    assert_string_equal(
        text,
        "accuracy 0.5000: 2 of 4 instances right, 95% interval 0.1500 to 0.8500 (Wilson)\n"
        "1 instance left out: the gold label is '?'\n"
        "\n"
        "class          precision  recall      F1     support   predicted\n"
        "a                 0.5000  1.0000  0.6667           1           2\n"
        "b                 0.5000  0.5000  0.5000           2           2\n"
        "new               0.0000  0.0000  0.0000           1           0\n"
        "macro average     0.3333  0.5000  0.3889\n"
        "micro average     0.5000  0.5000  0.5000\n"
        "(0/0 is shown as 0. Macro is the mean over the 3 classes that occur as gold or predicted "
        "label;\n"
        "micro equals the accuracy, because each instance has one label.)\n"
        "\n"
        "gold           predicted           count  of errors\n"
        "b              a                       1      50.0%\n"
        "new            b                       1      50.0%\n"
        "\n"
        "gold, found as  a  b  new\n"
        "a               1  .    .\n"
        "b               1  1    .\n"
        "new             .  1    .\n"
        "\n"
        "log-loss 0.3269 nats per instance, perplexity 1.3867\n"
        "Brier score 0.2083: sum over classes of (p - [gold])^2, 0 is best, 2 is worst\n"
        "1 instance has a gold label that is not a class of the model; log-loss and Brier score "
        "are over "
        "the other 3\n"
        "calibration error 0.2812: mean of |accuracy - confidence| over 4 bins\n"
        "\n"
        "confidence           count  mean confidence  accuracy\n"
        "0.500 to 0.750           1           0.5000    0.0000\n"
        "0.750 to 1.000           3           0.8750    0.6667\n");
    free(text);
}

static void prints_only_what_there_is(void **state)
{
    (void)state;
    cau_eval_options options = {.bins = 4};
    char *text = report_of(&options, "x x\nx x\n");
    assert_non_null(strstr(text, "the 1 class that occurs as"));
    assert_null(strstr(text, "count"));
    assert_null(strstr(text, "left out"));
    assert_null(strstr(text, "log-loss"));
    free(text);

    options.probabilities = true;
    text = report_of(&options, "b\ta\ta:1\tb:0\n");
    assert_non_null(strstr(text, "log-loss infinite: the gold label of 1 instance has"));
    free(text);
}

/* Wide characters take two columns, combining ones 0. */
static void aligns_labels(void **state)
{
    (void)state;
    cau_eval_options options = {.bins = 4};
    char *text = report_of(&options, "\xe5\x90\x8d\xe8\xa9\x9e x\ne\xcc\x81 x\n");
    assert_non_null(strstr(text, "\n\xe5\x90\x8d\xe8\xa9\x9e              0.0000"));
    assert_non_null(strstr(text, "\ne\xcc\x81                 0.0000"));
    free(text);
}

/* Twelve confusions of falling frequency, of which ten are shown. */
static void shows_the_most_frequent_confusions(void **state)
{
    (void)state;
    cau_eval_options options = {.bins = 4};
    char lines[2048];
    size_t n = 0;
    for (int label = 1; label <= 12; label++)
        for (int i = 0; i < label; i++) n += (size_t)sprintf(lines + n, "c%d x\n", label);
    char *text = report_of(&options, lines);
    assert_non_null(strstr(text, "c12            x                      12      15.4%\nc11 "));
    assert_non_null(strstr(text, "(the 10 most frequent of 12 confusions)"));
    assert_non_null(strstr(text, "c3             x                       3"));
    assert_null(strstr(text, "c2             x    "));
    free(text);
}

static void writes_json(void **state)
{
    (void)state;
    cau_eval_options options = {.probabilities = true, .bins = 4, .json = true};
    char *text = report_of(&options, tagged);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    int format, instances, skipped, correct, support, count, known, empty;
    double accuracy, low, high, macro, micro, recall, log_loss, error, confidence;
    const char *label, *gold, *predicted;
    json_t *classes, *pairs, *bins, *null;
    assert_int_equal(json_unpack(root,
                                 "{s:i s:i s:i s:i s:F s:[FF] s:{s:F} s:{s:F} s:o s:o "
                                 "s:{s:i s:F s:F s:o}}",
                                 "format", &format, "instances", &instances, "skipped", &skipped,
                                 "correct", &correct, "accuracy", &accuracy, "accuracy_interval",
                                 &low, &high, "macro", "f1", &macro, "micro", "f1", &micro,
                                 "classes", &classes, "pairs", &pairs, "probabilities", "known",
                                 &known, "log_loss", &log_loss, "calibration_error", &error, "bins",
                                 &bins),
                     0);
    assert_int_equal(format, 1);
    assert_int_equal(instances, 4);
    assert_int_equal(skipped, 1);
    assert_int_equal(correct, 2);
    assert_int_equal(known, 3);
    assert_near(accuracy, 0.5, 0);
    assert_near(low, 0.15003898915214955, 1e-14);
    assert_near(high, 0.8499610108478506, 1e-14);
    assert_near(macro, 7.0 / 18, 1e-14);
    assert_near(micro, 0.5, 0);
    assert_near(log_loss, 0.32694308433724206, 1e-14);
    assert_near(error, 0.28125, 1e-14);

    assert_int_equal(json_array_size(classes), 3);
    assert_int_equal(json_unpack(json_array_get(classes, 1), "{s:s s:i s:F}", "label", &label,
                                 "support", &support, "recall", &recall),
                     0);
    assert_string_equal(label, "b");
    assert_int_equal(support, 2);
    assert_near(recall, 0.5, 0);
    assert_int_equal(json_array_size(pairs), 4);
    assert_int_equal(json_unpack(json_array_get(pairs, 3), "{s:s s:s s:i}", "gold", &gold,
                                 "predicted", &predicted, "count", &count),
                     0);
    assert_string_equal(gold, "new");
    assert_string_equal(predicted, "b");
    assert_int_equal(count, 1);
    assert_int_equal(json_array_size(bins), 4);
    assert_int_equal(
        json_unpack(json_array_get(bins, 0), "{s:i s:o}", "count", &empty, "accuracy", &null), 0);
    assert_int_equal(empty, 0);
    assert_true(json_is_null(null));
    assert_int_equal(json_unpack(json_array_get(bins, 3), "{s:F}", "confidence", &confidence), 0);
    assert_near(confidence, 0.875, 1e-14);
    json_decref(root);
    free(text);

    text = report_of(&options, "b\ta\ta:1\tb:0\n"); /* JSON has no infinity */
    assert_non_null(strstr(text, "\"log_loss\": null"));
    free(text);
    options.probabilities = false;
    text = report_of(&options, "b\ta\n");
    assert_null(strstr(text, "probabilities"));
    free(text);
}

/* The callback may fail after any number of bytes. */
static void returns_the_status_of_the_callback(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int json = 0; json < 2; json++) {
        cau_eval_options options = {.confusion = true, .bins = 4, .json = json};
        caucus_scores *scores = scores_of(ctx, &options, "x x\nx y\n");
        for (size_t limit = 0; limit < 300; limit += 7) {
            limited_text c = {.limit = limit};
            assert_int_equal(cau_scores_write(ctx, scores, &options, collect, &c),
                             CAUCUS_ERR_STOPPED);
            cau_strbuf_clear(&c.text);
        }
        cau_scores_free(scores);
    }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_scores *scores;
    cau_eval_options options;
} report_to_write;

static caucus_status drop(void *user, const char *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return CAUCUS_OK;
}

static caucus_status write_all(void *self)
{
    report_to_write *w = self;
    return cau_scores_write(w->ctx, w->scores, &w->options, drop, NULL);
}

static void survives_memory_failures(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    report_to_write w = {ctx, NULL, {.probabilities = true, .confusion = true, .bins = 4}};
    caucus_scores *scores = scores_of(ctx, &w.options, tagged);
    w.scores = scores;
    assert_true(test_every_allocation(write_all, &w) >= 3);
    cau_scores_free(scores);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_tables),
        cmocka_unit_test(prints_only_what_there_is),
        cmocka_unit_test(aligns_labels),
        cmocka_unit_test(shows_the_most_frequent_confusions),
        cmocka_unit_test(writes_json),
        cmocka_unit_test(returns_the_status_of_the_callback),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
