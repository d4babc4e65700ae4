#include "formats/homodyne/configuration/key_use.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "formats/homodyne/configuration/idle_keys.hpp"
#include "formats/homodyne/configuration/key_reader.hpp"
#include "formats/homodyne/configuration/keys.hpp"

namespace lockstep::formats::homodyne {
namespace {

std::vector<KeyUse> acting_keys() {
    std::vector<KeyUse> table;
    KeyLister lister(table);
    Configuration unused;
    RawKeys raw;
    RawLists lists;
    all_keys(lister, unused, raw, lists);
    return table;
}

class Walker {
public:
    Walker(const records::FileReport& report, Configuration& configuration)
        : report_(report), configuration_(configuration) {
        for (KeyUse& key : acting_keys()) {
            acting_.insert(std::move(key.path));
        }
        known_.assign(acting_.begin(), acting_.end());
        for (const IdleKey& key : idle_keys()) {
            known_.push_back(key.path);
        }
        std::copy_if(
            known_.begin(), known_.end(), std::back_inserter(named_), [](std::string_view key) {
                return !key.ends_with('*');
            });
    }

    void walk(const io::Json& value, const std::string& path) {
        for (const auto& [key, child] : *value.if_object()) {
            const std::string below = path.empty() ? key : fmt::format("{}.{}", path, key);
            if (acting_.contains(below)) {
                walk_elements(child, below);
                continue;
            }
            const io::Json::Object* const members = child.if_object();
            if (members != nullptr && !members->empty() && leads_further(below)) {
                walk(child, below);
            } else {
                note(below, child.line());
            }
        }
    }

private:
    void walk_elements(const io::Json& value, const std::string& path) {
        const io::Json::Array* const elements = value.if_array();
        for (std::size_t k = 0; elements != nullptr && k < elements->size(); ++k) {
            if ((*elements)[k].if_object() == nullptr) {
                continue;
            }
            for (const auto& [key, child] : *(*elements)[k].if_object()) {
                if (!acting_.contains(fmt::format("{}[].{}", path, key))) {
                    note(fmt::format("{}[{}].{}", path, k, key), child.line());
                }
            }
        }
    }

    // Whether some known key stands below this path, named or by "*".
    [[nodiscard]] bool leads_further(const std::string& path) const {
        return std::any_of(known_.begin(), known_.end(), [&](std::string_view key) {
            return key.size() > path.size() && key.starts_with(path) && key[path.size()] == '.';
        });
    }

    void note(const std::string& path, int line) {
        const IdleKey* const key = find_idle(path);
        const IdleKey* const section = key == nullptr ? find_idle(path + ".") : key;
        if (section == nullptr) {
            configuration_.notes.push_back({path, line, "is not known" + hint(path) + ": ignored"});
        } else if (section->use == Use::refused) {
            report_.add(ProblemKind::not_supported, line, path, std::string(section->why));
        } else {
            configuration_.ignored.push_back({path, line, std::string(section->why)});
        }
    }

    // A long list of strange keys is another kind of file, where looking for each takes long.
    std::string hint(const std::string& path) {
        constexpr int most = 50;
        return ++unknown_ <= most ? did_you_mean(path, named_) : std::string();
    }

    const records::FileReport& report_;
    Configuration& configuration_;
    int unknown_ = 0;
    std::set<std::string> acting_;
    std::vector<std::string_view> known_;
    std::vector<std::string_view> named_;  ///< the known ones without "*"
};

}  // namespace

std::vector<KeyUse> key_table() {
    std::vector<KeyUse> table = acting_keys();
    for (const IdleKey& key : idle_keys()) {
        table.push_back({std::string(key.path), key.use, std::string(key.why)});
    }
    return table;
}

void note_idle_keys(const io::Json& root,
                    const records::FileReport& report,
                    Configuration& configuration) {
    if (root.if_object() != nullptr) {
        Walker(report, configuration).walk(root, "");
    }
}

}  // namespace lockstep::formats::homodyne
