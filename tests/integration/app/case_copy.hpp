#pragma once

#include <filesystem>
#include <string>

#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {

/// A copy of cases/sddp/1dtoy to spoil.
class CaseCopy {
public:
    CaseCopy();

    [[nodiscard]] std::string path() const { return (folder_ / "case").string(); }
    [[nodiscard]] std::string output() const { return (folder_ / "out").string(); }
    /// A file of the case.
    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_ / "case" / name;
    }

    /// Puts `to` in the place of the first `from`, which must be there.
    void edit(const std::string& name, const std::string& from, const std::string& to) const;
    void write(const std::string& name, const std::string& content) const;
    [[nodiscard]] std::string read(const std::string& name) const;

private:
    app::TemporaryFolder folder_;
};

}  // namespace lockstep::cli
