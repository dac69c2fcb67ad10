/* http.h - a small HTTP server: routes, limits, access, log and metrics. Only http.c knows
 * libmicrohttpd; everything else of the server sees requests and routes.
 *
 * One thread reads requests and writes answers. The functions of routes run in workers (workers.h),
 * except those of `quick` routes. */

#ifndef CAU_SERVE_HTTP_H
#define CAU_SERVE_HTTP_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "caucus.h"

/* A request as the function of its route sees it. */
typedef struct {
    cau_strbuf body;  /* .s ends with NUL, and is never NULL; it may be changed */
    const char *type; /* the media type of the body, "" without one */
    const char *accept;
    const char *arguments; /* "name=value\n" for each argument of the address, decoded */

    unsigned status;         /* 200 unless set */
    const char *answer_type; /* static; JSON unless set */
    cau_strbuf answer;
    size_t sequences, tokens; /* for the log */
} cau_http_exchange;

typedef void cau_http_fn(void *self, unsigned worker, cau_http_exchange *x);

/* Sets a status and {"error": sentence} as the answer. */
__attribute__((format(printf, 3, 4))) void cau_http_fail(cau_http_exchange *x, unsigned status,
                                                         const char *format, ...);

/* The next "name=value\n" of *at, which is moved; false at the end. */
bool cau_http_next_argument(const char **at, cau_str *name, cau_str *value);

/* The value of an argument; {NULL, 0} without it. */
cau_str cau_http_argument(const cau_http_exchange *x, const char *name);

/* One address. A path that ends with "*" takes every path that begins so. */
typedef struct {
    const char *method, *path; /* method NULL: the end of the table */
    cau_http_fn *fn;
    void *self;
    bool open;  /* no token is needed */
    bool quick; /* it never waits and takes microseconds: it runs in the thread of the server */
} cau_http_route;

/* A file that is part of the program (pages.h). */
typedef struct {
    const char *path, *type;
    const unsigned char *bytes;
    size_t length;
} cau_http_page;

typedef struct {
    const char *host;                    /* NULL: 127.0.0.1 */
    unsigned port;                       /* 0: any free one */
    const char *token_file, *access_log; /* or NULL */
    size_t max_body, max_connections, max_queue;
    double max_time;
    unsigned threads;             /* workers */
    const cau_http_route *routes; /* [] */
    const cau_http_page *pages;   /* [] path NULL after the last */
    /* Called by a worker after each batch, and by /metrics to add numbers; may be NULL. */
    void (*after_batch)(void *self, unsigned worker);
    void (*add_metrics)(void *self, cau_strbuf *out);
    void *self;
} cau_http_options;

typedef struct cau_http cau_http;

/* Listens and serves from now on, with /healthz and /metrics beside the routes and pages. Borrows
 * the options. CAUCUS_ERR_UNSUPPORTED in a program that was built without libmicrohttpd. */
caucus_status cau_http_start(caucus_ctx *ctx, const cau_http_options *options, cau_http **out);

/* "http://127.0.0.1:8080"; it belongs to the server. */
const char *cau_http_address(const cau_http *http);

/* To be called a few times each second: closes slow connections and writes the log. */
void cau_http_tick(cau_http *http);

/* Opens the access log again, and counts models for /metrics. */
caucus_status cau_http_reopen_log(caucus_ctx *ctx, cau_http *http);
void cau_http_count_reloads(cau_http *http, size_t loaded, size_t failed);

/* No new connections from now on. False while requests are being answered. */
void cau_http_quiesce(cau_http *http);
bool cau_http_is_idle(const cau_http *http);

/* Answers what waits, ends all threads and connections, and frees the server. */
void cau_http_free(cau_http *http);

#endif
