/* status.c - the context: the message of the last failure, and the callbacks.
 *
 * A message is formatted in a separate buffer before it replaces the old one, because the old one
 * is often part of the new ("%s; while reading ..."). Messages go to a terminal or a log, one line
 * each, and quote names and lines from outside. Control characters become '?', so that no file
 * name can break the line or move the cursor. */

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *caucus_version(void)
{
    return CAUCUS_VERSION;
}

const char *caucus_status_text(caucus_status status)
{
    static const char *const texts[] = {
#define X(name, text) text,
        CAUCUS_STATUSES(X)
#undef X
    };
    size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}

caucus_status caucus_ctx_new(caucus_ctx **out)
{
    caucus_ctx *ctx = cau_calloc(1, sizeof *ctx);
    if (!ctx) return CAUCUS_ERR_MEMORY;
    *out = ctx;
    return CAUCUS_OK;
}

void caucus_ctx_free(caucus_ctx *ctx)
{
    free(ctx);
}

const char *caucus_message(const caucus_ctx *ctx)
{
    return ctx ? ctx->message : caucus_status_text(CAUCUS_ERR_MEMORY);
}

void caucus_set_threads(caucus_ctx *ctx, unsigned threads)
{
    ctx->threads = threads;
}

void caucus_on_note(caucus_ctx *ctx, caucus_note_fn *fn, void *user)
{
    ctx->note = fn;
    ctx->note_user = user;
}

void caucus_on_progress(caucus_ctx *ctx, caucus_progress_fn *fn, void *user)
{
    ctx->progress = fn;
    ctx->progress_user = user;
}

void caucus_on_iterate(caucus_ctx *ctx, caucus_iterate_fn *fn, void *user)
{
    ctx->iterate = fn;
    ctx->iterate_user = user;
}

/* Formats one printable line. A line that is too long is cut between UTF-8 characters. */
static void format_message(char message[CAU_MESSAGE_MAX], const char *format, va_list args)
{
    int length = vsnprintf(message, CAU_MESSAGE_MAX, format, args);
    if (length < 0) message[0] = '\0';
    if (length >= CAU_MESSAGE_MAX) {
        size_t end = CAU_MESSAGE_MAX - 1;
        while (end > 0 && ((unsigned char)message[end - 1] & 0xC0) == 0x80) end--;
        if (end > 0 && (unsigned char)message[end - 1] >= 0xC0) end--;
        message[end] = '\0';
    }
    for (char *p = message; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F) *p = '?';
}

caucus_status cau_fail(caucus_ctx *ctx, caucus_status st, const char *format, ...)
{
    char message[CAU_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    format_message(message, format, args);
    va_end(args);
    memcpy(ctx->message, message, strlen(message) + 1);
    return st;
}

caucus_status cau_fail_memory(caucus_ctx *ctx, const char *what)
{
    return cau_fail(ctx, CAUCUS_ERR_MEMORY,
                    "out of memory for %s; use a machine with more, or less data", what);
}

void cau_note(caucus_ctx *ctx, const char *format, ...)
{
    if (!ctx->note) return;
    char message[CAU_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    format_message(message, format, args);
    va_end(args);
    ctx->note(ctx->note_user, message);
}
