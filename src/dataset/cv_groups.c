/* cv_groups.c - documents and files are counted, groups are named.
 *
 * A mark alone makes no document: it gets its number with the first sequence after the mark, so
 * marks that follow one another, or end a file, leave no gaps. */

#include "dataset/cv_groups.h"

#include <string.h>

#include "base/status.h"
#include "text/formats.h"

/* Whether a line begins a document, as data or not. */
static bool is_mark(cau_str line)
{
    static const cau_read_options marks = {.docstart = true};
    return cau_is_docstart(&marks, line);
}

caucus_status cau_cv_groups_init(caucus_ctx *ctx, const char *by, cau_cv_groups *units)
{
    *units = (cau_cv_groups){0};
    if (!by || strcmp(by, "sequence") == 0) return CAUCUS_OK;
    if (strcmp(by, "document") == 0) {
        units->by = CAU_BY_DOCUMENT;
        return CAUCUS_OK;
    }
    if (strcmp(by, "file") == 0) {
        units->by = CAU_BY_FILE;
        return CAUCUS_OK;
    }
    if (!cau_parse_count(by, strlen(by), &units->column))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "sequences cannot be kept together by '%s'; say sequence, document, "
                        "file, or the number of a column, from 0",
                        by);
    units->by = CAU_BY_COLUMN;
    return cau_alphabet_new(ctx, &units->groups);
}

void cau_cv_groups_clear(cau_cv_groups *units)
{
    cau_alphabet_free(units->groups);
    *units = (cau_cv_groups){0};
}

const char *cau_cv_groups_name(const cau_cv_groups *units)
{
    static const char *const name[] = {"sequence", "document", "group", "file"};
    return name[units->by];
}

caucus_status cau_cv_groups_file(caucus_ctx *ctx, cau_cv_groups *units, const cau_reader *r)
{
    const cau_format format = cau_reader_format(r);
    units->begins = true;
    units->files++;
    if (units->by == CAU_BY_SEQUENCE || units->by == CAU_BY_FILE || format == CAU_FORMAT_COLUMNS ||
        format == CAU_FORMAT_AUTO)
        return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "%s: documents and groups are for columns, but this is read as %s, where only "
                    "'sequence' and 'file' are possible",
                    cau_lines_name(cau_reader_lines(r)), cau_format_name(format));
}

void cau_cv_groups_aside(cau_cv_groups *units, const cau_instance *aside)
{
    if (is_mark(aside->line)) units->begins = units->marked = true;
}

/* The cell of a column, which names the group. */
static caucus_status find_group(caucus_ctx *ctx, cau_cv_groups *units, const cau_reader *r,
                                const cau_instance *first, uint32_t *unit)
{
    cau_str rest = first->line, cell;
    uint64_t column = 0;
    while (cau_token(&rest, &cell) && column < units->column) column++;
    if (cell.n == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "groups are named by column %llu, counted from 0, but the line has "
                               "%llu; name one that is there",
                        cau_lines_name(cau_reader_lines(r)), first->number,
                        (unsigned long long)units->column, (unsigned long long)column);
    *unit = cau_alphabet_add(units->groups, cell.s, cell.n);
    return *unit == CAU_UNKNOWN ? cau_fail_memory(ctx, "the groups") : CAUCUS_OK;
}

caucus_status cau_cv_groups_first(caucus_ctx *ctx, cau_cv_groups *units, const cau_reader *r,
                                  const cau_instance *first, uint32_t *unit)
{
    if (units->by == CAU_BY_COLUMN) return find_group(ctx, units, r, first, unit);
    if (units->by == CAU_BY_SEQUENCE) return CAUCUS_OK;
    if (units->by == CAU_BY_FILE) {
        *unit = units->files - 1;
        return CAUCUS_OK;
    }
    if (is_mark(first->line)) units->begins = units->marked = true;
    units->documents += units->begins;
    units->begins = false;
    *unit = units->documents - 1;
    return CAUCUS_OK;
}

caucus_status cau_cv_groups_end(caucus_ctx *ctx, const cau_cv_groups *units, const char *where)
{
    if (units->by != CAU_BY_DOCUMENT || units->marked) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    "%s: no line begins with -DOCSTART-, so it is not known where documents begin; "
                    "mark them, or keep together by a column or nothing but sequences",
                    where);
}
