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
#include "support/support.h"
#include "text/formats.h"

static inline cau_alphabets alphabets_new(caucus_ctx *ctx)
{
    cau_alphabets both = {0};
    assert_ok(ctx, cau_alphabet_new(ctx, &both.names));
    assert_ok(ctx, cau_alphabet_new(ctx, &both.edges));
    return both;
}

static inline void alphabets_clear(cau_alphabets *both)
{
    cau_alphabet_free(both->names);
    cau_alphabet_free(both->edges);
}

static inline void describe(cau_strbuf *out, const cau_instance *in, const cau_alphabets *names)
{
    cau_strbuf_printf(out, "%.*s", (int)in->label.n, in->label.s ? in->label.s : "");
    if (!in->label.s) cau_strbuf_printf(out, "(none)");
    if (in->weight != 1 || in->part)
        cau_strbuf_printf(out, " (weight %g, part %d)", in->weight, (int)in->part);
    cau_strbuf_printf(out, " :");
    for (size_t g = 0; g < in->groups; g++) {
        if (g) cau_strbuf_printf(out, " #");
        for (size_t i = in->start[g]; i < in->start[g + 1]; i++) {
            cau_strbuf_printf(out, " %s", cau_alphabet_name(names->names, in->id[i]).s);
            if (in->value && in->value[i] != 1) cau_strbuf_printf(out, "*%g", (double)in->value[i]);
        }
    }
    if (in->edges) cau_strbuf_printf(out, " |");
    for (size_t i = 0; i < in->edges; i++)
        cau_strbuf_printf(out, " %s", cau_alphabet_name(names->edges, in->edge[i]).s);
    cau_strbuf_printf(out, "\n");
}

/* Reads from the reader to its end; `out` may be NULL. */
static inline caucus_status read_rest(caucus_ctx *ctx, cau_reader *r, const cau_alphabets *names,
                                      cau_strbuf *out)
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
            describe(out, &in, names);
    }
done:
    return st;
}

/* Reads all the bytes; `out` may be NULL. */
static inline caucus_status read_all(caucus_ctx *ctx, cau_read_options options, cau_str bytes,
                                     cau_vocabulary vocabulary, const cau_alphabets *names,
                                     cau_strbuf *out)
{
    cau_reader *r = NULL;
    caucus_status st = cau_reader_memory(ctx, "file", bytes, &options, vocabulary, &r);
    if (!st) st = read_rest(ctx, r, names, out);
    cau_reader_free(r);
    return st;
}

/* Reads a chunk that begins at line `first`. */
static inline caucus_status read_piece(caucus_ctx *ctx, cau_reader *r, const char *piece,
                                       size_t first, const cau_alphabets *names, cau_strbuf *out)
{
    cau_reader_continue(r, (cau_str){piece, strlen(piece)}, first);
    return read_rest(ctx, r, names, out);
}

#endif
