/* body_test.c - the notations of requests give the same tokens. */

#include <stdlib.h>
#include <string.h>

#include "serve/body.h"
#include "support/support.h"

/* Parses a copy of the text into body, and returns the copy, which the caller frees after it. */
static caucus_status parse(caucus_ctx *ctx, cau_body_notation notation, caucus_form form,
                           size_t cells, const char *text, char **copy, cau_body *body)
{
    *copy = strdup(text);
    assert_non_null(*copy);
    return cau_body_parse(ctx, notation, form, cells, *copy, strlen(text), body);
}

/* Writes the tokens as "a/x b/y=LABEL | c/x". */
static void show(const cau_body *body, char *out, size_t size)
{
    size_t n = 0, t = 0;
    out[0] = '\0';
    for (size_t i = 0; i < body->sequences; i++) {
        if (i) n += (size_t)snprintf(out + n, size - n, " |");
        for (; t < body->end[i]; t++) {
            const cau_body_token *token = &body->token[t];
            if (n) n += (size_t)snprintf(out + n, size - n, " ");
            if (token->text) n += (size_t)snprintf(out + n, size - n, "'%s'", token->text);
            for (size_t k = 0; !token->text && k < token->count; k++)
                n += (size_t)(token->cells
                                  ? snprintf(out + n, size - n, "%s%s", k ? "/" : "",
                                             token->cells[k])
                                  : snprintf(out + n, size - n, "%s%s:%g", k ? "/" : "",
                                             token->features[k].name, token->features[k].value));
            if (token->label) n += (size_t)snprintf(out + n, size - n, "=%s", token->label);
        }
    }
}

static void test_notations(void **state)
{
    (void)state;
    static const struct {
        cau_body_notation notation;
        caucus_form form;
        size_t cells;
        const char *text, *want;
    } cases[] = {
        {CAU_BODY_LINES, CAUCUS_FORM_CELLS, 1, "a b\n\n  c\td \r\ne", "a b | c d | e"},
        {CAU_BODY_LINES, CAUCUS_FORM_TEXT, 0, "a b\n\nc\r\n", "'a b' | '' | 'c'"},
        {CAU_BODY_COLUMNS, CAUCUS_FORM_CELLS, 2, "\na\tx\nb\ty\tO\n\n\nc x\n", "a/x b/y=O | c/x"},
        {CAU_BODY_COLUMNS, CAUCUS_FORM_CELLS, 0, "a\tx\r\n", "a/x"},
        {CAU_BODY_JSON, CAUCUS_FORM_CELLS, 2,
         "{\"sequences\":[[[\"a\",\"x\"],{\"cells\":[\"b\",\"y\"],\"label\":\"O\"}],[[\"c\"]]]}",
         "a/x b/y=O | c"},
        {CAU_BODY_JSON, CAUCUS_FORM_FEATURES, 0,
         "{\"tokens\":[\"f\",[\"g\",\"h\"],{\"features\":{\"i\":0.5},\"label\":\"?\"},[]]}",
         "f:1 g:1/h:1 i:0.5=? "},
        {CAU_BODY_JSON, CAUCUS_FORM_TEXT, 0, "{\"tokens\":[\"a b\",{\"text\":\"c\"}]}",
         "'a b' 'c'"},
    };
    caucus_ctx *ctx = test_ctx();
    cau_body body = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[256], *copy;
        assert_ok(ctx, parse(ctx, cases[i].notation, cases[i].form, cases[i].cells, cases[i].text,
                             &copy, &body));
        show(&body, got, sizeof got);
        assert_string_equal(got, cases[i].want);
        free(copy);
    }
    cau_body_clear(&body);
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        cau_body_notation notation;
        caucus_form form;
        const char *text, *message;
    } cases[] = {
        {CAU_BODY_LINES, CAUCUS_FORM_FEATURES, "a", "this model takes features"},
        {CAU_BODY_LINES, CAUCUS_FORM_CELLS, " \n\t\n", "the body has no tokens"},
        {CAU_BODY_COLUMNS, CAUCUS_FORM_CELLS, "a\tb\n\na\n", "line 3: 1 column, but"},
        {CAU_BODY_COLUMNS, CAUCUS_FORM_TEXT, "a\tb\n", "this model takes texts"},
        {CAU_BODY_JSON, CAUCUS_FORM_CELLS, "{", "line 1, column 1: malformed JSON"},
        {CAU_BODY_JSON, CAUCUS_FORM_CELLS, "{\"tokens\":[[\"a\"],true]}",
         "sequence 1, token 2: not a token"},
    };
    caucus_ctx *ctx = test_ctx();
    cau_body body = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *copy;
        assert_int_equal(
            parse(ctx, cases[i].notation, cases[i].form, 2, cases[i].text, &copy, &body),
            CAUCUS_ERR_FORMAT);
        assert_non_null(strstr(caucus_message(ctx), cases[i].message));
        free(copy);
    }
    cau_body_clear(&body);
    caucus_ctx_free(ctx);
}

static caucus_status parse_all(void *self)
{
    caucus_ctx *ctx = self;
    cau_body body = {0};
    char columns[] = "a\tx\nb\ty\n\nc\tz\n";
    char json[] = "{\"sequences\":[[[\"a\",\"x\"],{\"features\":{\"b\":1}},\"c\"]]}";
    caucus_status st = cau_body_parse(ctx, CAU_BODY_COLUMNS, CAUCUS_FORM_CELLS, 2, columns,
                                      strlen(columns), &body);
    if (!st)
        st = cau_body_parse(ctx, CAU_BODY_JSON, CAUCUS_FORM_CELLS, 2, json, strlen(json), &body);
    cau_body_clear(&body);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(parse_all, ctx) >= 3);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notations),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
