/* data_adding.c - data from memory: features, rows of cells, or lines of text.
 *
 * Features become an instance at once. The cells of a sequence wait for its end, because a template
 * looks at neighbours; then the reader of columns returns the instances, as it does for a file. A
 * line of text goes through the reader of text. Instances of all three forms are interned and added
 * to the same builders as those of files, and close_data (dataset.c) does the rest. */

#include "dataset/data_adding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/utf8.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the data");
}

/* ---- what may be added ----------------------------------------------------------------- */

/* Checks a name from the caller; *out is the name with its length. */
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

static caucus_status check_open(caucus_ctx *ctx, const caucus_data *data)
{
    if (data->open && !data->builder->resolved) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data is closed; start a new set to add more");
}

/* Whether a sequence was begun and not ended. */
static bool in_sequence(const struct cau_data_adding *b)
{
    const cau_dataset_builder *to = b->part == CAU_PART_TEST  ? &b->test
                                    : b->part == CAU_PART_DEV ? &b->dev
                                                              : &b->train;
    return b->rows > 0 || (to->set.sequence && !cau_builder_between(to));
}

static caucus_status check_between(caucus_ctx *ctx, const caucus_data *data, const char *what)
{
    caucus_status st = check_open(ctx, data);
    if (!st && in_sequence(data->builder))
        st = cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                      "a sequence has one %s; end it with caucus_data_break first", what);
    return st;
}

caucus_status cau_data_set_template(caucus_ctx *ctx, caucus_data *data, const char *text)
{
    caucus_status st = CAUCUS_OK;
    cau_template *template = NULL;
    TRY(check_open(ctx, data));
    if (data->builder->form)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "tokens were added without this template; set it before the first"));
    TRY(cau_template_parse(ctx, "the template", (cau_str){text, strlen(text)}, NULL, &template));
    cau_template_free(data->template);
    data->read.template = data->template = template;
done:
    return st;
}

caucus_status cau_data_set_part(caucus_ctx *ctx, caucus_data *data, cau_part part)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_between(ctx, data, "part"));
    if (part == CAU_PART_DEV && data->builder->options.target)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "adaptation holds out its own development data; add it to training"));
    data->builder->part = part;
done:
    return st;
}

caucus_status cau_data_set_group(caucus_ctx *ctx, caucus_data *data, const char *name)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    cau_str group = {0};
    TRY(check_between(ctx, data, "group"));
    TRY(check_name(ctx, "a group", name, &group));
    if (!b->groups.names) {
        if (b->groups.by != CAU_BY_SEQUENCE)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "--by is for files; leave it out where groups are given"));
        if (b->train.set.N)
            TRY(cau_fail(
                ctx, CAUCUS_ERR_ARGUMENT,
                "the data so far belongs to no group; give one before the first instance"));
        TRY(cau_alphabet_new(ctx, &b->groups.names));
        b->groups.by = CAU_BY_COLUMN;
        b->train.units = true;
    }
    b->train.unit = cau_alphabet_add(b->groups.names, group.s, group.n);
    if (b->train.unit == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the groups"));
done:
    return st;
}

/* ---- instances ------------------------------------------------------------------------- */

/* Checks label, weight and form of an instance; *gold is the number of the label. */
static caucus_status begin_instance(caucus_ctx *ctx, caucus_data *data, int form, const char *label,
                                    double weight, uint32_t *gold)
{
    static const char *const names[] = {"", "features", "cells", "text"};
    static const cau_format formats[] = {CAU_FORMAT_AUTO, CAU_FORMAT_AUTO, CAU_FORMAT_COLUMNS,
                                         CAU_FORMAT_TEXT};
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    const cau_format wanted = data->read.format;
    cau_str name = {0};
    TRY(check_open(ctx, data));
    TRY(check_name(ctx, "a label", label, &name));
    if (!isfinite((float)weight) || weight < 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "a weight of %g; it must be finite and at least 0",
                     weight));
    if (b->form && (int)b->form != form)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "this instance has %s, but those before it have %s; add all of the data in "
                     "one form",
                     names[form], names[b->form]));
    if (data->template && form != CAU_FORM_CELLS)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "a template is for cells, but this instance has %s; leave the template out, "
                     "or add cells",
                     names[form]));
    if (!b->form && form != CAU_FORM_FEATURES && wanted && wanted != formats[form])
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--format %s, but this instance has %s; leave the option out",
                     cau_format_name(wanted), names[form]));
    if (data->read.tfidf && form != CAU_FORM_TEXT)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--tfidf weighs the words of text, but this instance has %s; leave it out",
                     names[form]));
    *gold = cau_alphabet_add(data->labels, name.s, name.n);
    if (*gold == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the labels"));
    if (b->part == CAU_PART_TRAIN) {
        data->fingerprint = cau_hash(name.s, name.n, data->fingerprint);
        data->fingerprint = cau_hash(&weight, sizeof weight, data->fingerprint);
    }
done:
    return st;
}

static caucus_status end_instance(caucus_ctx *ctx, struct cau_data_adding *b,
                                  const cau_instance *in, uint32_t gold)
{
    caucus_status st = CAUCUS_OK;
    cau_indexed_instance x;
    TRY(cau_intern(ctx, &b->interner, NULL, in, &x));
    st = cau_builder_add(cau_adding_to(b, b->part), &x, gold);
    if (st == CAUCUS_ERR_ARGUMENT)
        TRY(cau_fail(ctx, st, "2^32 instances or more; train on a part of the data"));
    if (st) TRY(no_memory(ctx));
done:
    return st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}

/* Adds bytes to the fingerprint of the training data. */
static void add_to_fingerprint(caucus_data *data, const char *s, size_t n)
{
    if (data->builder->part == CAU_PART_TRAIN)
        data->fingerprint = cau_hash(s, n, data->fingerprint);
}

/* ---- features -------------------------------------------------------------------------- */

static caucus_status add_feature(caucus_ctx *ctx, cau_feature_block *block, const caucus_feature *f)
{
    cau_str name;
    caucus_status st = check_name(ctx, "a feature", f->name, &name);
    if (st) return st;
    if (!isfinite((float)f->value))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the value %g of feature '%.*s' is not finite; leave it out", f->value,
                        CAU_SHOWN(name));
    if ((float)f->value == 0) return CAUCUS_OK;
    return cau_add_feature(block, name, (float)f->value) ? CAUCUS_OK : no_memory(ctx);
}

/* If an instance fails, its names stay in the alphabets until cau_data_close, which drops names
 * that no instance has. */
caucus_status cau_data_add(caucus_ctx *ctx, caucus_data *data, const char *label, double weight,
                           const caucus_feature *features, size_t count)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    uint32_t gold;
    TRY(begin_instance(ctx, data, CAU_FORM_FEATURES, label, weight, &gold));
    cau_feature_block_begin(&b->block);
    if (!cau_feature_block_row(&b->block)) TRY(no_memory(ctx));
    for (size_t i = 0; i < count; i++) TRY(add_feature(ctx, &b->block, &features[i]));
    cau_feature_block_end(&b->block);
    const cau_instance in = {.weight = weight, .block = &b->block, .groups = 1};
    TRY(end_instance(ctx, b, &in, gold));
    b->form = CAU_FORM_FEATURES;
    for (size_t i = 0; i < count; i++) {
        add_to_fingerprint(data, features[i].name, strlen(features[i].name));
        add_to_fingerprint(data, (const char *)&features[i].value, sizeof features[i].value);
    }
done:
    return st;
}

/* ---- cells and text -------------------------------------------------------------------- */

/* Opens the reader of the data, over no bytes so far, unless it is open. */
static caucus_status open_reader(caucus_ctx *ctx, caucus_data *data, cau_format format,
                                 const char *name)
{
    if (data->builder->reader) return CAUCUS_OK;
    data->read.format = format;
    return cau_reader_memory(ctx, name, (cau_str){NULL, 0}, &data->read, CAU_BY_NAME,
                             &data->builder->reader);
}

/* A failure drops the current sequence. */
caucus_status cau_data_add_cells(caucus_ctx *ctx, caucus_data *data, const char *label,
                                 double weight, const char *const *cells, size_t count)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    uint32_t gold;
    TRY(begin_instance(ctx, data, CAU_FORM_CELLS, label, weight, &gold));
    TRY(open_reader(ctx, data, CAU_FORMAT_COLUMNS, "token"));
    if (!CAU_GROW(b->row, b->row_room, b->rows + 1)) TRY(no_memory(ctx));
    TRY(cau_reader_row(ctx, b->reader, cells, count, (cau_str){"", 0}));
    b->row[b->rows++] = (cau_waiting_token){gold, weight};
    b->form = CAU_FORM_CELLS;
    for (size_t j = 0; j < count; j++) add_to_fingerprint(data, cells[j], strlen(cells[j]) + 1);
done:
    if (st && b && b->rows) {
        cau_reader_continue(b->reader, (cau_str){NULL, 0}, 1);
        b->rows = 0;
    }
    return st;
}

/* Adds the current sequence of cells. */
static caucus_status end_cells(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    TRY(cau_reader_end_rows(ctx, b->reader));
    for (size_t t = 0; t < b->rows; t++) {
        cau_read_event event;
        cau_instance in;
        TRY(cau_reader_next(ctx, b->reader, &event, &in));
        in.weight = b->row[t].weight;
        TRY(end_instance(ctx, b, &in, b->row[t].label));
    }
done:
    b->rows = 0;
    return st;
}

caucus_status cau_data_add_text(caucus_ctx *ctx, caucus_data *data, const char *label,
                                double weight, const char *text)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    uint32_t gold;
    cau_read_event event;
    cau_instance in;
    TRY(begin_instance(ctx, data, CAU_FORM_TEXT, label, weight, &gold));
    TRY(open_reader(ctx, data, CAU_FORMAT_TEXT, "text"));
    TRY(cau_reader_text(ctx, b->reader, text, &b->line));
    TRY(cau_reader_next(ctx, b->reader, &event, &in));
    in.weight = weight;
    TRY(end_instance(ctx, b, &in, gold));
    b->form = CAU_FORM_TEXT;
    add_to_fingerprint(data, text, strlen(text) + 1);
done:
    return st;
}

/* ---- sequences, and the end ------------------------------------------------------------ */

caucus_status cau_data_break(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    TRY(check_open(ctx, data));
    if (b->rows) TRY(end_cells(ctx, data));
    if (cau_builder_break(cau_adding_to(b, b->part))) TRY(no_memory(ctx));
    add_to_fingerprint(data, "break", 5);
done:
    return st;
}

/* Ends the last sequence of each part. Either all parts have sequences or no part has. */
static caucus_status end_sequences(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    cau_dataset_builder *const parts[] = {&b->train, &b->dev, &b->test};
    bool any = b->form == CAU_FORM_CELLS;
    if (b->rows) TRY(end_cells(ctx, data));
    for (size_t i = 0; i < 3; i++) any = any || parts[i]->set.sequence;
    for (size_t i = 0; any && i < 3; i++) {
        if (parts[i]->set.N && !parts[i]->set.sequence && b->form != CAU_FORM_CELLS)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "some of the data is in sequences and some is not; end each sequence "
                         "with caucus_data_break"));
        if (cau_builder_break(parts[i])) TRY(no_memory(ctx));
    }
done:
    return st;
}

/* Moves the sequences of the target domain to the front, and those of the others after it, in the
 * order of the groups; the numbers of the groups become those of the domains. */
static caucus_status order_domains(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    const char *target = b->options.target;
    const size_t S = cau_builder_sequences(&b->train);
    const size_t D = b->groups.names ? cau_alphabet_size(b->groups.names) : 0;
    cau_dataset_builder sorted = {.units = true, .set.files = true};
    uint32_t *order = cau_alloc(S, sizeof *order), first = CAU_UNKNOWN;
    const char **names = cau_alloc(D, sizeof *names);
    size_t n = 0;
    if (!order || !names) TRY(no_memory(ctx));
    if (D) first = cau_alphabet_find(b->groups.names, target, strlen(target));
    if (first == CAU_UNKNOWN || D < 2)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--target %s: adaptation needs a group of that name and at least one other; "
                     "name the domains with caucus_data_group",
                     target));
    for (size_t d = 0; d < D; d++) {
        const size_t group = d == 0 ? first : d - (d <= first);
        const size_t begin = n;
        names[d] = cau_alphabet_name(b->groups.names, (uint32_t)group).s;
        for (uint32_t s = 0; s < S; s++)
            if (b->train.set.unit[s] == group) order[n++] = s;
        if (n == begin)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "the group '%s' has no instances; add some or leave it out", names[d]));
    }
    TRY(cau_data_name_domains(ctx, data, names, D));
    if (cau_builder_take(&sorted, &b->train.set, order, S)) TRY(no_memory(ctx));
    for (size_t s = 0; s < S; s++) {
        uint32_t *unit = &sorted.set.unit[s];
        *unit = *unit == first ? 0 : *unit + (*unit < first);
    }
    cau_builder_clear(&b->train);
    b->train = sorted;
    sorted = (cau_dataset_builder){0};
done:
    cau_builder_clear(&sorted);
    free(order);
    free(names);
    return st;
}

caucus_status cau_adding_end(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    struct cau_data_adding *b = data->builder;
    if (b->train.set.N == 0 && b->rows == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data has no instances; add some first"));
    TRY(end_sequences(ctx, data));
    if (b->train.set.N == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the data has no training instances; add some"));
    if (b->reader) TRY(cau_adding_learn(ctx, data, b->reader));
    if (b->options.target && !b->train.set.files) TRY(order_domains(ctx, data));
done:
    return st;
}
