#pragma once

#include <string>
#include <vector>

namespace lockstep {

/// As exec() and posix_spawn() take lists of words: valid as long as the words, which they do not
/// change.
inline std::vector<char*> c_strings(const std::vector<std::string>& words) {
    std::vector<char*> list;
    for (const auto& word : words) {
        list.push_back(const_cast<char*>(word.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

}  // namespace lockstep
