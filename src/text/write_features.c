/* write_features.c - examples as features: svmlight, crfsuite, megam, vw, simpletagger, wapiti.
 *
 * Words are features as well. Cells are not: a template makes features of them. */

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/formats.h"

enum { VALUE_DIGITS = 9 };

static void add_value(cau_strbuf *out, double value)
{
    cau_strbuf_general(out, value, VALUE_DIGITS);
}

/* What a format of features can hold besides them. */
typedef struct {
    bool sequences, values, weights, groups, parts, edges;
    const char *ends; /* characters that end a name or a label */
} feature_limits;

static caucus_status check_text(caucus_ctx *ctx, const cau_data_sheet *sheet,
                                const cau_data_example *x, size_t t, const char *kind, cau_str text,
                                const char *ends)
{
    for (size_t i = 0; i < text.n; i++)
        if (strchr(ends, text.s[i]))
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "%s cannot hold the %s '%.*s', which has '%s' in it; replace "
                                   "that character",
                            x->file, x->token[t].number, cau_format_name(sheet->to), kind,
                            CAU_SHOWN(text),
                            text.s[i] == '\t'   ? "a TAB"
                            : text.s[i] == '\n' ? "a line end"
                                                : (const char[]){text.s[i], 0});
    return CAUCUS_OK;
}

/* Refuses what the format cannot hold. */
static caucus_status check_limits(caucus_ctx *ctx, const cau_data_sheet *sheet,
                                  const cau_data_example *x, const feature_limits *can)
{
    caucus_status st = CAUCUS_OK;
    if (x->T > 1 && !can->sequences)
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "sequences",
                            "write crfsuite, wapiti or simpletagger"));
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        if (token->cell)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "cells, of which a template makes features",
                                "`caucus features` writes these as crfsuite"));
        if (token->weight != 1 && !can->weights)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "the weight of an instance",
                                "write crfsuite, megam or vw"));
        if (token->groups > 1 && !can->groups)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "features of each class by itself",
                                "only megam can"));
        if (token->part != CAU_PART_TRAIN && !can->parts)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "DEV and TEST parts", "split the file there"));
        if (token->edges && !can->edges)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "features of edges", "only wapiti can"));
        TRY(check_text(ctx, sheet, x, t, "label", token->label, can->ends));
        for (size_t i = 0; i < token->features; i++) {
            TRY(check_text(ctx, sheet, x, t, "feature", token->feature[i].name, can->ends));
            if (token->feature[i].value != 1 && !can->values)
                TRY(cau_cannot_hold(ctx, sheet, x, t, "values of features",
                                    "write crfsuite or vw, or megam with --values"));
        }
    }
done:
    return st;
}

/* ---- svmlight ---------------------------------------------------------------------------- */

static int compare_indices(const void *a, const void *b)
{
    const cau_named_feature *x = a, *y = b;
    return cau_natural_compare(x->name, y->name);
}

caucus_status cau_svmlight_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    static const feature_limits can = {.values = true, .ends = " \t\n\r#"};
    caucus_status st = CAUCUS_OK;
    const cau_data_token *token = x->token;
    cau_named_feature *sorted = NULL;
    uint64_t number;
    TRY(check_limits(ctx, sheet, x, &can));
    for (size_t i = 0; i < token->features; i++)
        if (!cau_parse_count(token->feature[i].name.s, token->feature[i].name.n, &number) ||
            number > INT32_MAX)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "svmlight cannot hold the feature '%.*s', which is not a number up "
                                "to %d; write vw or crfsuite, which have names",
                         x->file, token->number, CAU_SHOWN(token->feature[i].name), INT32_MAX));
    sorted = cau_alloc(token->features, sizeof *sorted);
    if (!sorted) TRY(cau_fail_memory(ctx, "an example"));
    for (size_t i = 0; i < token->features; i++) sorted[i] = token->feature[i];
    qsort(sorted, token->features, sizeof *sorted, compare_indices);
    cau_strbuf_add(&sheet->text, token->label.s, token->label.n);
    for (size_t i = 0; i < token->features; i++) {
        if (i && compare_indices(&sorted[i - 1], &sorted[i]) == 0)
            TRY(cau_cannot_hold(ctx, sheet, x, 0, "a feature twice", "name each once"));
        if (i || token->label.n) cau_strbuf_add(&sheet->text, " ", 1);
        cau_strbuf_add(&sheet->text, sorted[i].name.s, sorted[i].name.n);
        cau_strbuf_add(&sheet->text, ":", 1);
        add_value(&sheet->text, (double)sorted[i].value);
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    free(sorted);
    return st;
}

/* ---- crfsuite ---------------------------------------------------------------------------- */

/* Adds a name with \: for a colon and \\ for a backslash. */
static void add_escaped(cau_strbuf *out, cau_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (name.s[i] == ':' || name.s[i] == '\\') cau_strbuf_add(out, "\\", 1);
        cau_strbuf_add(out, name.s + i, 1);
    }
}

caucus_status cau_crfsuite_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    static const feature_limits can = {
        .sequences = true, .values = true, .weights = true, .ends = "\t\n\r"};
    caucus_status st = CAUCUS_OK;
    cau_strbuf *out = &sheet->text;
    double weight = 1;
    TRY(check_limits(ctx, sheet, x, &can));
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        if (token->label.n && token->label.s[0] == '@')
            TRY(cau_cannot_hold(ctx, sheet, x, t, "a label that begins with @", "rename it"));
        if (token->weight != weight) {
            cau_strbuf_add(out, "@weight:", 8);
            add_value(out, token->weight);
            cau_strbuf_add(out, "\n", 1);
            weight = token->weight;
        }
        add_escaped(out, token->label);
        for (size_t i = 0; i < token->features; i++) {
            cau_strbuf_add(out, "\t", 1);
            add_escaped(out, token->feature[i].name);
            if (token->feature[i].value == 1) continue;
            cau_strbuf_add(out, ":", 1);
            add_value(out, (double)token->feature[i].value);
        }
        if (!token->label.n && !token->features) cau_strbuf_add(out, "\t", 1); /* not blank */
        cau_strbuf_add(out, "\n", 1);
    }
    cau_strbuf_add(out, "\n", 1);
done:
    return st;
}

/* ---- megam ------------------------------------------------------------------------------- */

static caucus_status check_megam_name(caucus_ctx *ctx, const cau_data_sheet *sheet,
                                      const cau_data_example *x, cau_str name)
{
    if (!cau_is_text(name, "#") && (name.n < 3 || memcmp(name.s, "$$$", 3) != 0) && name.n)
        return CAUCUS_OK;
    return cau_cannot_hold(ctx, sheet, x, 0, "a feature that is empty, # or begins with $$$",
                           "rename it");
}

caucus_status cau_megam_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    const feature_limits can = {
        .values = sheet->values, .weights = true, .groups = true, .parts = true, .ends = " \t\n\r"};
    caucus_status st = CAUCUS_OK;
    cau_strbuf *out = &sheet->text;
    const cau_data_token *token = x->token;
    TRY(check_limits(ctx, sheet, x, &can));
    if (token->part != sheet->part)
        cau_strbuf_printf(out, "%s\n", token->part == CAU_PART_DEV ? "DEV" : "TEST");
    sheet->part = token->part;
    const cau_str label = token->label.n ? token->label : CAU_STR("?");
    if (label.s[0] == '#')
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "a label that begins with #", "rename it"));
    cau_strbuf_add(out, label.s, label.n);
    if (token->weight != 1) {
        cau_strbuf_add(out, " $$$WEIGHT ", 11);
        add_value(out, token->weight);
    }
    for (size_t g = 0; g < token->groups; g++) {
        if (token->groups > 1) cau_strbuf_add(out, " #", 2);
        for (size_t i = token->group[g]; i < token->group[g + 1]; i++) {
            const cau_named_feature *feature = &token->feature[i];
            TRY(check_megam_name(ctx, sheet, x, feature->name));
            cau_strbuf_add(out, " ", 1);
            cau_strbuf_add(out, feature->name.s, feature->name.n);
            if (!sheet->values) continue;
            cau_strbuf_add(out, " ", 1);
            add_value(out, (double)feature->value);
        }
    }
    cau_strbuf_add(out, "\n", 1);
done:
    return st;
}

/* ---- vw ---------------------------------------------------------------------------------- */

/* Adds the features of a namespace, which are successive in general: a new one begins with '|'. */
static void add_namespaces(cau_strbuf *out, const cau_data_token *token)
{
    cau_str space = {NULL, 0};
    for (size_t i = 0; i < token->features; i++) {
        const cau_str name = token->feature[i].name;
        const char *hat = memchr(name.s, '^', name.n);
        const size_t n = hat ? (size_t)(hat - name.s) : 0, skip = n ? n + 1 : 0;
        if (i == 0 || n != space.n || (n && memcmp(space.s, name.s, n) != 0)) {
            cau_strbuf_add(out, " |", 2);
            cau_strbuf_add(out, name.s, n);
            space = (cau_str){name.s, n};
        }
        cau_strbuf_add(out, " ", 1);
        cau_strbuf_add(out, name.s + skip, name.n - skip);
        if (token->feature[i].value == 1) continue;
        cau_strbuf_add(out, ":", 1);
        add_value(out, (double)token->feature[i].value);
    }
    if (token->features == 0) cau_strbuf_add(out, " |", 2);
}

caucus_status cau_vw_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    static const feature_limits can = {.values = true, .weights = true, .ends = " \t\n\r|:"};
    caucus_status st = CAUCUS_OK;
    cau_strbuf *out = &sheet->text;
    const cau_data_token *token = x->token;
    TRY(check_limits(ctx, sheet, x, &can));
    for (size_t i = 0; i < token->features; i++)
        if (token->feature[i].name.n == 0 ||
            token->feature[i].name.s[token->feature[i].name.n - 1] == '^')
            TRY(cau_cannot_hold(ctx, sheet, x, 0, "a feature that is empty or ends with ^",
                                "rename it"));
    if (token->label.n && (token->label.s[0] == '\'' || token->label.s[0] == '+'))
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "a label that begins with ' or +", "rename it"));
    if (!token->label.n && token->weight != 1)
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "a weight without a label", "add the label"));
    cau_strbuf_add(out, token->label.s, token->label.n);
    if (token->weight != 1) {
        cau_strbuf_add(out, " ", 1);
        add_value(out, token->weight);
    }
    add_namespaces(out, token);
    cau_strbuf_add(out, "\n", 1);
done:
    return st;
}

/* ---- simpletagger and wapiti ------------------------------------------------------------- */

static caucus_status add_name(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x,
                              size_t t, cau_str name)
{
    if (name.n == 0) return cau_cannot_hold(ctx, sheet, x, t, "an empty feature", "name it");
    cau_strbuf_add(&sheet->text, name.s, name.n);
    cau_strbuf_add(&sheet->text, " ", 1);
    return CAUCUS_OK;
}

static caucus_status add_label(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x,
                               size_t t)
{
    const cau_str label = x->token[t].label;
    if (!label.n) return cau_cannot_hold(ctx, sheet, x, t, "a token without a label", "add it");
    cau_strbuf_add(&sheet->text, label.s, label.n);
    cau_strbuf_add(&sheet->text, "\n", 1);
    return CAUCUS_OK;
}

caucus_status cau_simpletagger_write(caucus_ctx *ctx, cau_data_sheet *sheet,
                                     const cau_data_example *x)
{
    static const feature_limits can = {.sequences = true, .ends = " \t\n\r"};
    caucus_status st = CAUCUS_OK;
    TRY(check_limits(ctx, sheet, x, &can));
    for (size_t t = 0; t < x->T; t++) {
        for (size_t i = 0; i < x->token[t].features; i++)
            TRY(add_name(ctx, sheet, x, t, x->token[t].feature[i].name));
        TRY(add_label(ctx, sheet, x, t));
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

caucus_status cau_wapiti_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    static const feature_limits can = {.sequences = true, .edges = true, .ends = " \t\n\r"};
    caucus_status st = CAUCUS_OK;
    TRY(check_limits(ctx, sheet, x, &can));
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        for (size_t i = 0; i < token->features; i++) {
            const cau_str name = token->feature[i].name;
            /* the names of Wapiti begin with their letter */
            if (sheet->from != CAU_FORMAT_WAPITI) cau_strbuf_add(&sheet->text, "u:", 2);
            TRY(add_name(ctx, sheet, x, t, name));
        }
        for (size_t i = 0; i < token->edges; i++)
            if (token->edge[i].s[0] == 'b') TRY(add_name(ctx, sheet, x, t, token->edge[i]));
        TRY(add_label(ctx, sheet, x, t));
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}
