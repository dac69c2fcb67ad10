/* findings.h - what is probably wrong with surveyed data. */

#ifndef CAU_DOCTOR_FINDINGS_H
#define CAU_DOCTOR_FINDINGS_H

#include "doctor/survey.h"
#include "report/report.h"

/* Adds the findings about a file to the open array of a tree, as records of
 *
 *     finding   "two-labellings", ...
 *     file      and
 *     count     how often
 *     lines     the first of them, or pairs of them
 *     text      a sentence without its place, with the remedy
 *
 * `other` is the training data if the file is test data, else NULL. */
void cau_findings_add(cau_tree *tree, const cau_survey *survey, const cau_survey *other,
                      uint64_t rare);

#endif
