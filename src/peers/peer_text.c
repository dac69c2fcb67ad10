/* peer_text.c - lines and words (peer_text.h). */

#include "peers/peer_text.h"

bool cau_peer_next_line(cau_peer_lines *lines, cau_str *line)
{
    cau_str *rest = &lines->rest;
    if (rest->n == 0) return false;
    const char *newline = memchr(rest->s, '\n', rest->n);
    const size_t n = newline ? (size_t)(newline - rest->s) : rest->n, step = n + (newline != NULL);
    *line = (cau_str){rest->s, n && rest->s[n - 1] == '\r' ? n - 1 : n};
    *rest = (cau_str){rest->s + step, rest->n - step};
    lines->number++;
    return true;
}

bool cau_peer_next_word(cau_str *rest, cau_str *word)
{
    size_t begin = 0;
    while (begin < rest->n && (rest->s[begin] == ' ' || rest->s[begin] == '\t')) begin++;
    size_t end = begin;
    while (end < rest->n && rest->s[end] != ' ' && rest->s[end] != '\t') end++;
    *word = (cau_str){rest->s + begin, end - begin};
    *rest = (cau_str){rest->s + end, rest->n - end};
    return word->n > 0;
}
