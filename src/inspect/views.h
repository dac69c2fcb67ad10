/* views.h - the answers of `inspect`, each in a file of its own. The sheet is flushed by
 * the caller at the end. */

#ifndef CAU_INSPECT_VIEWS_H
#define CAU_INSPECT_VIEWS_H

#include "inspect/domain_view.h"
#include "inspect/inspect.h"
#include "inspect/pool_view.h"
#include "report/report.h"

/* What the default weights are called where features have names. */
#define CAU_DEFAULT_NAME "(default)"

/* What the model is made of, and the `top` strongest features of each class; with the domains of a
 * gated pool and the experts of any, unless these are NULL. */
caucus_status cau_summary(const caucus_model *model, const cau_domain_view *domains,
                          const cau_pool_view *experts, uint64_t top, bool json, cau_writer *sheet);

/* Counts and expectations of each (feature, class) over a file. */
caucus_status cau_expectations(const caucus_model *model, const cau_read_options *read,
                               const char *path, bool json, cau_writer *sheet);

/* What each feature of one line adds to the scores of the best classes; and for a gated pool, who
 * has how much say and what these say. */
caucus_status cau_explain(const caucus_model *model, const cau_read_options *read, const char *line,
                          bool json, cau_writer *sheet);
caucus_status cau_explain_gate(const caucus_model *model, const cau_read_options *read,
                               const char *line, bool json, cau_writer *sheet);

#endif
