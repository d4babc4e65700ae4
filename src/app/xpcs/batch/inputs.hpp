#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/app/xpcs/batch.hpp"

namespace lockstep::app {

/// One dataset of a batch.
struct BatchItem {
    std::string name;        ///< of its folder: letters as in the file's name
    XpcsRequest request;     ///< with its input, data file and output
    std::int64_t bytes = 1;  ///< of its data, roughly: what work it is
};

/// The datasets that `request` names: of a folder or a pattern in natural order, scan_2 before
/// scan_10.
/// @param output  in which each gets its folder
/// @throws InputError, IoError
std::vector<BatchItem> batch_items(const BatchRequest& request,
                                   const std::filesystem::path& output);

/// Whether `a` comes before `b` where digits count as numbers.
bool comes_before(std::string_view a, std::string_view b) noexcept;

}  // namespace lockstep::app
