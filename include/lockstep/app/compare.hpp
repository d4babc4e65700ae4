#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::app {

/// Where two results first differ.
struct Difference {
    std::string part;  ///< "bounds", "cuts", "simulation", "files"
    std::string
        where;  ///< "iteration 3", "stage 2, cut 7", "scenario 4, stage 1, block 0, hydro 12"
    std::string quantity;  ///< "lower_bound", "storage of FURNAS", "hydros.turbined_m3s"
    std::string left;      ///< value in the first directory, all digits
    std::string right;
    double absolute = 0;  ///< |left - right|, NaN when they are not numbers
    double relative = 0;  ///< of the larger magnitude
};

/// What was compared and what came of it.
struct Comparison {
    bool is_same = false;
    bool is_whole = true;                 ///< false: a part of either side ended early
    std::string sentence;                 ///< the answer in one sentence
    std::vector<Difference> differences;  ///< the first of each part, at most
    /// Per part: name, digest on the left, digest on the right.
    struct Digests {
        std::string part;
        std::string left;
        std::string right;
    };
    std::vector<Digests> digests;
};

enum class Depth {
    digests,  ///< tables are read only when digests differ
    files,    ///< all tables and policy files are read
};

/// Whether two output directories hold the same bits; times, hosts and threads do not count.
/// @throws IoError  a directory is missing or holds no result; InputError  a file is damaged
Comparison compare(const std::filesystem::path& left,
                   const std::filesystem::path& right,
                   Depth depth = Depth::digests);

}  // namespace lockstep::app
