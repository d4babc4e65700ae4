#include "lockstep/app/compare.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "common_commands.hpp"
#include "json_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

io::Json difference_json(const app::Difference& difference) {
    auto object = io::Json::object();
    object.set("part", difference.part);
    object.set("where", difference.where);
    object.set("quantity", difference.quantity);
    object.set("left", difference.left);
    object.set("right", difference.right);
    object.set("absolute", difference.absolute);
    object.set("relative", difference.relative);
    return object;
}

io::Json comparison_json(const app::Comparison& comparison) {
    auto object = io::Json::object();
    object.set("same", comparison.is_same);
    object.set("sentence", comparison.sentence);
    auto digests = io::Json::array();
    for (const auto& [part, left, right] : comparison.digests) {
        auto entry = io::Json::object();
        entry.set("part", part);
        entry.set("left", left);
        entry.set("right", right);
        digests.push(std::move(entry));
    }
    object.set("digests", std::move(digests));
    auto differences = io::Json::array();
    for (const auto& difference : comparison.differences) {
        differences.push(difference_json(difference));
    }
    object.set("differences", std::move(differences));
    return object;
}

std::string difference_text(const app::Difference& difference) {
    auto text = fmt::format("\n{}: first at {}\n  {:<10}{}\n  {:<10}{}\n  {:<10}{}\n",
                            difference.part,
                            difference.where,
                            "what",
                            difference.quantity,
                            "A",
                            difference.left,
                            "B",
                            difference.right);
    if (difference.absolute == difference.absolute) {
        text += fmt::format("  {:<10}{:.3g} absolute, {:.3g} relative\n",
                            "apart",
                            difference.absolute,
                            difference.relative);
    }
    return text;
}

std::string comparison_text(const app::Comparison& comparison) {
    auto text = comparison.sentence + "\n";
    for (const auto& [part, left, right] : comparison.digests) {
        text += fmt::format("  {:<12}{:<34}{}\n", part, left, left == right ? "=" : right);
    }
    for (const auto& difference : comparison.differences) {
        text += difference_text(difference);
    }
    return text;
}

}  // namespace

int execute(const CompareCommand& command) {
    const auto comparison = app::compare(command.left, command.right, command.depth);
    if (command.voice.json) {
        print_line(comparison_json(comparison));
    } else {
        print(comparison_text(comparison));
    }
    return comparison.is_same ? 0 : 1;
}

}  // namespace lockstep::cli
