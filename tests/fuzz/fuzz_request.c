/* fuzz_request.c - random bytes as a request to the server.
 *
 * The first line is the notation (l, c, j), the number of a model, and options as in an address:
 * "j0 nbest=2&segments"; the rest is the body. Either the request is refused with a message, or the
 * answer is JSON with one label for each token. */

#include <jansson.h>

#include "serve/answer.h"

#include "fuzz.h"

enum { MODELS = 3 };

/* A CRF on two cells, a classifier of texts, and a CRF on features. */
static caucus_model *train(caucus_ctx *ctx, int which)
{
    static const char *const cells[][2] = {{"a", "x"}, {"b", "y"}, {"c", "x"}};
    static const char *const labels[] = {"B-A", "I-A", "O"};
    static const caucus_feature features[] = {{"f", 1}, {"g", 0.5}, {"h", 2}};
    caucus_options *options = NULL;
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    require(!caucus_options_new(ctx, "train", &options));
    require(!caucus_options_set(ctx, options, "max-iterations", "5"));
    require(!caucus_data_new(ctx, options, &data));
    for (int i = 0; i < 3; i++) {
        if (which == 0) require(!caucus_data_add_cells(ctx, data, labels[i], 1, cells[i], 2));
        if (which == 1) require(!caucus_data_add_text(ctx, data, labels[i], 1, cells[i][0]));
        if (which == 2)
            require(!caucus_data_add_features(ctx, data, labels[i], 1, features + i, 1));
    }
    if (which != 1) require(!caucus_data_break(ctx, data));
    require(!caucus_data_close(ctx, data));
    require(!caucus_train(ctx, data, options, &model));
    caucus_data_free(data);
    caucus_options_free(options);
    return model;
}

/* The options of an address, but only those that a request may set. */
static void add_options(cau_strbuf *out, char *text)
{
    for (char *word = strtok(text, "&"); word; word = strtok(NULL, "&")) {
        char *value = strchr(word, '=');
        if (value) *value++ = '\0';
        if (cau_answer_takes(word)) cau_strbuf_printf(out, "%s=%s\n", word, value ? value : "");
    }
}

static void check_answer(const cau_strbuf *out, size_t sequences, size_t tokens)
{
    json_t *root = json_loadb(out->s, out->n, 0, NULL);
    json_t *list = json_object_get(root, "sequences");
    size_t labels = 0;
    require(root && json_array_size(list) == sequences);
    for (size_t i = 0; i < sequences; i++)
        labels += json_array_size(json_object_get(json_array_get(list, i), "labels"));
    require(labels == tokens && tokens > 0);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static cau_served served[MODELS];
    static cau_answerer *answerer;
    if (!answerer) {
        caucus_ctx *ctx = new_context();
        require(!cau_answerer_new(&answerer));
        for (int i = 0; i < MODELS; i++) {
            served[i].model = train(ctx, i);
            served[i].name = "m";
            served[i].users = 1; /* never freed */
        }
        caucus_ctx_free(ctx);
    }
    char none[] = "", *text = malloc(size + 1);
    require(text);
    if (size) memcpy(text, bytes, size);
    text[size] = '\0';
    char *body = memchr(text, '\n', size);
    if (body && body - text >= 2) {
        cau_strbuf options = {0}, out = {0};
        size_t sequences = 0, tokens = 0;
        *body++ = '\0';
        if (strlen(text) > 3) add_options(&options, text + 3);
        cau_tag_query q = {
            .served = &served[(unsigned char)text[1] % MODELS],
            .notation = text[0] == 'l'   ? CAU_BODY_LINES
                        : text[0] == 'c' ? CAU_BODY_COLUMNS
                                         : CAU_BODY_JSON,
            .options = options.s ? options.s : none,
            .bytes = body,
            .length = (size_t)(text + size - body),
        };
        const caucus_status st = cau_answer_tag(answerer, &q, &out, &sequences, &tokens);
        if (st)
            require(*cau_answerer_message(answerer));
        else
            check_answer(&out, sequences, tokens);
        cau_strbuf_clear(&options);
        cau_strbuf_clear(&out);
    }
    free(text);
    return 0;
}
