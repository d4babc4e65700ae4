#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/cobre/read/input/input_file.hpp"
#include "formats/records/schema_writer.hpp"
#include "formats/records/table_schema.hpp"

namespace lockstep::formats::cobre {

inline Presence presence_of(FileUse use) {
    return use == FileUse::required ? Presence::required : Presence::optional;
}

/// Entities in the order of the state vector; repeated ids are reported.
template <typename T>
std::vector<T> ordered(std::vector<T> entities,
                       std::string_view noun,
                       std::string_view file,
                       Problems& problems) {
    std::unordered_map<int, int> first_line;
    for (const T& entity : entities) {
        const auto [seen, is_new] = first_line.emplace(entity.id, entity.line);
        if (!is_new) {
            FileReport(std::string(file), problems)
                .add(ProblemKind::duplicate_id,
                     entity.line,
                     fmt::format("{} {}", noun, entity.id),
                     fmt::format("id {} is taken by line {}", entity.id, seen->second));
        }
    }
    std::stable_sort(entities.begin(), entities.end(), [](const T& a, const T& b) {
        return std::tie(a.operational_start_date, a.id) < std::tie(b.operational_start_date, b.id);
    });
    return entities;
}

/// A JSON file that fills a part of the case.
template <typename Root>
InputFile json_file(std::string_view path,
                    FileUse use,
                    std::string_view holds,
                    Root raw::Case::*part) {
    return {
        path,
        holds,
        use,
        [=](const Reading& r) { r.files.read(std::string(path), presence_of(use), r.out.*part); },
        [] { return records::schema_of(Root{}, {}); }};
}

/// A JSON file that the case tells whether it is there.
template <typename Root>
InputFile json_file(std::string_view path,
                    FileUse use,
                    std::string_view holds,
                    std::optional<Root> raw::Case::*part) {
    return {path,
            holds,
            use,
            [=](const Reading& r) {
                if (const auto root = r.files.json(std::string(path), presence_of(use))) {
                    r.files.read(std::string(path), *root, (r.out.*part).emplace());
                }
            },
            [] { return records::schema_of(Root{}, {}); }};
}

/// A JSON file with a list of entities, which the case has in its own order.
template <typename Root, typename T>
InputFile entity_file(std::string_view path,
                      FileUse use,
                      std::string_view holds,
                      std::string_view noun,
                      std::vector<T> Root::*list,
                      std::vector<T> raw::Case::*part) {
    return {path,
            holds,
            use,
            [=](const Reading& r) {
                Root root;
                r.files.read(std::string(path), presence_of(use), root);
                r.out.*part = ordered(std::move(root.*list), noun, path, r.problems);
            },
            [] { return records::schema_of(Root{}, {}); }};
}

/// A Parquet table.
template <typename Row>
InputFile table_file(std::string_view path,
                     std::string_view holds,
                     raw::Rows<Row> raw::Case::*part) {
    return {
        path,
        holds,
        FileUse::optional,
        [=](const Reading& r) { r.files.read(std::string(path), Presence::optional, r.out.*part); },
        [] { return records::table_schema<Row>(); }};
}

/// A file of an older format.
/// @param instead  what takes its place
InputFile replaced_file(std::string_view path, std::string_view instead);

}  // namespace lockstep::formats::cobre
