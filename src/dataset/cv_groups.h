/* cv_groups.h - which document, group or file a sequence belongs to, while files are read. */

#ifndef CAU_DATASET_CV_GROUPS_H
#define CAU_DATASET_CV_GROUPS_H

#include "text/reader.h"

/* Sequences are each for themselves, or belong together
 *   by document  A line that begins with -DOCSTART- begins one, be it none of the data (`docstart`
 *                of cau_read_options) or the first line of a sequence, which then belongs to the
 *                document that it begins; and so does each file.
 *   by column    The cell in the first line of the sequence names the group, in all files.
 *   by file      In any format; where there are no sequences, an instance is one.
 * Documents and groups are for columns. Embed it zeroed, which is the first, and clear it at the
 * end. */
typedef struct {
    enum { CAU_BY_SEQUENCE, CAU_BY_DOCUMENT, CAU_BY_COLUMN, CAU_BY_FILE } by;
    uint64_t column;      /* from 0; the label is one as well */
    bool begins;          /* the next sequence begins a document */
    bool marked;          /* there was a mark */
    uint32_t documents;   /* that have begun */
    uint32_t files;       /* that have begun */
    cau_alphabet *groups; /* by column */
} cau_cv_groups;

/* From its text, see cau_data_options. CAUCUS_ERR_ARGUMENT when it is none. */
caucus_status cau_cv_groups_init(caucus_ctx *ctx, const char *by, cau_cv_groups *units);
void cau_cv_groups_clear(cau_cv_groups *units);

/* A file begins. CAUCUS_ERR_ARGUMENT when it has no columns, and they are needed. */
caucus_status cau_cv_groups_file(caucus_ctx *ctx, cau_cv_groups *units, const cau_reader *reader);

/* A line that is not data. */
void cau_cv_groups_aside(cau_cv_groups *units, const cau_instance *aside);

/* The unit of the sequence that this is the first instance of: 0, 1, ... in the order of their
 * coming; of files the number of the path, so that an empty one leaves a gap. CAUCUS_ERR_FORMAT
 * when it does not have the column. */
caucus_status cau_cv_groups_first(caucus_ctx *ctx, cau_cv_groups *units, const cau_reader *reader,
                                  const cau_instance *first, uint32_t *unit);

const char *
cau_cv_groups_name(const cau_cv_groups *units); /* "sequence", "document", "group", "file" */

/* All files are read. CAUCUS_ERR_FORMAT when no document was marked; `where` is in the sentence. */
caucus_status cau_cv_groups_end(caucus_ctx *ctx, const cau_cv_groups *units, const char *where);

#endif
