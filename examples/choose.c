/* choose.c - how to choose a penalty by cross-validation, and a method of domain adaptation.
 *
 *     cc choose.c $(pkg-config --cflags --libs caucus) -o choose
 *     ./choose
 *
 * The data is in memory. Prints the score of each setting and of all methods, with a star at the
 * best, which is then trained on all data and labels a new text. */

#include <caucus.h>
#include <stdio.h>

/* Opinions in two domains that share some words. */
static const struct {
    const char *label, *text, *domain;
} opinions[] = {
    {"good", "a fine film", "films"},
    {"bad", "a dull film", "films"},
    {"good", "moving and fine", "films"},
    {"bad", "slow and dull", "films"},
    {"good", "great acting", "films"},
    {"bad", "poor acting", "films"},
    {"good", "a great moving film", "films"},
    {"bad", "a poor slow film", "films"},
    {"good", "a moving ending", "films"},
    {"bad", "a dull ending", "films"},
    {"good", "great great film", "films"},
    {"bad", "poor poor film", "films"},
    {"good", "a great blender", "kitchen"},
    {"bad", "a poor blender", "kitchen"},
    {"good", "sharp and sturdy", "kitchen"},
    {"bad", "blunt and flimsy", "kitchen"},
    {"good", "a sturdy pan", "kitchen"},
    {"bad", "a flimsy pan", "kitchen"},
    {"good", "sharp knives , great", "kitchen"},
    {"bad", "blunt knives , poor", "kitchen"},
};
static const char *const new_text = "a sturdy blender";
enum { OPINIONS = sizeof opinions / sizeof *opinions };

/* Adds all opinions, those of each domain as a group. */
static caucus_status add_all(caucus_ctx *ctx, caucus_data *data, int domains)
{
    caucus_status st = CAUCUS_OK;
    for (int i = 0; i < OPINIONS && !st; i++) {
        if (domains) st = caucus_data_group(ctx, data, opinions[i].domain);
        if (!st) st = caucus_data_add_text(ctx, data, opinions[i].label, 1, opinions[i].text);
    }
    return st ? st : caucus_data_close(ctx, data);
}

/* Runs a study, prints its rows, trains the best on all data, and applies it. */
static caucus_status choose(caucus_ctx *ctx, const caucus_options *options, int domains)
{
    caucus_data *data = NULL;
    caucus_study *study = NULL;
    caucus_options *best = NULL;
    caucus_model *model = NULL;
    caucus_tagger *tagger = NULL;
    caucus_status st = caucus_data_new(ctx, options, &data);
    if (!st) st = add_all(ctx, data, domains);
    if (!st) st = caucus_study_run(ctx, data, options, &study);
    for (size_t r = 0; !st && r < caucus_study_rows(study); r++) {
        const caucus_study_row *row = caucus_study_at(study, r);
        printf("%c %s\t%.2f\n", r == caucus_study_best(study) ? '*' : ' ', row->name, row->score);
    }
    if (!st) st = caucus_study_options(ctx, study, caucus_study_best(study), &best);
    if (!st) st = caucus_train(ctx, data, best, &model);
    if (!st) st = caucus_tagger_new(ctx, model, NULL, &tagger);
    if (!st) st = caucus_tagger_add_text(ctx, tagger, new_text);
    if (!st) st = caucus_tagger_run(ctx, tagger);
    if (!st)
        printf("%s: %s\n", new_text, caucus_model_class(model, *caucus_tagger_labels(tagger, 0)));
    caucus_tagger_free(tagger);
    caucus_model_free(model);
    caucus_options_free(best);
    caucus_study_free(study);
    caucus_data_free(data);
    return st;
}

int main(void)
{
    static const char *const wanted[][3] = {
        {"train", "folds", "4"},        {"train", "grid", "l2=1000,1,0.01"},
        {"adapt", "target", "kitchen"}, {"adapt", "source", "films"},
        {"adapt", "folds", "2"},        {"adapt", "method", "all"}};
    caucus_ctx *ctx = NULL;
    caucus_options *options[2] = {NULL, NULL};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = caucus_options_new(ctx, "train", &options[0]);
    if (!st) st = caucus_options_new(ctx, "adapt", &options[1]);
    for (int i = 0; i < 6 && !st; i++)
        st = caucus_options_set(ctx, options[wanted[i][0][0] == 'a'], wanted[i][1], wanted[i][2]);
    for (int i = 0; i < 2 && !st; i++) st = choose(ctx, options[i], i);
    if (st) fprintf(stderr, "choose: %s\n", caucus_message(ctx));
    caucus_options_free(options[0]);
    caucus_options_free(options[1]);
    caucus_ctx_free(ctx);
    return st ? 1 : 0;
}
