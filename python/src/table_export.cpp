#include <cerrno>
#include <utility>

#include "table.hpp"

namespace lockstep::python {

namespace {

/// What stands behind an exported struct until it is released. Children are structs of their own,
/// since a consumer may take one out and release its parent.
template <typename Struct>
struct Behind {
    std::vector<std::unique_ptr<Struct>> owned;
    std::vector<Struct*> children;

    void add(std::unique_ptr<Struct> child) {
        children.push_back(child.get());
        owned.push_back(std::move(child));
    }
    void release() const {
        for (Struct* child : children) {
            if (child->release != nullptr) {
                child->release(child);
            }
        }
    }
};

struct BehindSchema : Behind<ArrowSchema> {
    std::string name;
};

struct BehindArray : Behind<ArrowArray> {
    std::shared_ptr<const ArrowTable> table;
    std::vector<const void*> buffers;
};

template <typename Hidden, typename Struct>
void release(Struct* exported) {
    const std::unique_ptr<Hidden> hidden(static_cast<Hidden*>(exported->private_data));
    hidden->release();
    exported->release = nullptr;
}

void fill_schema(ArrowSchema* out,
                 const char* format,
                 std::unique_ptr<BehindSchema> hidden,
                 bool is_nullable) {
    *out = {};
    out->format = format;
    out->name = hidden->name.c_str();
    out->flags = is_nullable ? ARROW_FLAG_NULLABLE : 0;
    out->n_children = static_cast<std::int64_t>(hidden->children.size());
    out->children = hidden->children.data();
    out->release = &release<BehindSchema, ArrowSchema>;
    out->private_data = hidden.release();
}

std::unique_ptr<ArrowSchema> schema_of(const ArrowColumn& column) {
    auto hidden = std::make_unique<BehindSchema>();
    hidden->name = column.column().name;
    if (column.items() != nullptr) {
        hidden->add(schema_of(*column.items()));
    }
    auto schema = std::make_unique<ArrowSchema>();
    fill_schema(schema.get(), column.format(), std::move(hidden), column.column().nullable);
    return schema;
}

void fill_array(ArrowArray* out,
                std::int64_t length,
                std::int64_t nulls,
                std::unique_ptr<BehindArray> hidden) {
    *out = {};
    out->length = length;
    out->null_count = nulls;
    out->n_buffers = static_cast<std::int64_t>(hidden->buffers.size());
    out->buffers = hidden->buffers.data();
    out->n_children = static_cast<std::int64_t>(hidden->children.size());
    out->children = hidden->children.data();
    out->release = &release<BehindArray, ArrowArray>;
    out->private_data = hidden.release();
}

std::unique_ptr<ArrowArray> array_of(const ArrowColumn& column,
                                     const std::shared_ptr<const ArrowTable>& table) {
    auto hidden = std::make_unique<BehindArray>();
    hidden->table = table;
    hidden->buffers = column.buffers();
    if (column.items() != nullptr) {
        hidden->add(array_of(*column.items(), table));
    }
    auto array = std::make_unique<ArrowArray>();
    fill_array(array.get(),
               static_cast<std::int64_t>(column.column().size()),
               column.null_count(),
               std::move(hidden));
    return array;
}

void export_batch(const std::shared_ptr<const ArrowTable>& table, ArrowArray* out) {
    auto hidden = std::make_unique<BehindArray>();
    hidden->table = table;
    hidden->buffers = {nullptr};
    for (const auto& column : table->columns) {
        hidden->add(array_of(column, table));
    }
    fill_array(out, table->rows, 0, std::move(hidden));
}

struct BehindStream {
    std::shared_ptr<const ArrowTable> table;
    bool is_taken = false;
};

// No exception may leave a function that C calls.
template <typename F>
int guarded(F&& f) {
    try {
        f();
        return 0;
    } catch (...) {
        return ENOMEM;
    }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    const auto* hidden = static_cast<const BehindStream*>(stream->private_data);
    return guarded([&] { export_schema(*hidden->table, out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    auto* hidden = static_cast<BehindStream*>(stream->private_data);
    *out = {};
    if (std::exchange(hidden->is_taken, true)) {
        return 0;
    }
    return guarded([&] { export_batch(hidden->table, out); });
}

const char* get_last_error(ArrowArrayStream* /*stream*/) {
    return "there is not enough memory";
}

void release_stream(ArrowArrayStream* stream) {
    delete static_cast<BehindStream*>(stream->private_data);
    stream->release = nullptr;
}

}  // namespace

void export_schema(const ArrowTable& table, ArrowSchema* out) {
    auto hidden = std::make_unique<BehindSchema>();
    for (const auto& column : table.columns) {
        hidden->add(schema_of(column));
    }
    fill_schema(out, "+s", std::move(hidden), false);
}

void export_stream(std::shared_ptr<const ArrowTable> table, ArrowArrayStream* out) {
    *out = {&get_schema,
            &get_next,
            &get_last_error,
            &release_stream,
            new BehindStream{std::move(table)}};
}

}  // namespace lockstep::python
