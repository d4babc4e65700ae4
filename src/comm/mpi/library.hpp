#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/mpi/table.hpp"

namespace lockstep::comm {

class MpiLink;

/// The plug-in of an MPI flavour. It is looked for in `directory` alone, or, if that is empty,
/// beside the running program and where it is installed.
/// @throws NotBuiltError  there is none, or its MPI is not installed; UsageError  this process has
///         loaded another flavour
const MpiTable& load_mpi(const std::string& flavour, const std::string& directory);

/// MPI between its start and its end in this process: shared by all that calls it, ended with the
/// last of them unless the program had started it or a rank was lost.
class MpiSession {
public:
    /// The present one, or a new one.
    /// @throws CommError  MPI has ended, or gives no thread level that will do
    static std::shared_ptr<MpiSession> open(const MpiTable& table);

    explicit MpiSession(const MpiTable& table);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    [[nodiscard]] const MpiTable& table() const noexcept { return table_; }
    /// MPI is left as it is: not all ranks will come to its end.
    void abandon() noexcept { is_ours_ = false; }

    // What a lost rank breaks. Whatever is made after a loss is of the next era.
    void add(MpiLink* link) { links_.push_back(link); }
    void remove(MpiLink* link) { std::erase(links_, link); }
    [[nodiscard]] const std::vector<MpiLink*>& links() const noexcept { return links_; }
    [[nodiscard]] int era() const noexcept { return era_; }
    void begin_era() noexcept { ++era_; }

    /// Text of an error, with the library that gave it.
    [[nodiscard]] std::string describe(int code) const;

private:
    const MpiTable& table_;
    bool is_ours_ = false;
    std::vector<MpiLink*> links_;
    int era_ = 0;
};

}  // namespace lockstep::comm
