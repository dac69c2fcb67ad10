/* tagged.c - tagged files token by token.
 *
 * A line is split from its end: the last column is the predicted label, the one before it the gold
 * label, and columns before them may hold anything. Columns are separated by TAB or, in a line
 * without TAB, by blanks; with --delimiter by that character, each time, and empty columns at the
 * end do not count. Blank lines and conlleval's boundary, -X-, end a sentence.
 *
 * `tag` writes "line TAB label" for data in columns, and those columns may be separated by
 * blanks: the gold label is then the last piece of the field before the TAB. But labels of
 * other formats may contain blanks themselves ("rec sport TAB rec sport"). The first predicted
 * label in a line with blanks decides: if it has blanks, labels have blanks. Input with both is
 * rejected.
 *
 * Fields that `tag` adds after the label, and its comment lines, are recognised (tag_fields.h). Of
 * n-best labellings the first is read. A comment is a line that begins with '#' and has no TAB, in
 * a file with TABs.
 *
 * A file of CoNLL-U has one label in each line, and the gold labels are in another file.
 *
 * Each stream of files becomes a sequence of the same grammar,
 *     token ( [ break | seam ] token )* end
 * for any number of blank lines, so that streams are compared event by event. A break is only
 * certain once the next token has been read; the line of that token then waits in the stream. */

#include "eval/tagged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "eval/scores.h"
#include "eval/tag_fields.h"
#include "text/conllu.h"

enum { PEEK_LINES = 64 }; /* in which the fields after the label are recognised */

/* The meaning of blanks in fields between TABs; the first line with blanks decides. */
typedef enum {
    BLANKS_UNSEEN,    /* no field had blanks */
    BLANKS_IN_LABELS, /* they are part of labels */
    BLANKS_SPLIT,     /* they separate columns in the field before the predicted label */
} blanks_meaning;

/* The columns of a line: `front`, then `pieces`, which are separated by blanks, then the labels. */
typedef struct {
    cau_str label, gold; /* gold: {NULL, 0} if it has a file of its own */
    cau_str front, pieces;
    cau_separator by; /* of front */
} tagged_line;

typedef struct {
    const char *const *paths; /* [count], of which `next` have been opened */
    const cau_str *memory;    /* [count] their bytes; NULL: they are opened */
    size_t count, next;
    cau_lines *lines; /* NULL before the first file */

    const caucus_labels *labels;  /* instead of files, or NULL */
    const char *const *predicted; /* [labels->count] by this system */
    size_t token, sequence;       /* the next of these */

    cau_tagged_kind kind; /* of the last event */
    cau_str line;         /* of the token, or of the one that waits */
    size_t gap;           /* the line that ended the sentence since the last token, or 0 */
    bool seam;            /* another file has begun since then */
    bool begun;           /* there has been a token */
    bool waiting;         /* the token of `line` is the next event */
    bool held;            /* the next call repeats the last event */

    cau_tag_fields fields; /* after the label */
    uint64_t rank;         /* of the labelling under way, of n-best ones */
    bool conllu;

    blanks_meaning blanks;
    tagged_line columns; /* of the line */
    cau_str word;
} tagged_stream;

struct cau_tagged {
    const cau_eval_options *options;
    char delimiter;         /* or 0 */
    bool words;             /* words are needed */
    cau_conllu_label field; /* CoNLL-U: of the label */
    cau_alphabet *labels;
    cau_probability_columns probabilities;

    size_t systems, streams; /* one more stream with --gold */
    tagged_stream *stream;   /* [streams] */
    uint32_t *label;         /* [systems] of the token */
};

/* ---- columns ------------------------------------------------------------------------- */

static const cau_separator tab = {'\t', false}, blank = {' ', true};

static bool has_blanks(cau_str field)
{
    return memchr(field.s, ' ', field.n) != NULL;
}

/* *split: whether the blanks of the field before the predicted label separate columns. */
static caucus_status decide_blanks(caucus_ctx *ctx, tagged_stream *s, cau_str field, bool *split)
{
    const cau_str label = s->columns.label;
    const bool in_field = has_blanks(field), in_label = has_blanks(label);
    *split = false;
    if (!in_field && !in_label) return CAUCUS_OK;
    if (in_label && s->blanks == BLANKS_SPLIT)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the label '%.*s' has blanks, but earlier lines have columns "
                               "separated by blanks; separate all columns by TAB",
                        CAU_AT_ARGS(s->lines), CAU_SHOWN(label));
    if (s->blanks == BLANKS_UNSEEN) s->blanks = in_label ? BLANKS_IN_LABELS : BLANKS_SPLIT;
    *split = s->blanks == BLANKS_SPLIT;
    return CAUCUS_OK;
}

/* Whether gold labels come from a file of their own; the other files need no gold labels then. */
static bool gold_apart(const cau_tagged *tagged)
{
    return tagged->streams > tagged->systems;
}

static bool has_probabilities(const cau_tagged *tagged, const tagged_stream *s)
{
    return s == tagged->stream && tagged->options->probabilities;
}

/* The columns of the current token of labels in memory. */
static void read_labels(tagged_stream *s)
{
    const caucus_labels *x = s->labels;
    const size_t i = s->token - 1;
    s->columns =
        (tagged_line){.label = cau_str_of(s->predicted[i]), .gold = cau_str_of(x->gold[i])};
    if (x->words && x->words[i]) s->word = cau_str_of(x->words[i]);
}

/* The columns of a line of CoNLL-U. */
static void split_conllu(const cau_tagged *tagged, tagged_stream *s)
{
    s->columns = (tagged_line){.label = cau_conllu_label_of(s->line, &tagged->field)};
    s->word = cau_conllu_field(s->line, CAU_CONLLU_FORM);
}

static caucus_status split_columns(caucus_ctx *ctx, cau_tagged *tagged, tagged_stream *s)
{
    caucus_status st = CAUCUS_OK;
    tagged_line *c = &s->columns;
    cau_str rest = s->line;
    if (tagged->delimiter)
        while (rest.n && rest.s[rest.n - 1] == tagged->delimiter) rest.n--;
    *c = (tagged_line){.by = cau_separator_of(rest, tagged->delimiter)};

    if (has_probabilities(tagged, s)) {
        TRY(cau_probability_columns_read(ctx, &tagged->probabilities, tagged->labels, s->lines,
                                         c->by, s->fields.numbers, rest, &rest, &c->label));
    } else {
        for (size_t k = s->fields.numbers + s->fields.pairs; k > 0 && c->by.c == '\t'; k--)
            cau_column_last(&rest, c->by, &c->label);
        cau_column_last(&rest, c->by, &c->label);
    }

    bool split = false;
    if (c->by.c == '\t' && !tagged->delimiter && rest.s) {
        cau_str front = rest, field;
        cau_column_last(&front, tab, &field);
        TRY(decide_blanks(ctx, s, field, &split));
        if (split) rest = front, c->pieces = field;
    }
    if (!gold_apart(tagged)) {
        if (split)
            cau_column_last(&c->pieces, blank, &c->gold);
        else
            cau_column_last(&rest, c->by, &c->gold);
    }
    c->front = rest;
done:
    return st;
}

static caucus_status check_labels(caucus_ctx *ctx, const cau_tagged *tagged, const tagged_stream *s)
{
    const tagged_line *c = &s->columns;
    const bool is_gold = s == tagged->stream + tagged->systems;
    if (s->conllu && !gold_apart(tagged))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "CoNLL-U has one label for each word, here the predicted one; give "
                               "the file with the true labels with --gold",
                        CAU_AT_ARGS(s->lines));
    if (!gold_apart(tagged) && !c->gold.s)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "no gold label; the last columns must be the gold label and the "
                               "predicted one%s",
                        CAU_AT_ARGS(s->lines),
                        has_probabilities(tagged, s) ? ", before the probabilities" : "");
    const bool no_gold = c->gold.s && c->gold.n == 0;
    if (no_gold || c->label.n == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the %s label is empty; fix the line or drop it",
                        CAU_AT_ARGS(s->lines), no_gold || is_gold ? "gold" : "predicted");
    return CAUCUS_OK;
}

/* Column `word` of the line before the labels; {NULL, 0} if there is none, or it is empty. */
static cau_str find_word(const tagged_line *c, uint64_t word)
{
    cau_str front = c->front, pieces = c->pieces, column;
    for (uint64_t k = 0;
         cau_column_first(&front, c->by, &column) || cau_column_first(&pieces, blank, &column); k++)
        if (k == word) return column.n ? column : (cau_str){NULL, 0};
    return (cau_str){NULL, 0};
}

/* ---- one stream ---------------------------------------------------------------------- */

bool cau_tagged_ends_sentence(cau_str line, char delimiter)
{
    static const char boundary[] = {'-', 'X', '-'};
    const size_t n = sizeof boundary;
    const char *at = line.s, *end = line.s + line.n;
    while (at < end && *at == ' ') at++;
    const char *first = at;
    while (at < end && (*at == ' ' || *at == '\t' || (delimiter && *at == delimiter))) at++;
    if (at == end) return true;
    const size_t left = (size_t)(end - first);
    if (left < n || memcmp(first, boundary, n) != 0) return false;
    return left == n || (delimiter ? first[n] == delimiter : first[n] == ' ' || first[n] == '\t');
}

/* Recognises the fields after the label in the file that was opened. */
static caucus_status find_fields(caucus_ctx *ctx, const cau_tagged *tagged, tagged_stream *s)
{
    cau_str lines[PEEK_LINES];
    size_t count = 0;
    const caucus_status st = cau_lines_peek(ctx, s->lines, lines, PEEK_LINES, &count);
    if (st) return st;
    s->rank = 0;
    s->fields = (cau_tag_fields){0};
    s->conllu = !tagged->delimiter && cau_conllu_looks(lines, count);
    if (s->conllu) return CAUCUS_OK;
    if (tagged->delimiter && tagged->delimiter != '\t') return CAUCUS_OK;
    s->fields = cau_tag_fields_find(lines, count, gold_apart(tagged) ? 1 : 2);
    const size_t added = s->fields.numbers + s->fields.pairs;
    if (added && !has_probabilities(tagged, s))
        cau_note(ctx, "%s: the last %zu column%s probabilities, which are not scored",
                 cau_lines_name(s->lines), added, added == 1 ? " holds" : "s hold");
    return CAUCUS_OK;
}

static caucus_status open_next(caucus_ctx *ctx, const cau_tagged *tagged, tagged_stream *s)
{
    caucus_status st = CAUCUS_OK;
    const char *path = s->paths[s->next];
    cau_lines *lines = NULL;
    TRY(s->memory ? cau_lines_memory(ctx, path, s->memory[s->next], &lines)
                  : cau_lines_open(ctx, path, &lines));
    cau_lines_free(s->lines);
    s->lines = lines;
    s->next++;
    s->seam = true;
    if (s->gap) s->gap = 1; /* in the new file, because messages name that one */
    TRY(find_fields(ctx, tagged, s));
done:
    return st;
}

/* The next line, also of the next file; {NULL, 0} after the last. */
static caucus_status next_line(caucus_ctx *ctx, const cau_tagged *tagged, tagged_stream *s,
                               cau_str *line)
{
    caucus_status st = CAUCUS_OK;
    *line = (cau_str){NULL, 0};
    for (;;) {
        if (s->lines) TRY(cau_lines_next(ctx, s->lines, line));
        if (line->s || s->next == s->count) break;
        TRY(open_next(ctx, tagged, s));
    }
done:
    return st;
}

/* Moves to the next token of labels in memory. The number of its line is that of the token. */
static void next_label(tagged_stream *s)
{
    const caucus_labels *x = s->labels;
    s->gap = 0;
    while (s->sequence < x->sequences && x->ends[s->sequence] == s->token) {
        s->gap = s->token;
        s->sequence++;
    }
    s->line = (cau_str){s->token < x->count ? "" : NULL, 0};
    s->token++;
    cau_lines_continue(s->lines, (cau_str){"", 0}, s->token + 1);
}

/* Moves to the line of the next token and notes ends of sentences and files before it. Skips all
 * labellings but the first. */
static caucus_status find_token(caucus_ctx *ctx, const cau_tagged *tagged, tagged_stream *s)
{
    caucus_status st = CAUCUS_OK;
    if (s->labels) {
        next_label(s);
        return CAUCUS_OK;
    }
    s->gap = 0;
    s->seam = false;
    for (;;) {
        TRY(next_line(ctx, tagged, s, &s->line));
        if (!s->line.s) break;
        if (tagged->options->header && cau_lines_number(s->lines) == 1) continue;
        if (cau_tag_comment(&s->fields, s->line, &s->rank)) continue;
        if (s->conllu && cau_conllu_line(s->line) == CAU_CONLLU_ASIDE) continue;
        const bool ends = cau_tagged_ends_sentence(s->line, tagged->delimiter);
        if (!ends && s->rank == 0) break;
        if (ends && !s->gap) s->gap = cau_lines_number(s->lines);
    }
done:
    return st;
}

/* Moves to the next event of the stream; its kind is s->kind. */
static caucus_status advance(caucus_ctx *ctx, cau_tagged *tagged, tagged_stream *s)
{
    caucus_status st = CAUCUS_OK;
    if (s->held || s->kind == CAU_TAGGED_END) {
        s->held = false;
        return CAUCUS_OK;
    }
    const bool waited = s->waiting;
    if (!waited) TRY(find_token(ctx, tagged, s));
    s->waiting = !waited && s->begun && (s->gap || s->seam);
    if (!s->line.s) {
        s->kind = CAU_TAGGED_END;
    } else if (s->waiting) {
        s->kind = s->gap ? CAU_TAGGED_BREAK : CAU_TAGGED_SEAM;
    } else {
        s->kind = CAU_TAGGED_TOKEN;
        s->begun = true;
        if (s->labels) {
            read_labels(s);
            return CAUCUS_OK;
        }
        if (s->conllu)
            split_conllu(tagged, s);
        else
            TRY(split_columns(ctx, tagged, s));
        TRY(check_labels(ctx, tagged, s));
        if (tagged->words && !s->conllu) s->word = find_word(&s->columns, tagged->options->word);
    }
done:
    return st;
}

/* ---- all streams --------------------------------------------------------------------- */

static caucus_status open_streams(caucus_ctx *ctx, cau_tagged *tagged, const char *const *paths,
                                  size_t count)
{
    const cau_eval_options *options = tagged->options;
    if (count == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "nothing to score; give tagged files");
    tagged->systems = 1 + options->against.count;
    tagged->streams = tagged->systems + (options->gold != NULL);
    tagged->stream = cau_calloc(tagged->streams, sizeof *tagged->stream);
    tagged->label = cau_alloc(tagged->systems, sizeof *tagged->label);
    if (!tagged->stream || !tagged->label) return cau_fail_memory(ctx, "the files");
    const cau_str *memory = options->memory;
    tagged->stream[0] = (tagged_stream){.paths = paths, .memory = memory, .count = count};
    for (size_t i = 0; i < options->against.count; i++)
        tagged->stream[1 + i] = (tagged_stream){.paths = &options->against.path[i],
                                                .memory = memory ? memory + count + i : NULL,
                                                .count = 1};
    if (options->gold)
        tagged->stream[tagged->systems] = (tagged_stream){.paths = &options->gold, .count = 1};

    size_t standard_input = 0;
    for (size_t i = 0; i < tagged->streams; i++)
        for (size_t k = 0; !tagged->stream[i].memory && k < tagged->stream[i].count; k++)
            standard_input += strcmp(tagged->stream[i].paths[k], "-") == 0;
    for (size_t k = 0; k < options->known.count; k++)
        standard_input += strcmp(options->known.path[k], "-") == 0;
    if (standard_input > 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "standard input is named %zu times, but can be read only once; give files",
                        standard_input);
    return CAUCUS_OK;
}

/* A new cau_tagged without streams. */
static caucus_status tagged_new(caucus_ctx *ctx, const cau_eval_options *options,
                                cau_alphabet *labels, cau_tagged **out)
{
    cau_tagged *tagged = cau_calloc(1, sizeof *tagged);
    if (!tagged) return cau_fail_memory(ctx, "the files");
    tagged->options = options;
    tagged->labels = labels;
    tagged->words = options->known.count || options->against.count || options->gold;
    *out = tagged;
    const caucus_status st = cau_conllu_label_parse(ctx, options->label, &tagged->field);
    return st ? st : cau_eval_delimiter(ctx, options, &tagged->delimiter);
}

caucus_status cau_tagged_open(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, cau_alphabet *labels,
                              cau_tagged **out)
{
    caucus_status st = CAUCUS_OK;
    cau_tagged *tagged = NULL;
    TRY(tagged_new(ctx, options, labels, &tagged));
    TRY(open_streams(ctx, tagged, paths, count));
    *out = tagged;
    tagged = NULL; /* the caller owns it from here */
done:
    cau_tagged_free(tagged);
    return st;
}

/* ---- labels in memory ---------------------------------------------------------------- */

static caucus_status check_label(caucus_ctx *ctx, const char *what, size_t i, const char *label)
{
    const size_t n = label ? strlen(label) : 0;
    if (n == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "token:%zu: no %s label; give it one", i + 1,
                        what);
    if (cau_utf8_check(label, n) != n)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "token:%zu: the %s label is not valid UTF-8; convert it", i + 1, what);
    return CAUCUS_OK;
}

static caucus_status check_probabilities(caucus_ctx *ctx, size_t i, size_t Y, const double *p)
{
    double sum = 0;
    bool fine = true;
    for (size_t y = 0; y < Y; y++) {
        fine = fine && p[y] >= 0 && p[y] <= 1;
        sum += p[y];
    }
    if (fine && fabs(sum - 1) <= cau_probability_tolerance(Y)) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "token:%zu: its probabilities do not add up to 1; give one for each of the %zu "
                    "classes",
                    i + 1, Y);
}

static caucus_status check_source(caucus_ctx *ctx, const caucus_labels *x)
{
    caucus_status st = CAUCUS_OK;
    size_t end = 0;
    for (size_t s = 0; s < x->sequences; s++) {
        if (x->ends[s] < end || x->ends[s] > x->count)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "sequence %zu ends at %zu, but the one before it at %zu and the last "
                         "token is %zu; let the ends ascend",
                         s + 1, x->ends[s], end, x->count));
        end = x->ends[s];
    }
    if (x->sequences && end != x->count)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "the last sequence ends at %zu, but there are %zu tokens; let it end there",
                     end, x->count));
    for (size_t i = 0; i < x->count; i++) {
        TRY(check_label(ctx, "gold", i, x->gold[i]));
        TRY(check_label(ctx, "predicted", i, x->predicted[i]));
        for (size_t k = 0; k < x->other_count; k++)
            TRY(check_label(ctx, x->other_names[k], i, x->others[k][i]));
        if (x->probabilities)
            TRY(check_probabilities(ctx, i, x->classes, x->probabilities + i * x->classes));
    }
done:
    return st;
}

/* The classes of the probabilities become the first labels. */
static caucus_status add_classes(caucus_ctx *ctx, const caucus_labels *x, cau_alphabet *labels)
{
    for (size_t y = 0; x->probabilities && y < x->classes; y++) {
        const uint32_t id = cau_alphabet_add(labels, x->class_names[y], strlen(x->class_names[y]));
        if (id == CAU_UNKNOWN) return cau_fail_memory(ctx, "the labels");
        if (id != y)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "two classes have the name '%s'; give each a name of its own",
                            x->class_names[y]);
    }
    return CAUCUS_OK;
}

/* Makes a stream of labels instead of files. */
static caucus_status use_labels(caucus_ctx *ctx, tagged_stream *s, const caucus_labels *labels,
                                const char *const *predicted)
{
    *s = (tagged_stream){.labels = labels, .predicted = predicted};
    return cau_lines_memory(ctx, "token", (cau_str){"", 0}, &s->lines);
}

caucus_status cau_tagged_labels(caucus_ctx *ctx, const cau_eval_options *options,
                                const caucus_labels *source, cau_alphabet *labels, cau_tagged **out)
{
    caucus_status st = CAUCUS_OK;
    const char *const none[] = {"the labels"};
    cau_tagged *tagged = NULL;
    if (options->gold)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "the gold labels are in memory already; leave out --gold"));
    TRY(check_source(ctx, source));
    TRY(add_classes(ctx, source, labels));
    TRY(tagged_new(ctx, options, labels, &tagged));
    TRY(open_streams(ctx, tagged, none, 1));
    TRY(use_labels(ctx, &tagged->stream[0], source, source->predicted));
    for (size_t k = 0; k < source->other_count; k++)
        TRY(use_labels(ctx, &tagged->stream[1 + k], source, source->others[k]));
    *out = tagged;
    tagged = NULL; /* the caller owns it from here */
done:
    cau_tagged_free(tagged);
    return st;
}

void cau_tagged_free(cau_tagged *tagged)
{
    if (!tagged) return;
    for (size_t i = 0; tagged->stream && i < tagged->streams; i++)
        cau_lines_free(tagged->stream[i].lines);
    cau_probability_columns_clear(&tagged->probabilities);
    free(tagged->stream);
    free(tagged->label);
    free(tagged);
}

size_t cau_tagged_systems(const cau_tagged *tagged)
{
    return tagged->systems;
}

const cau_lines *cau_tagged_lines(const cau_tagged *tagged, size_t system)
{
    return tagged->stream[system < tagged->streams ? system : 0].lines;
}

/* The event of a stream in words, for a message, and its line; the other stream has `other`. */
static const char *event_name(const tagged_stream *s, cau_tagged_kind other, size_t *line)
{
    *line = cau_lines_number(s->lines);
    if (s->kind == CAU_TAGGED_END) {
        ++*line;
        return "the end of the file";
    }
    if (s->kind == CAU_TAGGED_TOKEN || other == CAU_TAGGED_END) return "a token";
    *line = s->gap;
    return "the end of a sentence";
}

#define SAME_TOKENS "both must have the same tokens in the same order"

static caucus_status fail_in_kind(caucus_ctx *ctx, const tagged_stream *first,
                                  const tagged_stream *s)
{
    size_t here, there;
    const char *got = event_name(s, first->kind, &here);
    const char *want = event_name(first, s->kind, &there);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "%s, but %s:%zu has %s; " SAME_TOKENS,
                    cau_lines_name(s->lines), here, got, cau_lines_name(first->lines), there, want);
}

static caucus_status fail_in_text(caucus_ctx *ctx, const tagged_stream *first,
                                  const tagged_stream *s, const char *what, cau_str got,
                                  cau_str want)
{
    return cau_fail(
        ctx, CAUCUS_ERR_FORMAT, CAU_AT "the %s '%.*s', but %s:%zu has '%.*s'; " SAME_TOKENS,
        CAU_AT_ARGS(s->lines), what, CAU_SHOWN(got), CAU_AT_ARGS(first->lines), CAU_SHOWN(want));
}

static bool same(cau_str a, cau_str b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* All streams have a token: checks that the tokens are the same. */
static caucus_status compare_tokens(caucus_ctx *ctx, const cau_tagged *tagged)
{
    const tagged_stream *first = tagged->stream;
    for (size_t i = 1; i < tagged->streams; i++) {
        const tagged_stream *s = &tagged->stream[i];
        if (first->word.s && s->word.s && !same(first->word, s->word))
            return fail_in_text(ctx, first, s, "word", s->word, first->word);
        if (s->columns.gold.s && !same(first->columns.gold, s->columns.gold))
            return fail_in_text(ctx, first, s, "gold label", s->columns.gold, first->columns.gold);
    }
    return CAUCUS_OK;
}

/* Refuses a probability where a label should be. Labels may be numbers, but then the gold label is
 * one, too. */
static caucus_status check_probability(caucus_ctx *ctx, const tagged_stream *s, cau_str gold)
{
    double number;
    const cau_str label = s->columns.label;
    const bool alone = cau_is_probability(label) && !cau_parse_real(gold.s, gold.n, &number);
    if (s->labels || (!alone && !cau_is_probability_pair(label))) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the last column should be the predicted label, but is the probability "
                           "'%.*s'; remove the columns after the label",
                    CAU_AT_ARGS(s->lines), CAU_SHOWN(label));
}

/* The token of all streams, with the ids of its labels. */
static caucus_status number_labels(caucus_ctx *ctx, cau_tagged *tagged, cau_tagged_token *token)
{
    static const char document[] = "-DOCSTART-";
    const tagged_stream *first = tagged->stream, *last = first + tagged->streams - 1;
    const cau_str gold = gold_apart(tagged) ? last->columns.label : first->columns.gold;
    const bool known = !(gold.n == 1 && gold.s[0] == '?');
    for (size_t i = 0; i < tagged->systems; i++) {
        const caucus_status st = check_probability(ctx, &tagged->stream[i], gold);
        if (st) return st;
    }

    *token = (cau_tagged_token){CAU_UNKNOWN, tagged->label,           first->word,
                                false,       tagged->probabilities.Y, tagged->probabilities.p};
    if (first->labels && first->labels->probabilities) {
        token->Y = first->labels->classes;
        token->p = first->labels->probabilities + (first->token - 1) * token->Y;
    }
    for (size_t i = 1; !token->word.s && i < tagged->streams; i++)
        token->word = tagged->stream[i].word;
    token->document =
        token->word.n == sizeof document - 1 && memcmp(token->word.s, document, token->word.n) == 0;

    if (known) token->gold = cau_alphabet_add(tagged->labels, gold.s, gold.n);
    bool failed = known && token->gold == CAU_UNKNOWN;
    for (size_t i = 0; i < tagged->systems; i++) {
        const cau_str label = tagged->stream[i].columns.label;
        tagged->label[i] = known ? cau_alphabet_add(tagged->labels, label.s, label.n) : CAU_UNKNOWN;
        failed |= known && tagged->label[i] == CAU_UNKNOWN;
    }
    if (failed) return cau_fail_memory(ctx, "the labels");
    if (known && token->Y && tagged->label[0] >= token->Y)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        CAU_AT "the predicted label '%.*s' has no probability; give the "
                               "probabilities of all classes of the model",
                        CAU_AT_ARGS(first->lines), CAU_SHOWN(first->columns.label));
    return CAUCUS_OK;
}

caucus_status cau_tagged_next(caucus_ctx *ctx, cau_tagged *tagged, cau_tagged_kind *kind,
                              cau_tagged_token *token)
{
    caucus_status st = CAUCUS_OK;
    const tagged_stream *first = tagged->stream;
    for (size_t i = 0; i < tagged->streams; i++) TRY(advance(ctx, tagged, &tagged->stream[i]));

    cau_tagged_kind what = first->kind;
    for (size_t i = 1; i < tagged->streams; i++) {
        tagged_stream *s = &tagged->stream[i];
        if (s->kind == first->kind) continue;
        if (first->kind != CAU_TAGGED_SEAM) TRY(fail_in_kind(ctx, first, s));
        if (s->kind == CAU_TAGGED_BREAK)
            what = CAU_TAGGED_BREAK;
        else
            s->held = true; /* ends of files are events of stream 0 only */
    }
    if (what == CAU_TAGGED_TOKEN) {
        TRY(compare_tokens(ctx, tagged));
        TRY(number_labels(ctx, tagged, token));
    }
    *kind = what;
done:
    return st;
}
