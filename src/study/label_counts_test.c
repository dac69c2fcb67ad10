/* label_counts_test.c - compares label counts with counts by hand. */

#include "study/runs.h"

#include <math.h>

#include "support/support.h"

static const caucus_feature X = {"x", 1};

/* Sequences  B-A I-A O | ? B-B O | B-A|O I-A B-C  */
static caucus_data *labelled_sample(caucus_ctx *ctx)
{
    static const char *const labels[] = {"B-A", "I-A", "O",     NULL,  "?",   "B-B",
                                         "O",   NULL,  "B-A|O", "I-A", "B-C", NULL};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        assert_ok(ctx, labels[i] ? cau_data_add(ctx, data, labels[i], 1, &X, 1)
                                 : cau_data_break(ctx, data));
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

/* The labels of training, without B-C, in another order. */
static cau_alphabet *training_labels(caucus_ctx *ctx)
{
    cau_alphabet *theirs = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &theirs));
    cau_alphabet_add(theirs, "O", 1);
    cau_alphabet_add(theirs, "B-B", 3);
    cau_alphabet_add(theirs, "I-A", 3);
    cau_alphabet_add(theirs, "B-A", 3);
    return theirs;
}

enum { O, B_B, I_A, B_A }; /* numbers in that order */

static void test_counts(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = labelled_sample(ctx);
    cau_alphabet *theirs = training_labels(ctx);
    cau_tags tags = {0};
    cau_label_counts sum;
    assert_int_equal(cau_tags_learn(&tags, data->labels), CAUCUS_OK);

    /* The last sequence, then the first. Where gold is unknown, so is the answer: B-A is no chunk
     * there. In the last sequence, gold has the chunks I-A and B-C, the answer I-A B-B. */
    const uint32_t which[] = {2, 0}, answer[] = {B_A, I_A, B_B, B_A, I_A, O};
    cau_held_data held = {.set = &data->train, .which = which, .count = 2, .tags = &tags};
    assert_ok(ctx, cau_count_labels(ctx, &held, data->labels, theirs, answer, &sum));
    assert_int_equal(sum.tokens, 5);
    assert_int_equal(sum.right, 4);
    assert_int_equal(sum.chunks.gold, 3);
    assert_int_equal(sum.chunks.found, 3);
    assert_int_equal(sum.chunks.correct, 2);

    const uint32_t all[] = {B_A, O, O, B_B, B_B, O, O, O, O};
    cau_label_counts more;
    held = (cau_held_data){.set = &data->train, .count = 3, .tags = &tags};
    assert_ok(ctx, cau_count_labels(ctx, &held, data->labels, theirs, all, &more));
    assert_int_equal(more.tokens, 7);
    assert_int_equal(more.right, 4);
    assert_int_equal(more.chunks.gold, 4);
    assert_int_equal(more.chunks.found, 2);
    assert_int_equal(more.chunks.correct, 1);

    cau_label_counts_add(&sum, &more);
    assert_int_equal(sum.tokens, 12);
    assert_int_equal(sum.chunks.correct, 3);
    assert_near(cau_label_accuracy(&sum), 8.0 / 12, 1e-15);

    held.tags = NULL;
    assert_ok(ctx, cau_count_labels(ctx, &held, data->labels, theirs, all, &more));
    assert_int_equal(more.right, 4);
    assert_int_equal(more.chunks.gold, 0);
    assert_true(isnan(cau_label_accuracy(&(cau_label_counts){0})));
    cau_tags_clear(&tags);
    cau_alphabet_free(theirs);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    const cau_alphabet *theirs;
} count_case;

static caucus_status count_all(void *self)
{
    const count_case *m = self;
    const uint32_t answer[9] = {0};
    const cau_held_data held = {.set = &m->data->train, .count = 3};
    cau_label_counts sum;
    return cau_count_labels(m->ctx, &held, m->data->labels, m->theirs, answer, &sum);
}

static void test_memory(void **state)
{
    (void)state;
    count_case m = {.ctx = test_ctx()};
    caucus_data *data = labelled_sample(m.ctx);
    cau_alphabet *theirs = training_labels(m.ctx);
    m.data = data;
    m.theirs = theirs;
    assert_int_equal(test_every_allocation(count_all, &m), 5);
    cau_alphabet_free(theirs);
    cau_data_free(data);
    caucus_ctx_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
