# The pages of the server become part of the program (cmake/serve.cmake): a C file with the bytes of src/serve/pages/*.
#
#   cmake -D PAGES=DIR -D OUT=FILE -P cmake/pages.cmake     writes the C file

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_json "application/json")

file(GLOB files ${PAGES}/*)
list(SORT files)
set(arrays "")
set(rows "")
set(i 0)
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY extension)
  string(SUBSTRING ${extension} 1 -1 extension)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const unsigned char page_${i}[] = {\n    ${hex}0};\n\n")
  set(path /${name})
  if(name STREQUAL "try.html")
    string(APPEND rows "    {\"/\", \"${type_${extension}}\", page_${i}, sizeof page_${i} - 1},\n")
  endif()
  string(APPEND rows
         "    {\"${path}\", \"${type_${extension}}\", page_${i}, sizeof page_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT}.new
     "/* Written by cmake/pages.cmake from src/serve/pages. */\n\n#include \"serve/pages.h\"\n\n"
     "${arrays}const cau_http_page cau_pages[] = {\n${rows}    {0},\n};\n")
file(RENAME ${OUT}.new ${OUT})
