/* tag_output.c - writes the lines of a sequence with their labels and probabilities, in the forms
 * that tag.h describes. Lines wait here until their sequence is decoded. */

#include "tag/tag_output.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/score.h"

enum { PROBABILITY_DIGITS = 9 };

void cau_output_page_begin(cau_output_page *page)
{
    page->count = page->text.n = 0;
}

void cau_output_page_clear(cau_output_page *page)
{
    cau_strbuf_clear(&page->text);
    free(page->line);
    free(page->best);
    *page = (cau_output_page){0};
}

caucus_status cau_output_page_add(caucus_ctx *ctx, cau_output_page *page, cau_str text,
                                  bool labelled, const cau_conllu_label *field)
{
    if (!CAU_GROW(page->line, page->room, page->count + 1))
        return cau_fail_memory(ctx, "the lines of a sequence");
    const size_t begin = page->text.n;
    cau_strbuf_add(&page->text, text.s, text.n);
    if (labelled && text.s && !field) cau_strbuf_add(&page->text, "\t", 1);
    page->line[page->count++] = (cau_output_line){begin, page->text.n - begin, labelled, field};
    return cau_strbuf_status(ctx, &page->text);
}

static cau_str label_of(const caucus_model *m, size_t y)
{
    /* each label is followed by a NUL */
    return (cau_str){m->label_bytes + m->label_at[y],
                     (size_t)(m->label_at[y + 1] - m->label_at[y] - 1)};
}

static void add_label(cau_strbuf *text, const caucus_model *m, size_t y)
{
    const cau_str label = label_of(m, y);
    cau_strbuf_add(text, label.s, label.n);
}

static void add_probability(cau_writer *sheet, double p)
{
    cau_strbuf_general(&sheet->text, p, PROBABILITY_DIGITS);
}

/* Appends the line before a labelling: "# probability" or "# rank probability", and "uncertified"
 * where exact decoding came to its limit. */
static void add_header(const cau_output_form *form, size_t rank, const cau_decoded *d,
                       cau_writer *sheet)
{
    cau_strbuf_add(&sheet->text, "# ", 2);
    if (form->ranks) cau_strbuf_printf(&sheet->text, "%zu ", rank);
    add_probability(sheet, d->probability[rank]);
    if (d->uncertified) cau_strbuf_printf(&sheet->text, " uncertified");
    cau_strbuf_add(&sheet->text, "\n", 1);
}

/* Appends the optional fields of token t in labelling i. */
static void add_extras(const cau_output_page *page, const cau_output_form *form,
                       const cau_decoded *d, const double *mixing, size_t i, size_t t,
                       cau_writer *sheet)
{
    const size_t Y = form->model->Y, J = form->model->pool.J, at = i * d->T + t;
    if (form->domain) {
        cau_strbuf_add(&sheet->text, "\t", 1);
        add_probability(sheet, mixing[t * J + J - 1]);
    }
    if (form->label_probability) {
        cau_strbuf_add(&sheet->text, "\t", 1);
        add_probability(sheet, d->marginal[t * Y + d->path[at]]);
    }
    if (form->segments) {
        cau_strbuf_add(&sheet->text, "\t", 1);
        if (d->segment[at] >= 0)
            add_probability(sheet, d->segment[at]);
        else
            cau_strbuf_add(&sheet->text, "_", 1);
    }
    if (form->ranked) cau_best_classes(d->marginal + t * Y, Y, form->shown, page->best);
    for (size_t k = 0; k < form->shown; k++) {
        const size_t y = form->ranked ? page->best[k] : k;
        cau_strbuf_add(&sheet->text, "\t", 1);
        add_label(&sheet->text, form->model, y);
        cau_strbuf_add(&sheet->text, ":", 1);
        add_probability(sheet, d->marginal[t * Y + y]);
    }
}

static void write_labelling(const cau_output_page *page, const cau_output_form *form,
                            const cau_decoded *d, const double *mixing, size_t i, cau_writer *sheet)
{
    cau_strbuf *text = &sheet->text;
    const bool extras = form->domain || form->label_probability || form->segments || form->shown;
    for (size_t l = 0, t = 0; l < page->count; l++) {
        const cau_output_line *line = &page->line[l];
        if (!line->labelled && i > 0) continue; /* lines that are not data are written once */
        const cau_str copy = {page->text.s + line->begin, line->length};
        if (line->labelled && line->field)
            cau_conllu_add(text, copy, line->field, label_of(form->model, d->path[i * d->T + t]));
        else
            cau_strbuf_add(text, copy.s, copy.n);
        if (line->labelled) {
            if (!line->field) add_label(text, form->model, d->path[i * d->T + t]);
            if (extras) add_extras(page, form, d, mixing, i, t, sheet);
            t++;
        }
        cau_strbuf_add(text, "\n", 1);
    }
}

caucus_status cau_output_page_write(caucus_ctx *ctx, cau_output_page *page,
                                    const cau_output_form *form, const cau_decoded *decoded,
                                    const double *mixing, cau_writer *sheet)
{
    if (form->ranked && !CAU_GROW(page->best, page->best_room, form->shown))
        return cau_fail_memory(ctx, "the best labels of a token");
    for (size_t i = 0; i < decoded->count; i++) {
        if (i > 0) cau_strbuf_add(&sheet->text, "\n", 1);
        if (form->probability) add_header(form, i, decoded, sheet);
        write_labelling(page, form, decoded, mixing, i, sheet);
    }
    return CAUCUS_OK;
}
