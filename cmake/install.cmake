# Library, headers (flat, as ns-3 installs its own) and a CMake package:
# find_package(ai-fabric) gives ns3::ai-fabric.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ai-fabric)
install(TARGETS ai-fabric EXPORT ai-fabric-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${AI_FABRIC_HEADERS} ${AI_FABRIC_STUBS}/ai-fabric-module.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3
)
install(EXPORT ai-fabric-targets NAMESPACE ns3:: DESTINATION ${package_folder})

set(package_text "include(CMakeFindDependencyMacro)\nfind_dependency(ns3)\n")
if(AI_FABRIC_MPI)
  string(APPEND package_text "find_dependency(MPI)\n")
endif()
string(APPEND package_text "include(\${CMAKE_CURRENT_LIST_DIR}/ai-fabric-targets.cmake)\n")
file(WRITE ${PROJECT_BINARY_DIR}/ai-fabric-config.cmake "${package_text}")
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/ai-fabric-config-version.cmake COMPATIBILITY SameMajorVersion
)
install(FILES ${PROJECT_BINARY_DIR}/ai-fabric-config.cmake ${PROJECT_BINARY_DIR}/ai-fabric-config-version.cmake
        DESTINATION ${package_folder}
)
