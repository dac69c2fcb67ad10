/* cmd_cluster.c - caucus cluster: asks its questions at the terminal, or of a program.
 *
 * A program reads one line of JSON for each question from standard output, and writes one with the
 * answer to standard input. The report follows the last question:
 *
 *     {"ask":1,"of":20,"a":"give","b":"lend","together":0.52,"a_features":["NP_NP"],"b_features":[]}
 *     {"answer":"yes"}             or "no", "skip", "undo", "quit"
 */

#include <ctype.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "cli.h"

enum { ANSWER_MAX = 4096 };

typedef struct {
    progress_line *p;
    bool failed; /* an error message has been printed */
} interview;

/* The next line of standard input, which is not buffered, so that poll sees every line. False at
 * the end of the input, and after a signal: poll returns then, and fgets would not. */
static bool next_line(char *line, size_t size)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (caught_signal() || poll(&in, 1, -1) < 0 || caught_signal()) return false;
    return fgets(line, (int)size, stdin) != NULL;
}

/* ---- at the terminal ------------------------------------------------------------------------- */

/* Prints a name without control characters, which could send commands to the terminal. */
static void print_name(const char *name)
{
    for (; *name; name++) fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, stderr);
}

static void print_item(const char *item, const char *const *features, size_t count)
{
    fputs("    ", stderr);
    print_name(item);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "  (", stderr);
        print_name(features[i]);
    }
    fputs(count ? ")\n" : "\n", stderr);
}

/* The end of the input ends the questions, as q does; Ctrl-C ends the command. */
static caucus_status ask_person(void *user, const caucus_question *q, caucus_answer *answer)
{
    static const struct {
        char key;
        caucus_answer answer;
    } keys[] = {{'y', CAUCUS_ANSWER_TOGETHER},
                {'n', CAUCUS_ANSWER_APART},
                {'s', CAUCUS_ANSWER_SKIP},
                {'u', CAUCUS_ANSWER_UNDO},
                {'q', CAUCUS_ANSWER_QUIT}};
    interview *self = user;
    char line[ANSWER_MAX];
    progress_clear(self->p);
    fprintf(stderr, "\n%zu of %zu: do these belong together? (they do in %.0f%% of the samples)\n",
            q->number, q->total, 100 * q->together);
    print_item(q->a, q->a_features, q->a_count);
    print_item(q->b, q->b_features, q->b_count);
    for (;;) {
        fputs("y, n, s(kip), u(ndo), q(uit)? ", stderr);
        fflush(stderr);
        if (!next_line(line, sizeof line)) {
            fputc('\n', stderr);
            *answer = CAUCUS_ANSWER_QUIT;
            return caught_signal() ? CAUCUS_ERR_STOPPED : CAUCUS_OK;
        }
        const char key = (char)tolower((unsigned char)line[strspn(line, " \t")]);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (key == keys[i].key) {
                *answer = keys[i].answer;
                if (*answer == CAUCUS_ANSWER_QUIT) fputc('\n', stderr);
                return CAUCUS_OK;
            }
    }
}

/* ---- of a program ---------------------------------------------------------------------------- */

static json_t *json_list(const char *const *features, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(features[i]));
    return list;
}

static bool parse_answer(const char *word, caucus_answer *answer)
{
    static const char *const words[] = {"yes", "no", "skip", "undo", "quit"};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *answer = (caucus_answer)i;
            return true;
        }
    return false;
}

static caucus_status ask_program(void *user, const caucus_question *q, caucus_answer *answer)
{
    interview *self = user;
    char line[ANSWER_MAX];
    json_t *o = json_pack("{s:I, s:I, s:s, s:s, s:f, s:o, s:o}", "ask", (json_int_t)q->number, "of",
                          (json_int_t)q->total, "a", q->a, "b", q->b, "together", q->together,
                          "a_features", json_list(q->a_features, q->a_count), "b_features",
                          json_list(q->b_features, q->b_count));
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    json_decref(o);
    caucus_status st = text ? output_write(NULL, text, strlen(text)) : CAUCUS_ERR_MEMORY;
    free(text);
    if (!st) st = output_write(NULL, "\n", 1);
    if (st) return st;
    if (!next_line(line, sizeof line)) {
        *answer = CAUCUS_ANSWER_QUIT;
        return caught_signal() ? CAUCUS_ERR_STOPPED : CAUCUS_OK;
    }
    json_t *reply = json_loads(line, 0, NULL);
    const bool fine = parse_answer(json_string_value(json_object_get(reply, "answer")), answer);
    json_decref(reply);
    if (fine) return CAUCUS_OK;
    progress_end(self->p);
    self->failed = true;
    say("standard input: '%.*s' is not an answer; write {\"answer\": \"yes\"}, or no, skip, undo, "
        "quit",
        (int)strcspn(line, "\n"), line);
    return CAUCUS_ERR_FORMAT;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* *ask answers the questions; NULL: the gold classes do. DONE, or the exit status. */
static int choose_answerer(const request *r, caucus_ask_fn **ask)
{
    const char *by = caucus_options_get(r->options, "by");
    const char *gold = caucus_options_get(r->options, "gold");
    const bool asks = strcmp(caucus_options_get(r->options, "ask"), "0") != 0;
    *ask = NULL;
    if (!asks || strcmp(by, "gold") == 0 || (strcmp(by, "auto") == 0 && gold)) {
        if (asks && !gold) return misused("--by gold needs --gold FILE, the true classes");
        return DONE;
    }
    for (size_t i = 0; i < r->operands; i++)
        if (strcmp(r->operand[i], "-") == 0)
            return misused("answers are read from standard input; give the items as a file");
    if (strcmp(by, "json") == 0) {
        *ask = ask_program;
        return DONE;
    }
    if (!isatty(STDIN_FILENO) && strcmp(by, "auto") == 0)
        return misused("--ask needs --gold or an interactive terminal; add --gold FILE, or --by "
                       "json to answer from a program");
    *ask = ask_person;
    return DONE;
}

/* Refuses to write to a file that is also read. */
static int check_paths(const request *r)
{
    static const char *const written[] = {"output",  "answers", "assignments", "samples-file",
                                          "members", "plot",    "plot-members"};
    static const char *const read[] = {"links", "gold", "only"};
    for (size_t w = 0; w < sizeof written / sizeof *written; w++) {
        const char *path = caucus_options_get(r->options, written[w]), *other;
        for (size_t i = 0; path && i < r->operands; i++)
            if (same_file(path, r->operand[i]))
                return misused("%s is both the items and a file to write; give --%s another name",
                               path, written[w]);
        for (size_t i = 0; path && i < sizeof read / sizeof *read; i++)
            if ((other = caucus_options_get(r->options, read[i])) && same_file(path, other))
                return misused("%s is both --%s and --%s; give --%s another name", path, read[i],
                               written[w], written[w]);
    }
    return DONE;
}

static void say_stopped(const request *r)
{
    const char *answers = caucus_options_get(r->options, "answers");
    if (answers && access(answers, F_OK) == 0)
        say("stopped early; the same command continues after the answers in %s", answers);
    else
        say("stopped early");
}

int cmd_cluster(const request *r)
{
    caucus_ask_fn *ask;
    int status = choose_answerer(r, &ask);
    if (!status) status = check_paths(r);
    if (status) return status;
    caucus_clustering *clustering = NULL;
    progress_line p;
    progress_init(&p, r);
    interview questions = {.p = &p};
    if (ask) setvbuf(stdin, NULL, _IONBF, 0);
    if (ask == ask_person && !r->quiet && !caucus_options_get(r->options, "answers"))
        say("answers are not saved; --answers FILE saves them");
    catch_signals(p.live && !p.quiet && ask != ask_person);
    caucus_status st = caucus_clustering_new(r->ctx, r->options, &clustering);
    if (!st) st = caucus_clustering_read(r->ctx, clustering, r->operand, r->operands);
    if (!st) st = caucus_clustering_run(r->ctx, clustering, ask, &questions);
    if (!st) st = caucus_clustering_write(r->ctx, clustering, output_write, NULL);
    progress_end(&p);
    if (st == CAUCUS_ERR_STOPPED && caught_signal()) {
        say_stopped(r);
        status = 128 + caught_signal();
    } else {
        status = questions.failed ? FAILED : output_status(r->ctx, st);
    }
    caucus_clustering_free(clustering);
    return status;
}
