/* cv_groups.h - the document, group or file that a sequence belongs to, found while files are read.
 * Splits and folds never divide one of these groups. */

#ifndef CAU_DATASET_CV_GROUPS_H
#define CAU_DATASET_CV_GROUPS_H

#include "base/alphabet.h"
#include "text/reader.h"

/* Each sequence is a group of its own, or sequences are grouped by one of these:
 *
 *   - document: a line that begins with -DOCSTART- starts a document, whether it is data or not
 *     (`docstart` of cau_read_options), and so does each file. A sequence that begins with this
 *     line belongs to its document;
 *   - column: the cell of a column in the first line of a sequence names the group, in all files;
 *   - file: in any format. Without sequences, instances are grouped.
 *
 * Documents and columns need the format columns. Zeroed, each sequence is a group of its own. Clear
 * it at the end. */
typedef struct {
    enum { CAU_BY_SEQUENCE, CAU_BY_DOCUMENT, CAU_BY_COLUMN, CAU_BY_FILE } by;
    uint64_t column;     /* from 0; the label counts as a column */
    bool begins;         /* the next sequence starts a document */
    bool marked;         /* a line with -DOCSTART- was read */
    uint32_t documents;  /* started so far */
    uint32_t files;      /* started so far */
    cau_alphabet *names; /* by column */
} cau_cv_groups;

/* Reads the option `by` of cau_data_options. CAUCUS_ERR_ARGUMENT for any other text. */
caucus_status cau_cv_groups_init(caucus_ctx *ctx, const char *by, cau_cv_groups *groups);
void cau_cv_groups_clear(cau_cv_groups *groups);

/* Starts a file. CAUCUS_ERR_ARGUMENT when columns are needed and the file has none. */
caucus_status cau_cv_groups_file(caucus_ctx *ctx, cau_cv_groups *groups, const cau_reader *reader);

/* Reads a line that is not data. */
void cau_cv_groups_aside(cau_cv_groups *groups, const cau_instance *aside);

/* The number of the group of a sequence, given its first instance. Groups are numbered 0, 1, ... in
 * the order in which they appear; a file has the number of its path, so an empty file leaves a gap.
 * CAUCUS_ERR_FORMAT when the line does not have the column. */
caucus_status cau_cv_groups_first(caucus_ctx *ctx, cau_cv_groups *groups, const cau_reader *reader,
                                  const cau_instance *first, uint32_t *group);

const char *
cau_cv_groups_name(const cau_cv_groups *groups); /* "sequence", "document", "group", "file" */

/* Ends the reading of files. CAUCUS_ERR_FORMAT when no document was marked; `where` names the data
 * in the message. */
caucus_status cau_cv_groups_end(caucus_ctx *ctx, const cau_cv_groups *groups, const char *where);

#endif
