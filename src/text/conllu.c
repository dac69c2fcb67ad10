/* conllu.c - the lines of CoNLL-U. */

#include "text/conllu.h"

#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "text/columns.h"

enum { UPOS = 3, FEATS = 5, MISC = 9 };

const cau_str cau_conllu_names[CAU_CONLLU_FIELDS] = {
    {"id", 2},    {"form", 4}, {"lemma", 5},  {"upos", 4}, {"xpos", 4},
    {"feats", 5}, {"head", 4}, {"deprel", 6}, {"deps", 4}, {"misc", 4}};

static const cau_separator tab = {'\t', false}, bar = {'|', false};

static bool same(cau_str a, cau_str b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

static bool is_none(cau_str text)
{
    return text.n == 1 && text.s[0] == '_';
}

caucus_status cau_conllu_label_parse(caucus_ctx *ctx, const char *text, cau_conllu_label *label)
{
    *label = (cau_conllu_label){.field = UPOS};
    if (!text) return CAUCUS_OK;
    const char *dot = strchr(text, '.');
    const cau_str name = {text, dot ? (size_t)(dot - text) : strlen(text)};
    for (size_t j = CAU_CONLLU_FORM; j < CAU_CONLLU_FIELDS; j++) {
        if (!same(name, cau_conllu_names[j])) continue;
        if ((j == FEATS || j == MISC) != (dot && dot[1])) break;
        *label = (cau_conllu_label){j, cau_str_of(dot ? dot + 1 : NULL)};
        return CAUCUS_OK;
    }
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "--label %s: not a label of CoNLL-U; give upos, xpos, deprel or another field, "
                    "or an attribute such as feats.Case or misc.NER",
                    text);
}

/* The number of digits at the front of a text. */
static size_t digits(cau_str text)
{
    size_t n = 0;
    while (n < text.n && text.s[n] >= '0' && text.s[n] <= '9') n++;
    return n;
}

cau_conllu_kind cau_conllu_line(cau_str line)
{
    cau_str rest = line, id = {0};
    if (line.n && line.s[0] == '#') return CAU_CONLLU_ASIDE;
    cau_column_first(&rest, tab, &id);
    const size_t n = digits(id);
    if (n == 0 || !rest.s) return CAU_CONLLU_OTHER;
    if (n == id.n) return CAU_CONLLU_WORD;
    const cau_str second = {id.s + n + 1, id.n - n - 1};
    const bool between = id.s[n] == '-' || id.s[n] == '.';
    return between && second.n && digits(second) == second.n ? CAU_CONLLU_ASIDE : CAU_CONLLU_OTHER;
}

bool cau_conllu_looks(const cau_str *lines, size_t count)
{
    size_t words = 0;
    for (size_t i = 0; i < count; i++) {
        cau_str rest = lines[i], field;
        size_t fields = 0;
        const cau_conllu_kind kind = cau_conllu_line(lines[i]);
        if (lines[i].n == 0 || lines[i].s[0] == '#') continue;
        while (cau_column_first(&rest, tab, &field)) fields++;
        if (kind == CAU_CONLLU_OTHER || fields < CAU_CONLLU_FIELDS) return false;
        words += kind == CAU_CONLLU_WORD;
    }
    return words > 0;
}

/* Cuts the next attribute off *rest. */
static bool next_attribute(cau_str *rest, cau_str *name, cau_str *value)
{
    cau_str both;
    if (!cau_column_first(rest, bar, &both)) return false;
    const char *equals = both.n ? memchr(both.s, '=', both.n) : NULL;
    *name = (cau_str){both.s, equals ? (size_t)(equals - both.s) : both.n};
    *value = equals ? (cau_str){equals + 1, both.n - name->n - 1} : (cau_str){NULL, 0};
    return true;
}

static cau_str value_of(cau_str field, cau_str key)
{
    cau_str name, value;
    while (next_attribute(&field, &name, &value))
        if (value.s && same(name, key)) return value;
    return (cau_str){NULL, 0};
}

cau_str cau_conllu_field(cau_str line, size_t field)
{
    cau_str found = {0};
    for (size_t j = 0; j <= field && cau_column_first(&line, tab, &found); j++) {
    }
    return found;
}

cau_str cau_conllu_label_of(cau_str line, const cau_conllu_label *where)
{
    const cau_str field = cau_conllu_field(line, where->field);
    if (!where->key.s) return is_none(field) ? CAU_STR("?") : field;
    const cau_str value = value_of(field, where->key);
    return value.n ? value : CAU_STR("_");
}

/* Whether name a comes before b in FEATS. */
static bool precedes(cau_str a, cau_str b)
{
    const int order = strncasecmp(a.s, b.s, a.n < b.n ? a.n : b.n);
    return order < 0 || (order == 0 && a.n < b.n);
}

static void add_attribute(cau_strbuf *out, size_t begin, cau_str name, cau_str value)
{
    if (out->n > begin) cau_strbuf_add(out, "|", 1);
    cau_strbuf_add(out, name.s, name.n);
    if (!value.s) return;
    cau_strbuf_add(out, "=", 1);
    cau_strbuf_add(out, value.s, value.n);
}

/* Adds a field with another value of an attribute, or without it if that is "_". */
static void add_field(cau_strbuf *out, cau_str field, const cau_conllu_label *where, cau_str label)
{
    const size_t begin = out->n;
    bool done = is_none(label);
    cau_str rest = is_none(field) ? (cau_str){NULL, 0} : field, name, value;
    while (next_attribute(&rest, &name, &value)) {
        if (same(name, where->key)) continue;
        if (!done && where->field == FEATS && precedes(where->key, name)) {
            add_attribute(out, begin, where->key, label);
            done = true;
        }
        add_attribute(out, begin, name, value);
    }
    if (!done) add_attribute(out, begin, where->key, label);
    if (out->n == begin) cau_strbuf_add(out, "_", 1);
}

void cau_conllu_add(cau_strbuf *out, cau_str line, const cau_conllu_label *where, cau_str label)
{
    cau_str field;
    for (size_t j = 0; cau_column_first(&line, tab, &field); j++) {
        if (j) cau_strbuf_add(out, "\t", 1);
        if (j != where->field)
            cau_strbuf_add(out, field.s, field.n);
        else if (where->key.s)
            add_field(out, field, where, label);
        else
            cau_strbuf_add(out, label.s, label.n);
    }
}
