/* http.c - see http.h.
 *
 *     thread of libmicrohttpd                     workers
 *     ───────────────────────                     ───────
 *     read headers and body ──▶ queue ──▶ batch ──▶ function of the route
 *     write the answer  ◀── resumed connection ◀──────┘
 *
 * A connection is suspended while its request waits or is worked on, so nothing of it changes
 * meanwhile. libmicrohttpd closes connections that are idle for too long, but a client may send a
 * byte now and then; cau_http_tick therefore shuts down every connection whose request or answer
 * takes longer than the limit. */

#include "serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/status.h"
#include "serve/answer.h"
#include "serve/metrics.h"
#include "serve/workers.h"

enum {
    TOKEN_MOST = 512,
    LISTEN_BACKLOG = 511,
    DISCARD_MOST = 10 << 20, /* a body that is refused is still read up to this size, so that the
                                client sees the answer */
    KEEP_BUFFER = 1 << 18,   /* larger buffers are freed after their request */
    CONNECTION_MEMORY = 32 << 10,
};

typedef struct connection connection;

/* How far a request is. */
typedef enum { FRESH, READING, WAITING, ANSWERED } progress;

/* A request; its connection keeps it and its buffers for the next one. */
typedef struct {
    cau_task job; /* first, so that a job is its request */
    cau_http_exchange x;
    struct MHD_Connection *mhd;
    connection *connection;
    const cau_http_route *route; /* NULL: a page, or refused */
    const cau_http_page *page;
    progress at;
    bool refused;           /* the answer is known; the body is discarded */
    atomic_bool begun_body; /* the headers have arrived; it counts in `busy` */
    double begun, submitted;
    size_t received;
    unsigned number; /* of the route in the metrics */
    cau_strbuf arguments, path;
    char method[8];
} http_request;

struct connection {
    connection *next, **link;
    int socket;
    _Atomic double deadline; /* of the client, INFINITY while we work */
    http_request request;
};

struct cau_http {
    const cau_http_options *options;
    struct MHD_Daemon *daemon;
    cau_workers *workers;
    cau_metrics metrics;
    char address[128];
    char token[TOKEN_MOST]; /* "" without */
    bool loopback;
    atomic_bool stopping;
    double started;
    atomic_size_t busy; /* requests that have begun and are not complete */

    pthread_mutex_t lock; /* of the list of connections, and of the log */
    connection *connections;
    FILE *log;
};

/* Routes that every server has, in the metrics before those of the options. */
enum { ROUTE_PAGES, ROUTE_OTHER, ROUTE_HEALTH, ROUTE_METRICS, ROUTE_FIRST };

/* ---- what routes use ------------------------------------------------------------------- */

void cau_http_fail(cau_http_exchange *x, unsigned status, const char *format, ...)
{
    char sentence[CAU_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    x->status = status;
    x->answer_type = NULL;
    x->answer.n = 0;
    cau_strbuf_printf(&x->answer, "{\"error\":");
    cau_json_add(&x->answer, sentence);
    cau_strbuf_printf(&x->answer, "}\n");
}

bool cau_http_next_argument(const char **at, cau_str *name, cau_str *value)
{
    const char *stop = strchr(*at, '\n');
    if (!stop) return false;
    const char *equals = memchr(*at, '=', (size_t)(stop - *at));
    *name = (cau_str){*at, (size_t)(equals - *at)};
    *value = (cau_str){equals + 1, (size_t)(stop - equals - 1)};
    *at = stop + 1;
    return true;
}

cau_str cau_http_argument(const cau_http_exchange *x, const char *name)
{
    cau_str key, value;
    for (const char *at = x->arguments; cau_http_next_argument(&at, &key, &value);)
        if (key.n == strlen(name) && memcmp(key.s, name, key.n) == 0) return value;
    return (cau_str){NULL, 0};
}

/* ---- access ---------------------------------------------------------------------------- */

/* Whether two texts are equal, in a time that does not depend on where they differ. */
static bool equal_in_constant_time(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    unsigned char differ = n != m;
    for (size_t i = 0; i < n; i++) differ |= (unsigned char)(a[i] ^ b[m ? i % m : 0]);
    return !differ;
}

static const char *header(const http_request *r, const char *name)
{
    const char *value = MHD_lookup_connection_value(r->mhd, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* The text after a prefix in any case, or "" if it has another one. */
static const char *after_prefix(const char *text, const char *prefix)
{
    while (*prefix && strncasecmp(text, prefix, 1) == 0) text++, prefix++;
    return *prefix ? "" : text;
}

/* Whether "localhost:8080" and the like name this machine. */
static bool is_local_name(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (strncasecmp(host, names[i], n) == 0 && (!host[n] || host[n] == ':')) return true;
    }
    return false;
}

/* Refuses a request without the token. Without a token at all, a page of another site that a
 * browser on this machine shows must not reach us: neither under another name of this address, nor
 * by a request to it. */
static void check_access(const cau_http *h, http_request *r)
{
    const char *host = header(r, "Host"), *origin = header(r, "Origin");
    if (*h->token) {
        const char *given = after_prefix(header(r, "Authorization"), "Bearer ");
        if (equal_in_constant_time(given, h->token)) return;
        cau_http_fail(&r->x, 401,
                      "this server needs a token; send it as `Authorization: Bearer "
                      "TOKEN`");
    } else if (!is_local_name(host)) {
        cau_http_fail(&r->x, 403,
                      "this server answers to localhost; start it with --token-file to use it "
                      "under another name");
    } else if (*origin && strcmp(after_prefix(origin, "http://"), host) != 0) {
        cau_http_fail(&r->x, 403, "requests from pages of other sites are refused");
    } else {
        return;
    }
    r->refused = true;
}

/* ---- routes of every server ------------------------------------------------------------ */

static void show_health(void *self, unsigned worker, cau_http_exchange *x)
{
    const cau_http *h = self;
    (void)worker;
    x->status = h->stopping ? 503 : 200;
    cau_strbuf_printf(&x->answer, "{\"status\":\"%s\",\"version\":\"%s\"}\n",
                      h->stopping ? "stopping" : "ok", caucus_version());
}

static void show_metrics(void *self, unsigned worker, cau_http_exchange *x)
{
    cau_http *h = self;
    const char *names[CAU_METRICS_ROUTES] = {"page", "other", "/healthz", "/metrics"};
    (void)worker;
    for (size_t i = 0; h->options->routes[i].method; i++)
        names[ROUTE_FIRST + i] = h->options->routes[i].path;
    cau_metrics_write(&h->metrics, names, &x->answer);
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    if (info)
        cau_metrics_number(&x->answer, "caucus_connections", "gauge", "Open connections.",
                           info->num_connections);
    cau_metrics_number(&x->answer, "caucus_queue_length", "gauge", "Requests that wait.",
                       (double)cau_workers_waiting(h->workers));
    cau_metrics_number(&x->answer, "caucus_uptime_seconds", "gauge", "Time since the start.",
                       cau_seconds() - h->started);
    if (h->options->add_metrics) h->options->add_metrics(h->options->self, &x->answer);
    x->answer_type = "text/plain; version=0.0.4; charset=utf-8";
}

static const cau_http_route standard_routes[] = {
    {.method = "GET", .path = "/healthz", .fn = show_health, .open = true, .quick = true},
    {.method = "GET", .path = "/metrics", .fn = show_metrics, .quick = true},
};
enum { STANDARD_ROUTES = sizeof standard_routes / sizeof *standard_routes };

/* Route number i: first the standard ones. NULL after the last. */
static const cau_http_route *route_at(const cau_http *h, size_t i)
{
    if (i < STANDARD_ROUTES) return &standard_routes[i];
    const cau_http_route *route = &h->options->routes[i - STANDARD_ROUTES];
    return route->method ? route : NULL;
}

static bool matches(const cau_http_route *route, const char *path)
{
    const size_t n = strlen(route->path);
    return route->path[n - 1] == '*' ? strncmp(route->path, path, n - 1) == 0
                                     : strcmp(route->path, path) == 0;
}

/* Finds the page or the route, or refuses the request. HEAD is GET without the body. */
static void find_route(const cau_http *h, http_request *r, const char *path)
{
    const char *method = strcmp(r->method, "HEAD") == 0 ? "GET" : r->method;
    const char *allowed = NULL;
    const cau_http_route *route;
    for (size_t i = 0; (route = route_at(h, i)); i++) {
        if (!matches(route, path)) continue;
        allowed = route->method;
        if (strcmp(allowed, method) != 0) continue;
        r->number = (unsigned)(ROUTE_HEALTH + i);
        r->route = route;
        return;
    }
    for (const cau_http_page *p = h->options->pages; p->path; p++) {
        if (strcmp(p->path, path) != 0) continue;
        allowed = "GET";
        if (strcmp(allowed, method) != 0) continue;
        r->number = ROUTE_PAGES;
        r->page = p;
        return;
    }
    r->number = ROUTE_OTHER;
    r->refused = true;
    if (allowed)
        cau_http_fail(&r->x, 405, "%s is not answered here; use %s", r->method, allowed);
    else
        cau_http_fail(&r->x, 404, "there is nothing at this address; see docs/serve.md");
}

/* ---- a request ------------------------------------------------------------------------- */

static void set_deadline(const cau_http *h, http_request *r)
{
    r->connection->deadline = cau_seconds() + h->options->max_time;
}

/* The first line of a request has arrived. Its return value is *own of handle(). */
static void *begin_request(void *self, const char *uri, struct MHD_Connection *mhd)
{
    cau_http *h = self;
    (void)uri;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    connection *c = info ? info->socket_context : NULL;
    if (!c) return NULL;
    http_request *r = &c->request;
    r->mhd = mhd;
    r->connection = c;
    r->at = FRESH;
    r->refused = r->begun_body = false;
    r->route = NULL;
    r->page = NULL;
    r->received = 0;
    r->x.body.n = r->x.answer.n = r->arguments.n = r->path.n = 0;
    r->x.status = 200;
    r->x.answer_type = NULL;
    r->x.sequences = r->x.tokens = 0;
    r->begun = cau_seconds();
    set_deadline(h, r);
    return r;
}

static enum MHD_Result add_argument(void *self, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    http_request *r = self;
    (void)kind;
    if (!value) value = "";
    if (strpbrk(name, "=\n") || strpbrk(value, "\r\n") || !*name) {
        if (!r->refused)
            cau_http_fail(&r->x, 400, "an argument of the address has a line end or no name");
        r->refused = true;
        return MHD_NO;
    }
    cau_strbuf_add(&r->arguments, name, strlen(name));
    cau_strbuf_add(&r->arguments, "=", 1);
    cau_strbuf_add(&r->arguments, value, strlen(value));
    cau_strbuf_add(&r->arguments, "\n", 1);
    return MHD_YES;
}

/* The headers have arrived. True to go on with the body. */
static bool begin_body(cau_http *h, http_request *r, const char *path, const char *method)
{
    atomic_fetch_add(&h->busy, 1);
    r->begun_body = true;
    r->at = READING;
    cau_strbuf_add(&r->path, path, strlen(path));
    snprintf(r->method, sizeof r->method, "%s", method);
    r->x.type = header(r, "Content-Type");
    r->x.accept = header(r, "Accept");
    find_route(h, r, path);
    if (!r->refused && r->route && !r->route->open) check_access(h, r);
    if (!r->refused) MHD_get_connection_values(r->mhd, MHD_GET_ARGUMENT_KIND, add_argument, r);
    r->x.arguments = r->arguments.n ? r->arguments.s : "";
    const size_t expected = strtoull(header(r, "Content-Length"), NULL, 10);
    if (!r->refused && expected > h->options->max_body) {
        cau_http_fail(&r->x, 413,
                      "the body has %zu bytes; send at most %zu, or start the server "
                      "with a larger --max-body",
                      expected, h->options->max_body);
        r->refused = true;
    }
    return !r->refused || expected <= DISCARD_MOST;
}

static bool add_body(const cau_http *h, http_request *r, const char *bytes, size_t n)
{
    r->received += n;
    if (r->refused) return r->received <= DISCARD_MOST;
    if (r->received > h->options->max_body) {
        cau_http_fail(&r->x, 413,
                      "the body has more than %zu bytes; send less, or start the "
                      "server with a larger --max-body",
                      h->options->max_body);
        return r->refused = true;
    }
    cau_strbuf_add(&r->x.body, bytes, n);
    return !r->x.body.failed;
}

static enum MHD_Result send_answer(cau_http *h, http_request *r)
{
    const bool page = r->page && !r->refused;
    if (r->x.answer.failed) { /* there is no memory for the text either */
        cau_strbuf_clear(&r->x.answer);
        r->x.status = 503;
    }
    void *bytes = page ? (void *)(uintptr_t)r->page->bytes : r->x.answer.s;
    const size_t length = page ? r->page->length : r->x.answer.n;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, bytes, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type",
                            page               ? r->page->type
                            : r->x.answer_type ? r->x.answer_type
                                               : "application/json");
    if (r->method[0] != 'P') MHD_add_response_header(response, "Cache-Control", "no-store");
    if (page) {
        MHD_add_response_header(response, "Content-Security-Policy",
                                "default-src 'self'; frame-ancestors 'none'");
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
        MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    }
    if (r->x.status == 401) MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (r->x.status == 503) MHD_add_response_header(response, "Retry-After", "1");
    if (h->stopping) MHD_add_response_header(response, "Connection", "close");
    set_deadline(h, r);
    const enum MHD_Result result = MHD_queue_response(r->mhd, r->x.status, response);
    MHD_destroy_response(response);
    return result;
}

/* The request is complete. */
static enum MHD_Result answer(cau_http *h, http_request *r)
{
    if (r->refused || r->page) return send_answer(h, r);
    if (!r->x.body.s && !cau_strbuf_reserve(&r->x.body, 1)) return MHD_NO;
    r->x.body.s[r->x.body.n] = '\0';
    if (r->route->quick) {
        r->route->fn(r->route->self ? r->route->self : h, 0, &r->x);
        return send_answer(h, r);
    }
    r->at = WAITING;
    r->job.cost = r->x.body.n;
    r->submitted = cau_seconds();
    r->connection->deadline = INFINITY;
    MHD_suspend_connection(r->mhd);
    if (cau_workers_add(h->workers, &r->job)) return MHD_YES;
    r->at = ANSWERED;
    cau_http_fail(&r->x, 503, "%zu requests are waiting; try again later", h->options->max_queue);
    MHD_resume_connection(r->mhd);
    return MHD_YES;
}

static enum MHD_Result handle(void *self, struct MHD_Connection *mhd, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **own)
{
    cau_http *h = self;
    http_request *r = *own;
    (void)mhd;
    (void)version;
    if (!r) return MHD_NO;
    if (r->at == FRESH) return begin_body(h, r, path, method) ? MHD_YES : send_answer(h, r);
    if (*upload_size) {
        const size_t n = *upload_size;
        *upload_size = 0;
        return add_body(h, r, upload, n) ? MHD_YES : MHD_NO;
    }
    return r->at == READING ? answer(h, r) : send_answer(h, r);
}

/* ---- workers --------------------------------------------------------------------------- */

static void run_batch(void *self, unsigned worker, cau_task *jobs)
{
    cau_http *h = self;
    atomic_fetch_add(&h->metrics.batches, 1);
    for (cau_task *job = jobs; job; job = job->next) {
        http_request *r = (http_request *)job;
        atomic_fetch_add(&h->metrics.batched, 1);
        if (cau_seconds() - r->submitted > h->options->max_time) {
            cau_http_fail(&r->x, 503, "the request waited for %g seconds; try again later",
                          h->options->max_time);
        } else {
            r->route->fn(r->route->self, worker, &r->x);
            atomic_fetch_add(&h->metrics.sequences, r->x.sequences);
            atomic_fetch_add(&h->metrics.tokens, r->x.tokens);
        }
    }
    for (cau_task *job = jobs, *next; job; job = next) {
        http_request *r = (http_request *)job;
        next = job->next; /* once it is resumed, the request belongs to the other thread */
        r->at = ANSWERED;
        MHD_resume_connection(r->mhd);
    }
    if (h->options->after_batch) h->options->after_batch(h->options->self, worker);
}

/* ---- connections and the log ----------------------------------------------------------- */

static void notice_connection(void *self, struct MHD_Connection *mhd, void **context,
                              enum MHD_ConnectionNotificationCode code)
{
    cau_http *h = self;
    connection *c = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        c = cau_calloc(1, sizeof *c);
        *context = c;
        if (!c) return; /* its requests are refused */
        c->socket = info->connect_fd;
        c->deadline = cau_seconds() + h->options->max_time;
        pthread_mutex_lock(&h->lock);
        c->next = h->connections;
        c->link = &h->connections;
        if (c->next) c->next->link = &c->next;
        h->connections = c;
        pthread_mutex_unlock(&h->lock);
    } else if (c) {
        pthread_mutex_lock(&h->lock);
        *c->link = c->next;
        if (c->next) c->next->link = c->link;
        pthread_mutex_unlock(&h->lock);
        cau_strbuf_clear(&c->request.x.body);
        cau_strbuf_clear(&c->request.x.answer);
        cau_strbuf_clear(&c->request.arguments);
        cau_strbuf_clear(&c->request.path);
        free(c);
        *context = NULL;
    }
}

/* The length of the body of the answer. */
static size_t sent_length(const http_request *r)
{
    return r->page && !r->refused ? r->page->length : r->x.answer.n;
}

static void write_log(cau_http *h, const http_request *r, bool complete, double seconds)
{
    cau_strbuf line = {0};
    char address[INET6_ADDRSTRLEN] = "", when[32] = "";
    struct timespec now;
    struct tm utc;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *peer = info ? info->client_addr : NULL;
    if (peer && peer->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)peer)->sin_addr, address,
                  sizeof address);
    else if (peer && peer->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr, address,
                  sizeof address);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    cau_strbuf_printf(&line, "{\"time\":\"%s.%03dZ\",\"remote\":\"%s\",\"method\":", when,
                      (int)(now.tv_nsec / 1000000), address);
    cau_json_add(&line, r->method);
    cau_strbuf_printf(&line, ",\"path\":");
    cau_json_add(&line, r->path.n ? r->path.s : "");
    cau_strbuf_printf(&line, ",\"status\":%u,\"complete\":%s,\"received\":%zu,\"sent\":%zu",
                      r->x.status, complete ? "true" : "false", r->received, sent_length(r));
    cau_strbuf_printf(&line, ",\"sequences\":%zu,\"tokens\":%zu,\"ms\":", r->x.sequences,
                      r->x.tokens);
    cau_strbuf_fixed(&line, 1e3 * seconds, 3);
    cau_strbuf_printf(&line, "}\n");
    pthread_mutex_lock(&h->lock);
    if (!line.failed && h->log) fwrite(line.s, 1, line.n, h->log);
    pthread_mutex_unlock(&h->lock);
    cau_strbuf_clear(&line);
}

/* Frees the memory of an unusually large request. */
static void shrink(cau_strbuf *text)
{
    if (text->capacity > KEEP_BUFFER) cau_strbuf_clear(text);
}

static void end_request(void *self, struct MHD_Connection *mhd, void **own,
                        enum MHD_RequestTerminationCode code)
{
    cau_http *h = self;
    http_request *r = *own;
    (void)mhd;
    if (!r || !r->begun_body) return;
    const double seconds = cau_seconds() - r->begun;
    const bool complete = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    cau_metrics_count(&h->metrics, r->number, r->x.status, seconds, r->received, sent_length(r));
    if (h->options->access_log) write_log(h, r, complete, seconds);
    shrink(&r->x.body);
    shrink(&r->x.answer);
    r->begun_body = false;
    set_deadline(h, r);
    atomic_fetch_sub(&h->busy, 1);
}

void cau_http_tick(cau_http *h)
{
    const double now = cau_seconds();
    pthread_mutex_lock(&h->lock);
    for (connection *c = h->connections; c; c = c->next)
        if (now > c->deadline) {
            shutdown(c->socket, SHUT_RDWR); /* libmicrohttpd sees it, and closes it */
            c->deadline = INFINITY;
            if (c->request.begun_body) atomic_fetch_add(&h->metrics.slow, 1);
        }
    if (h->log) fflush(h->log);
    pthread_mutex_unlock(&h->lock);
}

caucus_status cau_http_reopen_log(caucus_ctx *ctx, cau_http *h)
{
    const char *path = h->options->access_log;
    if (!path) return CAUCUS_OK;
    if (strcmp(path, "-") == 0) {
        h->log = stdout;
        return CAUCUS_OK;
    }
    FILE *log = fopen(path, "ae");
    if (!log)
        return cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; give another file for --access-log", path,
                        strerror(errno));
    pthread_mutex_lock(&h->lock);
    FILE *old = h->log;
    h->log = log;
    pthread_mutex_unlock(&h->lock);
    if (old) fclose(old);
    return CAUCUS_OK;
}

void cau_http_count_reloads(cau_http *h, size_t loaded, size_t failed)
{
    atomic_fetch_add(&h->metrics.loaded, loaded);
    atomic_fetch_add(&h->metrics.failed, failed);
}

/* ---- start and end --------------------------------------------------------------------- */

static caucus_status read_token(caucus_ctx *ctx, const char *path, char *token)
{
    caucus_status st = CAUCUS_OK;
    cau_input *in = NULL;
    size_t n = 0, got = 1;
    TRY(cau_input_open(ctx, path, &in));
    while (got && n < TOKEN_MOST - 1) {
        TRY(cau_input_read(ctx, in, token + n, TOKEN_MOST - 1 - n, &got));
        n += got;
    }
    token[n] = '\0';
    token[strcspn(token, "\r\n")] = '\0';
    if (strlen(token) < 16 || token[strcspn(token, " \t")])
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: its first line is no token; write at least 16 characters without "
                     "blanks, for example those of `openssl rand -hex 24`",
                     path));
done:
    cau_input_free(in);
    return st;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *a = (const struct sockaddr_in *)(const void *)address;
        return ntohl(a->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *a = (const struct sockaddr_in6 *)(const void *)address;
    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->sin6_addr);
}

/* Opens the listening socket, and writes the address of the server. */
static caucus_status open_socket(caucus_ctx *ctx, cau_http *h, int *out)
{
    caucus_status st = CAUCUS_OK;
    const char *host = h->options->host ? h->options->host : "127.0.0.1";
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    char port[8], name[NI_MAXHOST];
    const int yes = 1;
    int file = -1;
    snprintf(port, sizeof port, "%u", h->options->port);
    const int error = getaddrinfo(host, port, &hints, &found);
    if (error) TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--host %s: %s", host, gai_strerror(error)));
    h->loopback = is_loopback(found->ai_addr);
    if (!h->loopback && !*h->token)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--host %s can be reached from other machines; add --token-file FILE", host));
    file = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file >= 0) setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (file < 0 || bind(file, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(file, LISTEN_BACKLOG) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s:%s: %s; choose another --port or --host", host, port,
                     strerror(errno)));
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    getsockname(file, (struct sockaddr *)&bound, &size);
    getnameinfo((struct sockaddr *)&bound, size, name, sizeof name, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(h->address, sizeof h->address, strchr(name, ':') ? "http://[%s]:%s" : "http://%s:%s",
             name, port);
    *out = file;
    file = -1;
done:
    if (file >= 0) close(file);
    if (found) freeaddrinfo(found);
    return st;
}

/* Messages of libmicrohttpd are about single clients; the log and the metrics show those. */
__attribute__((format(printf, 2, 0))) static void ignore_message(void *self, const char *format,
                                                                 va_list arguments)
{
    (void)self;
    (void)format;
    (void)arguments;
}

caucus_status cau_http_start(caucus_ctx *ctx, const cau_http_options *options, cau_http **out)
{
    caucus_status st = CAUCUS_OK;
    int listening = -1;
    cau_http *h = cau_calloc(1, sizeof *h);
    if (!h) return cau_fail_memory(ctx, "the server");
    pthread_mutex_init(&h->lock, NULL);
    h->options = options;
    h->started = cau_seconds();
    if (options->token_file) TRY(read_token(ctx, options->token_file, h->token));
    TRY(open_socket(ctx, h, &listening));
    TRY(cau_http_reopen_log(ctx, h));
    TRY(cau_workers_new(ctx, options->threads, options->max_queue, run_batch, h, &h->workers));
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        handle, h, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL, MHD_OPTION_LISTEN_SOCKET,
        listening, MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->max_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)options->max_time + 1,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_URI_LOG_CALLBACK,
        begin_request, h, MHD_OPTION_NOTIFY_COMPLETED, end_request, h, MHD_OPTION_NOTIFY_CONNECTION,
        notice_connection, h, MHD_OPTION_END);
    if (!h->daemon) {
        close(listening);
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "the server cannot start: %s; allow more open files",
                     strerror(errno)));
    }
    *out = h;
    h = NULL;
done:
    cau_http_free(h);
    return st;
}

const char *cau_http_address(const cau_http *h)
{
    return h->address;
}

void cau_http_quiesce(cau_http *h)
{
    h->stopping = true;
    const MHD_socket listening = MHD_quiesce_daemon(h->daemon);
    if (listening != MHD_INVALID_SOCKET) close(listening);
}

bool cau_http_is_idle(const cau_http *h)
{
    return atomic_load(&h->busy) == 0;
}

void cau_http_free(cau_http *h)
{
    if (!h) return;
    cau_workers_free(h->workers);
    if (h->daemon) MHD_stop_daemon(h->daemon);
    if (h->log && h->log != stdout) fclose(h->log);
    if (h->log == stdout) fflush(stdout);
    pthread_mutex_destroy(&h->lock);
    free(h);
}
