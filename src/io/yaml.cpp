#include "lockstep/io/yaml.hpp"

#include <algorithm>
#include <istream>
#include <map>
#include <set>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "io/repeated_key.hpp"
#include "io/utf8.hpp"
#include "io/yaml_scalar.hpp"

namespace lockstep::io {

namespace {

constexpr std::size_t deepest = 200;
constexpr std::size_t most_values = 1'000'000;  ///< that aliases may make
constexpr std::uintmax_t longest_text = std::uintmax_t{16} << 20;

int line_of(const YAML::Mark& mark) {
    return std::max(mark.line, 0) + 1;
}

/// A scalar as UTF-8: of the escapes \N and \_ (U+0085, U+00A0) the library makes single bytes.
std::string as_utf8(std::string_view scalar) {
    std::string text;
    while (!scalar.empty()) {
        const std::size_t length = utf8_length(scalar);
        if (length == 0) {
            text += '\xC2';
        }
        text += scalar.substr(0, std::max<std::size_t>(length, 1));
        scalar.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

/// What stands in the text in the place of a value, with how many values it holds.
struct Node {
    Json value;
    std::size_t values = 1;
    std::size_t depth = 1;
};

/// A collection that is being read.
struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key{};           ///< of the member that is being read
    std::vector<Node> merged{};  ///< of "<<", in the order of the text
};

/// Builds the value from the library's events. What it throws has no file name yet.
class Builder : public YAML::EventHandler {
public:
    Node take() { return std::move(root_); }
    [[nodiscard]] int line() const noexcept { return line_; }

    void OnDocumentStart(const YAML::Mark& mark) override { line_ = line_of(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add_scalar(mark, anchor, {}, "");
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        line_ = line_of(mark);
        const auto found = anchored_.find(anchor);
        if (found == anchored_.end()) {
            throw InputError("an alias stands inside of what it stands for");
        }
        copied_ += found->second.values;
        if (copied_ > most_values) {
            throw InputError(
                fmt::format("aliases make more than {} values of this text", most_values));
        }
        if (expects_key()) {
            throw InputError("an alias cannot be a key");
        }
        Node copy = found->second;
        attach(std::move(copy));
    }
    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& scalar) override {
        line_ = line_of(mark);
        const std::string text = as_utf8(scalar);
        if (expects_key()) {
            begin_member(text);
            return;
        }
        add_scalar(mark, anchor, tag, text);
    }
    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, "seq", anchor, Json::array());
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, "map", anchor, Json::object());
    }
    void OnMapEnd() override {
        Open& object = open_.back();
        if (auto repeated = find_repeated_key(*object.node.value.if_object());
            !repeated.message.empty()) {
            line_ = repeated.line;
            throw InputError(repeated.message);
        }
        if (!object.merged.empty()) {
            merge(object);
        }
        close();
    }

private:
    [[nodiscard]] bool expects_key() const {
        return !open_.empty() && open_.back().node.value.if_object() != nullptr &&
               !open_.back().has_key;
    }

    void begin_member(const std::string& key) {
        open_.back().key = key;
        open_.back().has_key = true;
    }

    void add_scalar(const YAML::Mark& mark,
                    YAML::anchor_t anchor,
                    const std::string& tag,
                    const std::string& text) {
        line_ = line_of(mark);
        if (expects_key()) {
            throw InputError("a key is missing");
        }
        const bool is_plain = tag.empty() || tag == "?";
        Node node{is_plain ? resolve_plain(text) : resolve_tagged(tag, text)};
        node.value.set_line(line_);
        remember(anchor, node);
        attach(std::move(node));
    }

    void open(const YAML::Mark& mark,
              const std::string& tag,
              std::string_view type,
              YAML::anchor_t anchor,
              Json empty) {
        line_ = line_of(mark);
        if (expects_key()) {
            throw InputError("a list or a mapping cannot be a key");
        }
        if (tag != "?" && tag != "!" && !tag.empty() &&
            tag != fmt::format("tag:yaml.org,2002:{}", type)) {
            throw InputError(
                fmt::format("the tag {} is of no type that a configuration can hold", tag));
        }
        if (open_.size() == deepest) {
            throw InputError(fmt::format("values are nested more than {} deep", deepest));
        }
        empty.set_line(line_);
        open_.push_back({{std::move(empty)}, anchor});
    }

    void close() {
        Open finished = std::move(open_.back());
        open_.pop_back();
        remember(finished.anchor, finished.node);
        attach(std::move(finished.node));
    }

    void remember(YAML::anchor_t anchor, const Node& node) {
        if (anchor == 0) {
            return;
        }
        copied_ += node.values;  // an anchor within an anchor is kept twice
        if (copied_ > most_values) {
            throw InputError(
                fmt::format("anchors hold more than {} values of this text", most_values));
        }
        anchored_[anchor] = node;
    }

    void attach(Node node) {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        if (open_.size() + node.depth > deepest + 1) {
            throw InputError(fmt::format("values are nested more than {} deep", deepest));
        }
        Open& parent = open_.back();
        parent.node.values += node.values;
        parent.node.depth = std::max(parent.node.depth, node.depth + 1);
        if (auto* array = parent.node.value.if_array()) {
            array->push_back(std::move(node.value));
        } else if (parent.key == "<<") {
            parent.merged.push_back(std::move(node));
        } else {
            parent.node.value.append(std::move(parent.key), std::move(node.value));
        }
        parent.has_key = false;
    }

    /// Members that are there already win over merged ones, and earlier over later ones.
    static void merge(Open& object) {
        std::set<std::string> keys;
        for (const Json::Member& member : *object.node.value.if_object()) {
            keys.insert(member.first);
        }
        for (const Node& merged : object.merged) {
            if (const Json::Array* several = merged.value.if_array()) {
                for (const Json& one : *several) {
                    merge(one, object.node.value, keys);
                }
            } else {
                merge(merged.value, object.node.value, keys);
            }
        }
    }

    static void merge(const Json& from, Json& into, std::set<std::string>& keys) {
        if (from.if_object() == nullptr) {
            throw InputError(fmt::format(
                "<< merges mappings, found {} in line {}", from.type_name(), from.line()));
        }
        for (const auto& [key, value] : *from.if_object()) {
            if (keys.insert(key).second) {
                into.set(key, value);
            }
        }
    }

    std::vector<Open> open_;
    std::map<YAML::anchor_t, Node> anchored_;
    std::size_t copied_ = 0;
    Node root_{};
    int line_ = 1;
};

/// Refuses any document.
class NoMore : public Builder {
public:
    void OnDocumentStart(const YAML::Mark& mark) override {
        Builder::OnDocumentStart(mark);
        throw InputError("a second document begins, one is allowed");
    }
};

/// A text as a stream, without a copy.
class TextBuffer : public std::streambuf {
public:
    explicit TextBuffer(std::string_view text) {
        char* begin = const_cast<char*>(
            text.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast): only read
        setg(begin, begin, begin + text.size());
    }
};

/// The library would read other bytes as other characters, and a zero byte as the end.
void require_utf8(std::string_view text, std::string_view name) {
    int line = 1;
    while (!text.empty()) {
        const std::size_t length = text.front() == '\0' ? 0 : utf8_length(text);
        if (length == 0) {
            throw InputError(
                fmt::format("{}:{}: found a byte that is no text in UTF-8", name, line));
        }
        line += text.front() == '\n' ? 1 : 0;
        text.remove_prefix(length);
    }
}

}  // namespace

Json parse_yaml(std::string_view text, std::string_view name) {
    require_utf8(text, name);
    Builder builder;
    NoMore rest;
    const Builder* active = &builder;
    try {
        TextBuffer buffer(text);
        std::istream stream(&buffer);
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        active = &rest;
        parser.HandleNextDocument(rest);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}:{}: {}", name, active->line(), error.what()));
    } catch (const YAML::Exception& error) {
        throw InputError(fmt::format("{}:{}: {}", name, line_of(error.mark), error.msg));
    }
    return builder.take().value;
}

Json read_yaml(const std::filesystem::path& path) {
    return parse_yaml(read_file(path, longest_text), path.string());
}

}  // namespace lockstep::io
