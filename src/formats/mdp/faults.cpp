#include "formats/mdp/faults.hpp"

#include <utility>

#include <fmt/format.h>

namespace lockstep::formats::mdp {

Faults::Faults(std::string file, Places places, Problems& problems)
    : file_(std::move(file)), places_(places), problems_(problems) {}

void Faults::add(ProblemKind kind, std::int64_t place, std::string entity, std::string message) {
    if (++count_ > most) {
        return;
    }
    const char* const mark = places_ == Places::lines ? ":" : ", row ";
    problems_.add(kind,
                  place > 0 ? fmt::format("{}{}{}", file_, mark, place) : file_,
                  std::move(entity),
                  std::move(message));
}

void Faults::finish() {
    if (count_ > most) {
        problems_.add(ProblemKind::invalid_value,
                      file_,
                      "",
                      fmt::format("{} more faults are not told", count_ - most));
    }
}

}  // namespace lockstep::formats::mdp
