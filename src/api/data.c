/* data.c - labelled data of the public interface, from files or from memory. */

#include <stdlib.h>
#include <string.h>

#include "api/options.h"
#include "base/status.h"
#include "peers/peers.h"

static caucus_status copy_names(caucus_ctx *ctx, const cau_observations *from, cau_alphabet **out)
{
    caucus_status st = cau_alphabet_new(ctx, out);
    for (size_t k = 0; !st && k < from->K; k++) {
        const cau_str name = cau_model_name(from, k);
        if (cau_alphabet_add(*out, name.s, name.n) == CAU_UNKNOWN)
            st = cau_fail_memory(ctx, "the names of a model");
    }
    return st;
}

/* Copies the names of the features and labels of a model, and its template. All are to be freed. */
static caucus_status copy_known(caucus_ctx *ctx, const caucus_model *model, cau_known *known,
                                cau_template **template)
{
    caucus_status st = CAUCUS_OK;
    TRY(copy_names(ctx, &model->nodes, &known->alphabets.names));
    TRY(copy_names(ctx, &model->edges, &known->alphabets.edges));
    TRY(cau_alphabet_new(ctx, &known->labels));
    for (size_t y = 0; y < model->Y; y++) {
        const char *label = cau_model_label(model, y);
        if (cau_alphabet_add(known->labels, label, strlen(label)) == CAU_UNKNOWN)
            TRY(cau_fail_memory(ctx, "the labels of a model"));
    }
    if (model->template.n)
        TRY(cau_template_parse(ctx, "the template of the model", model->template, NULL, template));
done:
    return st;
}

/* The options of data, with the names and the template of the model that training starts from. */
typedef struct {
    cau_data_options how;
    cau_known known;
    cau_template *template;
} data_setup;

static void setup_clear(data_setup *s)
{
    cau_template_free(s->template);
    cau_alphabet_free(s->known.alphabets.names);
    cau_alphabet_free(s->known.alphabets.edges);
    cau_alphabet_free(s->known.labels);
}

static caucus_status setup_init(caucus_ctx *ctx, const caucus_options *options, data_setup *s)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *from = NULL;
    TRY(cau_options_expect(ctx, options, "train", "adapt"));
    s->how = options->data;
    s->how.seed = options->seed;
    s->how.partial = options->train.model != CAU_MODEL_MAXENT && !cau_options_of(options, "adapt");
    if (options->train.from) {
        TRY(cau_peers_open(ctx, options->train.from, &from));
        TRY(cau_model_verify(ctx, from));
        TRY(copy_known(ctx, from, &s->known, &s->template));
        s->how.known = &s->known;
        if (!s->how.template) s->how.read.template = s->template;
    }
done:
    cau_model_free(from);
    return st;
}

/* ---- from files ---- */

/* Refuses a domain without instances, whatever the method. */
static caucus_status check_domains(caucus_ctx *ctx, const cau_dataset *set,
                                   const char *const *paths, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        size_t s = 0;
        while (s < set->S && set->unit[s] != d) s++;
        if (s == set->S)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?",
                            paths[d]);
    }
    return CAUCUS_OK;
}

/* Reads the files of the options target and source, which are the domains. */
static caucus_status read_domains(caucus_ctx *ctx, const caucus_options *options, data_setup *s,
                                  caucus_data **data)
{
    caucus_status st = CAUCUS_OK;
    const cau_paths *source = &options->adapt_source;
    const size_t count = source->count + 1;
    const char **paths = cau_alloc(count, sizeof *paths);
    if (!paths) TRY(cau_fail_memory(ctx, "the domains"));
    if (!options->adapt_target || !source->count)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "adaptation needs data of two domains at least; give --target and --source"));
    paths[0] = options->adapt_target;
    for (size_t i = 1; i < count; i++) paths[i] = source->path[i - 1];
    s->how.by = "file";
    TRY(cau_data_read(ctx, &s->how, paths, count, data));
    TRY(check_domains(ctx, &(*data)->train, paths, count));
    for (size_t i = 0; i < count; i++) { /* the names of the files, wherever they are */
        const char *slash = strrchr(paths[i], '/');
        if (slash && slash[1]) paths[i] = slash + 1;
    }
    TRY(cau_data_name_domains(ctx, *data, paths, count));
done:
    free(paths);
    return st;
}

caucus_status caucus_data_read(caucus_ctx *ctx, const caucus_options *options,
                               const char *const *paths, size_t count, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    data_setup s = {0};
    caucus_data *data = NULL;
    TRY(setup_init(ctx, options, &s));
    if (cau_options_of(options, "adapt")) {
        if (count)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "the files of an adaptation are its options target and source; give no "
                         "others"));
        TRY(cau_options_check_adapt(ctx, options));
        TRY(read_domains(ctx, options, &s, &data));
    } else {
        TRY(cau_data_read(ctx, &s.how, paths, count, &data));
        if (cau_options_share(ctx, options)) TRY(cau_data_share(ctx, data));
    }
    *out = data;
    data = NULL;
done:
    cau_data_free(data);
    setup_clear(&s);
    return st;
}

/* ---- from memory ---- */

caucus_status caucus_data_new(caucus_ctx *ctx, const caucus_options *options, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    data_setup s = {0};
    if (!options) return cau_data_new(ctx, NULL, out);
    TRY(setup_init(ctx, options, &s));
    if (cau_options_of(options, "adapt")) {
        TRY(cau_options_check_adapt(ctx, options));
        if (!options->adapt_target)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "adaptation needs the name of the target domain; set the option target"));
        s.how.target = options->adapt_target;
    }
    TRY(cau_data_new(ctx, &s.how, out));
done:
    setup_clear(&s);
    return st;
}

caucus_status caucus_data_template(caucus_ctx *ctx, caucus_data *data, const char *text)
{
    return cau_data_set_template(ctx, data, text);
}

caucus_status caucus_data_part(caucus_ctx *ctx, caucus_data *data, caucus_part part)
{
    static const cau_part parts[] = {[CAUCUS_PART_TRAIN] = CAU_PART_TRAIN,
                                     [CAUCUS_PART_DEV] = CAU_PART_DEV,
                                     [CAUCUS_PART_TEST] = CAU_PART_TEST};
    return cau_data_set_part(ctx, data, parts[part]);
}

caucus_status caucus_data_group(caucus_ctx *ctx, caucus_data *data, const char *name)
{
    return cau_data_set_group(ctx, data, name);
}

caucus_status caucus_data_add_features(caucus_ctx *ctx, caucus_data *data, const char *label,
                                       double weight, const caucus_feature *features, size_t count)
{
    return cau_data_add(ctx, data, label, weight, features, count);
}

caucus_status caucus_data_add_cells(caucus_ctx *ctx, caucus_data *data, const char *label,
                                    double weight, const char *const *cells, size_t count)
{
    return cau_data_add_cells(ctx, data, label, weight, cells, count);
}

caucus_status caucus_data_add_text(caucus_ctx *ctx, caucus_data *data, const char *label,
                                   double weight, const char *text)
{
    return cau_data_add_text(ctx, data, label, weight, text);
}

caucus_status caucus_data_break(caucus_ctx *ctx, caucus_data *data)
{
    return cau_data_break(ctx, data);
}

caucus_status caucus_data_close(caucus_ctx *ctx, caucus_data *data)
{
    return cau_data_close(ctx, data);
}

size_t caucus_data_size(const caucus_data *data, caucus_part part)
{
    if (data->open) return 0;
    return part == CAUCUS_PART_DEV    ? data->dev.N
           : part == CAUCUS_PART_TEST ? data->test.N
                                      : data->train.N;
}

const char *caucus_data_class(const caucus_data *data, size_t index)
{
    if (data->open || index >= cau_alphabet_size(data->labels)) return NULL;
    return cau_alphabet_name(data->labels, (uint32_t)index).s;
}

void caucus_data_free(caucus_data *data)
{
    cau_data_free(data);
}
