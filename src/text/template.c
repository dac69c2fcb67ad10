/* template.c - compiles the text of a template, and makes a text of a compiled template.
 *
 * The language contains those of CRF++ and of Wapiti and has more functions. A line is
 *
 *     (empty)  #...           nothing
 *     U... B... u... b... *...   a pattern: see template_parse.c
 *     @bytes                  %X %m %M %t %T work on bytes and ASCII, as in Wapiti itself
 *     @bag NAME: GLOB...      a group of patterns, by the start of their lines
 *     @lex "NAME"             a gazetteer, whose names follow, each after a tab
 *         (tab)New York
 *
 * cau_template_text writes gazetteers in the last form, so a template does not depend on files:
 * %lex[0,0,"NAME"] uses such a list above it, and reads a file only if there is no such list. */

#include "text/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/lines.h"
#include "text/template_internal.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the template");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool equal(cau_str a, cau_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static bool starts_with(cau_str s, const char *start)
{
    return s.n >= strlen(start) && memcmp(s.s, start, strlen(start)) == 0;
}

void cau_template_free(cau_template *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->expression_count; i++) cau_regex_free(t->expressions[i].regex);
    for (size_t i = 0; i < t->list_count; i++) {
        cau_lexicon_free(t->lists[i].form[false]);
        cau_lexicon_free(t->lists[i].form[true]);
    }
    free(t->patterns);
    free(t->refs);
    free(t->slots);
    free(t->terms);
    free(t->expressions);
    free(t->lists);
    cau_strbuf_clear(&t->text);
    cau_arena_clear(&t->arena);
    free(t);
}

/* ---- gazetteers -------------------------------------------------------------------------- */

/* Appends a name to the text of a list, with one blank between words. */
static void add_name(cau_strbuf *names, cau_str name)
{
    bool inside = false;
    for (size_t i = 0; i < name.n;) {
        size_t end = i;
        while (end < name.n && !is_blank(name.s[end])) end++;
        if (end > i) {
            cau_strbuf_add(names, inside ? " " : "\t", 1);
            cau_strbuf_add(names, name.s + i, end - i);
            inside = true;
        }
        i = end + 1;
    }
    if (inside) cau_strbuf_add(names, "\n", 1);
}

/* Adds a list to the template and copies its text. */
static caucus_status keep_list(caucus_ctx *ctx, cau_template *t, cau_str name,
                               const cau_strbuf *names, cau_list **out)
{
    if (names->failed || !CAU_GROW(t->lists, t->list_room, t->list_count + 1))
        return no_memory(ctx);
    cau_list list = {0};
    list.name = (cau_str){cau_arena_copy(&t->arena, name.s, name.n), name.n};
    list.names = (cau_str){cau_arena_copy(&t->arena, names->s, names->n), names->n};
    if (!list.name.s || !list.names.s) return no_memory(ctx);
    *out = &t->lists[t->list_count];
    t->lists[t->list_count++] = list;
    return CAUCUS_OK;
}

static cau_list *find_list(cau_template *t, cau_str name)
{
    for (size_t i = 0; i < t->list_count; i++)
        if (equal(t->lists[i].name, name)) return &t->lists[i];
    return NULL;
}

caucus_status cau_template_list(cau_template_line *in, cau_str name, const char *place,
                                cau_list **out)
{
    *out = find_list(in->t, name);
    if (*out) return CAUCUS_OK;

    caucus_status st = CAUCUS_OK;
    cau_strbuf path = {0}, names = {0};
    cau_lines *lines = NULL;
    cau_str line;
    if (in->directory && name.s[0] != '/') cau_strbuf_printf(&path, "%s/", in->directory);
    cau_strbuf_add(&path, name.s, name.n);
    if (path.failed) TRY(no_memory(in->ctx));
    st = cau_lines_open(in->ctx, path.s, &lines);
    if (st == CAUCUS_ERR_IO) { /* "path: why": add the place in the template */
        cau_strbuf_clear(&path);
        cau_strbuf_printf(&path, "%s", caucus_message(in->ctx));
        if (!path.failed) (void)cau_template_fail(in, place, "%s", path.s);
    }
    if (st) goto done;
    for (;;) {
        TRY(cau_lines_next(in->ctx, lines, &line));
        if (!line.s) break;
        add_name(&names, line);
    }
    if (names.failed) TRY(no_memory(in->ctx));
    if (names.n == 0)
        TRY(cau_template_fail(in, place, "the list %s has no names; give it one name a line",
                              path.s));
    TRY(keep_list(in->ctx, in->t, name, &names, out));
done:
    cau_lines_free(lines);
    cau_strbuf_clear(&path);
    cau_strbuf_clear(&names);
    return st;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* Whether a glob matches the text before the first macro, or that text up to its first ':'. */
static bool matches_pattern(cau_str glob, const cau_pattern *pattern)
{
    cau_str head = pattern->head;
    if (cau_glob(glob, head)) return true;
    const char *colon = head.n ? memchr(head.s, ':', head.n) : NULL;
    return colon && cau_glob(glob, (cau_str){head.s, (size_t)(colon - head.s)});
}

/* Cuts the next glob off *globs, which are separated by blanks. False after the last. */
static bool next_glob(cau_str *globs, cau_str *glob)
{
    const char *at = globs->s, *end = globs->s + globs->n;
    while (at < end && is_blank(*at)) at++;
    const char *first = at;
    while (at < end && !is_blank(*at)) at++;
    *glob = (cau_str){first, (size_t)(at - first)};
    *globs = (cau_str){at, (size_t)(end - at)};
    return glob->n > 0;
}

/* Parses the name of a group, between "@bag" and ':', and adds it to `names`, which must not have
 * it yet. */
static caucus_status read_bag_name(cau_template_line *in, cau_alphabet *names)
{
    in->at = in->line.s + strlen("@bag");
    while (in->at < in->end && is_blank(*in->at)) in->at++;
    const char *first = in->at;
    while (in->at < in->end && *in->at != ':' && !is_blank(*in->at)) in->at++;
    const cau_str name = {first, (size_t)(in->at - first)};
    if (name.n == 0 || in->at == in->end || *in->at != ':')
        return cau_template_fail(in, in->at, "a group has no name; write @bag NAME: U1* U2*");
    in->at++;
    const size_t before = cau_alphabet_size(names);
    const uint32_t id = cau_alphabet_add(names, name.s, name.n);
    if (id == CAU_UNKNOWN) return no_memory(in->ctx);
    if (id < before)
        return cau_template_fail(in, first, "there is a group of this name; use another");
    return CAUCUS_OK;
}

/* Checks a line that begins with "@bag": its form, and that every glob fits a pattern. */
static caucus_status check_bag(cau_template_line *in, cau_alphabet *names)
{
    size_t count = 0;
    cau_str glob;
    caucus_status st = read_bag_name(in, names);
    if (st) return st;
    for (cau_str globs = {in->at, (size_t)(in->end - in->at)}; next_glob(&globs, &glob); count++) {
        bool found = false;
        for (size_t i = 0; i < in->t->pattern_count && !found; i++)
            found = matches_pattern(glob, &in->t->patterns[i]);
        if (!found)
            return cau_template_fail(in, glob.s, "no pattern begins like this; name some that do");
    }
    if (count == 0)
        return cau_template_fail(in, in->end, "a group of nothing; write @bag NAME: U1* U2*");
    return CAUCUS_OK;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* The state between lines. */
typedef struct {
    cau_template_line in;
    cau_lines *lines;
    cau_strbuf bags;     /* the lines of the groups, with line ends */
    size_t *bag_numbers; /* [bag_count] their line numbers */
    size_t bag_count, bag_room;
    bool in_list; /* the previous line belongs to a list */
    cau_strbuf list_name, list_names;
    cau_strbuf text; /* the patterns, with line ends */
} template_parser;

static caucus_status end_list(template_parser *p)
{
    cau_list *list;
    if (!p->in_list) return CAUCUS_OK;
    p->in_list = false;
    if (p->list_name.failed) return no_memory(p->in.ctx);
    const cau_str name = {p->list_name.s, p->list_name.n};
    return keep_list(p->in.ctx, p->in.t, name, &p->list_names, &list);
}

/* A line that begins with "@lex". */
static caucus_status begin_list(template_parser *p)
{
    cau_template_line *in = &p->in;
    cau_str name = {0};
    in->at += strlen("@lex");
    const char *place = in->at;
    caucus_status st = cau_template_quoted(in, &name);
    if (st) return st;
    if (name.n == 0 || in->at != in->end)
        return cau_template_fail(in, name.n ? in->at : place,
                                 "a list has no name alone; write @lex \"NAME\"");
    if (find_list(in->t, name))
        return cau_template_fail(in, place, "this list is there already; use another name");
    p->in_list = true;
    p->list_name.n = p->list_names.n = 0;
    cau_strbuf_add(&p->list_name, name.s, name.n);
    return CAUCUS_OK;
}

static caucus_status keep_bag(template_parser *p)
{
    if (!CAU_GROW(p->bag_numbers, p->bag_room, p->bag_count + 1)) return no_memory(p->in.ctx);
    p->bag_numbers[p->bag_count++] = p->in.number;
    cau_strbuf_add(&p->bags, p->in.line.s, p->in.line.n);
    cau_strbuf_add(&p->bags, "\n", 1);
    return CAUCUS_OK;
}

static caucus_status read_line(template_parser *p)
{
    cau_template_line *in = &p->in;
    if (p->in_list && in->line.n && in->line.s[0] == '\t') {
        add_name(&p->list_names, in->line);
        return CAUCUS_OK;
    }
    caucus_status st = end_list(p);
    if (st) return st;

    size_t blanks = 0;
    while (blanks < in->line.n && is_blank(in->line.s[blanks])) blanks++;
    if (blanks == in->line.n || in->line.s[0] == '#') return CAUCUS_OK;
    if (strchr("UBub*", in->line.s[0])) {
        st = cau_template_pattern(in);
        if (st) return st;
        const cau_str text = in->t->patterns[in->t->pattern_count - 1].text;
        cau_strbuf_add(&p->text, text.s, text.n);
        cau_strbuf_add(&p->text, "\n", 1);
        return CAUCUS_OK;
    }
    if (starts_with(in->line, "@lex ")) return begin_list(p);
    if (starts_with(in->line, "@bag ")) return keep_bag(p);
    if (equal(in->line, CAU_STR("@bytes"))) {
        if (in->t->pattern_count)
            return cau_template_fail(in, in->line.s, "@bytes after a pattern; put it first");
        in->t->bytes = true;
        return CAUCUS_OK;
    }
    return cau_template_fail(in, in->line.s,
                             "no pattern; begin it with U or B, with u, b or *, with @bag, @lex or "
                             "@bytes, or with # for a comment");
}

/* Groups may come before the patterns that they name, so they are checked last. */
static caucus_status check_bags(template_parser *p)
{
    caucus_status st = CAUCUS_OK;
    cau_template_line *in = &p->in;
    cau_alphabet *names = NULL;
    TRY(cau_alphabet_new(in->ctx, &names));
    const char *at = p->bags.s;
    for (size_t i = 0; i < p->bag_count; i++) {
        in->end = strchr(at, '\n');
        in->line = (cau_str){at, (size_t)(in->end - at)};
        in->number = p->bag_numbers[i];
        at = in->end + 1;
        TRY(check_bag(in, names));
    }
done:
    cau_alphabet_free(names);
    return st;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int compare_heads(const void *a, const void *b)
{
    const cau_pattern *p = *(const cau_pattern *const *)a, *q = *(const cau_pattern *const *)b;
    const size_t n = p->head.n < q->head.n ? p->head.n : q->head.n;
    const int order = n ? memcmp(p->head.s, q->head.s, n) : 0;
    return order ? order : (p->head.n > q->head.n) - (p->head.n < q->head.n);
}

/* Finds out whether two patterns may make the same feature. Patterns whose heads differ within the
 * shorter head cannot: this is why patterns are numbered. A pattern without a macro makes only its
 * own name. When patterns are sorted by their heads, a head that begins others is directly before
 * one of them. */
static caucus_status find_repeats(caucus_ctx *ctx, cau_template *t)
{
    const cau_pattern **order = cau_alloc(t->pattern_count, sizeof *order);
    if (!order) return no_memory(ctx);
    size_t count = 0;
    for (size_t i = 0; i < t->pattern_count; i++) {
        const cau_pattern *p = &t->patterns[i];
        if (p->node || p->edge) order[count++] = p;
        t->repeats |= p->many != CAU_NONE;
    }
    qsort(order, count, sizeof *order, compare_heads);
    for (size_t i = 1; i < count; i++) {
        const cau_str a = order[i - 1]->head, b = order[i]->head;
        const bool begins = a.n <= b.n && memcmp(a.s, b.s, a.n) == 0;
        t->repeats |= begins && (order[i - 1]->count > 0 || a.n == b.n);
    }
    free(order);
    return CAUCUS_OK;
}

/* Lists come first, since patterns use the lists above them. */
static caucus_status write_text(template_parser *p)
{
    cau_template *t = p->in.t;
    if (t->bytes) cau_strbuf_add(&t->text, "@bytes\n", 7);
    for (size_t i = 0; i < t->list_count; i++) {
        const cau_list *list = &t->lists[i];
        cau_strbuf_add(&t->text, "@lex \"", 6);
        cau_strbuf_add(&t->text, list->name.s, list->name.n);
        cau_strbuf_add(&t->text, "\"\n", 2);
        cau_strbuf_add(&t->text, list->names.s, list->names.n);
    }
    cau_strbuf_add(&t->text, p->text.s, p->text.n);
    if (p->bags.n) cau_strbuf_add(&t->text, p->bags.s, p->bags.n);
    return p->text.failed || p->bags.failed || t->text.failed ? no_memory(p->in.ctx) : CAUCUS_OK;
}

/* Compiles lines and frees them. */
static caucus_status parse(caucus_ctx *ctx, cau_lines *lines, const char *directory,
                           cau_template **out)
{
    caucus_status st = CAUCUS_OK;
    template_parser p = {.lines = lines};
    cau_template *t = cau_calloc(1, sizeof *t);
    if (!t) TRY(no_memory(ctx));
    cau_arena_init(&t->arena);
    p.in = (cau_template_line){
        .ctx = ctx, .t = t, .name = cau_lines_name(lines), .directory = directory};
    for (;;) {
        TRY(cau_lines_next(ctx, lines, &p.in.line));
        if (!p.in.line.s) break;
        p.in.number = cau_lines_number(lines);
        p.in.at = p.in.line.s;
        p.in.end = p.in.line.s + p.in.line.n;
        TRY(read_line(&p));
    }
    TRY(end_list(&p));
    if (p.bags.failed) TRY(no_memory(ctx));
    TRY(check_bags(&p));
    if (t->pattern_count == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: a template without a pattern; write at least one, like U00:%%x[0,0]",
                     p.in.name));
    TRY(find_repeats(ctx, t));
    TRY(write_text(&p));
    *out = t;
    t = NULL;
done:
    cau_template_free(t);
    cau_strbuf_clear(&p.bags);
    cau_strbuf_clear(&p.text);
    cau_strbuf_clear(&p.list_name);
    cau_strbuf_clear(&p.list_names);
    free(p.bag_numbers);
    cau_lines_free(lines);
    return st;
}

caucus_status cau_template_parse(caucus_ctx *ctx, const char *name, cau_str text,
                                 const char *directory, cau_template **out)
{
    cau_lines *lines = NULL;
    caucus_status st = cau_lines_memory(ctx, name, text, &lines);
    return st ? st : parse(ctx, lines, directory, out);
}

caucus_status cau_template_read(caucus_ctx *ctx, const char *path, cau_template **out)
{
    caucus_status st = CAUCUS_OK;
    cau_lines *lines = NULL;
    char *directory = NULL;
    const char *slash = strrchr(path, '/');
    if (slash) {
        const size_t n = slash == path ? 1 : (size_t)(slash - path);
        directory = cau_alloc(n + 1, 1);
        if (!directory) TRY(no_memory(ctx));
        memcpy(directory, path, n);
        directory[n] = '\0';
    }
    TRY(cau_lines_open(ctx, path, &lines));
    TRY(parse(ctx, lines, directory, out));
done:
    free(directory);
    return st;
}

cau_str cau_template_text(const cau_template *t)
{
    return (cau_str){t->text.s, t->text.n};
}

size_t cau_template_columns(const cau_template *t)
{
    return t->columns;
}

bool cau_template_transitions(const cau_template *t)
{
    return t->plain;
}

bool cau_template_repeats(const cau_template *t)
{
    return t->repeats;
}

/* The lines of groups have been checked. Lines of lists begin with a tab, so they do not look like
 * groups. */
bool cau_template_bag(const cau_template *t, size_t *at, cau_str *name, cau_str *globs)
{
    const char *line = t->text.s + *at, *end = t->text.s + t->text.n;
    for (const char *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        const cau_str whole = {line, (size_t)((stop ? stop : end) - line)};
        if (!starts_with(whole, "@bag ")) continue;
        const char *colon = memchr(line, ':', whole.n), *first = line + strlen("@bag ");
        while (is_blank(*first)) first++;
        *name = (cau_str){first, (size_t)(colon - first)};
        *globs = (cau_str){colon + 1, (size_t)(line + whole.n - (colon + 1))};
        *at = (size_t)(next - t->text.s);
        return true;
    }
    return false;
}

size_t cau_template_pattern_of(const cau_template *t, cau_str feature)
{
    size_t found = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < t->pattern_count; i++) {
        const cau_str head = t->patterns[i].head;
        if (head.n > feature.n || (head.n && memcmp(head.s, feature.s, head.n) != 0)) continue;
        if (found != SIZE_MAX && head.n <= longest) continue;
        found = i;
        longest = head.n;
    }
    return found;
}

bool cau_template_in_bag(const cau_template *t, cau_str globs, size_t pattern)
{
    cau_str glob;
    while (next_glob(&globs, &glob))
        if (matches_pattern(glob, &t->patterns[pattern])) return true;
    return false;
}

/* ---- the default template ---------------------------------------------------- */

/* Patterns of the word; those of other columns are added in cau_template_default. */
static const char word_patterns[] = "U00:%x[-2,0]\n"
                                    "U01:%x[-1,0]\n"
                                    "U02:%x[0,0]\n"
                                    "U03:%x[1,0]\n"
                                    "U04:%x[2,0]\n"
                                    "U05:%x[-1,0]/%x[0,0]\n"
                                    "U06:%x[0,0]/%x[1,0]\n"
                                    "U07:%lower[-1,0]\n"
                                    "U08:%lower[0,0]\n"
                                    "U09:%lower[1,0]\n"
                                    "U10:%prefix[0,0,1]\n"
                                    "U11:%prefix[0,0,2]\n"
                                    "U12:%prefix[0,0,3]\n"
                                    "U13:%prefix[0,0,4]\n"
                                    "U14:%suffix[0,0,1]\n"
                                    "U15:%suffix[0,0,2]\n"
                                    "U16:%suffix[0,0,3]\n"
                                    "U17:%suffix[0,0,4]\n"
                                    "U18:%chars[0,0,2-4]\n"
                                    "U20:%shape[-1,0]\n"
                                    "U21:%shape[0,0]\n"
                                    "U22:%shape[1,0]\n"
                                    "U23:%shape[-1,0]/%shape[0,0]\n"
                                    "U24:%shape[0,0]/%shape[1,0]\n";

enum { COLUMNS_PAIRED = 3, COLUMNS_USED = 16 };

caucus_status cau_template_default(caucus_ctx *ctx, size_t columns, cau_template **out)
{
    cau_strbuf text = {0};
    cau_strbuf_add(&text, word_patterns, sizeof word_patterns - 1);
    for (size_t c = 1; c < columns && c < COLUMNS_USED; c++) {
        const size_t n = 20 + 10 * c; /* U30 for column 1, U40 for column 2, ... */
        const int reach = c < COLUMNS_PAIRED ? 2 : 1;
        for (int row = -reach; row <= reach; row++)
            cau_strbuf_printf(&text, "U%zu:%%x[%d,%zu]\n", n + (size_t)(row + reach), row, c);
        if (c >= COLUMNS_PAIRED) continue;
        for (int row = -reach; row < reach; row++)
            cau_strbuf_printf(&text, "U%zu:%%x[%d,%zu]/%%x[%d,%zu]\n",
                              n + 5 + (size_t)(row + reach), row, c, row + 1, c);
    }
    cau_strbuf_add(&text, "B\n", 2);
    caucus_status st = cau_strbuf_status(ctx, &text);
    if (!st) st = cau_template_parse(ctx, "default template", (cau_str){text.s, text.n}, NULL, out);
    cau_strbuf_clear(&text);
    return st;
}
