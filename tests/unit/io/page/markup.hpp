#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::io {

inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size())) {
        ++found;
    }
    return found;
}

/// The texts between `open` and the `close` that follows, in order.
inline std::vector<std::string> between(std::string_view text,
                                        std::string_view open,
                                        std::string_view close) {
    std::vector<std::string> found;
    for (std::size_t at = text.find(open); at != std::string_view::npos; at = text.find(open, at)) {
        at += open.size();
        const std::size_t end = text.find(close, at);
        found.emplace_back(text.substr(at, end - at));
    }
    return found;
}

/// The first element that is not closed where it should be, "" when every one is.
inline std::string unbalanced(std::string_view markup) {
    std::vector<std::string> open;
    for (const std::string& tag : between(markup, "<", ">")) {
        const std::string name = tag.substr(0, tag.find(' '));
        if (name.front() == '/') {
            if (open.empty() || open.back() != name.substr(1)) {
                return name;
            }
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
    }
    return open.empty() ? "" : open.back();
}

/// The value of an attribute of every element of a kind that also holds `mark`.
inline std::vector<std::string> attributes(std::string_view markup,
                                           const std::string& element,
                                           const std::string& attribute,
                                           std::string_view mark = "") {
    std::vector<std::string> found;
    for (const std::string& tag : between(markup, "<" + element + " ", ">")) {
        const auto values = between(" " + tag, " " + attribute + "=\"", "\"");
        if (!values.empty() && tag.find(mark) != std::string::npos) {
            found.push_back(values.front());
        }
    }
    return found;
}

}  // namespace lockstep::io
