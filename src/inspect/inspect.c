/* inspect.c - the command `inspect`: checks its options, makes one view, and prints it. */

#include "inspect/inspect.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "infer/voters.h"
#include "model/dump.h"

/* ---- parts of several views ---------------------------------------------------------- */

void cau_tree_weight(cau_tree *tree, const caucus_model *m, cau_str feature, cau_cell_kind kind,
                     size_t cell, double weight)
{
    cau_tree_object(tree, NULL);
    if (feature.s) cau_tree_text(tree, "feature", feature);
    if (kind == CAU_CELL_LABEL) cau_tree_string(tree, "label", cau_model_label(m, cell));
    if (kind == CAU_CELL_PAIR) {
        cau_tree_string(tree, "from", cau_model_label(m, cell / m->Y));
        cau_tree_string(tree, "to", cau_model_label(m, cell % m->Y));
    }
    cau_tree_number(tree, "weight", weight);
    cau_tree_end(tree);
}

void cau_print_weights(cau_writer *out, const json_t *weights)
{
    /* "{a:|b}" prints b if a exists and is not the number 1 */
    static const cau_column columns[] = {
        {NULL, "  {weight:.6f}"}, {NULL, "<{feature}"}, {NULL, "<{label}{from}{from:| -> }{to}"}};
    cau_print_table(out, columns, sizeof columns / sizeof *columns, weights);
}

void cau_tree_info(cau_tree *tree, const char *name, const caucus_model *m, const char *key)
{
    const cau_str value = cau_str_of(cau_model_info(m, key));
    cau_strbuf plain = {0};
    const bool escaped = value.s && cau_strbuf_unescape(&plain, value);
    const bool usable = escaped && plain.n && !plain.failed;
    cau_tree_text(tree, name, usable ? (cau_str){plain.s, plain.n} : value);
    tree->failed |= plain.failed;
    cau_strbuf_clear(&plain);
}

void cau_tree_expert_name(cau_tree *tree, const caucus_model *m, size_t j)
{
    const bool gated = m->gate.base != NULL;
    char key[64];
    snprintf(key, sizeof key, "%s.%zu.name", gated ? "domain" : "expert", j + 1);
    if (gated && j + 1 == m->pool.J)
        cau_tree_string(tree, "name", "general");
    else
        cau_tree_info(tree, "name", m, key);
}

void cau_print_component(cau_writer *out, size_t domain, const json_t *component)
{
    if (!domain)
        cau_print(out, component, "general");
    else
        cau_strbuf_printf(&out->text, "domain %zu", domain);
    if (domain && json_is_string(cau_at(component, "name"))) cau_print(out, component, ", {name}");
}

/* ---- the command --------------------------------------------------------------------- */

static caucus_status check_options(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_inspect_options *options)
{
    if (options->dump && options->json)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--dump has a form of its own, which is not JSON; give one of --dump and "
                        "--json");
    if (options->dump + !!options->expectations + !!options->explain + !!options->members > 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--dump, --expectations, --explain and --members are different views; "
                        "give one of them");
    if (options->members && model->pool.J == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--members compares the experts of a pool, and this is a single model; "
                        "leave it out");
    if (options->expectations && cau_voting(model))
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "--expectations is about one table of weights, but the experts of this "
                        "pool vote, each with its own; give a pool that is a product by sequence, "
                        "or a single model");
    if (options->against && !options->explain)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--against needs --explain, the text to explain");
    return CAUCUS_OK;
}

/* Whether the text to explain is a sequence, which has line ends, or is to be compared, or the
 * experts of the model vote on it; otherwise it is one line, to which one table of weights applies,
 * or a gate. */
static bool explains_sequence(const caucus_model *model, const cau_inspect_options *options)
{
    const char *text = options->explain, *end = text + strcspn(text, "\n");
    const bool lines = model->kind != CAU_KIND_MAXENT && *end;
    return !cau_stacked(model) &&
           (lines || options->against || (cau_voting(model) && !model->gate.base));
}

static caucus_status explain(caucus_ctx *ctx, const caucus_model *model,
                             const cau_inspect_options *options, const cau_read_options *read,
                             cau_tree *tree)
{
    if (explains_sequence(model, options))
        return cau_explain_sequence(ctx, model, read, options->explain, options->against, tree);
    if (options->against)
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "--against compares labellings of one model, and this is a stack");
    return cau_explain(ctx, model, read, options->explain, tree);
}

/* The views read at most one file, and reading dominates, so they use one thread. */
caucus_status cau_inspect(caucus_ctx *ctx, const caucus_model *model,
                          const cau_inspect_options *options, unsigned threads,
                          caucus_write_fn *write, void *user)
{
    (void)threads;
    caucus_status st = CAUCUS_OK;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    cau_template *template = NULL;
    cau_tree tree = {0};
    cau_read_options read = model->read;
    if (options->format != CAU_FORMAT_AUTO) read.format = options->format;
    cau_layout_override(&read.layout, &options->layout);

    TRY(check_options(ctx, model, options));
    TRY(cau_model_verify(ctx, model));
    if (options->dump) return cau_model_dump(ctx, model, write, user);
    if (model->template.s && (options->expectations || options->explain || options->members))
        TRY(cau_template_parse(ctx, "the template of the model", model->template, NULL, &template));
    read.template = template;
    if (options->expectations) {
        TRY(cau_expectations(model, &read, options->expectations, options->json, &out));
    } else {
        TRY(options->explain
                ? explain(ctx, model, options, &read, &tree)
                : cau_summary(ctx, model, options->top, &read, options->members, &tree));
        TRY(cau_tree_status(ctx, &tree));
        if (options->json)
            cau_print_json(&out, tree.root, CAU_DIGITS_FLOAT);
        else if (options->explain)
            (cau_at(tree.root, "sequence") ? cau_print_sequence : cau_print_explanation)(&out,
                                                                                         tree.root);
        else
            cau_print_summary(&out, tree.root);
    }
    TRY(cau_writer_flush(&out, true));
done:
    cau_tree_clear(&tree);
    cau_template_free(template);
    cau_writer_clear(&out);
    return st;
}

caucus_status cau_errors(caucus_ctx *ctx, const caucus_model *model, const char *path, size_t most,
                         bool json, caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    cau_template *template = NULL;
    cau_tree tree = {0};
    cau_read_options read = model->read;
    TRY(cau_model_verify(ctx, model));
    if (model->template.s)
        TRY(cau_template_parse(ctx, "the template of the model", model->template, NULL, &template));
    read.template = template;
    TRY(cau_worst_errors(ctx, model, &read, path, most, &tree));
    TRY(cau_tree_status(ctx, &tree));
    if (json)
        cau_print_json(&out, tree.root, CAU_DIGITS_FLOAT);
    else
        cau_print_errors(&out, tree.root);
    st = cau_writer_flush(&out, true);
done:
    cau_tree_clear(&tree);
    cau_template_free(template);
    cau_writer_clear(&out);
    return st;
}
