# Arrow and Parquet C++ from the PyPI wheel pyarrow: targets Arrow::arrow, Parquet::parquet.
if(NOT ARROW_WHEEL_DIR)
  if(SKBUILD)  # of the interpreter that builds a wheel
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import pyarrow; print(pyarrow.get_include())"
      OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE include COMMAND_ERROR_IS_FATAL ANY)
    get_filename_component(candidates ${include} DIRECTORY)
  else()
    file(GLOB candidates ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/pyarrow)
  endif()
  find_path(ARROW_WHEEL_DIR NAMES include/arrow/api.h PATHS ${candidates} NO_DEFAULT_PATH)
endif()
if(ARROW_WHEEL_DIR)
  file(GLOB ARROW_LIBRARY ${ARROW_WHEEL_DIR}/libarrow.so.*)  # the wheel has versioned names only
  file(GLOB PARQUET_LIBRARY ${ARROW_WHEEL_DIR}/libparquet.so.*)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowWheel REQUIRED_VARS ARROW_WHEEL_DIR ARROW_LIBRARY PARQUET_LIBRARY
  REASON_FAILURE_MESSAGE "Run './dev deps' (pip install of tools/requirements.txt into .venv), or set ARROW_WHEEL_DIR")
if(ArrowWheel_FOUND AND NOT TARGET Arrow::arrow)
  add_library(Arrow::arrow SHARED IMPORTED)
  set_target_properties(Arrow::arrow PROPERTIES IMPORTED_LOCATION ${ARROW_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ARROW_WHEEL_DIR}/include)
  add_library(Parquet::parquet SHARED IMPORTED)
  set_target_properties(Parquet::parquet PROPERTIES IMPORTED_LOCATION ${PARQUET_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ARROW_WHEEL_DIR}/include INTERFACE_LINK_LIBRARIES Arrow::arrow)
endif()
