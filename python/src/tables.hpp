#pragma once

#include <memory>
#include <utility>

#include "table.hpp"

namespace lockstep::python {

/// A table as Python holds it.
struct PyTable {
    explicit PyTable(io::Table table) : shared(std::make_shared<ArrowTable>(std::move(table))) {}
    std::shared_ptr<const ArrowTable> shared;
};

}  // namespace lockstep::python
