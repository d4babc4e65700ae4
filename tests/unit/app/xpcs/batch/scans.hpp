#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/app/xpcs/batch.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {

/// Configurations of static fits to the matrices of tests/data/xpcs, which differ in their frames.
class Scans {
public:
    std::filesystem::path add(const std::string& name, int frames) const {
        const auto data = (test::source_dir() / "tests/data/xpcs").string();
        return add_text(name,
                        "analysis_mode: static\n"
                        "analyzer_parameters: {dt: 0.1, start_frame: 1, end_frame: " +
                            std::to_string(frames) +
                            ", scattering: {wavevector_q: 0.0054}}\n"
                            "initial_parameters:\n"
                            "  parameter_names: [D0, alpha, D_offset]\n"
                            "  values: [1.0e4, -0.5, 500]\n"
                            "experimental_data: {data_folder_path: " +
                            data + ", data_file_name: lam6_aps_old.h5}\n");
    }
    std::filesystem::path add_text(const std::string& name, const std::string& text) const {
        const auto file = in() / (name + ".yaml");
        io::write_file(file, text);
        return file;
    }
    /// Five that can be fitted and one that cannot.
    void add_some() const {
        for (const int frames : {12, 14, 16, 18, 20}) {
            add("scan_" + std::to_string(frames), frames);
        }
        add_text("scan_13", "analysis_mode: [\n");
    }

    [[nodiscard]] std::filesystem::path in() const { return folder_ / "in"; }
    [[nodiscard]] std::filesystem::path out(const std::string& name = "out") const {
        return folder_ / name;
    }

    /// Small and quick work on all of them.
    [[nodiscard]] BatchRequest request(const std::string& output = "out") const {
        BatchRequest request;
        request.inputs = {in().string()};
        request.each.run.output = out(output);
        request.each.run.threads = 1;
        request.each.errors.method = xpcs::ErrorMethod::classical;
        request.each.draws = 100;
        request.each.chains = 1;
        return request;
    }

private:
    TemporaryFolder folder_;
};

}  // namespace lockstep::app
