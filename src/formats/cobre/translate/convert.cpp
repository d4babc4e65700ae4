#include "lockstep/formats/cobre/convert.hpp"

#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/read/files.hpp"
#include "formats/cobre/read/input/input_file.hpp"
#include "formats/cobre/translate/translate.hpp"

namespace lockstep::formats::cobre {

namespace fs = std::filesystem;

namespace {

/// Decimals of ratios that come out of other programs agree to this.
constexpr double same_ratio = 1e-6;

void check_free(const fs::path& to) {
    std::error_code code;
    if (fs::exists(to, code) && !(fs::is_directory(to, code) && fs::is_empty(to, code))) {
        throw InputError(fmt::format("{} is there and not empty", to.string()));
    }
}

/// Removes a folder unless it was finished.
class Draft {
public:
    explicit Draft(fs::path target)
        : target_(std::move(target)), path_(target_.string() + ".part") {
        fs::remove_all(path_);
    }
    ~Draft() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    [[nodiscard]] const fs::path& path() const noexcept { return path_; }
    void finish() const {
        std::error_code code;
        fs::remove(target_, code);  // it is empty
        fs::rename(path_, target_, code);
        if (code) {
            throw IoError(fmt::format("{}: cannot be made: {}", target_.string(), code.message()),
                          IoError::Direction::write);
        }
    }

private:
    fs::path target_;
    fs::path path_;
};

bool write_one(Files& files, const InputFile& file, const fs::path& folder) {
    const std::string path(file.path);
    if (!files.has(path) || file.use == FileUse::replaced) {
        return false;
    }
    fs::create_directories((folder / path).parent_path());
    if (file.is_table()) {
        if (const auto content = files.parquet(path, Presence::required)) {
            io::write_parquet(folder / path, content->table);
        }
    } else if (const auto root = files.json(path, Presence::required)) {
        io::write_file(folder / path, io::to_text(*root, 2) + "\n");
    }
    return true;
}

/// Ratio of a plant and stage: the deviation of its noise over that of its inflow.
std::optional<double> derived_ratio(const DeclaredRatio& declared,
                                    const Study& study,
                                    const sddp::Process& process) {
    const auto& stages = study.calendar.stages;
    const auto& hydros = study.system.hydros;
    for (std::size_t t = 0; t < stages.size(); ++t) {
        for (std::size_t h = 0; stages[t].id == declared.stage_id && h < hydros.size(); ++h) {
            for (const auto& row : *study.process.statistics) {
                if (hydros[h].id == declared.hydro_id && row.hydro == static_cast<int>(h) &&
                    row.stage_id == declared.stage_id && row.std_m3s > 0) {
                    return process.inflow.stages[t].scale[h] / row.std_m3s;
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<fs::path> convert_case(const fs::path& from, const fs::path& to, Problems& problems) {
    Files files(from, problems);
    const auto translation = translate_old_case(files, problems);
    if (!translation) {
        throw InputError(fmt::format(
            "{} is no case of Cobre 0.5: its config.json has no training.forward_passes",
            from.string()));
    }
    if (!translation->effects.empty()) {
        problems.add(ProblemKind::model_quality, "config.json", "", translation->effects);
    }
    if (!translation->evaporation.empty()) {
        problems.add(
            ProblemKind::not_supported,
            "stages.json",
            "",
            "a case of Cobre 0.5 cannot be translated: stages of one calendar month differ "
            "in hours or season, and evaporation is by months");
    }
    if (problems.has_errors()) {
        return {};
    }
    check_free(to);
    const Draft draft(to);
    std::vector<fs::path> written;
    for (const InputFile& file : input_files()) {
        if (write_one(files, file, draft.path())) {
            written.push_back(to / file.path);
        }
    }
    draft.finish();
    return written;
}

void check_declared_ratios(const CaseFacts& facts,
                           const Study& study,
                           const sddp::Process& process,
                           Problems& problems) {
    int different = 0;
    DeclaredRatio first;
    double derived = 1;
    for (const DeclaredRatio& declared : facts.declared_ratios) {
        const auto ratio =
            study.process.statistics ? derived_ratio(declared, study, process) : std::nullopt;
        if (ratio && std::abs(*ratio - declared.ratio) > same_ratio && different++ == 0) {
            first = declared;
            derived = *ratio;
        }
    }
    if (different > 0) {
        problems.add(
            ProblemKind::model_quality,
            "scenarios/inflow_ar_coefficients.parquet",
            fmt::format("hydro {}, stage {}", first.hydro_id, first.stage_id),
            fmt::format("residual_std_ratio {} is not {:.6f}, which the coefficients imply "
                        "and which counts{}",
                        first.ratio,
                        derived,
                        different > 1 ? fmt::format("; {} more differ", different - 1) : ""));
    }
}

}  // namespace lockstep::formats::cobre
