#include <string>
#include <utility>

#include <fmt/format.h>

#include "formats/cobre/read/raw/stages.hpp"
#include "formats/records/schema_writer.hpp"

namespace lockstep::formats::cobre::raw {

void read_value(const ValueAt& at, RiskMeasure& out, Range) {
    const std::string* text = at.value.if_string();
    if (text == nullptr) {
        RiskParts parts;
        cobre::read_value(at, parts, {});
        if (parts.weight() > 1) {
            at.wrong(
                fmt::format("the weights \"lambda\" sum to {}: must not exceed 1", parts.weight()));
        }
        out.parts = parts;
    } else if (*text != "expectation") {
        at.wrong(fmt::format(
            "\"{}\" is not allowed: must be \"expectation\" or an object with \"cvar\", "
            "\"worst_case\" or \"entropic\"",
            *text));
    }
}

io::Json schema_of(const RiskMeasure&, Range) {
    io::Json variants = io::Json::array();
    variants.push(choice_schema({"expectation"}, 0));
    variants.push(records::schema_of(RiskParts{}, {}));
    io::Json schema = io::Json::object();
    schema.set("anyOf", std::move(variants));
    schema.set("default", "expectation");
    return schema;
}

}  // namespace lockstep::formats::cobre::raw
