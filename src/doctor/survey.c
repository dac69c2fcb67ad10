/* survey.c - see survey.h.
 *
 * A thread turns a chunk into arrays: the label, the line and the hash of the words of each
 * instance, the hashes of its cells, and where sentences end. The sink takes these in the order of
 * the file and counts, so that the first line with something is the same for any number of threads.
 *
 * The words of an instance are its first cell, or all its features with their values. Two sentences
 * are the same if they have the same words; they are duplicates if the labels agree as well. */

#include "doctor/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "text/chunk_loop.h"

enum { FIRST_SIZE = 32 << 10, CHUNK_SIZE = 256 << 10 };

/* What is in a chunk. */
typedef struct {
    cau_alphabet *labels;
    cau_characters characters;
    uint32_t *label;  /* [N] CAU_UNKNOWN: none */
    size_t *line;     /* [N] */
    uint64_t *words;  /* [N] */
    uint64_t *cell;   /* [N][columns] */
    size_t *end;      /* [S] instances up to the end of each sentence */
    uint32_t *global; /* [labels] their numbers in the survey */
    size_t N, S, cells;
    size_t label_room, line_room, words_room, cell_room, end_room, global_room;
} chunk_survey;

typedef struct {
    const cau_survey *other;
    cau_survey *to;
    cau_cut cut;
    cau_template *words_only;
    bool in_sequences;
    cau_reader **reader; /* [threads] */
    chunk_survey *slot;  /* [slots] */
    unsigned threads;
    size_t slots;
} surveyor;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "what is in the data");
}

/* ---- a chunk ----------------------------------------------------------------------------- */

static uint64_t hash_features(const cau_instance *in)
{
    const cau_feature_list *list = &in->block->nodes;
    uint64_t hash = in->groups;
    for (size_t g = 0; g < in->groups; g++) {
        const size_t begin = list->start[in->row + g], end = list->start[in->row + g + 1];
        for (size_t i = begin; i < end; i++) {
            const float value = list->plain ? 1 : list->value[i];
            hash = cau_hash(list->name[i].s, list->name[i].n, hash);
            hash = cau_hash(&value, sizeof value, hash);
        }
        hash = cau_hash("|", 1, hash);
    }
    return hash;
}

static caucus_status add_instance(caucus_ctx *ctx, chunk_survey *c, const cau_reader *r,
                                  const cau_instance *in)
{
    const size_t columns = in->cells ? (size_t)cau_reader_columns(r) : 0;
    if (!CAU_GROW(c->label, c->label_room, c->N + 1) ||
        !CAU_GROW(c->line, c->line_room, c->N + 1) ||
        !CAU_GROW(c->words, c->words_room, c->N + 1) ||
        !CAU_GROW(c->cell, c->cell_room, c->cells + columns))
        return no_memory(ctx);
    uint32_t label = CAU_UNKNOWN;
    if (in->label.s && !(in->label.n == 1 && in->label.s[0] == '?')) {
        label = cau_alphabet_add(c->labels, in->label.s, in->label.n);
        if (label == CAU_UNKNOWN) return no_memory(ctx);
    }
    for (size_t j = 0; j < columns; j++)
        c->cell[c->cells++] = cau_hash(in->cells[j].s, in->cells[j].n, 0);
    c->label[c->N] = label;
    c->line[c->N] = in->number;
    c->words[c->N++] = columns ? c->cell[c->cells - columns] : hash_features(in);
    return CAUCUS_OK;
}

static caucus_status end_sentence(caucus_ctx *ctx, chunk_survey *c)
{
    if (c->N == (c->S ? c->end[c->S - 1] : 0)) return CAUCUS_OK;
    if (!CAU_GROW(c->end, c->end_room, c->S + 1)) return no_memory(ctx);
    c->end[c->S++] = c->N;
    return CAUCUS_OK;
}

static caucus_status survey_chunk(void *self, caucus_ctx *ctx, const cau_text_chunk *chunk,
                                  size_t slot, unsigned thread)
{
    caucus_status st = CAUCUS_OK;
    const surveyor *s = self;
    chunk_survey *c = &s->slot[slot];
    cau_reader *r = s->reader[thread];
    const cau_str bytes = {chunk->bytes, chunk->n};
    c->N = c->S = c->cells = 0;
    c->characters = (cau_characters){0};
    if (!c->labels) TRY(cau_alphabet_new(ctx, &c->labels));
    cau_alphabet_empty(c->labels);
    if (!cau_characters_add(&c->characters, bytes, chunk->first)) TRY(no_memory(ctx));
    cau_reader_continue(r, bytes, chunk->first);
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance in;
        TRY(cau_reader_next(ctx, r, &event, &in));
        const bool inside = event == CAU_READ_INSTANCE;
        cau_str rest = inside ? in.line : (cau_str){NULL, 0};
        if (inside && (in.label.s || rest.n)) TRY(add_instance(ctx, c, r, &in));
        if (!s->in_sequences || (!inside && (event != CAU_READ_ASIDE || in.ends)))
            TRY(end_sentence(ctx, c));
    }
done:
    return st;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* Adds a label of a chunk to those of the file. */
static bool add_label(cau_survey *to, cau_str name, uint32_t *number)
{
    cau_str type = {"", 0};
    const size_t size = cau_alphabet_size(to->labels);
    *number = cau_alphabet_add(to->labels, name.s, name.n);
    if (*number == CAU_UNKNOWN) return false;
    if (*number < size) return true;
    if (!CAU_GROW(to->label, to->label_room, size + 1)) return false;
    cau_label_survey label = {.place = CAU_OUTSIDE};
    label.chunk = cau_scheme_parse(CAU_SCHEME_NONE, name, &label.place, &type);
    label.type = cau_alphabet_add(to->types, type.s, type.n);
    to->label[*number] = label;
    return label.type != CAU_UNKNOWN;
}

static const cau_label_survey *label_at(const cau_survey *to, const chunk_survey *c, size_t i)
{
    return c->label[i] == CAU_UNKNOWN ? NULL : &to->label[c->global[c->label[i]]];
}

/* Checks the labels of a sentence against each scheme. */
static void check_schemes(cau_survey *to, const chunk_survey *c, size_t begin, size_t end)
{
    const cau_label_survey *before = NULL, *here = label_at(to, c, begin);
    for (size_t i = begin; i < end; i++) {
        const cau_label_survey *next = i + 1 < end ? label_at(to, c, i + 1) : NULL;
        if (here && !here->chunk) cau_line_list_add(&to->foreign, c->line[i]);
        if (here && here->chunk && here->place != CAU_OUTSIDE) {
            const cau_str name = cau_alphabet_name(to->labels, c->global[c->label[i]]);
            const bool open = before && before->type == here->type &&
                              cau_place_continues(before->place, CAU_INSIDE);
            const bool goes_on =
                next && next->type == here->type && cau_place_continues(here->place, next->place);
            for (size_t s = 0; s < CAU_SCHEMES; s++)
                if (cau_scheme_breaks(cau_schemes[s], name, here->place, open, goes_on))
                    cau_line_list_add(&to->broken[s], c->line[i]);
        }
        before = here;
        here = next;
    }
}

static void add_pair(cau_line_pairs *pairs, size_t first, size_t second)
{
    if (pairs->count < CAU_LINES_KEPT) {
        pairs->first[pairs->count] = first;
        pairs->second[pairs->count] = second;
    }
    pairs->count++;
}

/* Compares a sentence with those before it, and with those of the other file. */
static bool compare_sentence(const surveyor *s, const chunk_survey *c, size_t begin, size_t end)
{
    cau_survey *to = s->to;
    uint64_t content = 0, labels = 0;
    bool known = true;
    for (size_t i = begin; i < end; i++) {
        content = cau_hash(&c->words[i], sizeof c->words[i], content);
        known &= c->label[i] != CAU_UNKNOWN;
        if (c->label[i] == CAU_UNKNOWN) continue;
        const cau_str name = cau_alphabet_name(to->labels, c->global[c->label[i]]);
        labels = cau_hash(name.s, name.n, labels);
    }
    const size_t before = to->contents.count;
    if (!cau_key_set_reserve(&to->contents, 1) || !CAU_GROW(to->seen, to->seen_room, before + 1))
        return false;
    const size_t number = cau_key_set_add(&to->contents, content);
    if (number == before)
        to->seen[number] = (cau_first_seen){labels, c->line[begin]};
    else
        add_pair(!known || to->seen[number].labels == labels ? &to->duplicates : &to->conflicts,
                 to->seen[number].line, c->line[begin]);
    const size_t there = s->other ? cau_key_set_find(&s->other->contents, content) : SIZE_MAX;
    if (there == SIZE_MAX) return true;
    const cau_first_seen *first = &s->other->seen[there];
    add_pair(!known || first->labels == labels ? &to->leaks : &to->leaked_conflicts, first->line,
             c->line[begin]);
    return true;
}

/* Counts the cells of an instance. */
static bool add_cells(cau_survey *to, const uint64_t *cell, uint32_t label)
{
    for (size_t j = 0; j < to->columns; j++) {
        cau_column_survey *column = &to->column[j];
        const size_t before = column->values.count;
        if (!cau_key_set_reserve(&column->values, 1) ||
            !CAU_GROW(column->value, column->room, before + 1))
            return false;
        const size_t number = cau_key_set_add(&column->values, cell[j]);
        cau_value_survey *value = &column->value[number];
        if (number == before) *value = (cau_value_survey){.label = label};
        value->count++;
        value->mixed |= value->label != label;
    }
    return true;
}

static caucus_status sink_chunk(void *self, caucus_ctx *ctx, size_t slot, caucus_status st)
{
    const surveyor *s = self;
    cau_survey *to = s->to;
    chunk_survey *c = &s->slot[slot];
    if (st) return CAUCUS_OK;
    const size_t names = cau_alphabet_size(c->labels);
    if (!CAU_GROW(c->global, c->global_room, names)) return no_memory(ctx);
    for (uint32_t y = 0; y < names; y++)
        if (!add_label(to, cau_alphabet_name(c->labels, y), &c->global[y])) return no_memory(ctx);
    cau_characters_join(&to->characters, &c->characters);
    for (size_t k = 0, begin = 0; k < c->S; begin = c->end[k++]) {
        const size_t end = c->end[k];
        if (end - begin > to->longest) {
            to->longest = end - begin;
            to->longest_line = c->line[begin];
        }
        if (end - begin > CAU_LONG_SENTENCE) cau_line_list_add(&to->long_ones, c->line[begin]);
        if (s->in_sequences) check_schemes(to, c, begin, end);
        if (!compare_sentence(s, c, begin, end)) return no_memory(ctx);
    }
    for (size_t i = 0; i < c->N; i++) {
        const uint32_t label = c->label[i] == CAU_UNKNOWN ? CAU_UNKNOWN : c->global[c->label[i]];
        if (label == CAU_UNKNOWN)
            cau_line_list_add(&to->unlabelled, c->line[i]);
        else if (to->label[label].count++ == 0)
            to->label[label].line = c->line[i];
        if (c->cells && !add_cells(to, c->cell + i * to->columns, label)) return no_memory(ctx);
    }
    to->instances += c->N;
    to->sequences += c->S;
    return CAUCUS_OK;
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* The columns, once there was an instance. */
static caucus_status name_columns(caucus_ctx *ctx, cau_survey *to, const chunk_survey *c,
                                  const cau_reader *r)
{
    const size_t columns = c->N ? c->cells / c->N : 0;
    if (to->columns || columns == 0) return CAUCUS_OK;
    to->column = cau_calloc(columns, sizeof *to->column);
    if (!to->column) return no_memory(ctx);
    to->columns = columns;
    for (size_t j = 0; j < columns; j++) to->column[j].number = cau_reader_cell_number(r, j);
    return CAUCUS_OK;
}

/* Surveys chunks with the first reader until there was an instance, whose shape the other readers
 * need; *more tells whether chunks may be left. */
static caucus_status survey_first(caucus_ctx *ctx, surveyor *s, cau_chunker *chunker, bool *more)
{
    caucus_status st = CAUCUS_OK;
    cau_text_chunk chunk = {0};
    for (*more = true; *more && s->to->instances == 0;) {
        TRY(cau_chunker_next(ctx, chunker, FIRST_SIZE, &s->cut, &chunk));
        *more = chunk.n > 0;
        if (!*more) break;
        TRY(survey_chunk(s, ctx, &chunk, 0, 0));
        TRY(name_columns(ctx, s->to, &s->slot[0], s->reader[0]));
        TRY(sink_chunk(s, ctx, 0, CAUCUS_OK));
    }
done:
    free(chunk.bytes);
    return st;
}

static caucus_status survey_chunks(caucus_ctx *ctx, surveyor *s)
{
    caucus_status st = CAUCUS_OK;
    bool more;
    cau_reader *first = s->reader[0];
    cau_chunker *chunker = cau_reader_chunker(first);
    const cau_chunk_work work = {.work = survey_chunk, .sink = sink_chunk, .self = s};
    TRY(survey_first(ctx, s, chunker, &more));
    if (!more) goto done;
    for (unsigned i = 1; i < s->threads; i++) TRY(cau_reader_like(ctx, first, &s->reader[i]));
    TRY(cau_chunk_loop(ctx, chunker, CHUNK_SIZE, &s->cut, s->threads, &work));
done:
    return st;
}

caucus_status cau_survey_file(caucus_ctx *ctx, const char *path, const cau_read_options *options,
                              unsigned threads, const cau_survey *other, cau_survey *to)
{
    static const cau_str words_only = CAU_STR("U:%x[0,0]\n");
    caucus_status st = CAUCUS_OK;
    cau_read_options read = *options;
    surveyor s = {.other = other, .to = to};
    cau_reader *first = NULL;
    TRY(cau_alphabet_new(ctx, &to->labels));
    TRY(cau_alphabet_new(ctx, &to->types));
    TRY(cau_template_parse(ctx, "the words", words_only, NULL, &s.words_only));
    read.template = s.words_only;
    TRY(cau_reader_open(ctx, path, &read, CAU_BY_NAME, &first));
    to->path = strcmp(path, "-") == 0 ? "standard input" : path;
    to->format = cau_reader_format(first);
    s.in_sequences = cau_has_sequences(to->format);
    s.cut = cau_read_cut(cau_reader_options(first));
    s.threads = to->format == CAU_FORMAT_MEGAM ? 1 : threads; /* parts span chunks */
    s.slots = cau_chunk_slots(s.threads);
    s.slot = cau_calloc(s.slots, sizeof *s.slot);
    s.reader = cau_calloc(s.threads, sizeof *s.reader);
    if (!s.slot || !s.reader) TRY(no_memory(ctx));
    s.reader[0] = first;
    first = NULL;
    TRY(survey_chunks(ctx, &s));
done:
    for (size_t i = 0; s.slot && i < s.slots; i++) {
        chunk_survey *c = &s.slot[i];
        cau_alphabet_free(c->labels);
        free(c->label);
        free(c->line);
        free(c->words);
        free(c->cell);
        free(c->end);
        free(c->global);
    }
    for (unsigned i = 0; s.reader && i < s.threads; i++) cau_reader_free(s.reader[i]);
    cau_reader_free(first);
    cau_template_free(s.words_only);
    free(s.slot);
    free(s.reader);
    return st;
}

void cau_survey_clear(cau_survey *s)
{
    for (size_t j = 0; j < s->columns; j++) {
        cau_key_set_clear(&s->column[j].values);
        free(s->column[j].value);
    }
    free(s->column);
    cau_alphabet_free(s->labels);
    cau_alphabet_free(s->types);
    free(s->label);
    cau_key_set_clear(&s->contents);
    free(s->seen);
    *s = (cau_survey){0};
}

size_t cau_survey_scheme(const cau_survey *s)
{
    size_t best = 0;
    bool chunks = false;
    for (size_t y = 0; s->label && y < cau_alphabet_size(s->labels); y++) {
        if (!s->label[y].chunk) return CAU_SCHEMES;
        chunks |= s->label[y].place != CAU_OUTSIDE;
    }
    for (size_t i = 1; i < CAU_SCHEMES; i++)
        if (s->broken[i].count < s->broken[best].count) best = i;
    return chunks ? best : CAU_SCHEMES;
}
