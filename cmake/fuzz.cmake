# Each tests/fuzz/fuzz_NAME.c becomes the program build-fuzz/fuzz_NAME; `make fuzz` runs all of them.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "The fuzzers need Clang: use cmake --preset fuzz")
endif()

file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzzers)
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src tests)
  target_link_libraries(${name} PRIVATE caucus_static)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
