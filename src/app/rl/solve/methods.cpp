#include "app/rl/solve/methods.hpp"

#include <algorithm>

#include "lockstep/app/rl/solve.hpp"
#include "lockstep/app/text.hpp"

namespace lockstep::app {

std::span<const NamedMethod> solve_methods() {
    using rl::Method;
    static const NamedMethod all[] = {
        {"automatic",
         "modified policy iteration, Gauss-Seidel where episodes end",
         Method::automatic},
        {"value-iteration",
         "all states from the values of the sweep before",
         Method::value_iteration},
        {"gauss-seidel",
         "in place, forwards and backwards in turn, without self-loops",
         Method::gauss_seidel},
        {"modified-policy-iteration",
         "some sweeps over the best actions alone after each over all",
         Method::modified_policy_iteration},
        {"policy-iteration",
         "each policy evaluated to rounding, then improved",
         Method::policy_iteration}};
    return all;
}

std::string_view to_string(rl::Method method) {
    const auto all = solve_methods();
    return std::find_if(
               all.begin(), all.end(), [&](const auto& entry) { return entry.method == method; })
        ->name;
}

std::string_view to_string(rl::Criterion criterion) {
    switch (criterion) {
        case rl::Criterion::total:
            return "total";
        case rl::Criterion::horizon:
            return "horizon";
        case rl::Criterion::average:
            return "average";
    }
    return {};
}

std::string ending_words(const std::string& ending) {
    return ending == "proven" ? "proven bounds" : stop_words(ending);
}

std::vector<std::string_view> solve_method_names() {
    std::vector<std::string_view> names;
    for (const auto& method : solve_methods()) {
        names.push_back(method.name);
    }
    return names;
}

rl::Method solve_method(std::string_view name) {
    const auto all = solve_methods();
    return std::find_if(
               all.begin(), all.end(), [&](const auto& entry) { return entry.name == name; })
        ->method;
}

}  // namespace lockstep::app
