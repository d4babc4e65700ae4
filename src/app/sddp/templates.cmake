# Turns case directories into a C++ source, so that `lockstep sddp init` needs no installed files. What templates/NAME
# beside this file holds is added to cases/sddp/NAME, or takes the place of a file there: a case that starts a user's own
# work ends otherwise than one that reproduces a published value. Configures again when a file of a template changes.
function(lockstep_embed_templates output)
  set(entries "")
  foreach(name IN LISTS ARGN)
    set(root ${PROJECT_SOURCE_DIR}/cases/sddp/${name})
    set(own ${PROJECT_SOURCE_DIR}/src/app/sddp/templates/${name})
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/*.json ${root}/*.parquet)
    file(GLOB_RECURSE own_files RELATIVE ${own} ${own}/*)
    list(APPEND files ${own_files})
    list(REMOVE_DUPLICATES files)
    list(SORT files)
    foreach(file IN LISTS files)
      if(file MATCHES "^(expected\\.json|output/)")
        continue()
      endif()
      set(from ${root})
      if(file IN_LIST own_files)
        set(from ${own})
      endif()
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from}/${file})
      file(READ ${from}/${file} hex HEX)
      string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
      string(LENGTH "${hex}" digits)
      math(EXPR size "${digits} / 2")
      string(APPEND entries "    {\"${name}\", \"${file}\", {\"${bytes}\", ${size}}},\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "app/sddp/template_files.hpp"

namespace lockstep::app {

const std::vector<TemplateFile>& template_files() {
    static const std::vector<TemplateFile> files = {
@entries@    };
    return files;
}

}  // namespace lockstep::app
]])
endfunction()
