/* features.c - the features that a template makes, as data of CRFsuite. */

#include "tag/tag.h"

#include "base/status.h"
#include "report/report.h"

enum { VALUE_DIGITS = 9 };

/* Appends a name with \: for a colon and \\ for a backslash. */
static void add_name(cau_strbuf *out, cau_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (name.s[i] == ':' || name.s[i] == '\\') cau_strbuf_add(out, "\\", 1);
        cau_strbuf_add(out, name.s + i, 1);
    }
}

static void add_feature(cau_strbuf *text, cau_str name, float value)
{
    cau_strbuf_add(text, "\t", 1);
    add_name(text, name);
    if (value == 1) return;
    cau_strbuf_add(text, ":", 1);
    cau_strbuf_general(text, (double)value, VALUE_DIGITS);
}

static void add_instance(cau_strbuf *text, const cau_alphabets *names, cau_str label,
                         const cau_indexed_instance *x)
{
    if (label.s) cau_strbuf_add(text, label.s, label.n);
    for (size_t g = 0; g < x->groups; g++) {
        if (g > 0) cau_strbuf_add(text, "\t#", 2);
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++)
            add_feature(text, cau_alphabet_name(names->names, x->id[i]),
                        x->value ? x->value[i] : 1);
    }
    if (x->edges) cau_strbuf_add(text, "\t|", 2);
    for (size_t i = 0; i < x->edges; i++)
        add_feature(text, cau_alphabet_name(names->edges, x->edge[i]), 1);
    cau_strbuf_add(text, "\n", 1);
}

/* The alphabets hold the names of one instance at a time: interning merges repeated features. */
caucus_status cau_features_show(caucus_ctx *ctx, const cau_data_options *options, const char *path,
                                caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_alphabets names = {0};
    cau_interner interner = {.alphabets = &names, .add = true};
    cau_template *template = NULL;
    cau_reader *reader = NULL;
    cau_read_options read = options->read;
    cau_writer sheet = {.ctx = ctx, .write = write, .user = user};
    TRY(cau_alphabet_new(ctx, &names.names));
    TRY(cau_alphabet_new(ctx, &names.edges));
    if (options->template) TRY(cau_template_read(ctx, options->template, &template));
    read.template = template;
    read.cells = template != NULL;
    TRY(cau_reader_open(ctx, path, &read, CAU_BY_NAME, &reader));
    for (;;) {
        cau_read_event event;
        cau_instance in;
        cau_indexed_instance x;
        TRY(cau_reader_next(ctx, reader, &event, &in));
        if (event == CAU_READ_END) break;
        if (event == CAU_READ_INSTANCE) {
            cau_alphabet_empty(names.names);
            cau_alphabet_empty(names.edges);
            TRY(cau_intern(ctx, &interner, cau_lines_name(cau_reader_lines(reader)), &in, &x));
            add_instance(&sheet.text, &names, in.label, &x);
        }
        if (event == CAU_READ_BREAK) cau_strbuf_add(&sheet.text, "\n", 1);
        TRY(cau_writer_flush(&sheet, false));
    }
    TRY(cau_writer_flush(&sheet, true));
done:
    cau_reader_free(reader);
    cau_template_free(template);
    cau_writer_clear(&sheet);
    cau_interner_clear(&interner);
    cau_alphabet_free(names.names);
    cau_alphabet_free(names.edges);
    return st;
}
