#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "io/json_message.hpp"
#include "io/repeated_key.hpp"

namespace lockstep::io {

namespace {

constexpr std::size_t deepest = 200;

/// Reads characters for the library and tells how far it came.
class TrackedIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    TrackedIterator(const char* place, const char** reached) : place_(place), reached_(reached) {}
    reference operator*() const { return *place_; }
    TrackedIterator& operator++() {
        *reached_ = ++place_;
        return *this;
    }
    TrackedIterator operator++(int) {
        TrackedIterator old = *this;
        ++*this;
        return old;
    }
    bool operator==(const TrackedIterator& other) const { return place_ == other.place_; }
    bool operator!=(const TrackedIterator& other) const { return place_ != other.place_; }

private:
    const char* place_;
    const char** reached_;
};

/// Counts the lines up to a place that only moves forward.
class LineCounter {
public:
    explicit LineCounter(const char* begin) : counted_(begin) {}

    /// Line of the last character before `reached`. The library reads one character past a number,
    /// so a line break read last belongs to the line that it ends.
    int line(const char* reached) {
        const char* last = reached - 1;
        if (last > counted_) {
            line_ += static_cast<int>(std::count(counted_, last, '\n'));
            counted_ = last;
        }
        return line_;
    }

private:
    const char* counted_;
    int line_ = 1;
};

/// Builds the value from the library's events.
class Builder {
public:
    Builder(std::string_view text, std::string_view name)
        : text_(text), name_(name), reached_(text.data()), lines_(text.data()) {}

    Json build() {
        reject_nul();
        const char* end = text_.data() + text_.size();
        nlohmann::json::sax_parse(
            TrackedIterator(text_.data(), &reached_), TrackedIterator(end, &reached_), this);
        return std::move(root_);
    }

    bool null() { return add(Json()); }
    bool boolean(bool value) { return add(Json(value)); }
    bool number_integer(std::int64_t value) { return add_number(Json(value)); }
    bool number_unsigned(std::uint64_t value) {
        constexpr auto largest =
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return add_number(value <= largest ? Json(static_cast<std::int64_t>(value))
                                           : Json(static_cast<double>(value)));
    }
    bool number_float(double value, const std::string& /*digits*/) {
        return add_number(Json(value));
    }
    bool string(std::string& value) { return add(Json(std::move(value))); }
    bool binary(nlohmann::json::binary_t& /*value*/) { return false; }  // not in JSON texts
    bool start_object(std::size_t /*members*/) { return open(Json::object()); }
    bool start_array(std::size_t /*elements*/) { return open(Json::array()); }
    bool key(std::string& name) {
        known_ = consumed();
        open_.back().key = std::move(name);
        return true;
    }
    bool end_object() {
        reject_repeated_keys(*open_.back().value.if_object());
        return close();
    }
    bool end_array() { return close(); }

    bool parse_error(std::size_t /*place*/,
                     const std::string& /*token*/,
                     const nlohmann::json::exception& error) {
        const int line = current_line();
        fail(line,
             describe({.library_message = error.what(),
                       .text = text_,
                       .known = known_,
                       .reached = consumed(),
                       .line = line,
                       .opened = open_.empty() ? 0 : open_.back().value.line()}));
    }

private:
    struct Open {
        Json value;
        std::string key;  ///< of the member that is being read
    };

    [[nodiscard]] std::size_t consumed() const {
        return static_cast<std::size_t>(reached_ - text_.data());
    }

    int current_line() { return lines_.line(reached_); }

    [[noreturn]] void fail(int line, std::string_view what) const {
        throw InputError(fmt::format("{}:{}: {}", name_, line, what));
    }

    /// The library takes a zero byte for the end of the text.
    void reject_nul() {
        const std::size_t place = text_.find('\0');
        if (place != std::string_view::npos) {
            fail(LineCounter(text_.data()).line(text_.data() + place + 1),
                 "found a zero byte, which no JSON text holds");
        }
    }

    bool add_number(Json value) {
        add(std::move(value));
        --known_;  // the library has read one character past it
        return true;
    }

    bool add(Json value) {
        known_ = consumed();
        value.set_line(current_line());
        attach(std::move(value));
        return true;
    }

    bool open(Json value) {
        known_ = consumed();
        value.set_line(current_line());
        if (open_.size() == deepest) {
            fail(value.line(),
                 fmt::format("arrays and objects are nested more than {} deep", deepest));
        }
        open_.push_back({std::move(value), {}});
        return true;
    }

    bool close() {
        known_ = consumed();
        Json finished = std::move(open_.back().value);
        open_.pop_back();
        attach(std::move(finished));
        return true;
    }

    void attach(Json value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (auto* array = open_.back().value.if_array()) {
            array->push_back(std::move(value));
        } else {
            open_.back().value.append(std::move(open_.back().key), std::move(value));
        }
    }

    void reject_repeated_keys(const Json::Object& object) const {
        if (const auto repeated = find_repeated_key(object); !repeated.message.empty()) {
            fail(repeated.line, repeated.message);
        }
    }

    std::string_view text_;
    std::string_view name_;
    const char* reached_;
    LineCounter lines_;
    std::size_t known_ = 0;  ///< bytes up to the end of the last event's token
    std::vector<Open> open_;
    Json root_;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view name) {
    return Builder(text, name).build();
}

Json read_json(const std::filesystem::path& path) {
    return parse_json(read_file(path, largest_text), path.string());
}

}  // namespace lockstep::io
