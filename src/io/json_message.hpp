#pragma once

#include <string>
#include <string_view>

namespace lockstep::io {

/// What the JSON library knew when it stopped.
struct JsonFailure {
    std::string_view library_message;  ///< "[json.exception…] … while parsing array - unexpected …"
    std::string_view text;             ///< everything that was to be read
    std::size_t known = 0;             ///< bytes of it that were understood
    std::size_t reached = 0;           ///< bytes of it that were consumed
    int line = 0;                      ///< of the token that did not fit
    int opened = 0;  ///< line of the innermost open array or object; 0: none is open
};

/// In plain words: what was found and what is expected.
std::string describe(const JsonFailure& failure);

}  // namespace lockstep::io
