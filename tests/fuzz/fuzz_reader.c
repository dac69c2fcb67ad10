/* fuzz_reader.c - random bytes as data, in every format and with every option.
 *
 * The first byte selects format and options; the rest is the file. Either the reader refuses it
 * with one message, or its instances keep the invariants of reader.h, and a second reading with the
 * names of the first gives the same instances. */

#include <math.h>

#include "text/reader.h"

#include "fuzz.h"

static void check_instance(const cau_instance *in, size_t names)
{
    require(in->groups >= 1 && in->start[0] == 0);
    require(in->weight >= 0 && isfinite(in->weight));
    require(!in->label.s || in->label.n > 0);
    for (size_t g = 0; g < in->groups; g++) {
        require(in->start[g] <= in->start[g + 1]);
        for (size_t i = in->start[g]; i < in->start[g + 1]; i++) {
            require(in->id[i] < names);
            require(!in->value || (in->value[i] != 0 && isfinite(in->value[i])));
        }
    }
}

static void add_hash(uint64_t *hash, uint64_t x)
{
    *hash = *hash * 31 + x;
}

/* Reads the whole file; *hash is a hash of everything that was read. */
static caucus_status read_all(caucus_ctx *ctx, const cau_read_options *options, cau_str file,
                              cau_alphabets *names, bool grows, uint64_t *hash)
{
    cau_reader *r = NULL;
    cau_read_event event = CAU_READ_BREAK;
    cau_instance in;
    size_t last = 0; /* line */
    caucus_status st =
        cau_reader_memory(ctx, "fuzz", file, options,
                          grows ? cau_vocabulary_growing(names) : cau_vocabulary_fixed(names), &r);
    while (!st && event != CAU_READ_END) {
        st = cau_reader_next(ctx, r, &event, &in);
        if (st || event == CAU_READ_BREAK || event == CAU_READ_END) continue;
        require(in.number > last && in.line.s);
        last = in.number;
        add_hash(hash, in.number);
        if (event == CAU_READ_ASIDE) continue;
        check_instance(&in, cau_alphabet_size(names->names));
        add_hash(hash, in.start[in.groups] + in.label.n);
        for (size_t i = 0; i < in.start[in.groups]; i++) add_hash(hash, in.id[i]);
        for (size_t i = 0; i < in.edges; i++) {
            require(in.edge[i] < cau_alphabet_size(names->edges));
            for (size_t j = 0; j < i; j++) require(in.edge[j] != in.edge[i]);
            add_hash(hash, in.edge[i]);
        }
    }
    if (st) require(st == CAUCUS_ERR_FORMAT && caucus_message(ctx)[0]);
    cau_reader_free(r);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char edges[] = "U:%x[-1,0]/%x[0,0]\nU:%number[0,1]\nB:%x[0,0]\nB:%x[-1,0]\n";
    if (size == 0) return 0;
    const cau_str file = {(const char *)bytes + 1, size - 1};
    caucus_ctx *ctx = new_context();
    cau_template *template = NULL;
    cau_alphabets names = {0};
    uint64_t first = 0, second = 0;
    require(!cau_alphabet_new(ctx, &names.names) && !cau_alphabet_new(ctx, &names.edges));
    if (bytes[0] & 0x80)
        require(!cau_template_parse(ctx, "template", (cau_str){edges, sizeof edges - 1}, NULL,
                                    &template));
    const cau_read_options options = {
        .format = (cau_format)(bytes[0] % 6),
        .ngrams = 1 + (bytes[0] >> 3) % 3,
        .lower = bytes[0] & 0x20,
        .counts = bytes[0] & 0x40,
        .values = bytes[0] & 0x80,
        .comments = bytes[0] & 0x20,
        .docstart = bytes[0] & 0x40,
        .template = template,
    };
    const caucus_status st = read_all(ctx, &options, file, &names, true, &first);
    require(read_all(ctx, &options, file, &names, false, &second) == st && first == second);
    cau_alphabet_free(names.names);
    cau_alphabet_free(names.edges);
    cau_template_free(template);
    caucus_ctx_free(ctx);
    return 0;
}
