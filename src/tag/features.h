/* features.h - what a template makes of a file, before anything is trained. */

#ifndef CAU_TAG_FEATURES_H
#define CAU_TAG_FEATURES_H

#include "dataset/dataset.h"

/* One line for each instance: label TAB feature TAB feature ..., names escaped and values added as
 * CRFsuite has them, so that the output is data of that format. Observations on edges follow
 * behind a field "|". Blank lines stay; lines that are not data are left out. */
caucus_status cau_features_show(caucus_ctx *ctx, const cau_data_options *options, const char *path,
                                caucus_write_fn *write, void *user);

#endif
