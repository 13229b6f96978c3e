# The tests of a build outside an ns-3 tree. Labels: quick-unit, quick-suite (ctest -L quick), example, captures, programs.

# GoogleTest: pure logic.
if(AI_FABRIC_UNIT_TESTS)
  find_package(GTest QUIET)
  if(NOT GTEST_FOUND)
    message(FATAL_ERROR " ai-fabric: GoogleTest not found; install: libgtest-dev (or pass -DAI_FABRIC_TESTS=OFF)")
  endif()
  include(GoogleTest)
  ai_fabric_executable(ai-fabric-unit-tests test ${AI_FABRIC_UNIT_TESTS})
  target_link_libraries(ai-fabric-unit-tests PRIVATE GTest::GTest GTest::Main)
  gtest_discover_tests(ai-fabric-unit-tests PROPERTIES LABELS quick-unit TIMEOUT 600)
endif()

# ns-3 suites: linked into one program, so that their static objects are not dropped.
if(AI_FABRIC_SUITES)
  ai_fabric_executable(ai-fabric-suites test ${AI_FABRIC_SUITES} ${PROJECT_SOURCE_DIR}/test/suite-runner.cc)
  target_compile_definitions(ai-fabric-suites PRIVATE NS_TEST_SOURCEDIR="${PROJECT_SOURCE_DIR}/test")
  set(suites_file ${PROJECT_BINARY_DIR}/ai-fabric-suites.ctest)
  if(NOT EXISTS ${suites_file})
    file(WRITE ${suites_file} "add_test(ai-fabric-suites-not-built ai-fabric-suites-not-built)\n")
  endif()
  set_property(TARGET ai-fabric-suites PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/discover-suites.cmake)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites_file})
  add_custom_command(
    TARGET ai-fabric-suites
    POST_BUILD
    COMMAND
      ${CMAKE_COMMAND} -D RUNNER=$<TARGET_FILE:ai-fabric-suites> -D OUTPUT=${suites_file} -D
      TEMPORARY=${PROJECT_BINARY_DIR}/test-run -P ${PROJECT_SOURCE_DIR}/cmake/discover-suites.cmake
    VERBATIM
  )
endif()

# Example programs: the commands of the list that ns-3's test.py reads, too.
if(AI_FABRIC_EXAMPLES)
  set(list_file ${PROJECT_SOURCE_DIR}/test/examples-to-run.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
  file(READ ${list_file} text)
  string(REGEX REPLACE "#[^\n]*\n" "\n" text "${text}")
  string(REGEX MATCHALL "\\([ \n]*\"[^\"]+\",[ \n]*\"True\",[ \n]*\"(True|False)\"" entries "${text}")
  foreach(entry IN LISTS entries)
    if(AI_FABRIC_SANITIZE AND entry MATCHES "\"False\"$")
      continue() # What is too slow for valgrind is too slow for the sanitizers.
    endif()
    string(REGEX REPLACE "^[^\"]*\"([^\"]+)\".*$" "\\1" command "${entry}")
    separate_arguments(arguments UNIX_COMMAND "${command}")
    list(POP_FRONT arguments program)
    if(NOT TARGET ${program})
      message(FATAL_ERROR " ai-fabric: test/examples-to-run.py names ${program}, but there is no examples/${program}.cc")
    endif()
    set(test example-${program})
    set(number 2)
    while(TEST ${test})
      set(test example-${program}-${number})
      math(EXPR number "${number} + 1")
    endwhile()
    set(folder ${PROJECT_BINARY_DIR}/test-run/${test})
    file(MAKE_DIRECTORY ${folder})
    add_test(NAME ${test} COMMAND ${program} ${arguments} WORKING_DIRECTORY ${folder})
    set_tests_properties(${test} PROPERTIES LABELS example TIMEOUT 600)
  endforeach()
endif()

# tshark as judge of the captures: test/captures-test.sh PROGRAM.
if(NOT AI_FABRIC_SANITIZE AND EXISTS ${PROJECT_SOURCE_DIR}/test/captures-test.sh)
  ai_fabric_executable(ai-fabric-capture-writer test ${PROJECT_SOURCE_DIR}/test/support/capture-writer.cc)
  set(folder ${PROJECT_BINARY_DIR}/test-run/captures)
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME captures COMMAND bash ${PROJECT_SOURCE_DIR}/test/captures-test.sh
                                 $<TARGET_FILE:ai-fabric-capture-writer> WORKING_DIRECTORY ${folder}
  )
  set_tests_properties(captures PROPERTIES LABELS captures TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()

# Good and bad input of the programs: test/programs-test.sh FOLDER.
if(AI_FABRIC_EXAMPLES AND EXISTS ${PROJECT_SOURCE_DIR}/test/programs-test.sh)
  set(folder ${PROJECT_BINARY_DIR}/test-run/programs)
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME programs COMMAND bash ${PROJECT_SOURCE_DIR}/test/programs-test.sh ${PROJECT_BINARY_DIR}/examples
           WORKING_DIRECTORY ${folder}
  )
  set_tests_properties(programs PROPERTIES LABELS programs TIMEOUT 600)
endif()
