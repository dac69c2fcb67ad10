/* dataset.c - from files, or from memory, to the sets that a model learns from.
 *
 *     files ──read──▶ builders ──split──▶ train, dev ──filter──▶ names 0..K-1 ──resolve──▶ sets
 *                                              dev, test file ──▲           labels 0..Y-1
 *
 * While training files are read every name gets a number, also names that only the dev set will
 * have and names below the cut-off. Then the training instances of each name are counted. One pass
 * drops rare names and renumbers the others, so a name is dropped in the same way whether a split,
 * a DEV part or the cut-off removes it from training. Dev and test files are read afterwards, with
 * the names that are left. At the end the labels become classes (resolve_labels.h). */

#include "dataset/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "dataset/data_adding.h"
#include "dataset/parallel_read.h"
#include "dataset/resolve_labels.h"
#include "dataset/tfidf.h"
#include "text/formats.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the data");
}

/* ---- the end --------------------------------------------------------------------------- */

static void builder_free(struct cau_data_adding *b)
{
    if (!b) return;
    cau_builder_clear(&b->train);
    cau_builder_clear(&b->dev);
    cau_builder_clear(&b->test);
    cau_interner_clear(&b->interner);
    cau_feature_block_clear(&b->block);
    cau_cv_groups_clear(&b->groups);
    cau_reader_free(b->reader);
    free(b->row);
    cau_strbuf_clear(&b->line);
    cau_arena_clear(&b->arena);
    free(b);
}

void cau_data_free(caucus_data *data)
{
    if (!data) return;
    cau_alphabet_free(data->alphabets.names);
    cau_alphabet_free(data->alphabets.edges);
    cau_alphabet_free(data->labels);
    cau_template_free(data->template);
    cau_dataset_clear(&data->train);
    cau_dataset_clear(&data->dev);
    cau_dataset_clear(&data->test);
    free(data->idf);
    cau_arena_clear(&data->arena);
    builder_free(data->builder);
    free(data);
}

caucus_status cau_data_name_domains(caucus_ctx *ctx, caucus_data *data, const char *const *names,
                                    size_t count)
{
    data->domain = cau_arena_alloc(&data->arena, count, sizeof *data->domain);
    for (size_t d = 0; data->domain && d < count; d++) {
        data->domain[d] = cau_arena_copy(&data->arena, names[d], strlen(names[d]));
        if (!data->domain[d]) return no_memory(ctx);
    }
    data->domains = count;
    return data->domain ? CAUCUS_OK : no_memory(ctx);
}

static size_t csr_bytes(const cau_csr *x)
{
    const size_t entries = cau_csr_nonzeros(x);
    return (x->start ? (x->rows + 1) * sizeof *x->start : 0) + entries * sizeof *x->column +
           (x->value ? entries * sizeof *x->value : 0);
}

size_t cau_dataset_bytes(const cau_dataset *s)
{
    const cau_label_sets *sets = &s->sets;
    return csr_bytes(&s->x) + csr_bytes(&s->xt) + csr_bytes(&s->e) + s->N * sizeof *s->gold +
           (sets->start ? (sets->count + 1) * sizeof *sets->start +
                              sets->start[sets->count] * sizeof *sets->label
                        : 0) +
           (s->weight ? s->N * sizeof *s->weight : 0) +
           (s->sequence ? (s->S + 1) * sizeof *s->sequence : 0) +
           (s->unit ? s->S * sizeof *s->unit : 0);
}

/* ---- dropping names --------------------------------------------------------------------- */

/* Filters an alphabet. Returns the map from old to new numbers, NULL if all names are kept. */
static const uint32_t *filter(cau_alphabet *alphabet, uint32_t *keep)
{
    const size_t size = cau_alphabet_size(alphabet);
    size_t i = 0;
    while (i < size && keep[i]) i++;
    if (i == size) return NULL;
    cau_alphabet_filter(alphabet, keep);
    return keep;
}

/* Drops the names, on nodes and on edges, that training lacks or that are below the cut-off. */
static caucus_status drop_names(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    const size_t K = cau_alphabet_size(data->alphabets.names);
    const size_t E = cau_alphabet_size(data->alphabets.edges);
    uint32_t *keep_name = cau_alloc(K, sizeof *keep_name);
    uint32_t *keep_edge = cau_alloc(E, sizeof *keep_edge);
    if (!keep_name || !keep_edge ||
        cau_builder_frequent(&b->train, b->options.cutoff, K, keep_name, E, keep_edge))
        TRY(no_memory(ctx));

    for (size_t k = 0; k < b->known_names; k++) keep_name[k] = 1;
    for (size_t k = 0; k < b->known_edges; k++) keep_edge[k] = 1;
    const uint32_t *name = filter(data->alphabets.names, keep_name);
    const uint32_t *edge = filter(data->alphabets.edges, keep_edge);
    cau_builder_map(&b->train, name, edge);
    cau_builder_map(&b->dev, name, edge);
    cau_builder_map(&b->test, name, edge);
done:
    free(keep_name);
    free(keep_edge);
    return st;
}

/* Turns labels into classes, and gold into classes or sets of them. */
static caucus_status resolve_labels(caucus_ctx *ctx, caucus_data *data)
{
    struct cau_data_adding *b = data->builder;
    cau_dataset_builder *const builders[] = {&b->train, &b->dev, &b->test};
    const cau_label_reading reading = b->plain                              ? CAU_LABELS_PLAIN
                                      : b->partial && b->train.set.sequence ? CAU_LABELS_PARTIAL
                                                                            : CAU_LABELS_KNOWN;
    const caucus_status st =
        cau_resolve_labels(ctx, data->labels, b->known_labels, builders, 3, reading, b->where);
    b->resolved = st == CAUCUS_OK;
    return st;
}

/* Makes the sets final and hands them to `data`. */
static caucus_status close_sets(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    const size_t K = cau_alphabet_size(data->alphabets.names);
    const size_t E = cau_alphabet_size(data->alphabets.edges);
    const size_t Y = cau_alphabet_size(data->labels);
    const size_t group = b->train.set.group;
    if (cau_builder_close(&b->dev, group, K, E, Y) || cau_builder_close(&b->test, group, K, E, Y) ||
        cau_builder_close(&b->train, group, K, E, Y))
        TRY(no_memory(ctx));
    if (data->read.tfidf && !data->idf) {
        cau_dataset *const sets[] = {&b->train.set, &b->dev.set, &b->test.set};
        data->idf = cau_tfidf_weigh(&b->train.set, sets, 3);
        if (!data->idf) TRY(no_memory(ctx));
    }
    if (cau_csr_transpose(cau_threads(ctx), &b->train.set.x, &b->train.set.xt)) TRY(no_memory(ctx));
    data->train = b->train.set;
    data->dev = b->dev.set;
    data->test = b->test.set;
    b->train = b->dev = b->test = (cau_dataset_builder){0};
    builder_free(b);
    data->builder = NULL;
    data->open = false;
done:
    return st;
}

/* ---- from files ------------------------------------------------------------------------ */

cau_dataset_builder *cau_adding_to(struct cau_data_adding *b, cau_part part)
{
    return part == CAU_PART_TEST ? &b->test : part == CAU_PART_DEV ? &b->dev : &b->train;
}

/* Gives the data a copy of a template. */
static caucus_status copy_template(caucus_ctx *ctx, caucus_data *data, const cau_template *t)
{
    return cau_template_parse(ctx, "the template", cau_template_text(t), NULL, &data->template);
}

caucus_status cau_adding_learn(caucus_ctx *ctx, caucus_data *data, const cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    data->builder->shape = r->shape;
    data->read.columns = cau_reader_columns(r);
    const cau_template *t = cau_reader_template(r);
    if (t && !data->template) TRY(copy_template(ctx, data, t));
    data->read.template = data->template;
    data->transitions = !data->template || cau_template_transitions(data->template);
done:
    return st;
}

/* Reads a file into the builders. The first file that is not empty decides the format. */
static caucus_status read_file(caucus_ctx *ctx, caucus_data *data, const char *path, cau_part part)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    cau_reader *r = NULL;
    TRY(cau_reader_open(ctx, path, &data->read, CAU_BY_NAME, &r));
    data->read.format = cau_reader_format(r);
    if (data->template && !cau_has_cells(data->read.format) && data->read.format != CAU_FORMAT_AUTO)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: a template is for columns, but this is read as %s; drop the template, "
                     "or say --format columns",
                     cau_lines_name(cau_reader_lines(r)), cau_format_name(data->read.format)));

    if (data->read.tfidf && !cau_has_text(data->read.format) &&
        data->read.format != CAU_FORMAT_AUTO)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: --tfidf weighs the words of text, but this is read as %s; leave it out, "
                     "or say --format text",
                     cau_lines_name(cau_reader_lines(r)), cau_format_name(data->read.format)));
    if (part == CAU_PART_TRAIN) TRY(cau_cv_groups_file(ctx, &b->groups, r));

    r->shape = b->shape;
    b->interner.add = part == CAU_PART_TRAIN;
    const cau_read_target to = {
        .interner = &b->interner,
        .labels = data->labels,
        .builder =
            {[CAU_PART_TRAIN] = &b->train, [CAU_PART_DEV] = &b->dev, [CAU_PART_TEST] = &b->test},
        .groups = &b->groups,
        .partial = b->partial,
        .plain = b->plain,
        .chunk = b->options.chunk};
    TRY(cau_parallel_read_file(ctx, &to, r, part));
    TRY(cau_adding_learn(ctx, data, r));

    if (part == CAU_PART_TRAIN) {
        const uint64_t both[2] = {data->fingerprint,
                                  cau_chunker_fingerprint(cau_reader_chunker(r))};
        data->fingerprint = cau_hash(both, sizeof both, 0);
    }
done:
    cau_reader_free(r);
    return st;
}

/* The number of units, and of the sequences of each unit: count [units], to be freed. Without
 * units, each sequence is one. */
static size_t *count_units(const cau_dataset_builder *builder, size_t *units)
{
    const size_t S = cau_builder_sequences(builder);
    const uint32_t *unit = builder->set.unit;
    *units = unit ? 0 : S;
    for (size_t s = 0; unit && s < S; s++)
        if (unit[s] >= *units) *units = unit[s] + (size_t)1;
    size_t *count = cau_calloc(*units, sizeof *count);
    for (size_t s = 0; count && s < S; s++) count[unit ? unit[s] : s]++;
    return count;
}

/* Moves a random fraction of the training sequences to the dev set: whole units, at least one and
 * not all. */
static caucus_status split_dev(caucus_ctx *ctx, struct cau_data_adding *b)
{
    caucus_status st = CAUCUS_OK;
    const double fraction = b->options.dev_fraction;
    const size_t S = cau_builder_sequences(&b->train);
    const uint32_t *unit = b->train.set.unit;
    size_t units = 0;
    size_t *count = count_units(&b->train, &units);
    bool *leave = cau_calloc(S, sizeof *leave), *leaves = cau_calloc(units, sizeof *leaves);
    uint32_t *order = cau_alloc(units, sizeof *order);
    if (!count || !leave || !leaves || !order) TRY(no_memory(ctx));
    if (units < 2)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: a single %s cannot be split into training and dev set; give a dev file",
                     b->where,
                     unit || b->train.set.sequence ? cau_cv_groups_name(&b->groups) : "instance"));

    size_t left = 0, want = (size_t)(fraction * (double)S + 0.5);
    if (want < 1) want = 1;
    for (size_t u = 0; u < units; u++) order[u] = (uint32_t)u;
    cau_rng rng;
    cau_rng_init(&rng, b->options.seed);
    cau_rng_shuffle(&rng, order, units);
    for (size_t u = 0; u < units - 1 && left < want; u++) {
        leaves[order[u]] = true;
        left += count[order[u]];
    }
    for (size_t s = 0; s < S; s++) leave[s] = leaves[unit ? unit[s] : s];
    if (cau_builder_split(&b->train, leave, &b->dev)) TRY(no_memory(ctx));
done:
    free(count);
    free(leave);
    free(leaves);
    free(order);
    return st;
}

static bool copy_names(const cau_alphabet *from, cau_alphabet *to, size_t *count)
{
    *count = from ? cau_alphabet_size(from) : 0;
    for (uint32_t k = 0; k < *count; k++) {
        const cau_str name = cau_alphabet_name(from, k);
        if (cau_alphabet_add(to, name.s, name.n) == CAU_UNKNOWN) return false;
    }
    return true;
}

/* Adds the names of a model that is trained further, which get the first numbers. */
static caucus_status add_known_names(caucus_ctx *ctx, caucus_data *data, const cau_known *known)
{
    struct cau_data_adding *b = data->builder;
    if (!copy_names(known->alphabets.names, data->alphabets.names, &b->known_names) ||
        !copy_names(known->alphabets.edges, data->alphabets.edges, &b->known_edges) ||
        !copy_names(known->labels, data->labels, &b->known_labels))
        return no_memory(ctx);
    return CAUCUS_OK;
}

static caucus_status check_options(caucus_ctx *ctx, const cau_data_options *options)
{
    if (!(options->dev_fraction >= 0 && options->dev_fraction < 1))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "a dev fraction of %g; it must be at least 0 and below 1",
                        options->dev_fraction);
    if (options->dev && options->dev_fraction > 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "both a dev file (%s) and a dev fraction; give one of them", options->dev);
    return CAUCUS_OK;
}

static const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Refuses a dev or test set from two sources. */
static caucus_status check_parts(caucus_ctx *ctx, const struct cau_data_adding *b)
{
    const cau_data_options *options = &b->options;
    if (b->dev.set.N && !b->split && (options->dev || options->dev_fraction > 0))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s: the data has a DEV part, so it needs no dev %s; drop one of them",
                        b->where, options->dev ? "file" : "fraction");
    if (b->test.set.N && options->test)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s: the data has a TEST part, so it needs no test file; drop one of them",
                        b->where);
    return CAUCUS_OK;
}

/* Reads the file of the dev or test set. */
static caucus_status read_held_out(caucus_ctx *ctx, caucus_data *data, const char *path,
                                   cau_part part)
{
    const caucus_status st = read_file(ctx, data, path, part);
    if (st || cau_adding_to(data->builder, part)->set.N) return st;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?",
                    shown_path(path));
}

/* Makes the final sets when all training data is there. */
static caucus_status close_data(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    const cau_data_options *options = &b->options;
    if (b->resolved) return close_sets(ctx, data);
    TRY(check_parts(ctx, b));
    TRY(cau_cv_groups_end(ctx, &b->groups, b->where));
    if (options->dev_fraction > 0 && !b->split) {
        TRY(split_dev(ctx, b));
        b->split = true;
    }
    TRY(drop_names(ctx, data));
    if (options->dev) TRY(read_held_out(ctx, data, options->dev, CAU_PART_DEV));
    if (options->test) TRY(read_held_out(ctx, data, options->test, CAU_PART_TEST));
    TRY(resolve_labels(ctx, data));
    TRY(close_sets(ctx, data));
done:
    return st;
}

/* ---- the beginning --------------------------------------------------------------------- */

/* Copies the texts of the options. */
static caucus_status keep_options(caucus_ctx *ctx, struct cau_data_adding *b,
                                  const cau_data_options *options)
{
    const char **const texts[] = {&b->options.dev, &b->options.test, &b->options.target};
    b->options = *options;
    b->options.known = NULL;
    b->options.read.template = NULL;
    b->options.template = b->options.by = NULL; /* they are read at once */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i] && !(*texts[i] = cau_arena_copy(&b->arena, *texts[i], strlen(*texts[i]))))
            return no_memory(ctx);
    return CAUCUS_OK;
}

static caucus_status start(caucus_ctx *ctx, caucus_data *data, const cau_data_options *options)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    TRY(check_options(ctx, options));
    TRY(keep_options(ctx, b, options));
    TRY(cau_cv_groups_init(ctx, options->by, &b->groups));
    b->train.units = b->groups.by != CAU_BY_SEQUENCE;
    b->train.set.files = b->groups.by == CAU_BY_FILE;
    b->partial = options->partial;
    b->plain = options->plain;
    data->cutoff = options->cutoff;
    data->read = options->read;
    const char **const texts[] = {&data->read.chars,        &data->read.layout.columns,
                                  &data->read.layout.label, &data->read.layout.delimiter,
                                  &data->read.layout.text,  &data->read.layout.names};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i] && !(*texts[i] = cau_arena_copy(&data->arena, *texts[i], strlen(*texts[i]))))
            TRY(no_memory(ctx));
    if (data->read.ngrams == 0) data->read.ngrams = 1;
    if (options->template)
        TRY(cau_template_read(ctx, options->template, &data->template));
    else if (options->read.template)
        TRY(copy_template(ctx, data, options->read.template));
    data->read.template = data->template;
    data->read.cells = data->template != NULL;
    if (options->known) TRY(add_known_names(ctx, data, options->known));
done:
    return st;
}

caucus_status cau_data_new(caucus_ctx *ctx, const cau_data_options *options, caucus_data **out)
{
    static const cau_data_options standard = {.partial = true};
    caucus_status st = CAUCUS_OK;
    caucus_data *data = cau_calloc(1, sizeof *data);
    if (!data) TRY(no_memory(ctx));
    data->builder = cau_calloc(1, sizeof *data->builder);
    if (!data->builder) TRY(no_memory(ctx));
    TRY(cau_alphabet_new(ctx, &data->alphabets.names));
    TRY(cau_alphabet_new(ctx, &data->alphabets.edges));
    TRY(cau_alphabet_new(ctx, &data->labels));
    data->builder->interner = (cau_interner){.alphabets = &data->alphabets, .add = true};
    data->builder->block.base = CAU_BY_NAME;
    data->transitions = true;
    data->open = true;
    data->builder->where = "the data";
    TRY(start(ctx, data, options ? options : &standard));
    *out = data;
    data = NULL;
done:
    cau_data_free(data);
    return st;
}

caucus_status cau_data_read(caucus_ctx *ctx, const cau_data_options *options,
                            const char *const *paths, size_t count, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *data = NULL;
    cau_strbuf where = {0};
    if (count == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "no data files; name at least one, or - for standard input"));
    cau_strbuf_printf(&where, "%s%s", shown_path(paths[0]), count > 1 ? " and the others" : "");
    TRY(cau_strbuf_status(ctx, &where));
    TRY(cau_data_new(ctx, options, &data));
    data->builder->where = where.s;
    for (size_t i = 0; i < count; i++) TRY(read_file(ctx, data, paths[i], CAU_PART_TRAIN));
    if (data->builder->train.set.N == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?", where.s));
    TRY(close_data(ctx, data));
    *out = data;
    data = NULL;
done:
    cau_data_free(data);
    cau_strbuf_clear(&where);
    return st;
}

caucus_status cau_data_close(caucus_ctx *ctx, caucus_data *data)
{
    if (!data->open) return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data is closed already");
    caucus_status st = CAUCUS_OK;
    if (!data->builder->resolved) st = cau_adding_end(ctx, data);
    if (!st) st = close_data(ctx, data);
    return st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}
