#include <utility>

#include <fmt/format.h>

#include "formats/cobre/read/raw/config/scenario_source.hpp"
#include "formats/records/schema_writer.hpp"

namespace lockstep::formats::cobre::raw {

void read_value(const ValueAt& at, HistoricalYears& out, Range) {
    if (at.value.if_array() != nullptr) {
        cobre::read_value(at, out.years, within(1, 9999));
        return;
    }
    YearRange range;
    cobre::read_value(at, range, {});
    if (range.to < range.from) {
        at.wrong(fmt::format(
            "\"to\" is {}: must not be before \"from\", which is {}", range.to, range.from));
        return;
    }
    for (int year = range.from; year <= range.to; ++year) {
        out.years.push_back(year);
    }
}

io::Json schema_of(const HistoricalYears& example, Range) {
    io::Json variants = io::Json::array();
    variants.push(records::schema_of(example.years, within(1, 9999)));
    variants.push(records::schema_of(YearRange{}, {}));
    io::Json schema = io::Json::object();
    schema.set("anyOf", std::move(variants));
    return schema;
}

}  // namespace lockstep::formats::cobre::raw
