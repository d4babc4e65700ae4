#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/io/json.hpp"

#include "io/utf8.hpp"

namespace lockstep::io {

namespace {

class Writer {
public:
    explicit Writer(int indent) : indent_(indent) {}

    void write(const Json& value) {
        if (const auto* array = value.if_array()) {
            write_all(*array, '[', ']', [this](const Json& element) { write(element); });
        } else if (const auto* object = value.if_object()) {
            write_all(*object, '{', '}', [this](const Json::Member& member) {
                write_string(member.first);
                text_ += indent_ < 0 ? ":" : ": ";
                write(member.second);
            });
        } else {
            write_scalar(value);
        }
    }

    std::string take() { return std::move(text_); }

private:
    template <typename Items, typename WriteItem>
    void write_all(const Items& items, char open, char close, const WriteItem& write_item) {
        text_ += open;
        ++depth_;
        for (const auto& item : items) {
            if (&item != &items.front()) {
                text_ += ',';
            }
            break_line();
            write_item(item);
        }
        --depth_;
        if (!items.empty()) {
            break_line();
        }
        text_ += close;
    }

    void break_line() {
        if (indent_ >= 0) {
            text_ += '\n';
            text_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
        }
    }

    void write_scalar(const Json& value) {
        if (const auto* string = value.if_string()) {
            write_string(*string);
        } else if (const auto* integer = value.if_integer()) {
            text_ += fmt::to_string(*integer);
        } else if (const auto number = value.if_number()) {
            write_real(*number);
        } else if (const auto* boolean = value.if_bool()) {
            text_ += *boolean ? "true" : "false";
        } else {
            text_ += "null";
        }
    }

    void write_real(double value) {
        if (!std::isfinite(value)) {
            text_ += "null";
            return;
        }
        char digits[32];
        const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
        const std::string_view written(digits, static_cast<std::size_t>(end - digits));
        text_ += written;
        if (written.find_first_of(".e") == std::string_view::npos) {
            text_ += ".0";  // so that it reads back as a real, and -0 keeps its sign
        }
    }

    void write_string(std::string_view string) {
        text_ += '"';
        while (!string.empty()) {
            const std::size_t length = utf8_length(string);
            if (length == 0) {
                text_ += "\\ufffd";  // bytes that are no text may come from data files
            } else if (length > 1) {
                text_ += string.substr(0, length);
            } else {
                write_ascii(string.front());
            }
            string.remove_prefix(length == 0 ? 1 : length);
        }
        text_ += '"';
    }

    void write_ascii(char c) {
        constexpr std::string_view special = "\"\\\b\f\n\r\t";
        constexpr std::string_view letter = "\"\\bfnrt";
        const std::size_t place = special.find(c);
        if (place != std::string_view::npos) {
            text_ += '\\';
            text_ += letter[place];
        } else if (c >= 0 && c < 0x20) {
            text_ += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
            text_ += c;
        }
    }

    int indent_;
    int depth_ = 0;
    std::string text_;
};

}  // namespace

std::string to_text(const Json& value, int indent) {
    Writer writer(indent);
    writer.write(value);
    return writer.take();
}

}  // namespace lockstep::io
