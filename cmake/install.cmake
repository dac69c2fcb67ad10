# Installation. The program writes the manual page and the completions from its option tables, so they
# always agree with it.

# write_by_caucus(FILE ARGS...): FILE in the build folder is the output of `caucus ARGS`. It is renamed when
# complete, so a failed run leaves no incomplete file that looks up to date.
function(write_by_caucus file)
  add_custom_command(
    OUTPUT ${file}
    COMMAND caucus ${ARGN} > ${file}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${file}.new ${file}
    DEPENDS caucus
    COMMENT "Writing ${file}"
    VERBATIM)
endfunction()

install(TARGETS caucus caucus_static caucus_shared)
install(FILES include/caucus.h TYPE INCLUDE)

# The .pc file computes its prefix from its own place, so the installed tree may be moved.
file(RELATIVE_PATH PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REPLACE ";" " " PC_REQUIRES "${REQUIRES}")
configure_file(cmake/caucus.pc.in caucus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/caucus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "Cross compiling: the manual page and the completions are left out, because "
                 "the program would have to run to write them")
  return()
endif()

write_by_caucus(caucus.1 manual)
write_by_caucus(caucus.bash completion bash)
write_by_caucus(_caucus completion zsh)
write_by_caucus(caucus.fish completion fish)
add_custom_target(manuals ALL DEPENDS caucus.1 caucus.bash _caucus caucus.fish)

install(FILES ${PROJECT_BINARY_DIR}/caucus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/caucus.bash RENAME caucus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/_caucus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/caucus.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
