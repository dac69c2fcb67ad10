/* metrics.h - counters of a server, as Prometheus reads them. */

#ifndef CAU_SERVE_METRICS_H
#define CAU_SERVE_METRICS_H

#include <stdatomic.h>

#include "base/strbuf.h"

enum { CAU_METRICS_ROUTES = 16, CAU_METRICS_BUCKETS = 14 };

/* Statuses that are counted one by one; all others are the last. */
#define CAU_METRICS_STATUSES 200, 204, 304, 400, 401, 403, 404, 405, 413, 415, 500, 503, 0
enum { CAU_METRICS_CODES = 13 };

/* Embed it zeroed. All threads may count. */
typedef struct {
    atomic_ullong requests[CAU_METRICS_ROUTES][CAU_METRICS_CODES];
    atomic_ullong bucket[CAU_METRICS_BUCKETS + 1]; /* requests by seconds, the last without limit */
    atomic_ullong microseconds;                    /* of all requests */
    atomic_ullong bytes_in, bytes_out;
    atomic_ullong batches, batched; /* and the requests in them */
    atomic_ullong sequences, tokens;
    atomic_ullong slow;           /* connections that were closed because they took too long */
    atomic_ullong loaded, failed; /* models that were loaded again, or could not be */
} cau_metrics;

void cau_metrics_count(cau_metrics *metrics, size_t route, unsigned status, double seconds,
                       size_t bytes_in, size_t bytes_out);

/* Adds the text; routes [CAU_METRICS_ROUTES] are their paths, NULL after the last. */
void cau_metrics_write(const cau_metrics *metrics, const char *const *routes, cau_strbuf *out);

/* Adds one number with its help. type is "gauge" or "counter". */
void cau_metrics_number(cau_strbuf *out, const char *name, const char *type, const char *help,
                        double value);

/* Memory of this process in bytes; 0 where the system does not tell. */
size_t cau_resident_bytes(void);

#endif
