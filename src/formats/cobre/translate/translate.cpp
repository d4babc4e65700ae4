#include "formats/cobre/translate/translate.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/cobre/read/input/input_file.hpp"
#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"

namespace lockstep::formats::cobre {

namespace {

using translate::OldCase;

constexpr const char* config_path = "config.json";

/// Files of 0.5 that 0.18 does not have.
constexpr const char* exchange_factors = "constraints/exchange_factors.json";

bool is_old(const io::Json& config) {
    const io::Json* training = config.find("training");
    return training != nullptr && training->find("forward_passes") != nullptr;
}

void read_json(Files& files, const std::string& path, OldCase& old) {
    if (auto root = files.json(path, Presence::optional)) {
        if (root->if_object() != nullptr) {  // what else it is, the reader tells
            old.json.emplace(path, *std::move(root));
        }
    } else if (files.has(path)) {
        files.hide(path);  // what is wrong with it was told
    }
}

void read_table(Files& files, const std::string& path, OldCase& old) {
    if (auto file = files.parquet(path, Presence::optional)) {
        old.tables.emplace(path, std::move(file->table));
    } else if (files.has(path)) {
        files.hide(path);
    }
}

void read_all(Files& files, OldCase& old) {
    for (const InputFile& file : input_files()) {
        const std::string path(file.path);
        if (file.use == FileUse::replaced) {
            continue;
        }
        if (file.is_table()) {
            read_table(files, path, old);
        } else {
            read_json(files, path, old);
        }
    }
    read_json(files, exchange_factors, old);
}

void translate_all(OldCase& old) {
    translate::translate_config(old);
    translate::translate_stages(old);
    translate::translate_past_inflows(old);
    translate::translate_history(old);
    translate::translate_entities(old);
    translate::translate_production(old);
    translate::translate_evaporation(old);
    translate::translate_statistics(old);
    translate::translate_tables(old);
    translate::translate_exchange_factors(old);
    translate::translate_generic(old);
}

/// 0.5 passed over keys that it did not know; the schemas that files name are not of this format.
void prune_unknown(OldCase& old) {
    for (const InputFile& file : input_files()) {
        if (io::Json* root = old.find(std::string(file.path)); root != nullptr && file.schema) {
            translate::prune(*root, file.schema());
            translate::take(*root, "$schema");
        }
    }
}

void show(OldCase& old, Files& files) {
    files.hide(exchange_factors);
    for (auto& [path, root] : old.json) {
        files.show(path, std::move(root));
    }
    for (auto& [path, table] : old.tables) {
        files.show(path, std::move(table));
    }
}

std::string effects(const std::vector<std::string>& remarks) {
    if (remarks.empty()) {
        return "";
    }
    return fmt::format("0.5 read without effect what acts now: {}", fmt::join(remarks, ", "));
}

}  // namespace

std::optional<Translation> translate_old_case(Files& files, Problems& problems) {
    const auto config = files.peek(config_path);
    if (!config || !is_old(*config)) {
        return std::nullopt;
    }
    OldCase old(problems);
    read_all(files, old);
    translate_all(old);
    prune_unknown(old);
    show(old, files);
    return Translation{std::move(old.evaporation), std::move(old.ratios), effects(old.remarks)};
}

}  // namespace lockstep::formats::cobre
