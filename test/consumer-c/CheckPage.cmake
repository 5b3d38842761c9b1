# cmake -D PAGE=docs/embedding.md -P CheckPage.cmake: fails unless the page has
# the part of each program between its lines `[page]` and `[/page]`, or all of it.
file(READ ${PAGE} page)
foreach(name train.c buffers.c gradient.c graph.c)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${name} code)
  string(REGEX MATCH "/\\* \\[page\\] \\*/\n(.*)/\\* \\[/page\\] \\*/" part "${code}")
  string(FIND "${page}" "```c\n${CMAKE_MATCH_1}```\n" place)
  if(NOT CMAKE_MATCH_1 OR place EQUAL -1)
    message(FATAL_ERROR "${PAGE} does not have the code of ${name}:\n"
      "${CMAKE_MATCH_1}")
  endif()
endforeach()
