/* plot_sample.h - shell programs in place of gnuplot, directories, and files as text. */

#ifndef CAU_SUPPORT_PLOT_SAMPLE_H
#define CAU_SUPPORT_PLOT_SAMPLE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/plot.h"
#include "support/support.h"

/* Makes a shell program stand for gnuplot until the next such call. */
static inline void gnuplot_is(const char *name, const char *commands)
{
    char text[512];
    int length = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", commands);
    const char *path = test_file(name, text, (size_t)length);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("CAUCUS_GNUPLOT", path, 1);
}

/* This gnuplot copies its script, so that a test can read what gnuplot would get. */
static inline void gnuplot_is_a_mirror(void)
{
    gnuplot_is("mirror", "exec cat");
}

static inline void gnuplot_is_missing(void)
{
    setenv("CAUCUS_GNUPLOT", "/nowhere/gnuplot", 1);
}

/* Skips the test if gnuplot is not installed. */
static inline void gnuplot_is_real(void)
{
    unsetenv("CAUCUS_GNUPLOT");
    FILE *version = popen("gnuplot --version 2>/dev/null", "r");
    int first = version ? getc(version) : EOF;
    if (version) pclose(version);
    if (first != 'g') skip();
}

/* A new directory and a path in it; both live as long as the paths of test_path. */
static inline const char *fresh_directory(const char *name)
{
    const char *path = test_path(name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static inline size_t count_entries(const char *directory)
{
    size_t count = 0;
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

/* The bytes of the file `path` + `ending`, or NULL if there is no such file. The caller frees them.
 */
static inline char *file_text(const char *path, const char *ending)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", path, ending);
    FILE *file = fopen(name, "rb");
    if (!file) return NULL;
    cau_strbuf text = {0};
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) cau_strbuf_add(&text, bytes, n);
    fclose(file);
    cau_strbuf_add(&text, "", 1);
    assert_false(text.failed);
    return text.s;
}

/* The file contains `part`. */
static inline void assert_has(const char *path, const char *ending, const char *part)
{
    char *text = file_text(path, ending);
    if (!text || !strstr(text, part)) fail_msg("%s%s: no \"%s\" in it", path, ending, part);
    free(text);
}

/* A caucus_note_fn that stores the last sentence in a char[1024]. */
static inline void keep_note(void *user, const char *sentence)
{
    snprintf(user, 1024, "%s", sentence);
}

#endif
