/* metrics.c - see metrics.h. */

#include "serve/metrics.h"

#include <stdio.h>
#include <unistd.h>

static const unsigned codes[CAU_METRICS_CODES] = {CAU_METRICS_STATUSES};
static const double limits[CAU_METRICS_BUCKETS] = {.0001, .00025, .0005, .001, .0025, .005, .01,
                                                   .025,  .05,    .1,    .25,  1,     5,    30};

void cau_metrics_count(cau_metrics *m, size_t route, unsigned status, double seconds,
                       size_t bytes_in, size_t bytes_out)
{
    size_t c = 0, b = 0;
    while (c + 1 < CAU_METRICS_CODES && codes[c] != status) c++;
    while (b < CAU_METRICS_BUCKETS && seconds > limits[b]) b++;
    atomic_fetch_add(&m->requests[route][c], 1);
    atomic_fetch_add(&m->bucket[b], 1);
    atomic_fetch_add(&m->microseconds, (unsigned long long)(seconds * 1e6));
    atomic_fetch_add(&m->bytes_in, bytes_in);
    atomic_fetch_add(&m->bytes_out, bytes_out);
}

static void head(cau_strbuf *out, const char *name, const char *type, const char *help)
{
    cau_strbuf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void cau_metrics_number(cau_strbuf *out, const char *name, const char *type, const char *help,
                        double value)
{
    head(out, name, type, help);
    cau_strbuf_printf(out, "%s ", name);
    cau_strbuf_general(out, value, 15);
    cau_strbuf_printf(out, "\n");
}

static void count(cau_strbuf *out, const char *name, const char *help, const atomic_ullong *value)
{
    cau_metrics_number(out, name, "counter", help, (double)atomic_load(value));
}

void cau_metrics_write(const cau_metrics *m, const char *const *routes, cau_strbuf *out)
{
    head(out, "caucus_requests_total", "counter", "Requests by path and status.");
    for (size_t r = 0; r < CAU_METRICS_ROUTES && routes[r]; r++)
        for (size_t c = 0; c < CAU_METRICS_CODES; c++) {
            const unsigned long long n = atomic_load(&m->requests[r][c]);
            if (n)
                cau_strbuf_printf(out, "caucus_requests_total{path=\"%s\",code=\"%u\"} %llu\n",
                                  routes[r], codes[c], n);
        }
    head(out, "caucus_request_seconds", "histogram",
         "Time from the first byte of the headers that was handled to the end of the answer.");
    unsigned long long sum = 0;
    for (size_t b = 0; b <= CAU_METRICS_BUCKETS; b++) {
        sum += atomic_load(&m->bucket[b]);
        cau_strbuf_printf(out, "caucus_request_seconds_bucket{le=\"");
        if (b < CAU_METRICS_BUCKETS)
            cau_strbuf_general(out, limits[b], 6);
        else
            cau_strbuf_printf(out, "+Inf");
        cau_strbuf_printf(out, "\"} %llu\n", sum);
    }
    cau_strbuf_printf(out, "caucus_request_seconds_sum ");
    cau_strbuf_general(out, 1e-6 * (double)atomic_load(&m->microseconds), 15);
    cau_strbuf_printf(out, "\ncaucus_request_seconds_count %llu\n", sum);
    count(out, "caucus_received_bytes_total", "Bytes in the bodies of requests.", &m->bytes_in);
    count(out, "caucus_sent_bytes_total", "Bytes in the bodies of answers.", &m->bytes_out);
    count(out, "caucus_batches_total", "Batches of requests that were tagged together.",
          &m->batches);
    count(out, "caucus_batched_requests_total", "Requests in these batches.", &m->batched);
    count(out, "caucus_sequences_total", "Sequences that were tagged.", &m->sequences);
    count(out, "caucus_tokens_total", "Tokens that were tagged.", &m->tokens);
    count(out, "caucus_slow_connections_total",
          "Connections that were closed because the client was too slow.", &m->slow);
    count(out, "caucus_reloads_total", "Models that were loaded again.", &m->loaded);
    count(out, "caucus_reload_failures_total", "Models that could not be loaded again.",
          &m->failed);
    const size_t memory = cau_resident_bytes();
    if (memory)
        cau_metrics_number(out, "process_resident_memory_bytes", "gauge", "Memory of this process.",
                           (double)memory);
}

size_t cau_resident_bytes(void)
{
    unsigned long long total, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    if (fscanf(file, "%llu %llu", &total, &resident) != 2) resident = 0;
    fclose(file);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}
