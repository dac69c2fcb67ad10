/* instance_weights.c - see instance_weights.h. */

#include "train/instance_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* Weight of each class: "balanced" is N / (Y * its count), so that classes weigh the same. */
static caucus_status class_weights(caucus_ctx *ctx, const caucus_data *data, const char *text,
                                   double *out)
{
    const cau_dataset *set = &data->train;
    for (size_t y = 0; y < set->Y; y++) out[y] = 1;
    if (strcmp(text, "balanced") == 0) {
        size_t *count = cau_calloc(set->Y, sizeof *count);
        if (!count) return cau_fail_memory(ctx, "class weights");
        for (size_t i = 0; i < set->N; i++) count[set->gold[i]]++;
        for (size_t y = 0; y < set->Y; y++)
            if (count[y]) out[y] = (double)set->N / ((double)set->Y * (double)count[y]);
        free(count);
        return CAUCUS_OK;
    }
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ",");
        const char *sign = memrchr(at, '=', length);
        double value;
        if (!sign || !cau_parse_real(sign + 1, length - (size_t)(sign + 1 - at), &value) ||
            !isfinite(value) || value < 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--class-weight '%.*s': not label=weight; write label=2,label=0.5 or "
                            "balanced",
                            (int)length, at);
        uint32_t y = cau_alphabet_find(data->labels, at, (size_t)(sign - at));
        if (y == CAU_UNKNOWN)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--class-weight: no class '%.*s' in the training data; check the name",
                            (int)(sign - at), at);
        out[y] = value;
        at += length;
        if (*at == ',') at++;
    }
    return CAUCUS_OK;
}

caucus_status cau_instance_weights(caucus_ctx *ctx, const caucus_data *data,
                                   const char *class_weight, float **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->train;
    double *by_class = NULL;
    float *of = NULL;
    *out = NULL;
    if (!class_weight && !set->weight) return CAUCUS_OK;
    by_class = cau_alloc(set->Y, sizeof *by_class);
    of = cau_alloc(set->N, sizeof *of);
    if (!by_class || !of) TRY(cau_fail_memory(ctx, "instance weights"));
    for (size_t y = 0; y < set->Y; y++) by_class[y] = 1;
    if (class_weight) TRY(class_weights(ctx, data, class_weight, by_class));
    for (size_t i = 0; i < set->N; i++) {
        const double weight = set->weight ? (double)set->weight[i] : 1.0;
        of[i] = (float)(class_weight ? by_class[set->gold[i]] * weight : weight);
    }
    *out = of;
    of = NULL;
done:
    free(by_class);
    free(of);
    return st;
}
