/* option_table.h - one row for each option of each command.
 *
 * The parser of the program, range checks, help, manual page, shell completion and the notes
 * in a model file all come from these rows: to add an option, add a row. A penalty that other
 * tools measure in another unit has one row for each unit. These rows set the same member and
 * convert their values (docs/notation.md has the arithmetic). */

#ifndef CAU_API_OPTION_TABLE_H
#define CAU_API_OPTION_TABLE_H

#include "api/options.h"

/* How the value of a REAL row becomes the value of its member. */
typedef enum { SAME_UNIT, TWICE, INVERSE } cau_unit_conversion;

typedef struct {
    unsigned commands; /* bits */
    bool kept;         /* noted in the model file */
    caucus_option_info info;
    size_t field; /* offset of its member in caucus_options; rows of one command that share a
                     member exclude each other */
    cau_unit_conversion convert;
    const char *aliases; /* of CHOICE: "old=new|old=new", other names of choices; or NULL */
} cau_option_row;

extern const cau_option_row cau_option_rows[]; /* the last has no name */

/* Each command and its bit. The last has no name. */
typedef struct {
    const char *name;
    unsigned bit;
} cau_command_bit;
extern const cau_command_bit cau_command_bits[];

/* What a wrong name of an option probably means. The last has no name. A name may have several
 * rows: the first that is an option of the command counts. */
typedef struct {
    const char *name, *option;
} cau_option_slip;
extern const cau_option_slip cau_option_slips[];

/* Headings of the help that matter to the library: the options under the first five may vary in
 * a grid, and a resumed run may change those that say when to stop. */
#define CAU_GROUP_MODEL "Model and penalties"
#define CAU_GROUP_UNITS "Penalties in the units of other tools"
#define CAU_GROUP_SOLVER "Solver"
#define CAU_GROUP_POOL "Pools: several models that vote"
#define CAU_GROUP_STOP "Stopping"

#endif
