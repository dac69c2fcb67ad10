/* parallel_read.c - from a file to piles, by one thread or by all of them.
 *
 * Numbers are given to names in the order of their coming, which looks as if a file had to be
 * read by one. But a thread can number the names of a piece of the file as if there were no
 * other, 0, 1, 2, ...; when all pieces before it are in, those that are new get the next numbers
 * of all in the same order. That is where they would have been met:
 *
 *     file      a b a c | c a d | b e
 *     pieces    0 1 0 2 | 0 1 2 | 0 1
 *     numbers   0 1 2   | 2 0 3 | 1 4        of the names of each piece, one piece after the other
 *     piles     0 1 0 2 | 2 0 3 | 1 4
 *
 * A name is looked up among all once for each piece that has it, however often it stands there.
 * So each thread goes on and on as follows:
 *
 *     cut off the next piece   ▶   read it   ▶   number its names, renumber, join the others
 *          in turn                                                in turn
 *
 * Who has read a piece while one before it is missing leaves it to whoever reads that one, and goes
 * on with the next. So nobody waits, unless as many pieces are under way as there is room for.
 *
 * Pieces are whole lines or sequences with so many features that reading them takes some
 * milliseconds, and that their names fit into a cache. So little memory is needed, whatever the
 * length of the file, which may be a pipe or compressed. The beginning is read without any of this.
 * It tells what later lines must have in common, and how many features come of a byte, so how long
 * pieces should be; small files have nothing else. What carries something on from line to line that
 * cannot be told at the beginning of a piece is also read by one thread: parts of megam, documents
 * and groups. */

#include "dataset/parallel_read.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "text/formats.h"

enum {
    FIRST_SIZE = 64 << 10,    /* bytes that are read before there are pieces */
    PIECE_ENTRIES = 64 << 10, /* features that a piece should have, about */
    PIECE_LEAST = 32 << 10,   /* bytes of a piece */
    PIECE_MOST = 8 << 20,
    BLOCKS = 4096, /* pieces of one job; those beyond the end of the file cost nothing */
    HANDS = 2,     /* pieces under way for each thread */
};

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the data");
}

/* ---- an instance ------------------------------------------------------------------------- */

bool cau_has_sequences(cau_format format)
{
    return format == CAU_FORMAT_CRFSUITE || format == CAU_FORMAT_COLUMNS;
}

const char *cau_format_blanks(cau_format format)
{
    if (format == CAU_FORMAT_COLUMNS) return " \t";
    return format == CAU_FORMAT_CRFSUITE || format == CAU_FORMAT_AUTO ? "" : NULL;
}

/* Gives the classes of explicit features their names, "0", "1", ... */
static caucus_status name_sections(caucus_ctx *ctx, cau_alphabet *labels, size_t sections)
{
    for (size_t y = cau_alphabet_size(labels); y < sections; y++) {
        char name[24];
        const int n = snprintf(name, sizeof name, "%zu", y);
        if (cau_alphabet_add(labels, name, (size_t)n) == CAU_UNKNOWN)
            return cau_fail_memory(ctx, "the labels");
    }
    return CAUCUS_OK;
}

/* The start of a complaint about an instance: the reader may be further on. */
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

/* Puts an instance of a file onto its pile: that of the file, or of the part that it is in. */
static caucus_status take(caucus_ctx *ctx, const cau_parallel_read *to, const cau_reader *r,
                          const cau_instance *in, cau_part file)
{
    caucus_status st = CAUCUS_OK;
    const bool sequences = cau_has_sequences(cau_reader_format(r));
    const cau_part part = file == CAU_PART_TRAIN ? in->part : file;
    cau_dataset_builder *pile = to->pile[part];
    cau_str rest = in->line, token;
    if (!in->label.s && !cau_token(&rest, &token)) return CAUCUS_OK; /* a blank line of text */

    if (file != CAU_PART_TRAIN && in->part != CAU_PART_TRAIN)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "a DEV or TEST part in a file that is the %s set; remove that line",
                     AT_INSTANCE(r, in), file == CAU_PART_DEV ? "dev" : "test"));
    TRY(check_label(ctx, r, in, part == CAU_PART_TRAIN && !(to->partial && sequences)));
    if (in->groups > 1) TRY(name_sections(ctx, to->labels, in->groups));
    if (pile->units && (!sequences || cau_builder_between(pile)))
        TRY(cau_cv_groups_first(ctx, to->units, r, in, &pile->unit));

    const uint32_t label = cau_alphabet_add(to->labels, in->label.s, in->label.n);
    if (label == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the labels"));
    st = cau_builder_add(pile, in, label);
    if (st == CAUCUS_ERR_ARGUMENT)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "2^32 instances or more; train on a part of the data",
                     AT_INSTANCE(r, in)));
    if (st) TRY(no_memory(ctx));
done:
    return st;
}

/* Takes what the reader gives next. */
static caucus_status take_next(caucus_ctx *ctx, const cau_parallel_read *to, cau_reader *r,
                               cau_part file, cau_read_event *event, cau_instance *in)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_reader_next(ctx, r, event, in));
    if (*event == CAU_READ_INSTANCE)
        TRY(take(ctx, to, r, in, file));
    else if (cau_has_sequences(cau_reader_format(r)) && (*event != CAU_READ_ASIDE || in->ends) &&
             cau_builder_break(to->pile[file]))
        TRY(no_memory(ctx));
    if (*event == CAU_READ_ASIDE) cau_cv_groups_aside(to->units, in);
done:
    return st;
}

/* ---- pieces ------------------------------------------------------------------------------ */

/* A piece and what was read of it, in numbers of its own. */
typedef struct {
    atomic_size_t ready; /* 1 + the number of the piece, when it has been read; else 0 */
    caucus_status status;
    caucus_ctx ctx; /* for the sentence of a failure */
    cau_stretch piece;
    cau_reader *reader; /* NULL before it is needed */
    cau_alphabets alphabets;
    cau_alphabet *labels;
    cau_cv_groups units;
    cau_dataset_builder pile;
    cau_parallel_read intake;     /* all of these */
    uint32_t *name, *edge, *gold; /* [names], [edges], [labels] their numbers among all */
    size_t name_room, edge_room, gold_room;
    cau_strbuf note; /* that something in the piece is ignored; empty: nothing is */
} hand;

/* What the threads share. Each count is of pieces, from the first on, that one thing has been done
 * to. Piece k is in hand k % window, once piece k - window is joined. */
typedef struct {
    const cau_parallel_read *to;
    cau_reader *reader; /* of the whole file; its lines are cut into pieces */
    cau_part file;
    size_t size; /* bytes of a piece */
    hand *hands; /* [window] */
    size_t window;
    atomic_size_t cut, joined;
    atomic_bool joining; /* one thread is at it */
    atomic_bool ended;   /* nothing more is to be read */

    caucus_status status; /* of the first piece that failed; these belong to those who join */
    char message[CAU_MESSAGE_MAX];
    cau_strbuf note; /* of the first piece that has one */
} crew;

static void keep_note(void *self, const char *sentence)
{
    cau_strbuf *note = self;
    if (note->n == 0) cau_strbuf_add(note, sentence, strlen(sentence));
}

static caucus_status hand_init(const crew *c, hand *h)
{
    caucus_status st = CAUCUS_OK;
    if (!h->alphabets.names) TRY(cau_alphabet_new(&h->ctx, &h->alphabets.names));
    if (!h->alphabets.edges) TRY(cau_alphabet_new(&h->ctx, &h->alphabets.edges));
    if (!h->labels) TRY(cau_alphabet_new(&h->ctx, &h->labels));
    h->ctx.note = keep_note;
    h->ctx.note_user = &h->note;
    h->units = *c->to->units;
    h->intake = (cau_parallel_read){.alphabets = &h->alphabets,
                                    .labels = h->labels,
                                    .units = &h->units,
                                    .partial = c->to->partial};
    h->intake.pile[c->file] = &h->pile;
    TRY(cau_reader_like(&h->ctx, c->reader,
                        c->file == CAU_PART_TRAIN ? cau_vocabulary_growing(&h->alphabets)
                                                  : cau_vocabulary_fixed(c->to->alphabets),
                        &h->reader));
done:
    return st;
}

static void hand_clear(hand *h)
{
    cau_reader_free(h->reader);
    cau_alphabet_free(h->alphabets.names);
    cau_alphabet_free(h->alphabets.edges);
    cau_alphabet_free(h->labels);
    cau_builder_clear(&h->pile);
    cau_strbuf_clear(&h->note);
    free(h->piece.buffer);
    free(h->name);
    free(h->edge);
    free(h->gold);
}

/* Cuts off the next piece. */
static caucus_status cut_piece(crew *c, hand *h)
{
    const char *blanks = cau_format_blanks(cau_reader_format(c->reader));
    return cau_lines_cut(&h->ctx, c->reader->lines, c->size, blanks, &h->piece);
}

static caucus_status read_piece(const crew *c, hand *h)
{
    caucus_status st = CAUCUS_OK;
    cau_instance in;
    cau_read_event event = CAU_READ_BREAK;
    if (!h->reader) TRY(hand_init(c, h));
    cau_alphabet_empty(h->alphabets.names);
    cau_alphabet_empty(h->alphabets.edges);
    cau_alphabet_empty(h->labels);
    cau_builder_clear(&h->pile);
    h->pile.units = c->to->pile[c->file]->units;
    h->reader->noted = false;
    h->note.n = 0;
    cau_reader_continue(h->reader, h->piece.bytes, h->piece.first);
    while (event != CAU_READ_END)
        TRY(take_next(&h->ctx, &h->intake, h->reader, c->file, &event, &in));
    TRY(cau_strbuf_status(&h->ctx, &h->note));
done:
    return st;
}

/* Numbers the names of an alphabet among all. */
static bool number_names(cau_alphabet *all, const cau_alphabet *some, uint32_t **number,
                         size_t *room)
{
    return CAU_GROW(*number, *room, cau_alphabet_size(some)) &&
           cau_alphabet_join(all, some, *number);
}

static caucus_status number_piece(const crew *c, hand *h)
{
    const cau_parallel_read *to = c->to;
    if (number_names(to->alphabets->names, h->alphabets.names, &h->name, &h->name_room) &&
        number_names(to->alphabets->edges, h->alphabets.edges, &h->edge, &h->edge_room) &&
        number_names(to->labels, h->labels, &h->gold, &h->gold_room))
        return CAUCUS_OK;
    return cau_fail_memory(&h->ctx, "the names of the features");
}

static void renumber_piece(const crew *c, hand *h)
{
    cau_dataset *s = &h->pile.set;
    if (c->file == CAU_PART_TRAIN) cau_builder_map(&h->pile, h->name, h->edge);
    for (size_t i = 0; i < s->N; i++) s->gold[i] = h->gold[s->gold[i]];
}

static caucus_status join_piece(const crew *c, hand *h)
{
    const caucus_status st =
        cau_builder_take(c->to->pile[c->file], &h->pile.set, NULL, cau_builder_sequences(&h->pile));
    if (st == CAUCUS_ERR_ARGUMENT)
        return cau_fail(&h->ctx, CAUCUS_ERR_FORMAT,
                        "%s: 2^32 instances or more; train on a part of the data",
                        cau_lines_name(cau_reader_lines(c->reader)));
    return st ? no_memory(&h->ctx) : CAUCUS_OK;
}

/* Nothing more is cut off, and nobody waits for it. */
static void end_reading(crew *c)
{
    atomic_store(&c->ended, true);
    atomic_store(&c->cut, BLOCKS);
}

/* Puts a piece to the others, if none of them has failed: like a file that is read no further. */
static void close_piece(crew *c, hand *h, caucus_status st)
{
    if (c->status) return;
    if (h->note.n && c->note.n == 0) cau_strbuf_add(&c->note, h->note.s, h->note.n);
    if (!st) st = join_piece(c, h);
    if (!st) return;
    c->status = st;
    memcpy(c->message, h->ctx.message, sizeof c->message);
    end_reading(c);
}

/* Whether the piece that is to be joined next has been read. */
static hand *next_ready(crew *c)
{
    const size_t next = atomic_load(&c->joined);
    hand *h = &c->hands[next % c->window];
    return atomic_load(&h->ready) == next + 1 ? h : NULL;
}

/* Puts all pieces to the others that have been read and have none missing before them. If another
 * thread is at it, it will find what is ready now: it looks once more when it has stopped. */
static void join_ready(crew *c)
{
    while (next_ready(c) && !atomic_exchange(&c->joining, true)) {
        for (hand *h; (h = next_ready(c));) {
            caucus_status st = h->status;
            if (!st) st = number_piece(c, h);
            if (!st) renumber_piece(c, h);
            close_piece(c, h, st);
            atomic_store(&h->ready, 0);
            atomic_fetch_add(&c->joined, 1);
        }
        atomic_store(&c->joining, false);
    }
}

/* The whole way of piece number `block`. */
static caucus_status do_piece(void *self, size_t block, unsigned thread)
{
    (void)thread;
    crew *c = self;
    hand *h = &c->hands[block % c->window];

    cau_await(&c->cut, block);
    bool more = !atomic_load(&c->ended);
    if (more) {
        if (block >= c->window) cau_await(&c->joined, block - c->window + 1);
        h->status = cut_piece(c, h);
        more = h->status || h->piece.bytes.n > 0;
        if (h->status || !more) end_reading(c);
    }
    atomic_fetch_add(&c->cut, 1);
    if (!more) return CAUCUS_OK;

    if (!h->status) h->status = read_piece(c, h);
    atomic_store(&h->ready, block + 1);
    join_ready(c);
    return CAUCUS_OK;
}

/* Reads the rest of a file in pieces, on all threads. */
static caucus_status read_pieces(caucus_ctx *ctx, const cau_parallel_read *to, cau_reader *r,
                                 cau_part file, size_t size)
{
    const unsigned threads = cau_threads(ctx);
    caucus_status st = CAUCUS_OK;
    crew *c = cau_calloc(1, sizeof *c);
    if (!c) return no_memory(ctx);
    *c = (crew){
        .to = to, .reader = r, .file = file, .size = size, .window = HANDS * (size_t)threads};
    c->hands = cau_calloc(c->window, sizeof *c->hands);
    if (!c->hands) TRY(no_memory(ctx));
    while (!atomic_load(&c->ended)) {
        c->cut = c->joined = 0;
        TRY(cau_parallel(threads, BLOCKS, do_piece, c));
    }
    if (c->note.n && !r->noted) cau_note(ctx, "%s", c->note.s);
    if (c->status) TRY(cau_fail(ctx, c->status, "%s", c->message));
    if (c->note.failed) TRY(no_memory(ctx));
done:
    for (size_t i = 0; c->hands && i < c->window; i++) hand_clear(&c->hands[i]);
    free(c->hands);
    cau_strbuf_clear(&c->note);
    free(c);
    return st;
}

/* ---- a file ------------------------------------------------------------------------------ */

/* Whether what follows this event can be read in pieces. */
static bool is_cut(const cau_parallel_read *to, const cau_reader *r, cau_part file,
                   cau_read_event event)
{
    const cau_format format = cau_reader_format(r);
    if (to->pile[file]->units && to->units->by != CAU_BY_FILE) return false;
    if (format == CAU_FORMAT_MEGAM) return false;
    return event == (cau_has_sequences(format) ? CAU_READ_BREAK : CAU_READ_INSTANCE);
}

/* How many bytes have about PIECE_ENTRIES features, if `bytes` have `entries`. */
static size_t piece_size(size_t bytes, size_t entries)
{
    const double size = (double)bytes * PIECE_ENTRIES / (double)(entries ? entries : 1);
    return size < PIECE_LEAST ? PIECE_LEAST : size > PIECE_MOST ? PIECE_MOST : (size_t)size;
}

caucus_status cau_parallel_read_file(caucus_ctx *ctx, const cau_parallel_read *to, cau_reader *r,
                                     cau_part file)
{
    caucus_status st = CAUCUS_OK;
    const cau_csr *x = &to->pile[file]->set.x;
    const size_t before = cau_csr_nonzeros(x), enough = to->piece ? to->piece : FIRST_SIZE;
    size_t bytes = 0; /* of the instances so far */
    cau_instance in;
    cau_read_event event;
    const bool alone = cau_threads(ctx) == 1;
    do {
        TRY(take_next(ctx, to, r, file, &event, &in));
        if (event == CAU_READ_INSTANCE) bytes += in.line.n + 1;
        if (!alone && bytes >= enough && is_cut(to, r, file, event)) {
            const size_t size = piece_size(bytes, cau_csr_nonzeros(x) - before);
            TRY(read_pieces(ctx, to, r, file, to->piece ? to->piece : size));
            break;
        }
    } while (event != CAU_READ_END);
done:
    return st;
}
