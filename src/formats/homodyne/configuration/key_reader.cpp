#include "formats/homodyne/configuration/key_reader.hpp"

namespace lockstep::formats::homodyne {

const io::Json* KeyReader::find(std::string_view path) const {
    const io::Json* value = &root_;
    while (value != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        value = value->find(path.substr(0, dot));
        path = dot == path.npos ? std::string_view() : path.substr(dot + 1);
    }
    return value;
}

void KeyReader::require_object(const records::ValueAt& at) {
    if (at.value.if_object() == nullptr && no_objects_.insert(to_string(at.place)).second) {
        at.wrong_type("object");
    }
}

}  // namespace lockstep::formats::homodyne
