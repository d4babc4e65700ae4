#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/number.hpp"
#include "lockstep/base/quotient.hpp"

#include "formats/mdp/drn.hpp"

namespace lockstep::formats::mdp {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == text.npos ? std::string_view()
                              : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::vector<std::string_view> words(std::string_view text, std::string_view separators = blanks) {
    std::vector<std::string_view> found;
    for (std::size_t first = text.find_first_not_of(separators); first != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, first), text.size());
        found.push_back(text.substr(first, end - first));
        first = text.find_first_not_of(separators, end);
    }
    return found;
}

std::optional<std::int64_t> whole(std::string_view text) {
    const auto value = parse_number<std::int64_t>(text);
    return value && *value >= 0 ? value : std::nullopt;
}

// The lines of a text that say something.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    bool next() {
        while (next_of_any_kind()) {
            if (!line_.empty() && !line_.starts_with("//")) {
                return true;
            }
        }
        return false;
    }
    // Also where it is empty.
    bool next_of_any_kind() {
        if (rest_.empty()) {
            return false;
        }
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        line_ = trimmed(rest_.substr(0, end));
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++number_;
        return true;
    }
    [[nodiscard]] std::string_view line() const noexcept { return line_; }
    [[nodiscard]] std::int64_t number() const noexcept { return number_; }
    [[nodiscard]] bool is_before(char first) const noexcept { return rest_.starts_with(first); }

private:
    std::string_view rest_;
    std::string_view line_;
    std::int64_t number_ = 0;
};

struct Pair {
    std::int64_t state = 0;
    std::string_view action;
    double reward = 0;
};
struct Transition {
    std::int64_t line;
    std::size_t pair;
    std::int64_t next;
    std::optional<double> probability;
};

class DrnReader {
public:
    DrnReader(std::string_view text, Draft& draft, Faults& faults)
        : lines_(text), draft_(draft), faults_(faults) {}

    void read() {
        if (read_head() && read_states()) {
            check_counts();
            hand_over();
        }
    }

private:
    void wrong(std::string what, ProblemKind kind = ProblemKind::schema_violation) {
        faults_.add(kind, lines_.number(), "", std::move(what));
    }

    // The lines that begin with @, up to @model. False: what follows cannot be understood.
    bool read_head() {
        while (lines_.next()) {
            const std::string_view line = lines_.line();
            if (line == "@model") {
                return is_head_whole();
            }
            if (line.starts_with("@type:")) {
                read_type(trimmed(line.substr(6)));
            } else if (line.starts_with("@value_type:")) {
                read_value_type(trimmed(line.substr(12)));
            } else if (!read_section(line)) {
                wrong(fmt::format("\"{}\" is nothing that a .drn file has before @model", line));
                return false;
            }
        }
        wrong("ends before @model");
        return false;
    }

    void read_type(std::string_view type) {
        has_type_ = true;
        if (type != "MDP" && type != "DTMC") {
            is_supported_ = false;
            wrong(fmt::format("a model of type {}: must be MDP or DTMC", type),
                  ProblemKind::not_supported);
        }
    }

    void read_value_type(std::string_view type) {
        if (type != "double" && type != "rational") {
            is_supported_ = false;
            wrong(fmt::format("values of type {}: must be double or rational", type),
                  ProblemKind::not_supported);
        }
    }

    bool read_section(std::string_view name) {
        if (name == "@placeholders") {
            read_placeholders();
            return true;
        }
        if (name != "@parameters" && name != "@reward_models" && name != "@nr_states" &&
            name != "@nr_choices") {
            return false;
        }
        lines_.next_of_any_kind();
        if (name == "@parameters" && !lines_.line().empty()) {
            is_supported_ = false;
            wrong("parameters: every probability must be a number", ProblemKind::not_supported);
        } else if (name == "@reward_models") {
            read_reward_models();
        } else if (name == "@nr_states") {
            declared_states_ = count("@nr_states");
        } else if (name == "@nr_choices") {
            declared_choices_ = count("@nr_choices");
        }
        return true;
    }

    std::optional<std::int64_t> count(std::string_view name) {
        const auto value = whole(lines_.line());
        if (!value) {
            wrong(fmt::format("{}: \"{}\" must be a whole number", name, lines_.line()));
        }
        return value;
    }

    void read_placeholders() {
        while (!lines_.is_before('@') && lines_.next()) {
            const std::size_t colon = lines_.line().find(':');
            const std::string_view name = trimmed(lines_.line().substr(0, colon));
            const auto value = colon == std::string_view::npos
                                   ? std::nullopt
                                   : number(trimmed(lines_.line().substr(colon + 1)));
            if (!value || !name.starts_with('$')) {
                wrong("must be \"$name : number\"");
            } else {
                placeholders_[std::string(name)] = *value;
            }
        }
    }

    void read_reward_models() {
        const auto models = words(lines_.line());
        const auto named = std::find(models.begin(), models.end(), "reward");
        if (named != models.end()) {
            reward_model_ = static_cast<std::size_t>(named - models.begin());
        } else if (models.size() > 1) {
            wrong(fmt::format("reward models {}: keep one, or call the one that counts \"reward\"",
                              fmt::join(models, ", ")));
        }
    }

    bool is_head_whole() {
        if (!has_type_ || !declared_states_) {
            wrong("@type and @nr_states must stand before @model");
        }
        return has_type_ && declared_states_ && is_supported_;
    }

    bool read_states() {
        while (lines_.next()) {
            const std::string_view line = lines_.line();
            if (line.starts_with("state ")) {
                read_state(line.substr(6));
            } else if (states_ == 0) {
                wrong("must be \"state 0\"");
                return false;
            } else if (line.starts_with("action ")) {
                read_action(line.substr(7));
            } else {
                read_transition(line);
            }
        }
        return states_ > 0;
    }

    // "7 [0, 1] label label"
    void read_state(std::string_view rest) {
        const std::string_view head = rest.substr(0, rest.find('['));
        auto labels = words(head);
        if (labels.empty() || whole(labels.front()) != states_) {
            wrong(fmt::format("state {}: states are 0 up, in order; this one must be {}",
                              labels.empty() ? "" : labels.front(),
                              states_));
        }
        state_reward_ = reward_in(rest);
        if (const std::size_t close = rest.find(']'); close != rest.npos) {
            labels = words(rest.substr(close + 1));
        } else if (!labels.empty()) {
            labels.erase(labels.begin());
        }
        for (const std::string_view label : labels) {
            add_label(label);
        }
        ++states_;
        has_action_ = false;
    }

    void add_label(std::string_view label) {
        if (label == "init") {
            starts_.emplace_back(lines_.number(), states_);
        } else if (label == terminated_label) {
            ended_.insert(states_);
        }
    }

    // "name [0, 1]"
    void read_action(std::string_view rest) {
        const auto found = words(rest.substr(0, rest.find('[')));
        if (found.size() != 1) {
            wrong("must be \"action name [reward]\"");
        }
        begin_pair(found.empty() ? "" : found.front(), reward_in(rest));
    }

    void begin_pair(std::string_view action, double reward) {
        pairs_.push_back({states_ - 1, action, state_reward_ + reward});
        has_action_ = true;
    }

    // "next : probability"
    void read_transition(std::string_view line) {
        if (!has_action_) {
            begin_pair("0", 0);  // chains need not say so
        }
        const std::size_t colon = line.find(':');
        const auto next = whole(trimmed(line.substr(0, colon)));
        const auto probability = colon == std::string_view::npos
                                     ? std::nullopt
                                     : number(trimmed(line.substr(colon + 1)));
        if (!next || !probability) {
            wrong("must be \"next state : probability\"");
        }
        transitions_.push_back(
            {lines_.number(), pairs_.size() - 1, next.value_or(-1), probability});
    }

    double reward_in(std::string_view text) {
        const std::size_t open = text.find('[');
        if (open == text.npos) {
            return 0;
        }
        const std::size_t close = text.find(']', open);
        const auto rewards = words(text.substr(open + 1, close - open - 1), ", \t");
        if (close == text.npos || reward_model_ >= rewards.size()) {
            if (close == text.npos) {
                wrong("\"]\" is missing");
            }
            return 0;
        }
        const auto value = number(rewards[reward_model_]);
        if (!value) {
            wrong(fmt::format("reward \"{}\" must be a finite number", rewards[reward_model_]));
        }
        return value.value_or(0);
    }

    std::optional<double> number(std::string_view text) const {
        if (text.starts_with('$')) {
            const auto place = placeholders_.find(text);
            return place == placeholders_.end() ? std::nullopt : std::optional(place->second);
        }
        return parse_quotient(text);
    }

    void check_counts() {
        if (states_ != *declared_states_) {
            wrong(fmt::format("has {} states, but @nr_states is {}", states_, *declared_states_));
        }
        if (declared_choices_ && static_cast<std::int64_t>(pairs_.size()) != *declared_choices_) {
            wrong(fmt::format(
                "has {} actions, but @nr_choices is {}", pairs_.size(), *declared_choices_));
        }
    }

    // Names as they are where they tell the actions of each state apart, numbers where all are
    // numbers, and else the place of an action in its state.
    enum class Naming { names, numbers, places };

    [[nodiscard]] Naming naming() const {
        bool are_numbers = true;
        std::set<std::pair<std::int64_t, std::string_view>> seen;
        for (const Pair& pair : pairs_) {
            if (pair.action == "__NOLABEL__" || !seen.emplace(pair.state, pair.action).second) {
                return Naming::places;
            }
            are_numbers &= whole(pair.action).has_value();
        }
        return are_numbers ? Naming::numbers : Naming::names;
    }

    [[nodiscard]] std::vector<Label> labels() const {
        const Naming how = naming();
        std::vector<Label> labels;
        std::int64_t place = 0;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            place = i > 0 && pairs_[i].state == pairs_[i - 1].state ? place + 1 : 0;
            if (how == Naming::names) {
                labels.emplace_back(pairs_[i].action);
            } else {
                labels.emplace_back(how == Naming::places ? place : *whole(pairs_[i].action));
            }
        }
        return labels;
    }

    void hand_over() {
        constexpr std::int64_t most = 2'147'483'647;
        draft_.states.declare(static_cast<std::int32_t>(std::min(states_, most)));
        const std::vector<Label> actions = labels();
        for (const Transition& transition : transitions_) {
            const Pair& pair = pairs_[transition.pair];
            if (!ended_.contains(pair.state)) {
                draft_.add_row({transition.line,
                                pair.state,
                                actions[transition.pair],
                                transition.next < 0 ? Label() : Label(transition.next),
                                transition.probability,
                                pair.reward,
                                ended_.contains(transition.next)});
            }
        }
        for (const auto& [line, state] : starts_) {
            draft_.add_start(line, state, 1.0 / static_cast<double>(starts_.size()));
        }
    }

    Lines lines_;
    Draft& draft_;
    Faults& faults_;

    bool has_type_ = false;
    bool is_supported_ = true;
    std::optional<std::int64_t> declared_states_;
    std::optional<std::int64_t> declared_choices_;
    std::map<std::string, double, std::less<>> placeholders_;
    std::size_t reward_model_ = 0;

    std::int64_t states_ = 0;  // so far
    double state_reward_ = 0;
    bool has_action_ = false;  // in the state that is read
    std::vector<Pair> pairs_;
    std::vector<Transition> transitions_;
    std::vector<std::pair<std::int64_t, std::int64_t>> starts_;  // line, state
    std::set<std::int64_t> ended_;
};

}  // namespace

void read_drn(std::string_view text, Draft& draft, Faults& faults) {
    DrnReader(text, draft, faults).read();
}

}  // namespace lockstep::formats::mdp
