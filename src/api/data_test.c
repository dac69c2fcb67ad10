/* data_test.c - data from memory gives the same models as files. */

#include <math.h>

#include "support/api_sample.h"

/* The label of a row; some are partial. */
static const char *label_of(size_t i)
{
    return i == 19 ? "O|B-X" : i == 20 ? "?" : sample_rows[i][2];
}

static const char pattern[] = "U0:%x[0,0]\nU1:%x[-1,1]/%x[0,1]\nU2:%suffix[0,0,2]\nB\n";

/* Adds rows begin to end - 1. */
static caucus_status add_cells(caucus_ctx *ctx, caucus_data *data, size_t begin, size_t end)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = begin; i < end && !st; i++)
        st = sample_rows[i][0] ? caucus_data_add_cells(ctx, data, label_of(i), 1, sample_rows[i], 2)
                               : caucus_data_break(ctx, data);
    return st;
}

/* The same rows as a file of columns. */
static char *cells_file(const char *name, size_t begin, size_t end)
{
    char text[2048] = "";
    for (size_t i = begin, n = 0; i < end; i++)
        n += sample_rows[i][0] ? (size_t)sprintf(text + n, "%s %s %s\n", sample_rows[i][0],
                                                 sample_rows[i][1], label_of(i))
                               : (size_t)sprintf(text + n, "\n");
    return strdup(test_text(name, text));
}

/* Dumps a model without the fingerprint of its data and its file names. */
static void dump(caucus_ctx *ctx, const caucus_model *model, char *out)
{
    static const char *const differ[] = {"info\tfingerprint\t", "info\toption.dev\t",
                                         "info\toption.template\t"};
    caucus_options *options = sample_options(ctx, "inspect", "dump", "1", NULL);
    out[0] = '\0';
    assert_ok(ctx, caucus_inspect(ctx, model, options, sample_collect, out));
    for (size_t i = 0; i < 3; i++) {
        char *line = strstr(out, differ[i]);
        if (line) memmove(line, strchr(line, '\n'), strlen(strchr(line, '\n')) + 1);
    }
    caucus_options_free(options);
}

/* Trains on both, compares the models, and frees the data. */
static void check_same(caucus_ctx *ctx, const caucus_options *options, caucus_data *file,
                       caucus_data *memory)
{
    static char want[SAMPLE_TEXT], got[SAMPLE_TEXT];
    caucus_data *data[] = {file, memory};
    for (int i = 0; i < 2; i++) {
        caucus_model *model = NULL;
        assert_ok(ctx, caucus_train(ctx, data[i], options, &model));
        dump(ctx, model, i ? got : want);
        caucus_model_free(model);
    }
    for (caucus_part part = CAUCUS_PART_TRAIN; part <= CAUCUS_PART_TEST; part++)
        assert_int_equal(caucus_data_size(memory, part), caucus_data_size(file, part));
    assert_string_equal(got, want);
    caucus_data_free(file);
    caucus_data_free(memory);
}

static void test_cells(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char *path = cells_file("cells.txt", 0, SAMPLE_ROWS);
    char *template = strdup(test_file("cells.template", pattern, sizeof pattern - 1));
    static const char *const settings[][2] = {
        {"l2", "1"}, {"cutoff", "2"}, {"dev-fraction", "0.3"}, {"model", "memm"}};
    for (size_t i = 0; i < 4; i++)
        for (int own = 0; own < 2; own++) { /* with a template, and with the default one */
            caucus_options *options = sample_options(ctx, "train", settings[i][0], settings[i][1],
                                                     "format", "columns", NULL);
            if (own) assert_ok(ctx, caucus_options_set(ctx, options, "template", template));
            caucus_data *file = NULL, *memory = NULL;
            const char *const paths[] = {path};
            assert_ok(ctx, caucus_data_read(ctx, options, paths, 1, &file));
            assert_ok(ctx, caucus_data_new(ctx, options, &memory));
            assert_ok(ctx, add_cells(ctx, memory, 0, SAMPLE_ROWS));
            assert_ok(ctx, caucus_data_close(ctx, memory));
            check_same(ctx, options, file, memory);
            caucus_options_free(options);
        }
    free(path);
    free(template);
    caucus_ctx_free(ctx);
}

/* Parts from memory against parts from files, and a template from memory. */
static void test_parts(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char *train = cells_file("train.txt", 0, 15), *dev = cells_file("dev.txt", 15, 18);
    char *test = cells_file("test.txt", 18, SAMPLE_ROWS);
    char *template = strdup(test_file("parts.template", pattern, sizeof pattern - 1));
    const char *const paths[] = {train};
    caucus_options *options = sample_options(ctx, "train", "template", template, "dev", dev, "test",
                                             test, "patience", "5", NULL);
    caucus_options *plain = sample_options(ctx, "train", "patience", "5", NULL);
    caucus_data *file = NULL, *memory = NULL;
    assert_ok(ctx, caucus_data_read(ctx, options, paths, 1, &file));
    assert_ok(ctx, caucus_data_new(ctx, NULL, &memory));
    assert_ok(ctx, caucus_data_template(ctx, memory, pattern));
    assert_ok(ctx, add_cells(ctx, memory, 0, 15));
    assert_ok(ctx, caucus_data_part(ctx, memory, CAUCUS_PART_DEV));
    assert_ok(ctx, add_cells(ctx, memory, 15, 18));
    assert_ok(ctx, caucus_data_part(ctx, memory, CAUCUS_PART_TEST));
    /* the last sequence needs no break */
    assert_ok(ctx, add_cells(ctx, memory, 18, SAMPLE_ROWS - 1));
    assert_int_equal(caucus_data_size(memory, CAUCUS_PART_TRAIN), 0);
    assert_ok(ctx, caucus_data_close(ctx, memory));
    assert_int_equal(caucus_data_size(memory, CAUCUS_PART_DEV), 2);
    assert_int_equal(caucus_data_size(memory, CAUCUS_PART_TEST), 4);
    check_same(ctx, plain, file, memory);

    memory = file = NULL; /* data in memory with files for the other parts */
    assert_ok(ctx, caucus_data_read(ctx, options, paths, 1, &file));
    assert_ok(ctx, caucus_data_new(ctx, options, &memory));
    assert_ok(ctx, add_cells(ctx, memory, 0, 15));
    assert_ok(ctx, caucus_data_close(ctx, memory));
    check_same(ctx, options, file, memory);

    memory = NULL;
    assert_ok(ctx, caucus_data_new(ctx, options, &memory));
    caucus_options_free(options); /* the data has a copy */
    assert_ok(ctx, add_cells(ctx, memory, 0, 15));
    assert_ok(ctx, caucus_data_part(ctx, memory, CAUCUS_PART_DEV));
    assert_ok(ctx, add_cells(ctx, memory, 15, 18));
    assert_fails(ctx, caucus_data_close(ctx, memory), CAUCUS_ERR_ARGUMENT,
                 "the data has a DEV part");
    caucus_data_free(memory);
    caucus_options_free(plain);
    free(train);
    free(dev);
    free(test);
    free(template);
    caucus_ctx_free(ctx);
}

static const char *const texts[][2] = {{"ham", "See you at the meeting"},
                                       {"spam", "Buy now, buy cheap"},
                                       {"ham", "the meeting is  at noon"},
                                       {"spam", "cheap cheap meeting"},
                                       {"ham", ""},
                                       {"spam", "Now or never"}};

static void test_texts(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char text[1024] = "";
    for (size_t i = 0, n = 0; i < 6; i++)
        n += (size_t)sprintf(text + n, "%s\t%s\n", texts[i][0], texts[i][1]);
    const char *path = test_text("texts.txt", text);
    static const char *const settings[][2] = {
        {"ngrams", "2"}, {"lower", "1"}, {"counts", "1"}, {"dev-fraction", ".4"}};
    for (size_t i = 0; i < 4; i++) {
        caucus_options *options =
            sample_options(ctx, "train", settings[i][0], settings[i][1], "format", "text", NULL);
        caucus_data *file = NULL, *memory = NULL;
        assert_ok(ctx, caucus_data_read(ctx, options, &path, 1, &file));
        assert_ok(ctx, caucus_data_new(ctx, options, &memory));
        for (size_t t = 0; t < 6; t++)
            assert_ok(ctx, caucus_data_add_text(ctx, memory, texts[t][0], 1,
                                                t == 3 ? "cheap\ncheap\tmeeting" : texts[t][1]));
        assert_ok(ctx, caucus_data_close(ctx, memory));
        check_same(ctx, options, file, memory);
        caucus_options_free(options);
    }
    caucus_ctx_free(ctx);
}

/* Sequences of features with values and weights. */
static void test_features(void **state)
{
    (void)state;
    static const char *const settings[][2] = {
        {"cutoff", "2"}, {"dev-fraction", "0.3"}, {"l2", "2"}};
    caucus_ctx *ctx = test_ctx();
    for (size_t k = 0; k < 3; k++) {
        caucus_options *options = sample_options(ctx, "train", settings[k][0], settings[k][1],
                                                 "format", "crfsuite", NULL);
        caucus_data *file = NULL, *memory = NULL;
        char text[4096] = "", name[16];
        assert_ok(ctx, caucus_data_new(ctx, options, &memory));
        for (int i = 0; i < 12; i++) {
            const double value = i % 3 ? 1 : .5, weight = i < 8 ? 2 : 1;
            const char *label = i % 5 < 2 ? "a" : "b";
            sprintf(name, "f%d", i % 7);
            const caucus_feature features[] = {{name, value}, {"all", 1}, {"none", 0}};
            sprintf(text + strlen(text), "%s%s\t%s:%g\tall\tnone:0\n%s",
                    i % 4 == 0 && i < 8 ? "@weight:2\n" : "", label, name, value,
                    i % 4 == 3 ? "\n" : "");
            assert_ok(ctx, caucus_data_add_features(ctx, memory, label, weight, features, 3));
            if (i % 4 == 3) assert_ok(ctx, caucus_data_break(ctx, memory));
        }
        const char *path = test_text("features.txt", text);
        assert_ok(ctx, caucus_data_close(ctx, memory));
        assert_ok(ctx, caucus_data_read(ctx, options, &path, 1, &file));
        caucus_model *models[2] = {NULL, NULL};
        assert_ok(ctx, caucus_train(ctx, file, options, &models[0]));
        assert_ok(ctx, caucus_train(ctx, memory, options, &models[1]));
        static const char *const same[] = {"objective", "features", "instances", "weights"};
        for (size_t i = 0; i < 4; i++)
            assert_string_equal(caucus_model_info(models[1], same[i]),
                                caucus_model_info(models[0], same[i]));
        assert_int_equal(caucus_data_size(memory, CAUCUS_PART_DEV),
                         caucus_data_size(file, CAUCUS_PART_DEV));
        caucus_model_free(models[0]);
        caucus_model_free(models[1]);
        caucus_data_free(file);
        caucus_data_free(memory);
        caucus_options_free(options);
    }
    caucus_ctx_free(ctx);
}

/* A group is held out as a whole. */
static void test_groups(void **state)
{
    (void)state;
    static const caucus_feature x[] = {{"x", 1}}, y[] = {{"y", 1}};
    static const char *const groups[] = {"a", "b", "c", "a", "b", "c"};
    caucus_ctx *ctx = test_ctx();
    for (int by_group = 0; by_group < 2; by_group++) {
        caucus_options *options = sample_options(ctx, "train", "dev-fraction", "0.1", NULL);
        caucus_data *data = NULL;
        assert_ok(ctx, caucus_data_new(ctx, options, &data));
        for (int i = 0; i < 6; i++) {
            if (by_group) assert_ok(ctx, caucus_data_group(ctx, data, groups[i]));
            assert_ok(ctx, caucus_data_add_features(ctx, data, "X", 1, x, 1));
            assert_ok(ctx, caucus_data_add_features(ctx, data, "Y", 1, y, 1));
            assert_ok(ctx, caucus_data_break(ctx, data));
        }
        assert_ok(ctx, caucus_data_close(ctx, data));
        assert_int_equal(caucus_data_size(data, CAUCUS_PART_DEV), by_group ? 4 : 2);
        caucus_data_free(data);
        caucus_options_free(options);
    }
    caucus_ctx_free(ctx);
}

/* Domains in any order: the target domain comes first, as with files. */
static void test_domains(void **state)
{
    (void)state;
    static const char *const domains[] = {"news", "calls", "mail"};
    static const char *const words[][2] = {{"good", "bad"}, {"cool", "awful"}, {"fine", "poor"}};
    caucus_ctx *ctx = test_ctx();
    caucus_options *options =
        sample_options(ctx, "adapt", "target", "calls", "method", "mega", "source", "news",
                       "source", "mail", "mega-iterations", "2", "format", "crfsuite", NULL);
    caucus_options *files = sample_options(ctx, "adapt", "method", "mega", "mega-iterations", "2",
                                           "format", "crfsuite", NULL);
    caucus_data *memory = NULL, *file = NULL;
    caucus_model *models[2] = {NULL, NULL};
    char text[3][1024] = {""};
    assert_ok(ctx, caucus_data_new(ctx, options, &memory));
    for (int i = 0; i < 24; i++) {
        const size_t d = (size_t)i % 3;
        const char *label = i / 3 % 2 ? "minus" : "plus";
        const caucus_feature features[] = {{words[d][i / 3 % 2], 1}, {i % 4 ? "often" : "rare", 1}};
        assert_ok(ctx, caucus_data_group(ctx, memory, domains[d]));
        assert_ok(ctx, caucus_data_add_features(ctx, memory, label, 1, features, 2));
        sprintf(text[d] + strlen(text[d]), "%s\t%s\t%s\n\n", label, features[0].name,
                features[1].name);
    }
    assert_ok(ctx, caucus_data_close(ctx, memory));
    assert_ok(ctx, caucus_options_set(ctx, files, "target", test_text("calls", text[1])));
    for (size_t d = 0; d < 3; d += 2)
        assert_ok(ctx, caucus_options_set(ctx, files, "source", test_text(domains[d], text[d])));
    assert_ok(ctx, caucus_data_read(ctx, files, NULL, 0, &file));
    assert_ok(ctx, caucus_options_set(ctx, options, "model", "maxent"));
    assert_ok(ctx, caucus_options_set(ctx, files, "model", "maxent"));
    assert_ok(ctx, caucus_train(ctx, memory, options, &models[0]));
    assert_ok(ctx, caucus_train(ctx, file, files, &models[1]));
    assert_string_equal(caucus_model_info(models[0], "domain.1.name"), "calls");
    assert_string_equal(caucus_model_info(models[0], "domain.2.name"), "news");
    /* features are numbered differently, so sums are rounded differently */
    assert_near(atof(caucus_model_info(models[0], "objective")),
                atof(caucus_model_info(models[1], "objective")), 1e-3);
    assert_near(atof(caucus_model_info(models[0], "domain.1.pi")),
                atof(caucus_model_info(models[1], "domain.1.pi")), 1e-3);
    caucus_model_free(models[0]);
    caucus_model_free(models[1]);
    caucus_data_free(memory);
    caucus_data_free(file);

    memory = NULL; /* no such domain, and no other */
    assert_ok(ctx, caucus_data_new(ctx, options, &memory));
    assert_fails(ctx, caucus_data_part(ctx, memory, CAUCUS_PART_DEV), CAUCUS_ERR_ARGUMENT,
                 "its own development data");
    assert_ok(ctx, caucus_data_group(ctx, memory, "calls"));
    const caucus_feature f = {"x", 1};
    assert_ok(ctx, caucus_data_add_features(ctx, memory, "a", 1, &f, 1));
    assert_ok(ctx, caucus_data_add_features(ctx, memory, "b", 1, &f, 1));
    assert_fails(ctx, caucus_data_close(ctx, memory), CAUCUS_ERR_ARGUMENT, "at least one other");
    caucus_data_free(memory);
    memory = NULL;
    caucus_options *none = sample_options(ctx, "adapt", NULL, NULL);
    assert_fails(ctx, caucus_data_new(ctx, none, &memory), CAUCUS_ERR_ARGUMENT,
                 "the name of the target domain");
    caucus_options_free(none);
    const char *path = "x";
    assert_fails(ctx, caucus_data_read(ctx, options, &path, 1, &memory), CAUCUS_ERR_ARGUMENT,
                 "give no others");
    caucus_options_free(options);
    caucus_options_free(files);
    caucus_ctx_free(ctx);
}

/* ---- wrong use ---- */

static void test_forms(void **state)
{
    (void)state;
    static const char *const cells[] = {"a", "b", "\xff"};
    static const caucus_feature f = {"x", 1};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    assert_fails(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 0), CAUCUS_ERR_ARGUMENT,
                 "token:1: no cells");
    assert_fails(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 3), CAUCUS_ERR_ARGUMENT,
                 "token:1: cell 2 is not valid UTF-8");
    assert_fails(ctx, caucus_data_add_cells(ctx, data, "", 1, cells, 2), CAUCUS_ERR_ARGUMENT,
                 "a label without a name");
    caucus_data_free(data);

    data = NULL;
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    assert_ok(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 2));
    assert_fails(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 1), CAUCUS_ERR_ARGUMENT,
                 "token:2: 1 cell, but earlier tokens have 2");
    assert_ok(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 2)); /* starts a new part */
    assert_fails(ctx, caucus_data_add_features(ctx, data, "A", 1, &f, 1), CAUCUS_ERR_ARGUMENT,
                 "this instance has features, but those before it have cells");
    assert_fails(ctx, caucus_data_add_text(ctx, data, "A", 1, "x"), CAUCUS_ERR_ARGUMENT,
                 "this instance has text");
    assert_fails(ctx, caucus_data_template(ctx, data, pattern), CAUCUS_ERR_ARGUMENT,
                 "before the first");
    assert_fails(ctx, caucus_data_part(ctx, data, CAUCUS_PART_DEV), CAUCUS_ERR_ARGUMENT,
                 "a sequence has one part");
    assert_fails(ctx, caucus_data_group(ctx, data, "g"), CAUCUS_ERR_ARGUMENT,
                 "a sequence has one group");
    assert_ok(ctx, caucus_data_break(ctx, data));
    assert_fails(ctx, caucus_data_group(ctx, data, "g"), CAUCUS_ERR_ARGUMENT,
                 "belongs to no group");
    assert_ok(ctx, caucus_data_add_cells(ctx, data, "B", 1, cells, 2));
    assert_ok(ctx, caucus_data_close(ctx, data));
    assert_fails(ctx, caucus_data_part(ctx, data, CAUCUS_PART_DEV), CAUCUS_ERR_ARGUMENT,
                 "the data is closed");
    caucus_data_free(data);

    data = NULL;
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    assert_fails(ctx, caucus_data_template(ctx, data, "U0:%x[0"), CAUCUS_ERR_FORMAT,
                 "the template:1");
    assert_ok(ctx, caucus_data_template(ctx, data, pattern));
    assert_fails(ctx, caucus_data_add_features(ctx, data, "A", 1, &f, 1), CAUCUS_ERR_ARGUMENT,
                 "a template is for cells");
    assert_fails(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 1), CAUCUS_ERR_ARGUMENT,
                 "the template looks at column 1");
    caucus_data_free(data);

    data = NULL;
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    assert_ok(ctx, caucus_data_part(ctx, data, CAUCUS_PART_DEV));
    assert_ok(ctx, caucus_data_add_features(ctx, data, "A", 1, &f, 1));
    assert_fails(ctx, caucus_data_close(ctx, data), CAUCUS_ERR_ARGUMENT, "no instances");
    caucus_data_free(data);

    data = NULL;
    caucus_options *options = sample_options(ctx, "train", "format", "svmlight", NULL);
    assert_ok(ctx, caucus_data_new(ctx, options, &data));
    assert_fails(ctx, caucus_data_add_cells(ctx, data, "A", 1, cells, 1), CAUCUS_ERR_ARGUMENT,
                 "--format svmlight, but this instance has cells");
    caucus_data_free(data);
    caucus_options_free(options);
    data = NULL;
    options = sample_options(ctx, "tag", NULL, NULL);
    assert_fails(ctx, caucus_data_new(ctx, options, &data), CAUCUS_ERR_ARGUMENT,
                 "these are the options of 'tag'; make those of 'train' or 'adapt'");
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

/* Options are refused after the first row. */
static void test_late_options(void **state)
{
    (void)state;
    static const char *const late[][2] = {
        {"dev-fraction", "0.5"}, {"cutoff", "3"}, {"dev", "x.txt"}, {"test", "x.txt"}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    assert_ok(ctx, add_cells(ctx, data, 0, SAMPLE_ROWS));
    assert_ok(ctx, caucus_data_close(ctx, data));
    for (size_t i = 0; i < 4; i++) {
        char part[64];
        caucus_options *options = sample_options(ctx, "train", late[i][0], late[i][1], NULL);
        sprintf(part, "--%s takes effect when data is made", late[i][0]);
        assert_fails(ctx, caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT, part);
        caucus_options_free(options);
    }
    caucus_options *options = sample_options(ctx, "adapt", "target", "a", "source", "b", NULL);
    assert_fails(ctx, caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT, "no domains");
    caucus_options_free(options);
    assert_null(model);
    caucus_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    caucus_options *options;
    int form;
} data_job;

static caucus_status make(void *self)
{
    const data_job *j = self;
    caucus_data *data = NULL;
    caucus_status st = caucus_data_new(j->ctx, j->options, &data);
    if (!st && j->form == 0) st = caucus_data_template(j->ctx, data, pattern);
    for (int g = 0; g < 2 && !st; g++) {
        st = caucus_data_group(j->ctx, data, g ? "one" : "two");
        if (!st && j->form == 0) st = add_cells(j->ctx, data, 0, 15);
        for (size_t t = 0; t < 4 && j->form && !st; t++)
            st = caucus_data_add_text(j->ctx, data, texts[t][0], 1, texts[t][1]);
    }
    if (!st) st = caucus_data_close(j->ctx, data);
    caucus_data_free(data);
    return st;
}

/* What caucus_on_iterate showed last. */
typedef struct {
    const caucus_data *data;
    size_t calls, iterations, nonzero, right;
} shown_iterates;

/* The gold labels of the test data of test_iterates. */
static const char *const iterate_gold[] = {"X", "Y", "X", "other"};

static void see_iterate(void *user, const caucus_iterate *iterate)
{
    shown_iterates *shown = user;
    shown->calls++;
    shown->nonzero = iterate->nonzero;
    shown->right = 0;
    assert_int_equal(iterate->count, 4);
    for (size_t i = 0; i < 4; i++) {
        const char *name = caucus_data_class(shown->data, iterate->labels[i]);
        shown->right += strcmp(name, iterate_gold[i]) == 0;
    }
}

static bool count_iteration(void *user, const caucus_progress *progress)
{
    shown_iterates *shown = user;
    shown->iterations++;
    assert_int_equal(shown->calls, shown->iterations); /* it comes before the progress */
    assert_true(progress->weights > 0 && progress->norm > 0);
    return true;
}

/* Numbers of classes, and the iterates of a run, whose last one is the model. */
static void test_iterates(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char *const names[] = {"x", "y", "x", "y"};
    caucus_options *options =
        sample_options(ctx, "train", "max-iterations", "6", "solver", "owlqn", "l1", "0.1", NULL);
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    shown_iterates shown = {0};
    assert_ok(ctx, caucus_data_new(ctx, options, &data));
    for (int test = 0; test < 2; test++) {
        if (test) assert_ok(ctx, caucus_data_part(ctx, data, CAUCUS_PART_TEST));
        for (size_t i = 0; i < 4; i++) {
            const caucus_feature feature = {names[i], 1};
            const char *label = test ? iterate_gold[i] : i % 2 ? "Y" : "X";
            assert_ok(ctx, caucus_data_add_features(ctx, data, label, 1, &feature, 1));
        }
    }
    assert_null(caucus_data_class(data, 0));
    assert_ok(ctx, caucus_data_close(ctx, data));
    assert_string_equal(caucus_data_class(data, 0), "X");
    assert_string_equal(caucus_data_class(data, 1), "Y");
    assert_null(caucus_data_class(data, 2)); /* the other label has no number */
    shown.data = data;
    caucus_on_iterate(ctx, see_iterate, &shown);
    caucus_on_progress(ctx, count_iteration, &shown);
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    assert_true(shown.calls > 0);
    assert_int_equal(shown.right, 3);
    /* the label that is no class does not count there */
    assert_near(atof(caucus_model_info(model, "test.accuracy")), 1, 1e-9);
    assert_int_equal(atoi(caucus_model_info(model, "nonzero")), shown.nonzero);
    assert_string_equal(caucus_model_class(model, 1), "Y");
    caucus_on_iterate(ctx, NULL, NULL);
    caucus_on_progress(ctx, NULL, NULL);
    caucus_model_free(model);
    caucus_data_free(data);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_set_threads(ctx, 1);
    data_job j = {ctx, sample_options(ctx, "train", "cutoff", "2", "dev-fraction", "0.1", NULL), 0};
    assert_true(test_every_allocation(make, &j) > 50);
    j.form = 1;
    assert_true(test_every_allocation(make, &j) > 30);
    caucus_options_free(j.options);
    j.form = 0;
    j.options = sample_options(ctx, "adapt", "target", "one", NULL);
    assert_true(test_every_allocation(make, &j) > 50);
    caucus_options_free(j.options);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),    cmocka_unit_test(test_parts),
        cmocka_unit_test(test_texts),    cmocka_unit_test(test_features),
        cmocka_unit_test(test_groups),   cmocka_unit_test(test_domains),
        cmocka_unit_test(test_forms),    cmocka_unit_test(test_late_options),
        cmocka_unit_test(test_iterates), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/data", tests, NULL, NULL);
}
