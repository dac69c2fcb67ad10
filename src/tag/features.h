/* features.h - the features that a template makes of a file, without training a model. */

#ifndef CAU_TAG_FEATURES_H
#define CAU_TAG_FEATURES_H

#include "dataset/dataset.h"

/* Writes one line for each instance: label TAB feature TAB feature ..., with names escaped and
 * values written as in CRFsuite's format, so that the output is data in that format. Features of
 * edges follow a field "|". Blank lines are kept; lines that are not data are left out. */
caucus_status cau_features_show(caucus_ctx *ctx, const cau_data_options *options, const char *path,
                                caucus_write_fn *write, void *user);

#endif
