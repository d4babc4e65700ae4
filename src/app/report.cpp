#include "lockstep/app/report.hpp"

#include "lockstep/app/summary.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"

#include "app/report_parts.hpp"

namespace lockstep::app {

std::filesystem::path make_report(const std::filesystem::path& output_directory,
                                  const std::filesystem::path& page_file) {
    const auto results = formats::cobre::read_results(output_directory);
    const auto summary = summarize(output_directory);
    io::Page page(summary.case_name + " · Lockstep");
    add_facts(page, summary, results);
    add_training(page, results);
    if (results.simulation)
        add_simulation(page, formats::cobre::summarize_simulation(results));
    add_origin(page, summary, results);
    page.data("summary", io::to_text(to_json(summary)));
    const auto file = page_file.empty() ? output_directory / "report.html" : page_file;
    io::write_file(file, page.html());
    return file;
}

}  // namespace lockstep::app
