/* features.c - the features that a template makes, as data of CRFsuite. The vocabulary of the
 * reader holds the names of one instance; the id of a feature is its index among them. */

#include "tag/features.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "report/report.h"

enum { VALUE_DIGITS = 9 };

/* The names of an instance, one after the other. */
typedef struct {
    char *bytes;
    size_t n, room;
    size_t *start; /* [count + 1] */
    size_t count, start_room;
} names;

static uint32_t keep(void *self, const char *s, size_t n)
{
    names *k = self;
    if (!CAU_GROW(k->bytes, k->room, k->n + n) || !CAU_GROW(k->start, k->start_room, k->count + 2))
        return CAU_UNKNOWN;
    /* a repeated name keeps its id */
    for (size_t i = 0; i < k->count; i++)
        if (k->start[i + 1] - k->start[i] == n && memcmp(k->bytes + k->start[i], s, n) == 0)
            return (uint32_t)i;
    memcpy(k->bytes + k->n, s, n);
    k->start[k->count++] = k->n;
    k->n += n;
    k->start[k->count] = k->n;
    return (uint32_t)(k->count - 1);
}

/* Appends a name with \\: for a colon and \\\\ for a backslash. */
static void add_name(cau_strbuf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] == ':' || s[i] == '\\') cau_strbuf_add(out, "\\", 1);
        cau_strbuf_add(out, s + i, 1);
    }
}

static void add_feature(cau_writer *sheet, const names *k, uint32_t id, float value)
{
    cau_strbuf_add(&sheet->text, "\t", 1);
    add_name(&sheet->text, k->bytes + k->start[id], k->start[id + 1] - k->start[id]);
    if (value == 1) return;
    cau_strbuf_add(&sheet->text, ":", 1);
    cau_strbuf_general(&sheet->text, (double)value, VALUE_DIGITS);
}

static void add_instance(cau_writer *sheet, const names *k, const cau_instance *in)
{
    cau_strbuf *text = &sheet->text;
    if (in->label.s) cau_strbuf_add(text, in->label.s, in->label.n);
    for (size_t g = 0; g < in->groups; g++) {
        if (g > 0) cau_strbuf_add(text, "\t#", 2);
        for (size_t i = in->start[g]; i < in->start[g + 1]; i++)
            add_feature(sheet, k, in->id[i], in->value ? in->value[i] : 1);
    }
    if (in->edges) cau_strbuf_add(text, "\t|", 2);
    for (size_t i = 0; i < in->edges; i++) add_feature(sheet, k, in->edge[i], 1);
    cau_strbuf_add(text, "\n", 1);
}

caucus_status cau_features_show(caucus_ctx *ctx, const cau_data_options *options, const char *path,
                                caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    names k = {0};
    cau_template *template = NULL;
    cau_reader *reader = NULL;
    cau_read_options read = options->read;
    cau_writer sheet = {.ctx = ctx, .write = write, .user = user};
    cau_vocabulary vocabulary = {.id = keep, .edge = keep, .self = &k, .grows = true};
    if (options->template) TRY(cau_template_read(ctx, options->template, &template));
    read.template = template;
    TRY(cau_reader_open(ctx, path, &read, vocabulary, &reader));
    for (;;) {
        cau_read_event event;
        cau_instance in;
        k.n = k.count = 0;
        TRY(cau_reader_next(ctx, reader, &event, &in));
        if (event == CAU_READ_END) break;
        if (event == CAU_READ_INSTANCE) add_instance(&sheet, &k, &in);
        if (event == CAU_READ_BREAK) cau_strbuf_add(&sheet.text, "\n", 1);
        TRY(cau_writer_flush(&sheet, false));
    }
    TRY(cau_writer_flush(&sheet, true));
done:
    cau_reader_free(reader);
    cau_template_free(template);
    cau_writer_clear(&sheet);
    free(k.bytes);
    free(k.start);
    return st;
}
