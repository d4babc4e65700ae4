#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/sddp/calendar.hpp"

#include "formats/records/about.hpp"
#include "formats/records/range.hpp"
#include "formats/records/units.hpp"

namespace lockstep::formats::records {

// A struct that mirrors a JSON object says so once, as a member template:
//
//     struct Capacity {
//         double direct_mw = 0;
//         template <typename Fields>
//         void fields(Fields& f) {
//             f.required("direct_mw", direct_mw, {"Largest flow", "500"}, non_negative);
//         }
//     };
//
// FieldReader fills such a struct, SchemaWriter describes it. Members may be numbers, text, dates,
// enumerations with a function choices(E), structs with fields(), and optionals, vectors, arrays
// and string-keyed lists of these. A key that no field names is an error; "$schema" is always
// allowed.

/// Collects the problems of one file.
class FileReport {
public:
    FileReport(std::string file, Problems& problems)
        : file_(std::move(file)), problems_(problems) {}

    /// @param line  0: the file as a whole
    void add(ProblemKind kind, int line, std::string entity, std::string message) const;

    [[nodiscard]] const std::string& file() const noexcept { return file_; }

private:
    std::string file_;
    Problems& problems_;
};

/// Where a value stands in its file; rendered only when something is wrong.
struct Place {
    const Place* parent = nullptr;
    std::string_view key;
    std::ptrdiff_t index = -1;
};

/// "hydros[3].generation.max_mw"; empty for the root.
std::string to_string(const Place& place);

/// A value, where it stands and where to report.
struct ValueAt {
    const io::Json& value;
    const Place& place;
    const FileReport& report;

    void wrong(std::string message) const;
    void wrong_type(std::string_view expected) const;
};

/// One name of an enumeration.
template <typename E>
struct Choice {
    std::string_view name;
    E value;
};

/// Presence of a key.
enum class Presence { required, optional };

/// The object-level part of reading: which keys are there, which are known.
class ObjectReader {
public:
    explicit ObjectReader(const ValueAt& at) : at_(at) {}

    /// Line of the object.
    void line(int& out) const { out = at_.value.line(); }
    /// A key of an older format: an error that says what replaced it.
    void replaced(std::string_view key, std::string_view advice);
    /// Whether the fields that follow belong to this variant of a tagged object: "type factor".
    [[nodiscard]] bool when(bool condition, std::string_view) const noexcept { return condition; }
    /// Reports every key that was not asked for.
    void finish() const;

protected:
    [[nodiscard]] const io::Json* take(std::string_view key, Presence presence);
    [[nodiscard]] const ValueAt& at() const noexcept { return at_; }

private:
    const ValueAt& at_;
    std::vector<std::string_view> known_;
};

void read_value(const ValueAt& at, bool& out, Range range);
void read_value(const ValueAt& at, int& out, Range range);
void read_value(const ValueAt& at, std::int64_t& out, Range range);
void read_value(const ValueAt& at, double& out, Range range);
void read_value(const ValueAt& at, std::string& out, Range range);
void read_value(const ValueAt& at, Date& out, Range range);
void read_value(const ValueAt& at, io::Json& out, Range range);

/// Position of a text among names, -1 after a report.
std::ptrdiff_t read_choice(const ValueAt& at, const std::vector<std::string_view>& names);

template <typename T>
void read_value(const ValueAt& at, std::optional<T>& out, Range range);
template <typename T>
void read_value(const ValueAt& at, std::vector<T>& out, Range range);
template <typename T>
void read_value(const ValueAt& at, std::vector<std::pair<std::string, T>>& out, Range range);
template <typename T, std::size_t n>
void read_value(const ValueAt& at, std::array<T, n>& out, Range range);
template <typename E>
requires std::is_enum_v<E>
void read_value(const ValueAt& at, E& out, Range range);

/// Fills a struct from a JSON object; call through read_value.
class FieldReader : public ObjectReader {
public:
    using ObjectReader::ObjectReader;

    template <typename T>
    void required(std::string_view key, T& out, const About&, Range range = {}) {
        read(key, Presence::required, out, range);
    }
    /// A key that must be there and must not be null, though its member may be empty elsewhere.
    template <typename T>
    void required(std::string_view key, std::optional<T>& out, const About&, Range range = {}) {
        read(key, Presence::required, out.emplace(), range);
    }
    /// null is as good as absent.
    template <typename T>
    void optional(std::string_view key, T& out, const About&, Range range = {}) {
        read(key, Presence::optional, out, range);
    }

private:
    template <typename T>
    void read(std::string_view key, Presence presence, T& out, Range range) {
        const io::Json* value = take(key, presence);
        if (value != nullptr && (presence == Presence::required || !value->is_null())) {
            const Place place{&at().place, key};
            read_value(ValueAt{*value, place, at().report}, out, with_unit(range, key));
        }
    }
};

template <typename T>
concept HasFields = requires(T& t, FieldReader& reader) {
    t.fields(reader);
};

template <HasFields T>
void read_value(const ValueAt& at, T& out, Range) {
    if (at.value.if_object() == nullptr) {
        at.wrong_type("object");
        return;
    }
    FieldReader reader(at);
    out.fields(reader);
    reader.finish();
}

template <typename T>
void read_value(const ValueAt& at, std::optional<T>& out, Range range) {
    out.reset();
    if (!at.value.is_null()) {
        read_value(at, out.emplace(), range);
    }
}

template <typename T>
void read_value(const ValueAt& at, std::vector<T>& out, Range range) {
    const io::Json::Array* values = at.value.if_array();
    if (values == nullptr) {
        at.wrong_type("array");
        return;
    }
    out.assign(values->size(), T{});
    for (std::size_t i = 0; i < values->size(); ++i) {
        const Place place{&at.place, {}, static_cast<std::ptrdiff_t>(i)};
        read_value(ValueAt{(*values)[i], place, at.report}, out[i], range);
    }
}

template <typename T>
void read_value(const ValueAt& at, std::vector<std::pair<std::string, T>>& out, Range range) {
    const io::Json::Object* members = at.value.if_object();
    if (members == nullptr) {
        at.wrong_type("object");
        return;
    }
    out.clear();
    for (const auto& [key, value] : *members) {
        const Place place{&at.place, key};
        read_value(ValueAt{value, place, at.report}, out.emplace_back(key, T{}).second, range);
    }
}

template <typename T, std::size_t n>
void read_value(const ValueAt& at, std::array<T, n>& out, Range range) {
    std::vector<T> values;
    read_value(at, values, range);
    if (at.value.if_array() != nullptr && values.size() != n) {
        at.wrong("expected " + std::to_string(n) + " values, found " +
                 std::to_string(values.size()));
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        out[i] = std::move(values[i]);
    }
}

template <typename E>
requires std::is_enum_v<E>
void read_value(const ValueAt& at, E& out, Range) {
    const auto all = choices(E{});
    std::vector<std::string_view> names;
    for (const auto& choice : all) {
        names.push_back(choice.name);
    }
    const std::ptrdiff_t chosen = read_choice(at, names);
    if (chosen >= 0) {
        out = all[static_cast<std::size_t>(chosen)].value;
    }
}

}  // namespace lockstep::formats::records
