#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lockstep::cli {

/// What a stream can show.
struct Terminal {
    bool is_terminal = false;  ///< a line may be rewritten in place
    bool has_color = false;
    bool has_unicode = false;
    int width = 80;  ///< columns
};

/// Looks at the stream and at NO_COLOR, TERM, LC_ALL, LC_CTYPE and LANG.
Terminal terminal_of(std::FILE* stream);

/// Columns that a UTF-8 text takes, one a code point.
int columns_of(std::string_view text);

/// Writes to stdout at once. A reader that has gone away is no error: later texts are dropped.
/// @throws IoError  stdout cannot be written (full disk)
void print(std::string_view text);

/// Writes to stderr at once; errors are ignored, there is nobody left to tell.
void tell(std::string_view text);

}  // namespace lockstep::cli
