/* tagged.c - tagged files token by token.
 *
 * A line is split from its end: the last column is the label, the one before it the true label,
 * whatever else stands in front. Columns are separated by TAB or, in a line that has none, by
 * blanks; with --delimiter by that character, each time, and empty columns at the end do not
 * count. Blank lines and those of conlleval's boundary, -X-, end a sentence.
 *
 * `tag` writes "line TAB label" for data in columns, and those columns may be separated by
 * blanks: the true label is then the last piece of the field before the TAB. But labels of
 * other formats may contain blanks themselves ("rec sport TAB rec sport"). The two are told
 * apart by the label, which has blanks or not; an input that does both is refused rather than
 * guessed at.
 *
 * Each stream of files becomes a sequence of the same grammar,
 *     token ( [ break | seam ] token )* end
 * whatever number of blank lines there are, so that streams are compared event by event. A
 * break is known only when the token after it is read; its line waits in the stream then. */

#include "eval/tagged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "eval/scores.h"

/* How the fields of tab-separated lines are to be read; learnt from the first that tells. */
typedef enum {
    BLANKS_UNSEEN,    /* no field had blanks */
    BLANKS_IN_LABELS, /* a field is a label, blanks and all */
    BLANKS_SPLIT,     /* the field before the label is columns, separated by blanks */
} blanks;

/* The columns of a line. `pieces` are those that are separated by blanks, behind `front`. */
typedef struct {
    cau_str label, gold; /* gold: {NULL, 0} where it is not asked for */
    cau_str front, pieces;
    cau_separator by; /* of front */
} columns;

typedef struct {
    const char *const *paths; /* [count], of which `next` are open or read */
    const cau_str *memory;    /* [count] what stands in them; NULL: they are opened */
    size_t count, next;
    cau_lines *lines; /* NULL before the first file */

    const caucus_labels *labels; /* instead of files; NULL: there are files */
    size_t token, sequence;      /* the next of these */

    cau_tagged_kind kind; /* of the last event */
    cau_str line;         /* of the token, or of the one that waits */
    size_t gap;           /* the line that ended the sentence; 0: none since the last token */
    bool seam;            /* another file began since then */
    bool begun;           /* a token has come */
    bool waiting;         /* `line` is still to come, as a token */
    bool held;            /* the event has come, but was not used */

    blanks blanks;
    columns columns; /* of the line */
    cau_str word;
} stream;

struct cau_tagged {
    const cau_eval_options *options;
    char delimiter; /* 0: none */
    bool words;     /* somebody asks for them */
    cau_alphabet *labels;
    cau_probability_columns probabilities;

    size_t systems, streams; /* one more with --gold */
    stream *stream;          /* [streams] */
    uint32_t *label;         /* [systems] of the token */
};

/* ---- columns ------------------------------------------------------------------------- */

static const cau_separator tab = {'\t', false}, blank = {' ', true};

bool cau_tagged_delimiter(const char *option, char *out)
{
    bool escaped = strcmp(option, "\\t") == 0;
    *out = escaped ? '\t' : option[0];
    return escaped || (option[0] && !option[1]);
}

static bool has_blanks(cau_str field)
{
    return memchr(field.s, ' ', field.n) != NULL;
}

/* Takes the last column off *rest, which becomes {NULL, 0} with the first one. */
static cau_str take_last(cau_str *rest, cau_separator by)
{
    if (by.runs)
        while (rest->n && rest->s[rest->n - 1] == by.c) rest->n--;
    const char *at = rest->n ? memrchr(rest->s, by.c, rest->n) : NULL;
    if (!at) {
        cau_str whole = *rest;
        *rest = (cau_str){NULL, 0};
        return by.runs && whole.n == 0 ? *rest : whole;
    }
    cau_str last = {at + 1, (size_t)(rest->s + rest->n - (at + 1))};
    rest->n = (size_t)(at - rest->s);
    return last;
}

/* Column *k of the text; {NULL, 0} where it has fewer, and *k is less by their number then. */
static cau_str find_column(cau_str text, cau_separator by, uint64_t *k)
{
    if (!text.s) return text;
    const char *at = text.s, *end = at + text.n;
    for (;;) {
        if (by.runs)
            while (at < end && *at == by.c) at++;
        if (by.runs && at == end) break;
        const char *stop = memchr(at, by.c, (size_t)(end - at));
        if (*k == 0) return (cau_str){at, (size_t)((stop ? stop : end) - at)};
        --*k;
        if (!stop) break;
        at = stop + 1;
    }
    return (cau_str){NULL, 0};
}

static cau_separator separator_of(const cau_tagged *tagged, cau_str line)
{
    if (tagged->delimiter) return (cau_separator){tagged->delimiter, false};
    return memchr(line.s, '\t', line.n) ? tab : blank;
}

/* Splits the field before the label at its blanks, if they separate columns. */
static caucus_status settle_blanks(caucus_ctx *ctx, stream *s, cau_str field, bool *split)
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

/* Whether the true labels have a file of their own; the others need none then. */
static bool gold_apart(const cau_tagged *tagged)
{
    return tagged->streams > tagged->systems;
}

static bool has_probabilities(const cau_tagged *tagged, const stream *s)
{
    return s == tagged->stream && tagged->options->probabilities;
}

static cau_str text_of(const char *string)
{
    return (cau_str){string, strlen(string)};
}

/* The columns of the token that was taken last from labels in memory. */
static void read_labels(stream *s)
{
    const caucus_labels *x = s->labels;
    const size_t i = s->token - 1;
    s->columns = (columns){.label = text_of(x->predicted[i]), .gold = text_of(x->gold[i])};
    if (x->words && x->words[i]) s->word = text_of(x->words[i]);
}

static caucus_status split_columns(caucus_ctx *ctx, cau_tagged *tagged, stream *s)
{
    caucus_status st = CAUCUS_OK;
    columns *c = &s->columns;
    cau_str rest = s->line;
    if (tagged->delimiter)
        while (rest.n && rest.s[rest.n - 1] == tagged->delimiter) rest.n--;
    *c = (columns){.by = separator_of(tagged, rest)};

    if (has_probabilities(tagged, s))
        TRY(cau_probability_columns_read(ctx, &tagged->probabilities, tagged->labels, s->lines,
                                         c->by, rest, &rest, &c->label));
    else
        c->label = take_last(&rest, c->by);

    bool split = false;
    if (c->by.c == '\t' && !tagged->delimiter && rest.s) {
        cau_str front = rest, field = take_last(&front, tab);
        TRY(settle_blanks(ctx, s, field, &split));
        if (split) rest = front, c->pieces = field;
    }
    if (!gold_apart(tagged)) {
        if (split)
            c->gold = take_last(&c->pieces, blank);
        else if (rest.s)
            c->gold = take_last(&rest, c->by);
    }
    c->front = rest;
done:
    return st;
}

static caucus_status check_labels(caucus_ctx *ctx, const cau_tagged *tagged, const stream *s)
{
    const columns *c = &s->columns;
    const bool is_gold = s == tagged->stream + tagged->systems;
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

static cau_str find_word(const cau_tagged *tagged, const columns *c)
{
    uint64_t k = tagged->options->word;
    cau_str word = find_column(c->front, c->by, &k);
    if (!word.s) word = find_column(c->pieces, blank, &k);
    return word.n ? word : (cau_str){NULL, 0};
}

/* ---- one stream ---------------------------------------------------------------------- */

static bool is_separator(const cau_tagged *tagged, char c)
{
    return tagged->delimiter ? c == tagged->delimiter : c == ' ' || c == '\t';
}

/* Whether a line ends a sentence: no column has anything, or the first is conlleval's. */
static bool ends_sentence(const cau_tagged *tagged, cau_str line)
{
    static const char boundary[] = {'-', 'X', '-'};
    const size_t n = sizeof boundary;
    const char *end = line.s + line.n;
    while (line.s < end && *line.s == ' ') line.s++;
    line.n = (size_t)(end - line.s);
    const char *at = line.s;
    while (at < end && (is_separator(tagged, *at) || *at == ' ' || *at == '\t')) at++;
    return at == end || (line.n >= n && memcmp(line.s, boundary, n) == 0 &&
                         (line.n == n || is_separator(tagged, line.s[n])));
}

static caucus_status open_next(caucus_ctx *ctx, const stream *s, cau_lines **lines)
{
    const char *path = s->paths[s->next];
    if (s->memory) return cau_lines_memory(ctx, path, s->memory[s->next], lines);
    return cau_lines_open(ctx, path, lines);
}

/* The next line, of the next file where one has ended; {NULL, 0} after the last. */
static caucus_status next_line(caucus_ctx *ctx, stream *s, cau_str *line)
{
    caucus_status st = CAUCUS_OK;
    *line = (cau_str){NULL, 0};
    for (;;) {
        if (s->lines) TRY(cau_lines_next(ctx, s->lines, line));
        if (line->s || s->next == s->count) break;
        cau_lines *lines = NULL;
        TRY(open_next(ctx, s, &lines));
        cau_lines_free(s->lines);
        s->lines = lines;
        s->next++;
        s->seam = true;
        if (s->gap) s->gap = 1; /* a line of this file; that of the last has lost its name */
    }
done:
    return st;
}

/* Goes to the next token of labels in memory. The number of its line is that of the token. */
static void next_label(stream *s)
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

/* Goes to the line of the next token, and notes the ends of sentences and files before it. */
static caucus_status find_token(caucus_ctx *ctx, const cau_tagged *tagged, stream *s)
{
    caucus_status st = CAUCUS_OK;
    if (s->labels) {
        next_label(s);
        return CAUCUS_OK;
    }
    s->gap = 0;
    s->seam = false;
    for (;;) {
        TRY(next_line(ctx, s, &s->line));
        if (!s->line.s || !ends_sentence(tagged, s->line)) break;
        if (!s->gap) s->gap = cau_lines_number(s->lines);
    }
done:
    return st;
}

/* The next event of the stream, into s->kind. */
static caucus_status advance(caucus_ctx *ctx, cau_tagged *tagged, stream *s)
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
        TRY(split_columns(ctx, tagged, s));
        TRY(check_labels(ctx, tagged, s));
        if (tagged->words) s->word = find_word(tagged, &s->columns);
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
    tagged->stream[0] = (stream){.paths = paths, .memory = memory, .count = count};
    for (size_t i = 0; i < options->against.count; i++)
        tagged->stream[1 + i] = (stream){.paths = &options->against.path[i],
                                         .memory = memory ? memory + count + i : NULL,
                                         .count = 1};
    if (options->gold)
        tagged->stream[tagged->systems] = (stream){.paths = &options->gold, .count = 1};

    size_t standard_input = 0;
    for (size_t i = 0; i < tagged->streams; i++)
        for (size_t k = 0; !tagged->stream[i].memory && k < tagged->stream[i].count; k++)
            standard_input += strcmp(tagged->stream[i].paths[k], "-") == 0;
    for (size_t k = 0; k < options->known.count; k++)
        standard_input += strcmp(options->known.path[k], "-") == 0;
    if (standard_input > 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "standard input is asked for %zu times, and can be read once; give files",
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
    if (options->delimiter && !cau_tagged_delimiter(options->delimiter, &tagged->delimiter))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "'%s' is no delimiter; give one character, or \\t for TAB",
                        options->delimiter);
    return CAUCUS_OK;
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
    tagged->stream->paths = NULL;
    tagged->stream->count = 0;
    tagged->stream->labels = source;
    TRY(cau_lines_memory(ctx, "token", (cau_str){"", 0}, &tagged->stream->lines));
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

/* What a stream has where another has `other`, and in which line. */
static const char *what_comes(const stream *s, cau_tagged_kind other, size_t *line)
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

static caucus_status fail_in_kind(caucus_ctx *ctx, const stream *first, const stream *s)
{
    size_t here, there;
    const char *got = what_comes(s, first->kind, &here);
    const char *want = what_comes(first, s->kind, &there);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "%s, but %s:%zu has %s; " SAME_TOKENS,
                    cau_lines_name(s->lines), here, got, cau_lines_name(first->lines), there, want);
}

static caucus_status fail_in_text(caucus_ctx *ctx, const stream *first, const stream *s,
                                  const char *what, cau_str got, cau_str want)
{
    return cau_fail(
        ctx, CAUCUS_ERR_FORMAT, CAU_AT "the %s '%.*s', but %s:%zu has '%.*s'; " SAME_TOKENS,
        CAU_AT_ARGS(s->lines), what, CAU_SHOWN(got), CAU_AT_ARGS(first->lines), CAU_SHOWN(want));
}

static bool same(cau_str a, cau_str b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* All streams have a token: checks that it is the same. */
static caucus_status compare_tokens(caucus_ctx *ctx, const cau_tagged *tagged)
{
    const stream *first = tagged->stream;
    for (size_t i = 1; i < tagged->streams; i++) {
        const stream *s = &tagged->stream[i];
        if (first->word.s && s->word.s && !same(first->word, s->word))
            return fail_in_text(ctx, first, s, "word", s->word, first->word);
        if (s->columns.gold.s && !same(first->columns.gold, s->columns.gold))
            return fail_in_text(ctx, first, s, "gold label", s->columns.gold, first->columns.gold);
    }
    return CAUCUS_OK;
}

/* The token of all streams, its labels as numbers. */
static caucus_status number_labels(caucus_ctx *ctx, cau_tagged *tagged, cau_tagged_token *token)
{
    static const char document[] = "-DOCSTART-";
    const stream *first = tagged->stream, *last = first + tagged->streams - 1;
    const cau_str gold = gold_apart(tagged) ? last->columns.label : first->columns.gold;
    const bool known = !(gold.n == 1 && gold.s[0] == '?');

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
                        CAU_AT "the predicted label '%.*s' is none of the classes that have "
                               "probabilities; give all classes of the model",
                        CAU_AT_ARGS(first->lines), CAU_SHOWN(first->columns.label));
    return CAUCUS_OK;
}

caucus_status cau_tagged_next(caucus_ctx *ctx, cau_tagged *tagged, cau_tagged_kind *kind,
                              cau_tagged_token *token)
{
    caucus_status st = CAUCUS_OK;
    const stream *first = tagged->stream;
    for (size_t i = 0; i < tagged->streams; i++) TRY(advance(ctx, tagged, &tagged->stream[i]));

    cau_tagged_kind what = first->kind;
    for (size_t i = 1; i < tagged->streams; i++) {
        stream *s = &tagged->stream[i];
        if (s->kind == first->kind) continue;
        if (first->kind != CAU_TAGGED_SEAM) TRY(fail_in_kind(ctx, first, s));
        if (s->kind == CAU_TAGGED_BREAK)
            what = CAU_TAGGED_BREAK;
        else
            s->held = true; /* it need not know where the files of another end */
    }
    if (what == CAU_TAGGED_TOKEN) {
        TRY(compare_tokens(ctx, tagged));
        TRY(number_labels(ctx, tagged, token));
    }
    *kind = what;
done:
    return st;
}
