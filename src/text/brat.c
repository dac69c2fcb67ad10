/* brat.c - see brat.h. Documents become records of spans, so that one reader reads both. */

#include "text/brat.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/spans.h"

enum { STEP = 64 << 10, NAME_MOST = 4096 };

/* ---- files ---------------------------------------------------------------------------------- */

/* The whole file, checked to be UTF-8. */
static caucus_status read_file(caucus_ctx *ctx, const char *path, cau_strbuf *bytes)
{
    caucus_status st = CAUCUS_OK;
    cau_input *in = NULL;
    size_t got = 1;
    bytes->n = 0;
    TRY(cau_input_open(ctx, path, &in));
    while (got) {
        if (!cau_strbuf_reserve(bytes, STEP)) TRY(cau_strbuf_status(ctx, bytes));
        TRY(cau_input_read(ctx, in, bytes->s + bytes->n, STEP, &got));
        bytes->n += got;
    }
    bytes->s[bytes->n] = '\0';
    const size_t valid = cau_utf8_check(bytes->s, bytes->n);
    if (valid < bytes->n || memchr(bytes->s, '\0', bytes->n))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: not UTF-8 text; convert it, for example with iconv -t utf-8", path));
done:
    cau_input_free(in);
    return st;
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* A path with another ending. */
static caucus_status with_ending(caucus_ctx *ctx, const char *path, const char *ending,
                                 cau_strbuf *out)
{
    out->n = 0;
    cau_strbuf_printf(out, "%.*s%s", (int)(strlen(path) - 4), path, ending);
    return cau_strbuf_status(ctx, out);
}

/* ---- annotations ---------------------------------------------------------------------------- */

/* An annotation, "LABEL FROM TO". */
typedef struct {
    cau_str label;
    uint64_t from, to;
} annotation;

static bool take(cau_str *rest, char by, cau_str *field)
{
    const char *end = rest->s ? memchr(rest->s, by, rest->n) : NULL;
    if (!end) return false;
    *field = (cau_str){rest->s, (size_t)(end - rest->s)};
    *rest = (cau_str){end + 1, rest->n - field->n - 1};
    return true;
}

static caucus_status parse(caucus_ctx *ctx, const char *path, size_t number, cau_str line,
                           annotation *out)
{
    cau_str rest = line, id, middle, from;
    if (!take(&rest, '\t', &id) || !(take(&rest, '\t', &middle) || ((middle = rest).n > 0)) ||
        !take(&middle, ' ', &out->label) || !take(&middle, ' ', &from))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "not an annotation; write T1<TAB>LABEL FROM TO<TAB>TEXT", path,
                        number);
    if (memchr(middle.s, ';', middle.n))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the span %.*s of %.*s is discontinuous, and a sequence of labels "
                               "cannot hold it; split it into two annotations or remove it",
                        path, number, CAU_SHOWN(id), CAU_SHOWN(out->label));
    if (out->label.n && cau_parse_count(from.s, from.n, &out->from) &&
        cau_parse_count(middle.s, middle.n, &out->to))
        return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "'%.*s' are not the offsets of a span; write T1<TAB>LABEL FROM TO", path,
                    number, CAU_SHOWN(line));
}

/* Adds the annotations of a file to a record. */
static caucus_status add_annotations(caucus_ctx *ctx, const char *path, cau_str bytes,
                                     cau_strbuf *records)
{
    caucus_status st = CAUCUS_OK;
    bool any = false;
    cau_strbuf_printf(records, ", \"spans\": [");
    bytes = (cau_str){bytes.s + cau_byte_order_mark(bytes), bytes.n - cau_byte_order_mark(bytes)};
    for (size_t number = 1; bytes.n; number++) {
        cau_str line;
        annotation a = {{NULL, 0}, 0, 0};
        if (!take(&bytes, '\n', &line)) {
            line = bytes;
            bytes.n = 0;
        }
        if (line.n && line.s[line.n - 1] == '\r') line.n--;
        if (line.n == 0 || line.s[0] != 'T') continue;
        TRY(parse(ctx, path, number, line, &a));
        cau_strbuf_printf(
            records,
            "%s{\"start\": %llu, \"end\": %llu, \"brat.line\": %zu, \"label\": ", any ? ", " : "",
            (unsigned long long)a.from, (unsigned long long)a.to, number);
        if (!cau_add_json_string(records, a.label)) TRY(cau_fail_memory(ctx, "a document"));
        cau_strbuf_add(records, "}", 1);
        any = true;
    }
    cau_strbuf_printf(records, "]");
done:
    return st;
}

/* Adds the document of a .txt. */
static caucus_status add_document(caucus_ctx *ctx, const char *text_path, cau_strbuf *records)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf path = {0}, bytes = {0};
    TRY(with_ending(ctx, text_path, ".ann", &path));
    TRY(read_file(ctx, text_path, &bytes));
    cau_strbuf_printf(records, "{\"brat.file\": ");
    if (!cau_add_json_string(records, (cau_str){path.s, path.n}))
        TRY(cau_fail_memory(ctx, "a document"));
    cau_strbuf_printf(records, ", \"text\": ");
    if (!cau_add_json_string(records, (cau_str){bytes.s, bytes.n}))
        TRY(cau_fail_memory(ctx, "a document"));
    if (exists(path.s)) {
        TRY(read_file(ctx, path.s, &bytes));
        TRY(add_annotations(ctx, path.s, (cau_str){bytes.s, bytes.n}, records));
    }
    cau_strbuf_printf(records, "}\n");
    TRY(cau_strbuf_status(ctx, records));
done:
    cau_strbuf_clear(&path);
    cau_strbuf_clear(&bytes);
    return st;
}

/* ---- folders -------------------------------------------------------------------------------- */

static int is_text(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_with(entry->d_name, ".txt");
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* in every locale */
}

static caucus_status add_folder(caucus_ctx *ctx, const char *folder, cau_strbuf *records)
{
    caucus_status st = CAUCUS_OK;
    struct dirent **entry = NULL;
    cau_strbuf path = {0};
    const int count = scandir(folder, &entry, is_text, compare_names);
    if (count < 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; check the folder", folder, strerror(errno)));
    if (count == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no files .txt; is it the right folder?", folder));
    for (int i = 0; i < count; i++) {
        path.n = 0;
        cau_strbuf_printf(&path, "%s/%s", folder, entry[i]->d_name);
        TRY(cau_strbuf_status(ctx, &path));
        TRY(add_document(ctx, path.s, records));
    }
done:
    for (int i = 0; i < count; i++) free(entry[i]);
    free(entry);
    cau_strbuf_clear(&path);
    return st;
}

caucus_status cau_brat_open(caucus_ctx *ctx, const char *path, cau_input **out)
{
    caucus_status st = CAUCUS_OK;
    struct stat info;
    cau_strbuf records = {0}, text_path = {0};
    if (stat(path, &info) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; give a folder, a .txt or an .ann", path,
                     strerror(errno)));
    if (S_ISDIR(info.st_mode)) {
        TRY(add_folder(ctx, path, &records));
    } else if (ends_with(path, ".txt") || ends_with(path, ".ann")) {
        TRY(with_ending(ctx, path, ".txt", &text_path));
        TRY(add_document(ctx, text_path.s, &records));
    } else {
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: not a file of brat; give a folder, a .txt or an .ann", path));
    }
    TRY(cau_input_memory(ctx, path, records.s ? records.s : "", records.n, out));
done:
    cau_strbuf_clear(&records);
    cau_strbuf_clear(&text_path);
    return st;
}

/* ---- writing -------------------------------------------------------------------------------- */

static caucus_status write_file(caucus_ctx *ctx, const char *path, cau_str bytes)
{
    caucus_status st = CAUCUS_OK;
    cau_output *out = NULL;
    TRY(cau_output_open(ctx, path, &out));
    TRY(cau_output_write(ctx, out, bytes.s ? bytes.s : "", bytes.n));
    TRY(cau_output_commit(ctx, out));
done:
    cau_output_free(out);
    return st;
}

/* The lines of an .ann. Line ends in a text become blanks there. */
static bool add_lines(cau_strbuf *out, cau_span_text *x)
{
    for (size_t i = 0; i < x->spans; i++) {
        const cau_span *s = &x->span[i];
        const cau_str text = cau_span_text_piece(x, s->from, s->to);
        cau_strbuf_printf(out, "T%zu\t", i + 1);
        for (size_t k = 0; k < s->label.n; k++) /* a label of brat has no blanks */
            cau_strbuf_add(out, s->label.s[k] == ' ' ? "_" : s->label.s + k, 1);
        cau_strbuf_printf(out, " %zu %zu\t", s->from, s->to);
        for (size_t k = 0; k < text.n; k++)
            cau_strbuf_add(out, text.s[k] == '\n' || text.s[k] == '\r' ? " " : text.s + k, 1);
        cau_strbuf_add(out, "\n", 1);
    }
    return !out->failed;
}

caucus_status cau_brat_write(caucus_ctx *ctx, cau_str records, const char *folder)
{
    caucus_status st = CAUCUS_OK;
    cau_lines *lines = NULL;
    cau_span_text x = {0};
    cau_strbuf path = {0}, out = {0};
    bool skipped;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; write to another folder", folder,
                     strerror(errno)));
    TRY(cau_lines_memory(ctx, folder, records, &lines));
    for (size_t number = 1;; number++) {
        cau_str line;
        TRY(cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        TRY(cau_span_text_read(ctx, &x, lines, line, NULL, &skipped));
        out.n = path.n = 0;
        if (!add_lines(&out, &x)) TRY(cau_fail_memory(ctx, "a document"));
        cau_strbuf_printf(&path, "%s/%04zu.txt", folder, number);
        TRY(cau_strbuf_status(ctx, &path));
        TRY(write_file(ctx, path.s, (cau_str){x.text.s, x.text.n}));
        memcpy(path.s + path.n - 4, ".ann", 4);
        TRY(write_file(ctx, path.s, (cau_str){out.s, out.n}));
    }
done:
    cau_lines_free(lines);
    cau_span_text_clear(&x);
    cau_strbuf_clear(&path);
    cau_strbuf_clear(&out);
    return st;
}
