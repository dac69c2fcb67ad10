/* tfidf.h - counts of words, weighed by the rarity of the words.
 *
 *     x(d, k) = idf(k) c(d, k) / sqrt(sum_j c(d, j)^2),    idf(k) = ln((1 + N) / (1 + N(k))) + 1
 *
 * c(d, k) is how often text d has word k (or another feature of text), N the number of training
 * texts and N(k) how many of them have k. The sum goes over all words of the text, also those that
 * training lacks. The reader divides by its root (text/read_text.c); the data is multiplied by
 * idf here, and the weights in a model file are (model/build.c), so that tagging needs no idf:
 *
 *     w(k) x(d, k) = w(k) idf(k)  c(d, k) / sqrt(sum_j c(d, j)^2) */

#ifndef CAU_DATASET_TFIDF_H
#define CAU_DATASET_TFIDF_H

#include "dataset/dataset.h"

/* The idf [K] of the rows of a training set, and the values of the sets multiplied by it. NULL, and
 * nothing changed, when memory is short. */
float *cau_tfidf_weigh(cau_dataset *train, cau_dataset *const *sets, size_t count);

#endif
