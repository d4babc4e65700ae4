#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::fuzz {

/// A copy of a case in memory whose files a target replaces; targets run at the root of the sources
/// (tools/fuzz.sh).
class FuzzedCase {
public:
    explicit FuzzedCase(const std::filesystem::path& original) : original_(original) {
        std::string name = "/dev/shm/lockstep-fuzz-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) {
            std::abort();
        }
        folder_ = name;
        std::filesystem::copy(original, folder_, std::filesystem::copy_options::recursive);
    }
    ~FuzzedCase() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    FuzzedCase(const FuzzedCase&) = delete;
    FuzzedCase& operator=(const FuzzedCase&) = delete;

    /// Names of the case's files with this ending, in order.
    [[nodiscard]] std::vector<std::string> files(const char* ending) const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(original_)) {
            if (entry.path().extension() == ending) {
                names.push_back(std::filesystem::relative(entry.path(), original_).string());
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }
    [[nodiscard]] std::filesystem::path original(const std::string& name) const {
        return original_ / name;
    }
    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_ / name;
    }
    void restore(const std::string& name) const {
        std::filesystem::copy_file(
            original(name), file(name), std::filesystem::copy_options::overwrite_existing);
    }

    /// Reads the case, and what training would make of it before its first LP. Either has problems.
    void read() const {
        Problems problems;
        auto [facts, study] = formats::cobre::read_case(folder_, {}, problems);
        if (problems.has_errors()) {
            return;
        }
        auto process = sddp::build_process(study.calendar, study.system, study.process, problems);
        if (!problems.has_errors()) {
            pin_nodes(study.graph,
                      study.calendar,
                      study.system,
                      study.process.external_inflow,
                      process,
                      problems);
        }
    }

private:
    std::filesystem::path original_;
    std::filesystem::path folder_;
};

}  // namespace lockstep::fuzz
