/* data_sample.h - what a reader returns, as plain text.
 *
 *     label : name name*value # names of the next group | names on the edge
 *     label (weight 2, part 1) : ...
 *     ~                        the end of a sequence
 *     % line                   not data; %% if it also ends a sequence */

#ifndef CAU_SUPPORT_DATA_SAMPLE_H
#define CAU_SUPPORT_DATA_SAMPLE_H

#include <string.h>

#include "base/status.h"
#include "support/feature_rows.h"
#include "support/support.h"
#include "text/formats.h"

static inline void describe_row(cau_strbuf *out, const cau_feature_list *list, size_t row)
{
    for (size_t i = list->start[row]; i < list->start[row + 1]; i++) {
        cau_strbuf_printf(out, " %.*s", (int)list->name[i].n, list->name[i].s);
        if (!list->plain && list->value[i] != 1)
            cau_strbuf_printf(out, "*%g", (double)list->value[i]);
    }
}

static inline void describe(cau_strbuf *out, const cau_instance *in)
{
    const cau_feature_block *b = in->block;
    cau_strbuf_printf(out, "%.*s", (int)in->label.n, in->label.s ? in->label.s : "");
    if (!in->label.s) cau_strbuf_printf(out, "(none)");
    if (in->weight != 1 || in->part)
        cau_strbuf_printf(out, " (weight %g, part %d)", in->weight, (int)in->part);
    cau_strbuf_printf(out, " :");
    for (size_t g = 0; g < in->groups; g++) {
        if (g) cau_strbuf_printf(out, " #");
        describe_row(out, &b->nodes, in->row + g);
    }
    if (b->edges.start[in->row + 1] > b->edges.start[in->row]) cau_strbuf_printf(out, " |");
    describe_row(out, &b->edges, in->row);
    cau_strbuf_printf(out, "\n");
}

/* Reads from a reader of names to its end; `out` may be NULL. */
static inline caucus_status read_rest(caucus_ctx *ctx, cau_reader *r, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    cau_read_event event;
    cau_instance in;
    for (;;) {
        TRY(cau_reader_next(ctx, r, &event, &in));
        if (event == CAU_READ_END) break;
        if (!out) continue;
        if (event == CAU_READ_BREAK)
            cau_strbuf_printf(out, "~\n");
        else if (event == CAU_READ_ASIDE)
            cau_strbuf_printf(out, "%s %.*s\n", in.ends ? "%%" : "%", (int)in.line.n, in.line.s);
        else
            describe(out, &in);
    }
done:
    return st;
}

/* Reads all the bytes by name; `out` may be NULL. */
static inline caucus_status read_all(caucus_ctx *ctx, cau_read_options options, cau_str bytes,
                                     cau_strbuf *out)
{
    cau_reader *r = NULL;
    caucus_status st = cau_reader_memory(ctx, "file", bytes, &options, CAU_BY_NAME, &r);
    if (!st) st = read_rest(ctx, r, out);
    cau_reader_free(r);
    return st;
}

/* Reads a chunk that begins at line `first`. */
static inline caucus_status read_piece(caucus_ctx *ctx, cau_reader *r, const char *piece,
                                       size_t first, cau_strbuf *out)
{
    cau_reader_continue(r, (cau_str){piece, strlen(piece)}, first);
    return read_rest(ctx, r, out);
}

/* Reads the bytes by name and by key, and compares the features of all instances. */
static inline void compare_keys(caucus_ctx *ctx, cau_read_options options, cau_str bytes)
{
    cau_reader *by_name = NULL, *by_key = NULL;
    cau_read_event event = CAU_READ_BREAK, same;
    assert_ok(ctx, cau_reader_memory(ctx, "file", bytes, &options, CAU_BY_NAME, &by_name));
    assert_ok(ctx, cau_reader_memory(ctx, "file", bytes, &options, 3, &by_key));
    while (event != CAU_READ_END) {
        cau_instance a, b;
        assert_ok(ctx, cau_reader_next(ctx, by_name, &event, &a));
        assert_ok(ctx, cau_reader_next(ctx, by_key, &same, &b));
        assert_int_equal(event, same);
        if (event != CAU_READ_INSTANCE) continue;
        assert_int_equal(a.groups, b.groups);
        assert_int_equal(a.block->repeats, b.block->repeats);
        for (size_t g = 0; g < a.groups; g++)
            assert_true(rows_agree(a.block, a.row + g, b.block, b.row + g));
    }
    cau_reader_free(by_name);
    cau_reader_free(by_key);
}

#endif
