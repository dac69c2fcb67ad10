/* cmd_convert.c - caucus convert: the text of a model becomes the model again, labels those of
 * another scheme. */

#include "cli.h"

int cmd_convert(const request *r)
{
    caucus_status st = caucus_convert(r->ctx, r->options, r->operand[0], r->operand[1]);
    return st ? failed(r->ctx, st) : DONE;
}
