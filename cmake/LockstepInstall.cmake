# The installed package: find_package(lockstep CONFIG) gives lockstep::base … lockstep::app.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
configure_package_config_file(cmake/lockstepConfig.cmake.in ${PROJECT_BINARY_DIR}/lockstepConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

install(EXPORT lockstepTargets NAMESPACE lockstep:: DESTINATION ${package_dir})
install(FILES
  ${PROJECT_BINARY_DIR}/lockstepConfig.cmake ${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake
  cmake/FindClp.cmake
  DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
