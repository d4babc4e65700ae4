#include "lockstep/formats/cobre/schema.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/table.hpp"

#include "case_fixture.hpp"
#include "support/json_schema.hpp"

namespace lockstep::formats::cobre::test {
namespace {

namespace fs = std::filesystem;
using lockstep::test::rows_of;
using lockstep::test::violations;
using testing::IsEmpty;

const std::map<std::string, io::Json>& all() {
    static const std::map<std::string, io::Json> schemas_by_file = [] {
        std::map<std::string, io::Json> out;
        for (const auto& [file, text] : schemas()) {
            out.emplace(file, io::parse_json(text, file));
        }
        return out;
    }();
    return schemas_by_file;
}

/// A part of a schema by dotted path, which has to be there.
io::Json part(const io::Json& root, std::string_view path) {
    io::Json copy = root;
    const io::Json* found = find(copy, path);
    return found != nullptr ? *found : throw std::out_of_range(std::string(path));
}

using Visit = std::function<void(const std::string& path, const io::Json& property)>;

/// Every property of a schema, those inside others too.
void for_each_property(const io::Json& schema, const std::string& path, const Visit& visit) {
    if (const io::Json* properties = schema.find("properties")) {
        for (const auto& [key, property] : *properties->if_object()) {
            visit(path + "." + key, property);
            for_each_property(property, path + "." + key, visit);
        }
    }
    for (const char* inside : {"items", "additionalProperties"}) {
        const io::Json* inner = schema.find(inside);
        if (inner != nullptr && inner->if_object() != nullptr) {
            for_each_property(*inner, path + "[]", visit);
        }
    }
    if (const io::Json* variants = schema.find("anyOf")) {
        for (const io::Json& variant : *variants->if_array()) {
            for_each_property(variant, path, visit);
        }
    }
}

void for_each_property(const Visit& visit) {
    for (const auto& [file, schema] : all()) {
        for_each_property(schema, file, visit);
    }
}

/// Whether a value, or an element of a list in any depth, may be a number that is not whole.
bool holds_reals(const io::Json& property) {
    if (const io::Json* items = property.find("items")) {
        return holds_reals(*items);
    }
    const io::Json* type = property.find("type");
    return type != nullptr && io::to_text(*type).find("\"number\"") != std::string::npos;
}

TEST(SchemaTest, DescribesAllFilesThatAreRead) {
    std::size_t tables = 0;
    for (const auto& [file, schema] : all()) {
        EXPECT_EQ(*schema.find("title")->if_string(), file);
        EXPECT_FALSE(schema.find("description")->if_string()->empty()) << file;
        tables += file.ends_with(".parquet") ? 1U : 0U;
    }
    EXPECT_EQ(tables, 28U);
    EXPECT_EQ(all().size() - tables, 19U);
}

TEST(SchemaTest, SaysTypesRangesAndWhatIsRequired) {
    const io::Json line = part(all().at("system/lines.json"), "properties.lines.items");

    EXPECT_EQ(*part(line, "properties.name.type").if_string(), "string");
    EXPECT_EQ(*part(line, "properties.operational_start_date.format").if_string(), "date");
    EXPECT_EQ(part(line, "properties.losses_percent.minimum").if_number(), 0);
    EXPECT_EQ(*part(line, "properties.losses_percent.x-unit").if_string(), "%");
    EXPECT_EQ(part(line, "properties.losses_percent.default").if_number(), 0);
    EXPECT_EQ(*part(line, "required.0").if_string(), "id");
    EXPECT_FALSE(*part(line, "additionalProperties").if_bool());
}

TEST(SchemaTest, TakesNullForOptionalKeysOnly) {
    const io::Json& buses = all().at("system/buses.json");
    const auto bus = [](const char* more) {
        return io::parse_json(R"({"buses": [{"id": 1, "name": "B", )" + std::string(more) + "}]}",
                              "");
    };
    const char* date = R"("operational_start_date": "2000-01-01", "deficit_segments": null)";

    EXPECT_THAT(violations(buses, bus(date)), IsEmpty());
    EXPECT_THAT(violations(buses, bus(R"("operational_start_date": null)")),
                testing::ElementsAre(".buses[0].operational_start_date: is null, not \"string\""));
    EXPECT_THAT(violations(buses, io::parse_json(R"({"buses": null})", "")),
                testing::ElementsAre(".buses: is null, not \"array\""));
}

TEST(SchemaTest, ListsTheKeysOfEveryVariant) {
    const io::Json rule = part(all().at("config.json"),
                               "properties.training.properties.stopping_rules.items.properties");
    for (const char* key : {"type", "limit", "seconds", "iterations", "tolerance"}) {
        EXPECT_NE(rule.find(key), nullptr) << key;
    }
    EXPECT_EQ(part(rule, "type.enum").if_array()->size(), 4U);
    EXPECT_EQ(*part(rule, "limit.x-with").if_string(), "type iteration_limit");
}

TEST(SchemaTest, DescribesColumnsOfTables) {
    const io::Json row = part(all().at("constraints/thermal_bounds.parquet"), "items");

    EXPECT_EQ(*part(row, "properties.thermal_id.x-parquet-type").if_string(), "INT32");
    EXPECT_EQ(*part(row, "properties.max_generation_mw.x-parquet-type").if_string(), "DOUBLE");
    EXPECT_EQ(*part(row, "properties.max_generation_mw.x-unit").if_string(), "MW");
    EXPECT_TRUE(part(row, "properties.max_generation_mw.default").is_null());
    EXPECT_EQ(part(row, "required").if_array()->size(), 2U);
    EXPECT_TRUE(*part(row, "additionalProperties").if_bool());
}

TEST(SchemaTest, DescribesEveryProperty) {
    std::size_t count = 0;
    for_each_property([&](const std::string& path, const io::Json& property) {
        const io::Json* text = property.find("description");
        ASSERT_NE(text, nullptr) << path;
        EXPECT_GE(text->if_string()->size(), 8U) << path;
        EXPECT_NE(property.find("examples"), nullptr) << path << " has no example";
        if (holds_reals(property)) {
            EXPECT_NE(property.find("x-unit"), nullptr) << path << " has no unit";
        }
        ++count;
    });
    EXPECT_GT(count, 450U);
}

TEST(SchemaTest, HasExamplesAndDefaultsThatItAccepts) {
    for_each_property([](const std::string& path, const io::Json& property) {
        for (const io::Json& example : *property.find("examples")->if_array()) {
            EXPECT_THAT(violations(property, example), IsEmpty()) << path;
        }
        if (const io::Json* value = property.find("default")) {
            EXPECT_THAT(violations(property, *value), IsEmpty()) << path;
        }
    });
}

TEST(SchemaTest, GivesADefaultToWhatMayBeAbsent) {
    for_each_property([](const std::string& path, const io::Json& property) {
        const io::Json* type = property.find("type");
        const bool is_optional = type != nullptr && type->if_array() != nullptr;
        EXPECT_EQ(property.find("default") != nullptr || path.ends_with("$schema"),
                  is_optional || type == nullptr || path.ends_with("$schema"))
            << path;
    });
}

/// Reads a file of a case as its schema sees it.
io::Json content(const fs::path& file) {
    return file.extension() == ".parquet" ? rows_of(io::read_parquet(file)) : io::read_json(file);
}

TEST(SchemaTest, AcceptsTheFilesOfEveryBundledCase) {
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(bundled(""))) {
        for (const auto& [name, schema] : all()) {
            const fs::path file = entry.path() / name;
            if (fs::exists(file)) {
                EXPECT_THAT(violations(schema, content(file)), IsEmpty()) << file;
                ++files;
            }
        }
    }
    EXPECT_GT(files, 250U);
}

TEST(SchemaTest, RefusesWhatTheReaderRefuses) {
    const io::Json& lines = all().at("system/lines.json");
    const io::Json& bounds = all().at("constraints/line_bounds.parquet");

    EXPECT_THAT(violations(lines, io::parse_json(R"({"linse": []})", "")),
                testing::ElementsAre(": lacks lines", ".linse: is unknown"));
    EXPECT_THAT(
        violations(bounds,
                   io::parse_json(R"([{"line_id": 1, "stage_id": 0, "direct_mw": -1}])", "")),
        testing::ElementsAre("[0].direct_mw: -1 is out of range"));
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
