# The day of the newest entry of a Debian changelog as YYYY-MM-DD, or that of SOURCE_DATE_EPOCH where the environment has it:
# manual pages state it, and a build at another time has the same bytes.
function(ordo_release_date result changelog)
  if(DEFINED ENV{SOURCE_DATE_EPOCH})
    string(TIMESTAMP date "%Y-%m-%d" UTC)  # of SOURCE_DATE_EPOCH
  else()
    file(STRINGS ${changelog} ends REGEX "^ -- .*>  [A-Z][a-z][a-z], ")
    list(POP_FRONT ends newest)
    if(NOT newest MATCHES ">  [A-Za-z]+, +([0-9]+) ([A-Z][a-z][a-z]) ([0-9][0-9][0-9][0-9]) ")
      message(FATAL_ERROR "${changelog}: no entry ends with a date")
    endif()
    set(day 0${CMAKE_MATCH_1})
    set(year ${CMAKE_MATCH_3})
    set(months Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)
    list(FIND months ${CMAKE_MATCH_2} month)
    math(EXPR month "${month} + 1")
    set(month 0${month})
    string(REGEX MATCH "..$" day ${day})
    string(REGEX MATCH "..$" month ${month})
    set(date ${year}-${month}-${day})
  endif()
  set(${result} ${date} PARENT_SCOPE)
endfunction()

# cmake -DCHANGELOG=FILE -P release_date.cmake prints it.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  ordo_release_date(date ${CHANGELOG})
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${date})
endif()
