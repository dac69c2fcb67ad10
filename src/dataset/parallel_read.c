/* parallel_read.c - from a file to dataset builders, on one thread or on all of them.
 *
 * Names are numbered in the order in which they first occur in the file. Each thread numbers the
 * names of a chunk as if there were no other chunk, 0, 1, 2, ... When all chunks before it are
 * done, the names of the chunk that are new get the next numbers, in the same order. These are the
 * numbers that one thread would have given:
 *
 *     file       a b a c | c a d | b e
 *     in chunks  0 1 0 2 | 0 1 2 | 0 1
 *     names      0 1 2   | 2 0 3 | 1 4        numbers of the names of each chunk, chunk by chunk
 *     in file    0 1 0 2 | 2 0 3 | 1 4
 *
 * So each name is looked up among all names once per chunk, however often the chunk has it. The
 * chunks are read by the chunk loop (text/chunk_loop.h): its work reads a chunk with numbers of its
 * own, its sink renumbers the instances and appends them to those of the file.
 *
 * A chunk has enough features for some milliseconds of work, and few enough that their names fit
 * into a cache. One thread reads the first chunks, directly, until there is an instance: it sets
 * the shape of the lines, and shows how many features a byte gives, hence how long chunks should
 * be. One thread reads the whole file if lines depend on lines of earlier chunks: the parts of
 * megam, documents and groups. */

#include "dataset/parallel_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "text/chunk_loop.h"
#include "text/formats.h"

enum {
    FIRST_SIZE = 64 << 10,    /* bytes of a chunk that is read directly */
    CHUNK_ENTRIES = 64 << 10, /* features that a chunk should have, about */
    CHUNK_LEAST = 32 << 10,   /* bytes of a chunk */
    CHUNK_MOST = 8 << 20,
};

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the data");
}

/* ---- an instance ------------------------------------------------------------------------- */

/* Adds the names of the classes of explicit features: "0", "1", ... */
static caucus_status add_section_labels(caucus_ctx *ctx, cau_alphabet *labels, size_t sections)
{
    for (size_t y = cau_alphabet_size(labels); y < sections; y++) {
        char name[24];
        const int n = snprintf(name, sizeof name, "%zu", y);
        if (cau_alphabet_add(labels, name, (size_t)n) == CAU_UNKNOWN)
            return cau_fail_memory(ctx, "the labels");
    }
    return CAUCUS_OK;
}

/* The start of a message about an instance; the lines of the reader may be further on. */
#define AT_INSTANCE(r, in) cau_lines_name(cau_reader_lines(r)), (in)->number

static caucus_status check_label(caucus_ctx *ctx, const cau_reader *r, const cau_instance *in,
                                 bool need)
{
    if (!in->label.s)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "no label%s; add it or drop the line",
                        AT_INSTANCE(r, in),
                        cau_reader_format(r) == CAU_FORMAT_TEXT &&
                                !memchr(in->line.s, '\t', in->line.n)
                            ? " (no TAB before the text)"
                            : "");
    if (need && cau_is_text(in->label, "?"))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the label '?' says that it is unknown; training needs known ones: "
                               "replace it or drop the line",
                        AT_INSTANCE(r, in));
    return CAUCUS_OK;
}

/* Adds an instance to the builder of its part, or of the file where that is not for training. */
static caucus_status add_instance(caucus_ctx *ctx, const cau_read_target *to, const cau_reader *r,
                                  const cau_instance *in, cau_part file)
{
    caucus_status st = CAUCUS_OK;
    cau_indexed_instance x;
    const bool sequences = cau_has_sequences(cau_reader_format(r));
    const cau_part part = file == CAU_PART_TRAIN ? in->part : file;
    cau_dataset_builder *builder = to->builder[part];
    cau_str rest = in->line, token;
    TRY(cau_intern(ctx, to->interner, cau_lines_name(cau_reader_lines(r)), in, &x));
    if (!in->label.s && !cau_token(&rest, &token)) return CAUCUS_OK; /* a blank line of text */

    if (file != CAU_PART_TRAIN && in->part != CAU_PART_TRAIN)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "a DEV or TEST part in a file that is the %s set; remove that line",
                     AT_INSTANCE(r, in), file == CAU_PART_DEV ? "dev" : "test"));
    TRY(check_label(ctx, r, in,
                    part == CAU_PART_TRAIN && !to->plain && !(to->partial && sequences)));
    if (in->groups > 1) TRY(add_section_labels(ctx, to->labels, in->groups));
    if (builder->units && (!sequences || cau_builder_between(builder)))
        TRY(cau_cv_groups_first(ctx, to->groups, r, in, &builder->unit));

    const uint32_t label = cau_alphabet_add(to->labels, in->label.s, in->label.n);
    if (label == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the labels"));
    st = cau_builder_add(builder, &x, label);
    if (st == CAUCUS_ERR_ARGUMENT)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "2^32 instances or more; train on a part of the data",
                     AT_INSTANCE(r, in)));
    if (st) TRY(no_memory(ctx));
done:
    return st;
}

/* Adds all instances of a chunk. */
static caucus_status read_chunk(caucus_ctx *ctx, const cau_read_target *to, cau_reader *r,
                                const cau_text_chunk *chunk, cau_part file)
{
    caucus_status st = CAUCUS_OK;
    const bool sequences = cau_has_sequences(cau_reader_format(r));
    cau_reader_continue(r, (cau_str){chunk->bytes, chunk->n}, chunk->first);
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance in;
        TRY(cau_reader_next(ctx, r, &event, &in));
        if (event == CAU_READ_ASIDE) cau_cv_groups_aside(to->groups, &in);
        if (event == CAU_READ_INSTANCE)
            TRY(add_instance(ctx, to, r, &in, file));
        else if (sequences && (event != CAU_READ_ASIDE || in.ends) &&
                 cau_builder_break(to->builder[file]))
            TRY(no_memory(ctx));
    }
done:
    return st;
}

/* ---- chunks in parallel ------------------------------------------------------------------ */

/* Reads chunks, each into a builder and alphabets of its own. */
typedef struct {
    cau_reader *reader; /* NULL before the first chunk */
    cau_alphabets alphabets;
    cau_interner interner;
    cau_alphabet *labels;
    cau_cv_groups groups;
    cau_dataset_builder builder;
    cau_read_target target;        /* all of these */
    uint32_t *name, *edge, *label; /* for each number of the chunk: the number in the file */
    size_t name_room, edge_room, label_room;
} chunk_reader;

typedef struct {
    const cau_read_target *target; /* of the file */
    cau_reader *reader;            /* of the first chunk */
    cau_part file;
    chunk_reader *slot; /* [slots of the chunk loop] */
} file_reader;

static caucus_status chunk_reader_init(caucus_ctx *ctx, const file_reader *f, chunk_reader *c)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_alphabet_new(ctx, &c->alphabets.names));
    TRY(cau_alphabet_new(ctx, &c->alphabets.edges));
    TRY(cau_alphabet_new(ctx, &c->labels));
    c->groups = *f->target->groups;
    const cau_interner *in = f->target->interner;
    c->interner =
        (cau_interner){.alphabets = in->add ? &c->alphabets : in->alphabets, .add = in->add};
    c->target = (cau_read_target){.interner = &c->interner,
                                  .labels = c->labels,
                                  .groups = &c->groups,
                                  .partial = f->target->partial,
                                  .plain = f->target->plain};
    c->target.builder[f->file] = &c->builder;
    TRY(cau_reader_like(ctx, f->reader, &c->reader));
done:
    return st;
}

static void chunk_reader_clear(chunk_reader *c)
{
    cau_reader_free(c->reader);
    cau_interner_clear(&c->interner);
    cau_alphabet_free(c->alphabets.names);
    cau_alphabet_free(c->alphabets.edges);
    cau_alphabet_free(c->labels);
    cau_builder_clear(&c->builder);
    free(c->name);
    free(c->edge);
    free(c->label);
}

static caucus_status read_in_slot(void *self, caucus_ctx *ctx, const cau_text_chunk *chunk,
                                  size_t slot, unsigned thread)
{
    const file_reader *f = self;
    chunk_reader *c = &f->slot[slot];
    (void)thread;
    caucus_status st = CAUCUS_OK;
    if (!c->reader) TRY(chunk_reader_init(ctx, f, c));
    cau_alphabet_empty(c->alphabets.names);
    cau_alphabet_empty(c->alphabets.edges);
    cau_alphabet_empty(c->labels);
    cau_builder_clear(&c->builder);
    c->builder.units = f->target->builder[f->file]->units;
    TRY(read_chunk(ctx, &c->target, c->reader, chunk, f->file));
done:
    return st;
}

/* Adds the names of a chunk to those of the file; number [names of the chunk] receives their
 * numbers.
 */
static bool join_names(cau_alphabet *file, const cau_alphabet *chunk, uint32_t **number,
                       size_t *room)
{
    return CAU_GROW(*number, *room, cau_alphabet_size(chunk)) &&
           cau_alphabet_join(file, chunk, *number);
}

/* Renumbers the instances of a chunk and appends them to those of the file. */
static caucus_status append_chunk(void *self, caucus_ctx *ctx, size_t slot, caucus_status read)
{
    const file_reader *f = self;
    const cau_read_target *to = f->target;
    chunk_reader *c = &f->slot[slot];
    cau_dataset *s = &c->builder.set;
    caucus_status st = CAUCUS_OK;
    if (read) return CAUCUS_OK;
    if (!join_names(to->interner->alphabets->names, c->alphabets.names, &c->name, &c->name_room) ||
        !join_names(to->interner->alphabets->edges, c->alphabets.edges, &c->edge, &c->edge_room) ||
        !join_names(to->labels, c->labels, &c->label, &c->label_room))
        TRY(cau_fail_memory(ctx, "the names of the features"));
    if (f->file == CAU_PART_TRAIN) cau_builder_map(&c->builder, c->name, c->edge);
    for (size_t i = 0; i < s->N; i++) s->gold[i] = c->label[s->gold[i]];
    st = cau_builder_take(to->builder[f->file], s, NULL, cau_builder_sequences(&c->builder));
    if (st == CAUCUS_ERR_ARGUMENT)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: 2^32 instances or more; train on a part of the data",
                     cau_lines_name(cau_reader_lines(f->reader))));
    if (st) TRY(no_memory(ctx));
done:
    return st;
}

static caucus_status read_in_parallel(caucus_ctx *ctx, const cau_read_target *to, cau_reader *r,
                                      cau_part file, size_t size)
{
    const unsigned threads = cau_threads(ctx);
    const size_t slots = cau_chunk_slots(threads);
    file_reader f = {.target = to, .reader = r, .file = file};
    const cau_chunk_work work = {.work = read_in_slot, .sink = append_chunk, .self = &f};
    const cau_cut cut = cau_read_cut(cau_reader_options(r));
    f.slot = cau_calloc(slots, sizeof *f.slot);
    if (!f.slot) return no_memory(ctx);
    const caucus_status st = cau_chunk_loop(ctx, cau_reader_chunker(r), size, &cut, threads, &work);
    for (size_t i = 0; i < slots; i++) chunk_reader_clear(&f.slot[i]);
    free(f.slot);
    return st;
}

/* ---- a file ------------------------------------------------------------------------------ */

/* Whether lines are independent of earlier chunks. */
static bool is_parallel(const cau_read_target *to, const cau_reader *r, cau_part file)
{
    if (to->builder[file]->units && to->groups->by != CAU_BY_FILE) return false;
    return cau_reader_format(r) != CAU_FORMAT_MEGAM;
}

/* The number of bytes with about CHUNK_ENTRIES features, if `bytes` have `entries`. */
static size_t chunk_size(size_t bytes, size_t entries)
{
    const double size = (double)bytes * CHUNK_ENTRIES / (double)(entries ? entries : 1);
    return size < CHUNK_LEAST ? CHUNK_LEAST : size > CHUNK_MOST ? CHUNK_MOST : (size_t)size;
}

caucus_status cau_parallel_read_file(caucus_ctx *ctx, const cau_read_target *to, cau_reader *r,
                                     cau_part file)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &to->builder[file]->set;
    const size_t before = cau_csr_nonzeros(&set->x), instances = set->N;
    const cau_cut cut = cau_read_cut(cau_reader_options(r));
    cau_text_chunk chunk = {0};
    size_t bytes = 0;
    do {
        TRY(cau_chunker_next(ctx, cau_reader_chunker(r), to->chunk ? to->chunk : FIRST_SIZE, &cut,
                             &chunk));
        TRY(read_chunk(ctx, to, r, &chunk, file));
        bytes += chunk.n;
        if (cau_threads(ctx) > 1 && set->N > instances && is_parallel(to, r, file)) {
            const size_t size = chunk_size(bytes, cau_csr_nonzeros(&set->x) - before);
            TRY(read_in_parallel(ctx, to, r, file, to->chunk ? to->chunk : size));
            break;
        }
    } while (chunk.n > 0);
done:
    free(chunk.bytes);
    return st;
}
