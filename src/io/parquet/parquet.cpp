#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"
#include "lockstep/io/table_groups.hpp"

#include "io/output_file.hpp"
#include "io/parquet/library.hpp"

namespace lockstep::io {

namespace {

/// Runs what may find damage; the message names the file.
template <typename Action>
auto with_name(std::string_view name, const Action& action) {
    try {
        return action();
    } catch (const std::exception& error) {  // Parquet's own exceptions and bad_alloc too
        throw InputError(fmt::format("{}: not a Parquet file, or damaged: {}", name, error.what()));
    }
}

/// A column of so many values is not much longer than its headers: compression and dictionaries
/// would cost many times what they save, most of all the compressor that Arrow makes for each.
constexpr std::size_t cells_of_small_column = 64;

/// Values of a column, those in lists one by one.
std::size_t cells(const Column& column) {
    const auto* lists = std::get_if<std::vector<std::vector<double>>>(&column.values);
    std::size_t count = lists == nullptr ? column.size() : 0;
    for (std::size_t row = 0; lists != nullptr && row < lists->size(); ++row) {
        count += (*lists)[row].size();
    }
    return count;
}

bool is_small(const Table& table) {
    return std::ranges::all_of(
        table.columns, [](const Column& column) { return cells(column) <= cells_of_small_column; });
}

void require_consistent(const Column& column, std::size_t rows) {
    const bool wrong_length =
        column.size() != rows || (!column.present.empty() && column.present.size() != rows);
    if (wrong_length) {
        throw AssertionError(
            fmt::format("column {} has {} values and {} presence flags for {} rows",
                        column.name,
                        column.size(),
                        column.present.size(),
                        rows));
    }
    for (std::size_t row = 0; !column.nullable && row < rows; ++row) {
        if (!column.is_present(row)) {
            throw AssertionError(
                fmt::format("column {} is not nullable but row {} is absent", column.name, row));
        }
    }
}

bool is_alike(const Column& one, const Column& other) {
    return one.name == other.name && one.values.index() == other.values.index() &&
           one.nullable == other.nullable;
}

Table without_rows(const Table& table) {
    Table schema;
    for (const Column& column : table.columns) {
        schema.columns.push_back({column.name, {}, column.nullable, {}});
        std::visit([&]<typename Values>(const Values&) { schema.columns.back().values = Values(); },
                   column.values);
    }
    return schema;
}

}  // namespace

Table parse_parquet(std::string bytes,
                    std::string_view name,
                    ParquetRest* rest,
                    std::int64_t largest) {
    const auto& library = parquet_library();
    return with_name(name, [&] { return library.decode(std::move(bytes), rest, largest); });
}

Table read_parquet(const std::filesystem::path& path, ParquetRest* rest) {
    return parse_parquet(read_file(path), path.string(), rest);
}

class TableGroups::Impl {
public:
    Impl(const std::filesystem::path& path, std::vector<std::string> columns)
        : name_(path.string()) {
        const auto& library = parquet_library();
        std::string bytes = read_file(path);
        with_name(name_, [&] { groups_ = library.decoder(std::move(bytes), std::move(columns)); });
    }
    [[nodiscard]] int size() const { return groups_->size(); }
    [[nodiscard]] Table read(const std::vector<int>& groups) const {
        return with_name(name_, [&] { return groups_->read(groups); });
    }

private:
    std::string name_;
    std::unique_ptr<ParquetDecoder> groups_;
};

TableGroups::TableGroups(const std::filesystem::path& path, std::vector<std::string> columns)
    : impl_(std::make_unique<Impl>(path, std::move(columns))) {}
TableGroups::~TableGroups() = default;
TableGroups::TableGroups(TableGroups&&) noexcept = default;
TableGroups& TableGroups::operator=(TableGroups&&) noexcept = default;

int TableGroups::size() const noexcept {
    return impl_->size();
}

Table TableGroups::read(int group) const {
    return impl_->read({group});
}

Table TableGroups::schema() const {
    return impl_->read({});
}

class ParquetWriter::Impl {
public:
    Impl(std::filesystem::path path, const Table& schema, const FileMetadata& metadata, bool small)
        : file_(std::move(path)), schema_(without_rows(schema)) {
        const auto& library = parquet_library();
        run([&] {
            encoder_ = library.encoder(
                schema_, metadata, small, [this](std::string_view bytes) { file_.write(bytes); });
        });
    }

    void write(const Table& rows) {
        require_open();
        require_schema(rows);
        run([&] { encoder_->write(rows); });
    }

    void end_group() {
        require_open();
        run([&] { encoder_->end_group(); });
    }

    void close(Durability durability) {
        require_open();
        run([&] { encoder_->close(); });
        encoder_.reset();
        file_.commit(durability);
    }

private:
    /// Whatever goes wrong in Arrow ends as an IoError that names the file.
    template <typename Action>
    void run(const Action& action) {
        try {
            action();
        } catch (const Error&) {
            throw;
        } catch (const std::exception& error) {
            throw IoError(fmt::format("cannot write {}: {}", file_.path().string(), error.what()),
                          IoError::Direction::write);
        }
    }

    void require_open() const {
        if (!encoder_) {
            throw AssertionError(file_.path().string() + " is written after it was closed");
        }
    }

    void require_schema(const Table& rows) const {
        if (!std::ranges::equal(rows.columns, schema_.columns, is_alike)) {
            throw AssertionError("rows for " + file_.path().string() +
                                 " have other columns than its schema");
        }
        for (const Column& column : rows.columns) {
            require_consistent(column, rows.rows());
        }
    }

    OutputFile file_;
    Table schema_;
    std::unique_ptr<ParquetEncoder> encoder_;  ///< null once closed
};

ParquetWriter::ParquetWriter(std::filesystem::path path,
                             const Table& schema,
                             const FileMetadata& metadata)
    : impl_(std::make_unique<Impl>(std::move(path), schema, metadata, false)) {}
ParquetWriter::~ParquetWriter() = default;
ParquetWriter::ParquetWriter(ParquetWriter&&) noexcept = default;
ParquetWriter& ParquetWriter::operator=(ParquetWriter&&) noexcept = default;

void ParquetWriter::write(const Table& rows) {
    impl_->write(rows);
}

void ParquetWriter::end_group() {
    impl_->end_group();
}

void ParquetWriter::close(Durability durability) {
    impl_->close(durability);
}

void write_parquet(const std::filesystem::path& path,
                   const Table& table,
                   const FileMetadata& metadata,
                   Durability durability) {
    ParquetWriter::Impl writer(path, table, metadata, is_small(table));
    if (table.rows() > 0) {
        writer.write(table);
    }
    writer.close(durability);
}

}  // namespace lockstep::io
