# Arrow stands in a plug-in, lockstep_parquet.so, that is loaded when the first Parquet file is touched: programs start without it,
# and the Python package takes it from the user's pyarrow.
get_filename_component(arrow_name ${ARROW_LIBRARY} NAME)
get_filename_component(parquet_name ${PARQUET_LIBRARY} NAME)
string(REGEX REPLACE "^.*\\.so\\.([0-9]+)([0-9][0-9]).*$" "\\1" arrow_version ${arrow_name})
set(stamp "${PROJECT_VERSION} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${LOCKSTEP_SANITIZE}")
target_compile_definitions(lockstep_io PRIVATE LOCKSTEP_BUILD_STAMP="${stamp}")
set_source_files_properties(parquet/library.cpp TARGET_DIRECTORY lockstep_io PROPERTIES COMPILE_DEFINITIONS
  "LOCKSTEP_ARROW_VERSION=\"${arrow_version}\";LOCKSTEP_ARROW_LIBRARIES=\"${arrow_name}\",\"${parquet_name}\"")

set(LOCKSTEP_ARROW_RPATH ${ARROW_WHEEL_DIR} CACHE STRING "Where the installed plug-in looks for Arrow")
add_library(lockstep_parquet MODULE parquet/compress.cpp parquet/plugin.cpp parquet/read.cpp parquet/write.cpp table.cpp)
set_target_properties(lockstep_parquet PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON INSTALL_RPATH "${LOCKSTEP_ARROW_RPATH}")
target_include_directories(lockstep_parquet PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(lockstep_parquet PRIVATE LOCKSTEP_BUILD_STAMP="${stamp}")
target_link_libraries(lockstep_parquet PRIVATE lockstep::base Arrow::arrow Parquet::parquet fmt::fmt lockstep_build_flags)
if(NOT LOCKSTEP_SANITIZE)
  target_link_options(lockstep_parquet PRIVATE -Wl,-z,defs)  # a name that is missing fails here, not when it is loaded
endif()
install(TARGETS lockstep_parquet LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep)
add_dependencies(lockstep_io lockstep_parquet)
