#include <string>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/io/file.hpp"

#include "app/xpcs/wing.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::FitRecord;
using formats::xpcs::PosteriorRecord;

std::string number(const std::optional<double>& value, int significant = 4) {
    return value ? digits(*value, significant) : "not determined";
}

void add_fit(io::Page& page, const FitRecord& record) {
    page.heading("Fit");
    page.facts({{"χ²", digits(record.chi_squared), "each pair of frames once"},
                {"Reduced χ²",
                 digits(record.chi_squared / static_cast<double>(record.degrees_of_freedom), 4),
                 fmt::format("{} degrees of freedom", count(record.degrees_of_freedom))},
                {"Iterations", count(record.iterations), record.ending},
                {"Condition", digits(record.condition, 3), record.remark},
                {"Time", duration(record.seconds)},
                {"Digest", record.digest.substr(0, 8)}});
    std::vector<std::vector<std::string>> rows;
    for (const auto& value : record.values) {
        rows.push_back({value.name,
                        value.unit,
                        digits(value.value, 7),
                        number(value.error),
                        number(value.classical),
                        value.bound});
    }
    page.table({"Parameter",
                "Unit",
                "Value",
                fmt::format("Error ({})", record.error_method),
                "Error (classical)",
                "At bound"},
               rows);
}

void add_posterior(io::Page& page, const PosteriorRecord& record) {
    page.heading("Posterior");
    std::vector<std::vector<std::string>> rows;
    for (const auto& of : record.quantities) {
        rows.push_back({of.name,
                        digits(of.mean, 7),
                        digits(of.sd, 4),
                        digits(of.q05, 7),
                        digits(of.median, 7),
                        digits(of.q95, 7),
                        number(of.rhat),
                        digits(of.ess_bulk, 5),
                        digits(of.ess_tail, 5)});
    }
    page.table(
        {"Parameter", "Mean", "Deviation", "5 %", "50 %", "95 %", "R-hat", "ESS", "Tail ESS"},
        rows);
}

}  // namespace

io::Page xpcs_report(const std::filesystem::path& output) {
    const auto metadata = open_output(output).metadata;
    const auto fit = formats::xpcs::read_fit(output);
    io::Page page(fit.data.file + " · Lockstep");
    add_fit(page, fit);
    if (metadata.part("posterior") != nullptr) {
        add_posterior(page, formats::xpcs::read_posterior(output));
    }
    page.data("summary", io::to_text(to_json(fit)));
    return page;
}

}  // namespace lockstep::app
