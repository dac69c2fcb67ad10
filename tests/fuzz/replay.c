/* replay.c - a fuzz target without a fuzzing engine.
 *
 *     replay_NAME [FILE | FOLDER]...
 *
 * Links with a fuzz_NAME.c and runs it on the empty input, then on each FILE and each file of each
 * FOLDER: unchanged, cut short at up to 64 places, and 256 times with one byte changed (always the
 * same bytes). It takes a second and needs no special compiler, so it is part of the test suite,
 * and an error that a fuzzer once found stays fixed. A folder that does not exist counts as empty.
 */

#include <dirent.h>
#include <errno.h>

#include "fuzz.h"

enum { CUTS = 64, CHANGES = 256, SIZE_MAX_VARIED = 1 << 16 };

/* Runs the target on a copy of the exact size, so that the address sanitizer notices a read after
 * its end. */
static void run_target(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = calloc(size ? size : 1, 1);
    if (!copy) exit(2);
    if (size) memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Large inputs are run unchanged only: their variants would take minutes. */
static void run_variants(uint8_t *bytes, size_t size)
{
    run_target(bytes, size);
    if (size == 0 || size > SIZE_MAX_VARIED) return;
    for (size_t cut = 1; cut <= CUTS && cut <= size; cut++)
        run_target(bytes, size - size * cut / CUTS);

    uint64_t random = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < CHANGES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t at = (size_t)(random >> 20) % size;
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)(random >> 56);
        run_target(bytes, size);
        bytes[at] = old;
    }
}

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0) bytes = malloc((size_t)size + 1);
    if (!bytes || fseek(file, 0, SEEK_SET) != 0 ||
        fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    run_variants(bytes, (size_t)size);
    free(bytes);
}

static void replay(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        if (errno == ENOTDIR) replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char inside[4096];
        int length = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (length > 0 && (size_t)length < sizeof inside) replay_file(inside);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    run_target(NULL, 0);
    for (int i = 1; i < argc; i++) replay(argv[i]);
    return 0;
}
