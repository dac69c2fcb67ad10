/* serve.c - joins the models, the routes and the HTTP server, and waits for signals.
 *
 *     POST /v1/tag       labels of sequences            GET /           the page
 *     POST /v1/explain   why a sequence got its labels  GET /healthz    is it running
 *     GET  /v1/models    what is served                 GET /metrics    numbers for Prometheus
 */

#include "serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "serve/answer.h"
#include "serve/http.h"
#include "serve/pages.h"

enum { TICK_MILLISECONDS = 250 };

typedef struct {
    cau_store *store;
    cau_answerer **answerers; /* [threads] */
    unsigned threads;
} application;

/* ---- routes ---------------------------------------------------------------------------- */

static unsigned http_status(caucus_status st)
{
    if (st == CAUCUS_ERR_MEMORY) return 503;
    return st == CAUCUS_ERR_IO || st == CAUCUS_ERR_STOPPED ? 500 : 400;
}

static bool is_type(const char *header, const char *type)
{
    const size_t n = strlen(type);
    return strncasecmp(header, type, n) == 0 && (!header[n] || strchr("; \t", header[n]));
}

static bool read_notation(cau_http_exchange *x, cau_body_notation *out)
{
    if (is_type(x->type, "application/json"))
        *out = CAU_BODY_JSON;
    else if (is_type(x->type, "text/plain"))
        *out = CAU_BODY_LINES;
    else if (is_type(x->type, "text/tab-separated-values"))
        *out = CAU_BODY_COLUMNS;
    else
        cau_http_fail(x, 415,
                      "the Content-Type is %s; send application/json, text/plain (a "
                      "sentence on each line) or text/tab-separated-values (columns)",
                      *x->type ? x->type : "missing");
    return x->status == 200;
}

/* Finds the model of a request, and refuses options of "tag" that are not for requests. Release
 * question->served. */
static bool read_arguments(const application *app, cau_http_exchange *x, cau_tag_query *question,
                           bool (*takes)(const char *option), cau_strbuf *options)
{
    char name[256] = "";
    cau_str key, value;
    for (const char *at = x->arguments; cau_http_next_argument(&at, &key, &value);) {
        char option[32];
        snprintf(option, sizeof option, "%.*s", (int)(key.n < 31 ? key.n : 31), key.s);
        if (strcmp(option, "model") == 0) {
            snprintf(name, sizeof name, "%.*s", (int)(value.n < 255 ? value.n : 255), value.s);
        } else if (!takes(option)) {
            cau_http_fail(x, 400, "there is no argument %.*s; see docs/serve.md", CAU_SHOWN(key));
            return false;
        } else {
            cau_strbuf_add(options, key.s, key.n);
            cau_strbuf_add(options, "=", 1);
            cau_strbuf_add(options, value.s, value.n);
            cau_strbuf_add(options, "\n", 1);
        }
    }
    cau_strbuf_reserve(options, 1);
    if (options->failed) {
        cau_http_fail(x, 503, "out of memory; try again later");
        return false;
    }
    question->options = options->s;
    options->s[options->n] = '\0';
    question->served = cau_store_find(app->store, name);
    if (!question->served)
        cau_http_fail(x, 404, "there is no model %s; GET /v1/models lists them", name);
    return question->served;
}

static void answer_tag(void *self, unsigned worker, cau_http_exchange *x)
{
    application *app = self;
    cau_answerer *answerer = app->answerers[worker];
    cau_strbuf options = {0};
    cau_tag_query q = {.bytes = x->body.s, .length = x->body.n};
    q.as_text = is_type(x->accept, "text/plain") || is_type(x->accept, "text/tab-separated-values");
    if (read_notation(x, &q.notation) && read_arguments(app, x, &q, cau_answer_takes, &options)) {
        const caucus_status st =
            cau_answer_tag(answerer, &q, &x->answer, &x->sequences, &x->tokens);
        if (st) cau_http_fail(x, http_status(st), "%s", cau_answerer_message(answerer));
        if (!st && q.as_text) x->answer_type = "text/plain; charset=utf-8";
    }
    cau_store_release(q.served);
    cau_strbuf_clear(&options);
}

static bool explain_takes(const char *option)
{
    return strcmp(option, "against") == 0;
}

static void answer_explain(void *self, unsigned worker, cau_http_exchange *x)
{
    application *app = self;
    cau_answerer *answerer = app->answerers[worker];
    cau_strbuf options = {0};
    cau_tag_query q = {.bytes = x->body.s, .length = x->body.n};
    if (read_notation(x, &q.notation) && read_arguments(app, x, &q, explain_takes, &options)) {
        const caucus_status st = cau_answer_explain(answerer, &q, &x->answer);
        if (st) cau_http_fail(x, http_status(st), "%s", cau_answerer_message(answerer));
    }
    cau_store_release(q.served);
    cau_strbuf_clear(&options);
}

static void list_models(void *self, unsigned worker, cau_http_exchange *x)
{
    const application *app = self;
    cau_served *served;
    (void)worker;
    cau_strbuf_printf(&x->answer, "{\"models\":[");
    for (size_t i = 0; (served = cau_store_at(app->store, i)); i++) {
        if (i) cau_strbuf_add(&x->answer, ",", 1);
        cau_answer_model(served, &x->answer);
        cau_store_release(served);
    }
    cau_strbuf_printf(&x->answer, "]}\n");
}

static void add_metrics(void *self, cau_strbuf *out)
{
    const application *app = self;
    cau_served *served;
    cau_strbuf_printf(out, "# HELP caucus_model_version The version of each model.\n"
                           "# TYPE caucus_model_version gauge\n");
    for (size_t i = 0; (served = cau_store_at(app->store, i)); i++) {
        cau_strbuf_printf(out, "caucus_model_version{model=");
        cau_json_add(out, served->name);
        cau_strbuf_printf(out, "} %ju\n", (uintmax_t)served->version);
        cau_store_release(served);
    }
}

static void after_batch(void *self, unsigned worker)
{
    const application *app = self;
    cau_answerer_forget(app->answerers[worker]);
}

/* ---- options --------------------------------------------------------------------------- */

static size_t get_count(const caucus_options *options, const char *name)
{
    uint64_t n = 0;
    const char *text = caucus_options_get(options, name);
    cau_parse_count(text, strlen(text), &n);
    return (size_t)n;
}

static double get_real(const caucus_options *options, const char *name)
{
    double x = 0;
    const char *text = caucus_options_get(options, name);
    cau_parse_real(text, strlen(text), &x);
    return x;
}

static cau_http_options read_options(caucus_ctx *ctx, const caucus_options *options)
{
    const size_t threads = get_count(options, "threads");
    return (cau_http_options){
        .host = caucus_options_get(options, "host"),
        .port = (unsigned)get_count(options, "port"),
        .token_file = caucus_options_get(options, "token-file"),
        .access_log = caucus_options_get(options, "access-log"),
        .max_body = get_count(options, "max-body"),
        .max_connections = get_count(options, "max-connections"),
        .max_queue = get_count(options, "max-queue"),
        .max_time = get_real(options, "max-time"),
        .threads = threads ? (unsigned)threads : cau_threads(ctx),
    };
}

/* ---- running --------------------------------------------------------------------------- */

/* Blocks the signals that the server waits for, in this thread and those that it starts. */
static sigset_t block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return set;
}

/* The next signal, or 0 after a moment. */
static int wait_signal(const sigset_t *set)
{
    const struct timespec moment = {0, TICK_MILLISECONDS * 1000000L};
    const int number = sigtimedwait(set, NULL, &moment);
    return number > 0 ? number : 0;
}

static void reload(caucus_ctx *ctx, application *app, cau_http *http, bool all)
{
    size_t loaded, failed;
    cau_store_reload(ctx, app->store, all, &loaded, &failed);
    cau_http_count_reloads(http, loaded, failed);
    if (all && cau_http_reopen_log(ctx, http)) cau_note(ctx, "%s", caucus_message(ctx));
}

/* Serves until a signal asks to stop, and then until all requests are answered, or too slow, or the
 * signal comes again. */
static void serve_until_stopped(caucus_ctx *ctx, application *app, cau_http *http,
                                const sigset_t *signals, double max_time)
{
    for (int number; (number = wait_signal(signals)) == 0 || number == SIGHUP;) {
        reload(ctx, app, http, number == SIGHUP);
        cau_http_tick(http);
    }
    cau_note(ctx, "stopping: answering the last requests");
    cau_http_quiesce(http);
    const double end = cau_seconds() + max_time;
    while (!cau_http_is_idle(http) && cau_seconds() < end && wait_signal(signals) == 0)
        cau_http_tick(http);
}

caucus_status cau_serve(caucus_ctx *ctx, const caucus_options *options)
{
    caucus_status st = CAUCUS_OK;
    cau_http *http = NULL;
    cau_http_options how = read_options(ctx, options);
    application app = {.threads = how.threads};
    const char *paths[64];
    size_t count = 0;
    for (const char *path; (path = caucus_options_get_at(options, "model", count)); count++) {
        if (count == 64) TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--model: more than 64 models"));
        paths[count] = path;
    }
    const cau_http_route routes[] = {
        {.method = "POST", .path = "/v1/tag", .fn = answer_tag, .self = &app},
        {.method = "POST", .path = "/v1/explain", .fn = answer_explain, .self = &app},
        {.method = "GET", .path = "/v1/models", .fn = list_models, .self = &app, .quick = true},
        {0},
    };
    how.routes = routes;
    how.pages = cau_pages;
    how.self = &app;
    how.after_batch = after_batch;
    how.add_metrics = add_metrics;

    const sigset_t signals = block_signals();
    TRY(cau_store_new(ctx, paths, count, &app.store));
    app.answerers = cau_calloc(app.threads, sizeof *app.answerers);
    if (!app.answerers) TRY(cau_fail_memory(ctx, "the workers"));
    for (unsigned i = 0; i < app.threads; i++)
        if (cau_answerer_new(&app.answerers[i])) TRY(cau_fail_memory(ctx, "the workers"));
    TRY(cau_http_start(ctx, &how, &http));
    cau_note(ctx, "serving on %s; Ctrl-C stops", cau_http_address(http));
    serve_until_stopped(ctx, &app, http, &signals, how.max_time);
done:
    cau_http_free(http);
    for (unsigned i = 0; app.answerers && i < app.threads; i++) cau_answerer_free(app.answerers[i]);
    free(app.answerers);
    cau_store_free(app.store);
    return st;
}
