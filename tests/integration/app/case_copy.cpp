#include "integration/app/case_copy.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/places.hpp"

namespace lockstep::cli {

CaseCopy::CaseCopy() {
    std::filesystem::copy(test::source_dir() / "cases/sddp/1dtoy",
                          folder_ / "case",
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove_all(folder_ / "case" / "output");
}

std::string CaseCopy::read(const std::string& name) const {
    std::ifstream stream(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void CaseCopy::write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
}

void CaseCopy::edit(const std::string& name, const std::string& from, const std::string& to) const {
    auto content = read(name);
    const auto at = content.find(from);
    if (at == content.npos) {
        throw std::runtime_error(name + " does not hold " + from);
    }
    write(name, content.replace(at, from.size(), to));
}

}  // namespace lockstep::cli
