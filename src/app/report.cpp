#include "lockstep/app/report.hpp"

#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"

#include "app/wing.hpp"

namespace lockstep::app {

std::filesystem::path report_with(std::span<const Wing> known,
                                  const std::filesystem::path& output_directory,
                                  const std::filesystem::path& page) {
    const auto html = wing_of(open_output(output_directory), known).report(output_directory).html();
    const auto file = page.empty() ? output_directory / "report.html" : page;
    io::write_file(file, html);
    return file;
}

std::filesystem::path make_report(const std::filesystem::path& output_directory,
                                  const std::filesystem::path& page) {
    return report_with(wings(), output_directory, page);
}

}  // namespace lockstep::app
