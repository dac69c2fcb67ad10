/* dataset.c - from files, or from memory, to the sets that a model learns from.
 *
 *     files ──intake──▶ pile(s) ──split──▶ train, dev ──drop──▶ names 0..K-1 ──settle──▶ sets
 *                                             dev, test file ──▲           labels 0..Y-1
 *
 * While files are read every name gets a number at once, also one that will turn out to stand
 * only in the dev set, or too rarely. When all is read the training instances of each name are
 * counted, and those that do not count are dropped and the others renumbered in one pass: as if
 * they had never been there. So whatever leaves the training set, a split, a DEV part or the
 * cut-off, goes the same way. A dev or test file is read afterwards with the names that are
 * left. What the labels mean, and which of them are classes, is settled at the very end
 * (settle.h). */

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
#include "dataset/cv_groups.h"
#include "dataset/dataset_builder.h"
#include "dataset/parallel_read.h"
#include "dataset/resolve_labels.h"
#include "text/formats.h"
#include "text/sparse_row.h"

struct cau_data_adding {
    cau_dataset_builder train, dev, test;
    cau_sparse_row bag;  /* of caucus_data_add */
    cau_shape shape;     /* of all files read so far */
    cau_cv_groups units; /* that training sequences belong to */
    bool partial;        /* labels of sequences may be partial */
    size_t piece;        /* bytes of a piece of a file; 0: as is best */
    bool settled;        /* the labels are; only the last step is left to do */
    size_t known_names, known_edges, known_labels; /* that stay, the first of each */
};

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the data");
}

/* ---- beginning and end ----------------------------------------------------------------- */

caucus_status cau_data_new(caucus_ctx *ctx, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *data = cau_calloc(1, sizeof *data);
    if (!data) TRY(no_memory(ctx));
    data->builder = cau_calloc(1, sizeof *data->builder);
    if (!data->builder) TRY(no_memory(ctx));
    TRY(cau_alphabet_new(ctx, &data->alphabets.names));
    TRY(cau_alphabet_new(ctx, &data->alphabets.edges));
    TRY(cau_alphabet_new(ctx, &data->labels));
    data->read.ngrams = 1;
    data->plain = true;
    data->open = true;
    *out = data;
    data = NULL;
done:
    cau_data_free(data);
    return st;
}

static void builder_free(struct cau_data_adding *b)
{
    if (!b) return;
    cau_builder_clear(&b->train);
    cau_builder_clear(&b->dev);
    cau_builder_clear(&b->test);
    cau_sparse_row_clear(&b->bag);
    cau_cv_groups_clear(&b->units);
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
    builder_free(data->builder);
    free(data);
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

/* ---- dropping what training does not see ----------------------------------------------- */

/* Filters an alphabet; NULL instead of the map when all is kept. */
static const uint32_t *filter(cau_alphabet *alphabet, uint32_t *keep)
{
    const size_t size = cau_alphabet_size(alphabet);
    size_t i = 0;
    while (i < size && keep[i]) i++;
    if (i == size) return NULL;
    cau_alphabet_filter(alphabet, keep);
    return keep;
}

/* Drops the names, and those on edges, that training does not see or that are below the cut-off. */
static caucus_status drop_names(caucus_ctx *ctx, caucus_data *data, size_t cutoff)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    const size_t K = cau_alphabet_size(data->alphabets.names);
    const size_t E = cau_alphabet_size(data->alphabets.edges);
    uint32_t *keep_name = cau_alloc(K, sizeof *keep_name);
    uint32_t *keep_edge = cau_alloc(E, sizeof *keep_edge);
    if (!keep_name || !keep_edge ||
        cau_builder_frequent(&b->train, cutoff, K, keep_name, E, keep_edge))
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

/* Finds the classes, and what is known of the label of each instance. */
static caucus_status settle(caucus_ctx *ctx, caucus_data *data, const char *where)
{
    struct cau_data_adding *b = data->builder;
    cau_dataset_builder *const piles[] = {&b->train, &b->dev, &b->test};
    const caucus_status st = cau_resolve_labels(ctx, data->labels, b->known_labels, piles, 3,
                                                b->partial && b->train.set.sequence, where);
    b->settled = st == CAUCUS_OK;
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
        cau_builder_close(&b->train, group, K, E, Y) ||
        cau_csr_transpose(cau_threads(ctx), &b->train.set.x, &b->train.set.xt))
        TRY(no_memory(ctx));
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

static cau_dataset_builder *pile_of(struct cau_data_adding *b, cau_part part)
{
    return part == CAU_PART_TEST ? &b->test : part == CAU_PART_DEV ? &b->dev : &b->train;
}

/* Makes a copy of a template that of the data. */
static caucus_status copy_template(caucus_ctx *ctx, caucus_data *data, const cau_template *t)
{
    return cau_template_parse(ctx, "the template", cau_template_text(t), NULL, &data->template);
}

/* Keeps what a reader has learnt for the files after it, and for the model: the format, the
 * columns, and its own copy of a template that was made for them. */
static caucus_status learn(caucus_ctx *ctx, caucus_data *data, const cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    data->builder->shape = r->shape;
    data->read.columns = cau_reader_columns(r);
    const cau_template *t = cau_reader_template(r);
    if (t && !data->template) TRY(copy_template(ctx, data, t));
    data->read.template = data->template;
    data->plain = !data->template || cau_template_plain(data->template);
done:
    return st;
}

/* Reads a file onto the piles. The first file with anything in it decides the format. */
static caucus_status read_file(caucus_ctx *ctx, caucus_data *data, const char *path, cau_part part)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    cau_reader *r = NULL;
    TRY(cau_reader_open(ctx, path, &data->read,
                        part == CAU_PART_TRAIN ? cau_vocabulary_growing(&data->alphabets)
                                               : cau_vocabulary_fixed(&data->alphabets),
                        &r));
    data->read.format = cau_reader_format(r);
    if (data->template && data->read.format != CAU_FORMAT_COLUMNS &&
        data->read.format != CAU_FORMAT_AUTO)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: a template is for columns, but this is read as %s; drop the template, "
                     "or say --format columns",
                     cau_lines_name(cau_reader_lines(r)), cau_format_name(data->read.format)));

    if (part == CAU_PART_TRAIN) TRY(cau_cv_groups_file(ctx, &b->units, r));

    r->shape = b->shape;
    const cau_parallel_read to = {
        .alphabets = &data->alphabets,
        .labels = data->labels,
        .pile =
            {[CAU_PART_TRAIN] = &b->train, [CAU_PART_DEV] = &b->dev, [CAU_PART_TEST] = &b->test},
        .units = &b->units,
        .partial = b->partial,
        .piece = b->piece};
    TRY(cau_parallel_read_file(ctx, &to, r, part));
    TRY(learn(ctx, data, r));

    if (part == CAU_PART_TRAIN) {
        const uint64_t both[2] = {data->fingerprint, cau_lines_fingerprint(cau_reader_lines(r))};
        data->fingerprint = cau_hash(both, sizeof both, 0);
    }
done:
    cau_reader_free(r);
    return st;
}

/* The units of a pile, and how many sequences each has: count [units], to be freed. A sequence
 * that belongs to nothing is a unit of its own. */
static size_t *count_units(const cau_dataset_builder *pile, size_t *units)
{
    const size_t S = cau_builder_sequences(pile);
    const uint32_t *unit = pile->set.unit;
    *units = unit ? 0 : S;
    for (size_t s = 0; unit && s < S; s++)
        if (unit[s] >= *units) *units = unit[s] + (size_t)1;
    size_t *count = cau_calloc(*units, sizeof *count);
    for (size_t s = 0; count && s < S; s++) count[unit ? unit[s] : s]++;
    return count;
}

/* Moves a fraction of the training sequences, chosen by the seed, to the dev set: at least one
 * unit, only whole ones, and never all. */
static caucus_status split_dev(caucus_ctx *ctx, caucus_data *data, double fraction, uint64_t seed,
                               const char *where)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
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
                     where,
                     unit || b->train.set.sequence ? cau_cv_groups_name(&b->units) : "instance"));

    size_t left = 0, want = (size_t)(fraction * (double)S + 0.5);
    if (want < 1) want = 1;
    for (size_t u = 0; u < units; u++) order[u] = (uint32_t)u;
    cau_rng rng;
    cau_rng_init(&rng, seed);
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

/* Names that are known get the first numbers. */
static caucus_status take_known(caucus_ctx *ctx, caucus_data *data, const cau_known *known)
{
    struct cau_data_adding *b = data->builder;
    if (!copy_names(known->alphabets.names, data->alphabets.names, &b->known_names) ||
        !copy_names(known->alphabets.edges, data->alphabets.edges, &b->known_edges) ||
        !copy_names(known->labels, data->labels, &b->known_labels))
        return no_memory(ctx);
    return CAUCUS_OK;
}

static caucus_status check_options(caucus_ctx *ctx, const cau_data_options *options, size_t count)
{
    if (count == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "no data files; name at least one, or - for "
                        "standard input");
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

/* Refuses a set that is there twice. */
static caucus_status check_parts(caucus_ctx *ctx, const struct cau_data_adding *b,
                                 const cau_data_options *options, const char *where)
{
    if (b->dev.set.N && (options->dev || options->dev_fraction > 0))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s: the data has a DEV part, so it needs no dev %s; drop one of them",
                        where, options->dev ? "file" : "fraction");
    if (b->test.set.N && options->test)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s: the data has a TEST part, so it needs no test file; drop one of them",
                        where);
    return CAUCUS_OK;
}

/* Reads a file that is the dev or the test set. */
static caucus_status read_held(caucus_ctx *ctx, caucus_data *data, const char *path, cau_part part)
{
    const caucus_status st = read_file(ctx, data, path, part);
    if (st || pile_of(data->builder, part)->set.N) return st;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?",
                    shown_path(path));
}

caucus_status cau_data_read(caucus_ctx *ctx, const cau_data_options *options,
                            const char *const *paths, size_t count, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *data = NULL;
    cau_strbuf where = {0};
    TRY(check_options(ctx, options, count));
    cau_strbuf_printf(&where, "%s%s", shown_path(paths[0]), count > 1 ? " and the others" : "");
    TRY(cau_strbuf_status(ctx, &where));
    TRY(cau_data_new(ctx, &data));
    TRY(cau_cv_groups_init(ctx, options->by, &data->builder->units));
    data->builder->train.units = data->builder->units.by != CAU_BY_SEQUENCE;
    data->builder->train.set.files = data->builder->units.by == CAU_BY_FILE;
    data->read = options->read;
    if (data->read.ngrams == 0) data->read.ngrams = 1;
    if (options->template)
        TRY(cau_template_read(ctx, options->template, &data->template));
    else if (options->read.template)
        TRY(copy_template(ctx, data, options->read.template));
    data->read.template = data->template;
    data->builder->partial = options->partial;
    data->builder->piece = options->piece;
    if (options->known) TRY(take_known(ctx, data, options->known));
    for (size_t i = 0; i < count; i++) TRY(read_file(ctx, data, paths[i], CAU_PART_TRAIN));

    struct cau_data_adding *b = data->builder;
    if (b->train.set.N == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?", where.s));
    TRY(check_parts(ctx, b, options, where.s));
    TRY(cau_cv_groups_end(ctx, &b->units, where.s));
    if (options->dev_fraction > 0)
        TRY(split_dev(ctx, data, options->dev_fraction, options->seed, where.s));
    TRY(drop_names(ctx, data, options->cutoff));
    if (options->dev) TRY(read_held(ctx, data, options->dev, CAU_PART_DEV));
    if (options->test) TRY(read_held(ctx, data, options->test, CAU_PART_TEST));
    TRY(settle(ctx, data, where.s));
    TRY(close_sets(ctx, data));
    *out = data;
    data = NULL;
done:
    cau_data_free(data);
    cau_strbuf_clear(&where);
    return st;
}

/* ---- from memory ----------------------------------------------------------------------- */

/* Checks a name that the caller gives; *out is it with its length. */
static caucus_status check_name(caucus_ctx *ctx, const char *what, const char *name, cau_str *out)
{
    if (!name || !*name)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s without a name; give it one", what);
    *out = (cau_str){name, strlen(name)};
    if (cau_utf8_check(name, out->n) != out->n)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the name of %s is not valid UTF-8; convert it",
                        what);
    return CAUCUS_OK;
}

static caucus_status add_feature(caucus_ctx *ctx, caucus_data *data, const caucus_feature *f)
{
    cau_str name;
    caucus_status st = check_name(ctx, "a feature", f->name, &name);
    if (st) return st;
    if (!isfinite((float)f->value))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the value %g of feature '%.*s' is not finite; leave it out", f->value,
                        CAU_SHOW(name));
    if ((float)f->value == 0) return CAUCUS_OK;

    const uint32_t id = cau_alphabet_add(data->alphabets.names, name.s, name.n);
    if (id == CAU_UNKNOWN) return cau_fail_memory(ctx, "the names of the features");
    st = cau_sparse_row_add(&data->builder->bag, id, (float)f->value, false);
    if (st == CAUCUS_ERR_NUMERIC)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the values of feature '%.*s' add up to a number that is not finite; "
                        "leave it out",
                        CAU_SHOW(name));
    return st ? no_memory(ctx) : CAUCUS_OK;
}

/* The fingerprint, continued by one instance. */
static uint64_t fingerprint(uint64_t hash, cau_str label, double weight,
                            const caucus_feature *features, size_t count)
{
    hash = cau_hash(label.s, label.n, hash);
    hash = cau_hash(&weight, sizeof weight, hash);
    for (size_t i = 0; i < count; i++) {
        hash = cau_hash(features[i].name, strlen(features[i].name), hash);
        hash = cau_hash(&features[i].value, sizeof features[i].value, hash);
    }
    return hash;
}

static caucus_status check_open(caucus_ctx *ctx, const caucus_data *data)
{
    if (data->open && !data->builder->settled) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data is closed; start a new set to add more");
}

/* Names that an instance brings before it fails stay in the alphabets until cau_data_close, which
 * drops what no instance has. */
caucus_status cau_data_add(caucus_ctx *ctx, caucus_data *data, const char *label, double weight,
                           const caucus_feature *features, size_t count)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    cau_str name = {0};
    TRY(check_open(ctx, data));
    TRY(check_name(ctx, "a label", label, &name));
    if (!isfinite((float)weight) || weight < 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "a weight of %g; it must be finite and at least 0",
                     weight));

    if (cau_sparse_row_reset(&b->bag)) TRY(no_memory(ctx));
    for (size_t i = 0; i < count; i++) TRY(add_feature(ctx, data, &features[i]));
    cau_sparse_row_close(&b->bag);

    const uint32_t gold = cau_alphabet_add(data->labels, name.s, name.n);
    if (gold == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the labels"));
    const cau_instance in = {.weight = weight,
                             .groups = 1,
                             .start = b->bag.start,
                             .id = b->bag.id,
                             .value = b->bag.plain ? NULL : b->bag.value};
    st = cau_builder_add(&b->train, &in, gold);
    if (st == CAUCUS_ERR_ARGUMENT)
        TRY(cau_fail(ctx, st, "2^32 instances or more; train on a part of the data"));
    if (st) TRY(no_memory(ctx));
    data->fingerprint = fingerprint(data->fingerprint, name, weight, features, count);
done:
    return st;
}

caucus_status cau_data_break(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_open(ctx, data));
    if (cau_builder_break(&data->builder->train)) TRY(no_memory(ctx));
    data->fingerprint = cau_hash("break", 5, data->fingerprint);
done:
    return st;
}

caucus_status cau_data_close(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    if (!data->open) TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data is closed already"));
    struct cau_data_adding *b = data->builder;
    if (b->train.set.N == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data has no instances; add some first"));
    if (b->train.set.sequence && cau_builder_break(&b->train)) TRY(no_memory(ctx));
    if (!b->settled) {
        b->partial = true;
        TRY(drop_names(ctx, data, 1));
        TRY(settle(ctx, data, "the data"));
    }
    TRY(close_sets(ctx, data));
done:
    return st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}
