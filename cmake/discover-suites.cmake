# Write a CTest file with one test per suite of RUNNER into OUTPUT. The names come from the program
# itself, so a suite that is linked is a suite that runs.
#
# -D RUNNER=program -D OUTPUT=file -D TEMPORARY=folder -P discover-suites.cmake

# Listing suites is no leak hunt: the sanitizer would only turn ns-3's own globals into a failure.
set(ENV{ASAN_OPTIONS} detect_leaks=0)
execute_process(
  COMMAND "${RUNNER}" --list
  OUTPUT_VARIABLE listing
  ERROR_VARIABLE complaint
  RESULT_VARIABLE status
)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${RUNNER} --list failed (${status}): ${complaint}")
endif()
string(REGEX MATCHALL "ai-fabric-[A-Za-z0-9_.-]+" suites "${listing}")
if(NOT suites)
  message(FATAL_ERROR "${RUNNER} --list names no suite ai-fabric-*")
endif()
set(tests)
foreach(suite IN LISTS suites)
  set(folder "${TEMPORARY}/${suite}")
  file(MAKE_DIRECTORY "${folder}")
  string(APPEND tests
         "add_test([=[${suite}]=] [=[${RUNNER}]=] [=[--suite=${suite}]=] --verbose [=[--tempdir=${folder}]=])\n"
         "set_tests_properties([=[${suite}]=] PROPERTIES LABELS quick-suite"
         " WORKING_DIRECTORY [=[${folder}]=] TIMEOUT 600)\n"
  )
endforeach()
file(WRITE "${OUTPUT}" "${tests}")
