#include "lockstep/formats/cobre/schema.hpp"

#include <string>

#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

io::Json schema_of(const std::string& file) {
    for (const auto& [name, text] : schemas()) {
        if (name == file) {
            return io::parse_json(text, name);
        }
    }
    ADD_FAILURE() << "no schema of " << file;
    return {};
}

TEST(SchemaTest, DescribesAllJsonFiles) {
    EXPECT_EQ(schemas().size(), 17U);
    for (const auto& [name, text] : schemas()) {
        const io::Json schema = io::parse_json(text, name);
        EXPECT_NE(schema.find("properties"), nullptr) << name;
        EXPECT_EQ(*schema.find("title")->if_string(), name);
    }
}

TEST(SchemaTest, SaysTypesRangesAndWhatIsRequired) {
    io::Json schema = schema_of("system/lines.json");

    const io::Json* line = find(schema, "properties.lines.items");
    ASSERT_NE(line, nullptr);
    io::Json copy = *line;
    EXPECT_EQ(*find(copy, "properties.name.type")->if_string(), "string");
    EXPECT_EQ(*find(copy, "properties.operational_start_date.format")->if_string(), "date");
    EXPECT_EQ(find(copy, "properties.losses_percent.minimum")->if_number(), 0);
    EXPECT_EQ(*find(copy, "required.0")->if_string(), "id");
    EXPECT_FALSE(*find(copy, "additionalProperties")->if_bool());
}

TEST(SchemaTest, ListsTheKeysOfEveryVariant) {
    io::Json schema = schema_of("config.json");

    io::Json rule = *find(schema, "properties.training.properties.stopping_rules.items.properties");
    for (const char* key : {"type", "limit", "seconds", "iterations", "tolerance"}) {
        EXPECT_NE(rule.find(key), nullptr) << key;
    }
    EXPECT_EQ(find(rule, "type.enum")->if_array()->size(), 4U);
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
