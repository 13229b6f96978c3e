# Find an installed ns-3 and say in one line what is missing, where the package's own files would
# answer with a page of errors, or compile and fail later.

# Name the Debian package that holds a path that ns-3's CMake files refer to.
function(ai_fabric_package_of path result)
  if(path MATCHES "gsl")
    set(package libgsl-dev)
  elseif(path MATCHES "libxml2")
    set(package libxml2-dev)
  elseif(path MATCHES "(python[0-9.]+)")
    set(package lib${CMAKE_MATCH_1}-dev)
  elseif(path MATCHES "sqlite3")
    set(package libsqlite3-dev)
  elseif(path MATCHES "libexec|-creator|/bin/")
    set(package ns3)
  else()
    set(package libns3-dev)
  endif()
  set(${result} ${package} PARENT_SCOPE)
endfunction()

# Stop with the list of packages if the CMake files in `folder` refer to paths that do not exist.
function(ai_fabric_check_ns3_package folder)
  get_filename_component(prefix "${folder}/../.." ABSOLUTE)
  while(NOT EXISTS "${prefix}/include/ns3" AND NOT prefix STREQUAL "/")
    get_filename_component(prefix "${prefix}" DIRECTORY)
  endwhile()
  set(missing)
  file(GLOB target_files "${folder}/ns3Targets*.cmake")
  foreach(target_file IN LISTS target_files)
    file(READ "${target_file}" text)
    string(REPLACE "\${_IMPORT_PREFIX}" "${prefix}" text "${text}")
    string(REGEX MATCHALL "[\";]/[^\";\n]+" references "${text}")
    list(REMOVE_DUPLICATES references)
    foreach(reference IN LISTS references)
      string(REGEX REPLACE "^[\";]" "" path "${reference}")
      if(path AND NOT EXISTS "${path}" AND NOT path MATCHES "/cmake/")
        ai_fabric_package_of("${path}" package)
        list(APPEND missing ${package})
      endif()
    endforeach()
  endforeach()
  if(missing)
    list(REMOVE_DUPLICATES missing)
    list(JOIN missing " " missing)
    message(FATAL_ERROR " ai-fabric: the installed ns-3 is incomplete; install: ${missing}")
  endif()
endfunction()

# Set `result` to the imported targets of the ns-3 modules named after it. They are called
# ns3::libcore up to 3.42 and ns3::core later.
function(ai_fabric_ns3_targets result)
  set(targets)
  foreach(component IN LISTS ARGN)
    if(TARGET ns3::lib${component})
      list(APPEND targets ns3::lib${component})
    elseif(TARGET ns3::${component})
      list(APPEND targets ns3::${component})
    else()
      message(FATAL_ERROR " ai-fabric: the ns-3 in ${ns3_DIR} has no module ${component}; build ns-3 with it, or install: libns3-dev ns3")
    endif()
  endforeach()
  set(${result} "${targets}" PARENT_SCOPE)
endfunction()

find_path(
  AI_FABRIC_NS3_CONFIG_DIR ns3Config.cmake
  HINTS ${ns3_DIR} ENV ns3_DIR
  PATH_SUFFIXES cmake/ns3 lib/cmake/ns3 lib64/cmake/ns3 lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/ns3
                ${CMAKE_LIBRARY_ARCHITECTURE}/cmake/ns3
  PATHS /usr/lib /usr/local/lib
)
mark_as_advanced(AI_FABRIC_NS3_CONFIG_DIR)
if(NOT AI_FABRIC_NS3_CONFIG_DIR)
  message(FATAL_ERROR " ai-fabric: no installed ns-3 found; install: libns3-dev ns3 libgsl-dev libxml2-dev libpython3.11-dev libsqlite3-dev (or pass -Dns3_DIR=FOLDER of ns3Config.cmake)")
endif()
ai_fabric_check_ns3_package("${AI_FABRIC_NS3_CONFIG_DIR}")
find_package(ns3 CONFIG REQUIRED PATHS "${AI_FABRIC_NS3_CONFIG_DIR}" NO_DEFAULT_PATH)
