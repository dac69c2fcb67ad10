/* cv_groups.c - documents and files are counted, other groups have names.
 *
 * A document gets its number with its first sequence. So the numbers have no gaps where marks
 * follow one another or end a file. */

#include "dataset/cv_groups.h"

#include <string.h>

#include "base/status.h"
#include "text/formats.h"

/* Whether a line starts a document. */
static bool is_mark(cau_str line)
{
    static const cau_read_options marks = {.docstart = true};
    return cau_is_docstart(&marks, line);
}

caucus_status cau_cv_groups_init(caucus_ctx *ctx, const char *by, cau_cv_groups *groups)
{
    *groups = (cau_cv_groups){0};
    if (!by || strcmp(by, "sequence") == 0) return CAUCUS_OK;
    if (strcmp(by, "document") == 0) {
        groups->by = CAU_BY_DOCUMENT;
        return CAUCUS_OK;
    }
    if (strcmp(by, "file") == 0) {
        groups->by = CAU_BY_FILE;
        return CAUCUS_OK;
    }
    if (!cau_parse_count(by, strlen(by), &groups->column))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "sequences cannot be kept together by '%s'; say sequence, document, "
                        "file, or the number of a column, from 0",
                        by);
    groups->by = CAU_BY_COLUMN;
    return cau_alphabet_new(ctx, &groups->names);
}

void cau_cv_groups_clear(cau_cv_groups *groups)
{
    cau_alphabet_free(groups->names);
    *groups = (cau_cv_groups){0};
}

const char *cau_cv_groups_name(const cau_cv_groups *groups)
{
    static const char *const name[] = {"sequence", "document", "group", "file"};
    return name[groups->by];
}

caucus_status cau_cv_groups_file(caucus_ctx *ctx, cau_cv_groups *groups, const cau_reader *r)
{
    const cau_format format = cau_reader_format(r);
    groups->begins = true;
    groups->files++;
    if (groups->by == CAU_BY_SEQUENCE || groups->by == CAU_BY_FILE || cau_has_cells(format) ||
        format == CAU_FORMAT_AUTO)
        return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "%s: documents and groups are for columns, but this is read as %s, where only "
                    "'sequence' and 'file' are possible",
                    cau_lines_name(cau_reader_lines(r)), cau_format_name(format));
}

void cau_cv_groups_aside(cau_cv_groups *groups, const cau_instance *aside)
{
    if (is_mark(aside->line)) groups->begins = groups->marked = true;
}

/* The number of the group that the cell of a column names. */
static caucus_status find_group(caucus_ctx *ctx, cau_cv_groups *groups, const cau_reader *r,
                                const cau_instance *first, uint32_t *group)
{
    cau_str rest = first->line, cell;
    uint64_t column = 0;
    while (cau_token(&rest, &cell) && column < groups->column) column++;
    if (cell.n == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "groups are named by column %llu, counted from 0, but the line has "
                               "%llu; name one that is there",
                        cau_lines_name(cau_reader_lines(r)), first->number,
                        (unsigned long long)groups->column, (unsigned long long)column);
    *group = cau_alphabet_add(groups->names, cell.s, cell.n);
    return *group == CAU_UNKNOWN ? cau_fail_memory(ctx, "the groups") : CAUCUS_OK;
}

caucus_status cau_cv_groups_first(caucus_ctx *ctx, cau_cv_groups *groups, const cau_reader *r,
                                  const cau_instance *first, uint32_t *group)
{
    if (groups->by == CAU_BY_COLUMN) return find_group(ctx, groups, r, first, group);
    if (groups->by == CAU_BY_SEQUENCE) return CAUCUS_OK;
    if (groups->by == CAU_BY_FILE) {
        *group = groups->files - 1;
        return CAUCUS_OK;
    }
    if (is_mark(first->line)) groups->begins = groups->marked = true;
    groups->documents += groups->begins;
    groups->begins = false;
    *group = groups->documents - 1;
    return CAUCUS_OK;
}

caucus_status cau_cv_groups_end(caucus_ctx *ctx, const cau_cv_groups *groups, const char *where)
{
    if (groups->by != CAU_BY_DOCUMENT || groups->marked) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    "%s: no line begins with -DOCSTART-, so it is not known where documents begin; "
                    "mark them, or keep together by a column or nothing but sequences",
                    where);
}
