#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/io/json.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::homodyne {

/// Fills values from the keys of a configuration, which may all be missing or null.
class KeyReader {
public:
    KeyReader(const io::Json& root, const records::FileReport& report)
        : root_(root), report_(report) {}

    /// @returns whether the key has a value
    template <typename T>
    bool acts(std::string_view path, T& out, records::Range range = {}) {
        bool is_there = false;
        visit(root_, records::Place{}, path, [&](const records::ValueAt& at) {
            if (!at.value.is_null()) {
                is_there = true;
                records::read_value(at, out, range);
            }
        });
        return is_there;
    }

    /// A value that may be "auto", which is as good as none.
    template <typename T>
    void acts_or_auto(std::string_view path, std::optional<T>& out, records::Range range = {}) {
        acts_or(path, "auto", out, range);
    }
    /// The same with another word.
    template <typename T>
    void acts_or(std::string_view path,
                 std::string_view word,
                 std::optional<T>& out,
                 records::Range range = {}) {
        visit(root_, records::Place{}, path, [&](const records::ValueAt& at) {
            const std::string* text = at.value.if_string();
            if (!at.value.is_null() && (text == nullptr || *text != word)) {
                records::read_value(at, out.emplace(), range);
            }
        });
    }

    /// The value at a path, nullptr when there is none; a null is a value.
    [[nodiscard]] const io::Json* find(std::string_view path) const;
    [[nodiscard]] const records::FileReport& report() const noexcept { return report_; }

private:
    template <typename Visit>
    void visit(const io::Json& value,
               const records::Place& place,
               std::string_view path,
               const Visit& act) {
        const std::size_t dot = path.find('.');
        const std::string_view key = path.substr(0, dot);
        require_object({value, place, report_});
        const io::Json* const child = value.find(key);
        if (child == nullptr) {
            return;
        }
        const records::Place below{&place, key};
        if (dot == path.npos) {
            act({*child, below, report_});
        } else if (!child->is_null()) {
            visit(*child, below, path.substr(dot + 1), act);
        }
    }

    // Said once, not for each key below.
    void require_object(const records::ValueAt& at);

    const io::Json& root_;
    const records::FileReport& report_;
    std::set<std::string> no_objects_;
};

/// Names the fields of the elements of a list: "phi_filtering.target_ranges[].min_angle".
class ElementLister {
public:
    ElementLister(std::string_view list, std::vector<KeyUse>& table) : list_(list), table_(table) {}

    template <typename T>
    void required(std::string_view key, T&, const records::About&, records::Range = {}) {
        table_.push_back({std::string(list_) + "[]." + std::string(key), Use::acts, ""});
    }
    template <typename T>
    void optional(std::string_view key, T& out, const records::About& about, records::Range = {}) {
        required(key, out, about);
    }

private:
    std::string_view list_;
    std::vector<KeyUse>& table_;
};

/// Names what KeyReader would read: the acting part of the table of keys.
class KeyLister {
public:
    explicit KeyLister(std::vector<KeyUse>& table) : table_(table) {}

    template <typename T>
    bool acts(std::string_view path, T& out, records::Range /*range*/ = {}) {
        table_.push_back({std::string(path), Use::acts, ""});
        if constexpr (requires { out.front().fields(std::declval<ElementLister&>()); }) {
            ElementLister lister(path, table_);
            typename T::value_type element;
            element.fields(lister);
        }
        return false;
    }
    template <typename T>
    void acts_or_auto(std::string_view path, std::optional<T>& out, records::Range /*range*/ = {}) {
        acts(path, out);
    }
    template <typename T>
    void acts_or(std::string_view path,
                 std::string_view /*word*/,
                 std::optional<T>& out,
                 records::Range /*range*/ = {}) {
        acts(path, out);
    }

private:
    std::vector<KeyUse>& table_;
};

}  // namespace lockstep::formats::homodyne
