# COIN-OR Clp by pkg-config: target Clp::Clp.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_CLP QUIET IMPORTED_TARGET clp coinutils)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Clp REQUIRED_VARS PC_CLP_FOUND VERSION_VAR PC_CLP_clp_VERSION)
if(Clp_FOUND AND NOT TARGET Clp::Clp)
  add_library(Clp::Clp ALIAS PkgConfig::PC_CLP)
endif()
