#include <cstring>
#include <memory>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "lockstep/base/error.hpp"

#include "bindings.hpp"
#include "tables.hpp"

namespace lockstep::python {

namespace {

template <typename Struct>
void drop(PyObject* capsule) {
    std::unique_ptr<Struct> held(
        static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))));
    if (held != nullptr && held->release != nullptr) {
        held->release(held.get());
    }
}

/// A capsule that releases what nobody took over.
template <typename Struct, typename Export>
nb::object capsule(const char* name, Export&& export_to) {
    auto held = std::make_unique<Struct>();
    export_to(held.get());
    PyObject* made = PyCapsule_New(held.get(), name, &drop<Struct>);
    if (made == nullptr) {
        held->release(held.get());
        throw nb::python_error();
    }
    static_cast<void>(held.release());
    return nb::steal(made);
}

nb::object stream(const PyTable& table, const nb::object& /*requested_schema*/) {
    return capsule<ArrowArrayStream>("arrow_array_stream",
                                     [&](auto* out) { export_stream(table.shared, out); });
}

nb::object schema(const PyTable& table) {
    return capsule<ArrowSchema>("arrow_schema",
                                [&](auto* out) { export_schema(*table.shared, out); });
}

const ArrowColumn& find(const PyTable& table, std::string_view name) {
    for (const auto& column : table.shared->columns) {
        if (column.column().name == name) {
            return column;
        }
    }
    throw nb::key_error(std::string(name).c_str());
}

/// A view of numbers that keeps the table.
template <typename Shown, typename T>
nb::object view(const PyTable& table, const std::vector<T>& values) {
    static_assert(sizeof(Shown) == sizeof(T));
    const nb::capsule owner(new std::shared_ptr(table.shared), [](void* held) noexcept {
        delete static_cast<std::shared_ptr<const ArrowTable>*>(held);
    });
    const std::size_t shape[] = {values.size()};
    return nb::cast(nb::ndarray<nb::numpy, const Shown, nb::ndim<1>>(
        reinterpret_cast<const Shown*>(values.data()), 1, shape, owner));
}

template <typename T>
nb::object list_of(const io::Column& column, const std::vector<T>& values) {
    nb::list out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        out.append(column.is_present(i) ? nb::cast(values[i]) : nb::none());
    }
    return out;
}

/// What a column holds: an array, or a list of what NumPy has no type for.
struct Values {
    const PyTable& table;
    const io::Column& column;
    nb::object operator()(const std::vector<std::string>& values) const {
        return list_of(column, values);
    }
    nb::object operator()(const std::vector<std::vector<double>>& values) const {
        return list_of(column, values);
    }
    nb::object operator()(const std::vector<io::Day>& values) const {
        return view<std::int64_t>(table, values);
    }
    nb::object operator()(const std::vector<std::uint8_t>& values) const {
        return view<bool>(table, values);
    }
    template <typename T>
    nb::object operator()(const std::vector<T>& values) const {
        return view<T>(table, values);
    }
};

nb::object values(const PyTable& table, std::string_view name) {
    const auto& column = find(table, name).column();
    return std::visit(Values{table, column}, column.values);
}

/// Type, number of absent values, and which are there (bytes; empty: all).
nb::tuple facts(const PyTable& table, std::string_view name) {
    const auto& found = find(table, name);
    const auto& present = found.column().present;
    return nb::make_tuple(type_name(found.column()),
                          found.null_count(),
                          nb::bytes(reinterpret_cast<const char*>(present.data()), present.size()));
}

std::vector<std::string> names(const PyTable& table) {
    std::vector<std::string> all;
    for (const auto& column : table.shared->columns) {
        all.push_back(column.column().name);
    }
    return all;
}

PyTable read(const std::string& path) {
    const nb::gil_scoped_release others_may_run;
    return PyTable(io::read_parquet(path));
}

void write(const PyTable& table, const std::string& path) {
    const nb::gil_scoped_release others_may_run;
    io::Table copy;
    for (const auto& column : table.shared->columns) {
        copy.columns.push_back(column.column());
    }
    io::write_parquet(path, copy);
}

PyTable parse(const nb::bytes& content) {
    return PyTable(io::parse_parquet(std::string(content.c_str(), content.size()), "a table"));
}

}  // namespace

void bind_tables(nb::module_& m) {
    nb::class_<PyTable>(m, "Table", "Columns in memory.")
        .def("stream", &stream, nb::arg("requested_schema").none())
        .def("schema", &schema)
        .def("names", &names)
        .def("rows", [](const PyTable& table) { return table.shared->rows; })
        .def("values", &values, nb::arg("name"))
        .def("facts", &facts, nb::arg("name"))
        .def("write", &write, nb::arg("path"));
    m.def("parse_table", &parse, nb::arg("content"), "The same of the bytes of such a file.");
    m.def("read_table", &read, nb::arg("path"), "A Parquet file as a table.");
}

}  // namespace lockstep::python
