#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

namespace {

/// A row of a table of which the reader only wants to know whether it has any.
struct AnyRow {
    template <typename Columns>
    static void columns(Columns&) {}
};

}  // namespace

InputFile unsupported_file(std::string_view path,
                           std::string_view holds,
                           std::string_view feature) {
    return {path, holds, FileUse::unsupported, [=](const Reading& r) {
                if (r.files.has(std::string(path))) {
                    r.out.unsupported.push_back({std::string(path), std::string(feature)});
                }
            }};
}

InputFile unsupported_table(std::string_view path,
                            std::string_view holds,
                            std::string_view feature) {
    return {path, holds, FileUse::unsupported, [=](const Reading& r) {
                std::optional<std::vector<AnyRow>> rows;
                r.files.read(std::string(path), Presence::optional, rows);
                if (rows && !rows->empty()) {
                    r.out.unsupported.push_back({std::string(path), std::string(feature)});
                }
            }};
}

InputFile replaced_file(std::string_view path, std::string_view instead) {
    return {path, instead, FileUse::replaced, [=](const Reading& r) {
                if (r.files.has(std::string(path))) {
                    r.problems.add(ProblemKind::business_rule_violation,
                                   std::string(path),
                                   "",
                                   fmt::format("file of an older format: {}", instead));
                }
            }};
}

}  // namespace lockstep::formats::cobre
