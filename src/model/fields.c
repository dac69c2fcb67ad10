/* fields.c - lines of fields between tabs (fields.h). */

#include "model/dump.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/status.h"

#define FAIL CAU_FIELDS_FAIL
#define SHORT CAU_FIELDS_SHORT

bool cau_fields_is(cau_str text, const char *word)
{
    return text.n == strlen(word) && memcmp(text.s, word, text.n) == 0;
}

cau_str cau_fields_take(cau_fields *f)
{
    cau_str field = f->rest;
    const char *tab = field.s ? memchr(field.s, '\t', field.n) : NULL;
    f->rest = (cau_str){NULL, 0};
    if (tab) {
        const char *end = field.s + field.n;
        field.n = (size_t)(tab - field.s);
        f->rest = (cau_str){tab + 1, (size_t)(end - tab) - 1};
    }
    return field;
}

caucus_status cau_fields_next(cau_fields *f)
{
    caucus_status st = cau_lines_next(f->ctx, f->lines, &f->rest);
    if (st) return st;
    if (!f->rest.s) return FAIL(f, "the text ends here, but a dump ends with 'end'; copy it again");
    f->keyword = cau_fields_take(f);
    return CAUCUS_OK;
}

caucus_status cau_fields_expect(cau_fields *f, const char *keyword)
{
    if (cau_fields_is(f->keyword, keyword)) return CAUCUS_OK;
    return FAIL(f, "'%.*s' instead of '%s'; see `inspect --dump` for the order", SHORT(f->keyword),
                keyword);
}

caucus_status cau_fields_end(cau_fields *f)
{
    if (!f->rest.s) return CAUCUS_OK;
    return FAIL(f, "'%.*s' is one field too many for '%.*s'; remove it", SHORT(f->rest),
                SHORT(f->keyword));
}

caucus_status cau_fields_text(cau_fields *f, const char *what, cau_strbuf *plain)
{
    cau_str field = cau_fields_take(f);
    if (!field.s) return FAIL(f, "'%.*s' without %s; add it", SHORT(f->keyword), what);
    if (!cau_strbuf_unescape(plain, field))
        return FAIL(f, "'%.*s' has a backslash that is not one of \\t \\n \\r \\\\; write it twice",
                    SHORT(field));
    return plain->failed ? cau_fail_memory(f->ctx, what) : CAUCUS_OK;
}

caucus_status cau_fields_name(cau_fields *f, cau_alphabet *alphabet)
{
    f->name.n = 0;
    caucus_status st = cau_fields_text(f, "a name", &f->name);
    if (st) return st;
    cau_str name = {f->name.n ? f->name.s : "", f->name.n};
    size_t size = cau_alphabet_size(alphabet);
    uint32_t id = cau_alphabet_add(alphabet, name.s, name.n);
    if (id == CAU_UNKNOWN) return cau_fail_memory(f->ctx, "the names");
    if (id < size) return FAIL(f, "'%.*s' stands twice; remove one of them", SHORT(name));
    return CAUCUS_OK;
}

caucus_status cau_fields_parse_weight(cau_fields *f, cau_str text, double *out)
{
    if (text.s && cau_parse_real(text.s, text.n, out) && fabs(*out) <= (double)FLT_MAX)
        return CAUCUS_OK;
    return FAIL(f, "'%.*s' is not a weight; give a number such as 0x1.8p+3 or 12", SHORT(text));
}

caucus_status cau_fields_number_line(cau_fields *f, const char *keyword, uint64_t min, uint64_t max,
                                     uint64_t *out)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_fields_next(f));
    TRY(cau_fields_expect(f, keyword));
    cau_str field = cau_fields_take(f);
    uint64_t value;
    if (!field.s || !cau_parse_count(field.s, field.n, &value) || value < min || value > max)
        TRY(FAIL(f, "'%.*s' is not a whole number from %llu to %llu; correct it", SHORT(field),
                 (unsigned long long)min, (unsigned long long)max));
    TRY(cau_fields_end(f));
    *out = value;
done:
    return st;
}

caucus_status cau_fields_choice(cau_fields *f, const char *what, const char *known,
                                const char *(*name)(int i), int count, int *out)
{
    int i = 0;
    cau_str field = cau_fields_take(f);
    while (i < count && !(field.s && cau_fields_is(field, name(i)))) i++;
    if (i == count) return FAIL(f, "'%.*s' is not a %s; use %s", SHORT(field), what, known);
    *out = i;
    return CAUCUS_OK;
}

caucus_status cau_fields_choice_line(cau_fields *f, const char *keyword, const char *known,
                                     const char *(*name)(int i), int count, int *out)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_fields_next(f));
    TRY(cau_fields_expect(f, keyword));
    TRY(cau_fields_choice(f, keyword, known, name, count, out));
    TRY(cau_fields_end(f));
done:
    return st;
}

caucus_status cau_fields_flag_line(cau_fields *f, const char *keyword, bool *out)
{
    uint64_t value = 0;
    caucus_status st = cau_fields_number_line(f, keyword, 0, 1, &value);
    if (!st) *out = value;
    return st;
}
