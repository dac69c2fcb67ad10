# Five kinds of tests, all run by ctest:
#   unit/NAME   src/*/NAME_test.c, one program each
#   cli/NAME    tests/cli/NAME.sh, its output compared with NAME.out, NAME.err and NAME.exit
#   fuzz/NAME   tests/fuzz/fuzz_NAME.c on its seeds and changed copies of them, without a fuzzing engine
#   python/NAME python/tests/test_NAME.py
#   house/NAME  tests/NAME_test.sh: include order, type names, enums, examples, installation,
#               set-up script, test counts, pages of reproduce
# A test that exits with status 77 is skipped.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# The linker sends every allocation of ours through tests/support/support.c, which can fail the n-th.
set(WRAP_MEMORY -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc)
add_library(test_support OBJECT tests/support/support.c)
target_include_directories(test_support PUBLIC include tests)
target_link_libraries(test_support PUBLIC PkgConfig::CMOCKA)

set(tests "")
foreach(source IN LISTS TEST_SOURCES)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_test$" "" name ${name})
  add_executable(test_${name} ${source})
  target_include_directories(test_${name} PRIVATE src)
  target_link_libraries(test_${name} PRIVATE test_support caucus_static)
  target_link_options(test_${name} PRIVATE ${WRAP_MEMORY})
  if(source MATCHES "/src/cli/") # links with the program, except main()
    set(parts ${CLI_SOURCES})
    list(FILTER parts EXCLUDE REGEX "/main\\.c$")
    target_sources(test_${name} PRIVATE ${parts})
    target_include_directories(test_${name} PRIVATE src/cli src/serve)
  endif()
  if(source MATCHES "/src/(cli|serve)/")
    target_link_libraries(test_${name} PRIVATE serve)
  endif()
  add_test(NAME unit/${name} COMMAND test_${name})
  list(APPEND tests unit/${name})
endforeach()

file(GLOB cases CONFIGURE_DEPENDS tests/cli/*.sh)
foreach(case IN LISTS cases)
  cmake_path(GET case STEM name)
  add_test(NAME cli/${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/run ${name})
  list(APPEND tests cli/${name})
endforeach()

if(NOT CAUCUS_FUZZ)
  file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
  if(NOT MHD_FOUND)
    list(FILTER fuzzers EXCLUDE REGEX "/fuzz_request\\.c$")
  endif()
  foreach(source IN LISTS fuzzers)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^fuzz_" "" name ${name})
    add_executable(replay_${name} ${source} tests/fuzz/replay.c)
    target_include_directories(replay_${name} PRIVATE src tests)
    target_link_libraries(replay_${name} PRIVATE serve caucus_static)
    add_test(NAME fuzz/${name} COMMAND replay_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/seeds/${name})
    list(APPEND tests fuzz/${name})
  endforeach()
endif()

file(GLOB scripts CONFIGURE_DEPENDS tests/*_test.sh)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  string(REGEX REPLACE "_test$" "" name ${name})
  # Their result does not depend on the build, so the plain build is enough.
  if(NOT CAUCUS_SANITIZE)
    add_test(NAME house/${name} COMMAND sh ${script})
    list(APPEND tests house/${name})
  endif()
endforeach()

# An interpreter without the sanitizers cannot load a library with them.
if(NOT CAUCUS_SANITIZE)
  file(GLOB python_tests CONFIGURE_DEPENDS python/tests/test_*.py)
  foreach(source IN LISTS python_tests)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^test_" "" name ${name})
    add_test(NAME python/${name} COMMAND ${PROJECT_SOURCE_DIR}/python/tests/run ${name})
    list(APPEND tests python/${name})
  endforeach()
endif()

set(environment CAUCUS_BUILD=${PROJECT_BINARY_DIR} CAUCUS_PYTHON=${CAUCUS_PYTHON})
if(CAUCUS_SANITIZE MATCHES "thread")
  list(APPEND environment "TSAN_OPTIONS=second_deadlock_stack=1")
elseif(CAUCUS_SANITIZE)
  # The sanitizer, not cmocka, handles a crash and reports its place. Detection of stack use after return
  # stays off: gcc 12 misaligns 64-byte vectors with it.
  list(APPEND environment
       "ASAN_OPTIONS=strict_string_checks=1:handle_segv=2:handle_sigbus=2:handle_sigfpe=2"
       "UBSAN_OPTIONS=print_stacktrace=1")
endif()
set_tests_properties(${tests} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                     ENVIRONMENT "${environment}")
