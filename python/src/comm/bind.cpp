#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lockstep/app/launch.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/comm/gather_list.hpp"

#include "bindings.hpp"
#include "comm/ranks.hpp"
#include "comm/world.hpp"

namespace lockstep::python {

namespace {

/// Contiguous memory of a Python object that a collective writes.
class Buffer {
public:
    explicit Buffer(nb::handle of) {
        if (PyObject_GetBuffer(of.ptr(), &view_, PyBUF_CONTIG | PyBUF_FORMAT) != 0) {
            throw nb::python_error();
        }
    }
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    template <typename T>
    [[nodiscard]] std::span<T> values() const {
        return {static_cast<T*>(view_.buf), static_cast<std::size_t>(view_.len) / sizeof(T)};
    }
    [[nodiscard]] char code() const { return view_.format == nullptr ? 'B' : *view_.format; }
    [[nodiscard]] Py_ssize_t width() const { return view_.itemsize; }

private:
    Py_buffer view_{};
};

comm::ReduceOp operation(const std::string& name) {
    if (name == "sum") {
        return comm::ReduceOp::sum;
    }
    if (name == "min" || name == "max") {
        return name == "min" ? comm::ReduceOp::min : comm::ReduceOp::max;
    }
    throw InputError(fmt::format("op is '{}', must be sum, min or max", name));
}

template <typename T>
void reduce(const Ranks& ranks, const Buffer& buffer, comm::ReduceOp op) {
    const nb::gil_scoped_release others_may_run;
    ranks.get()->allreduce(buffer.values<T>(), op);
}

void reduce_buffer(const Ranks& ranks, nb::handle array, const std::string& op) {
    const Buffer buffer(array);
    const auto how = operation(op);
    const bool is_long = buffer.width() == 8;
    switch (buffer.code()) {
        case 'd':
            return reduce<double>(ranks, buffer, how);
        case 'f':
            return reduce<float>(ranks, buffer, how);
        case 'i':
        case 'l':
        case 'q':
            return is_long ? reduce<std::int64_t>(ranks, buffer, how)
                           : reduce<std::int32_t>(ranks, buffer, how);
        case 'I':
        case 'L':
        case 'Q':
            return is_long ? reduce<std::uint64_t>(ranks, buffer, how)
                           : reduce<std::uint32_t>(ranks, buffer, how);
        default:
            throw nb::type_error(
                "numbers to reduce must be float32, float64, int32, int64, uint32 "
                "or uint64");
    }
}

nb::list gather_bytes(const Ranks& ranks, const nb::bytes& mine) {
    const auto alive = ranks.get();
    const std::vector<char> sent(mine.c_str(), mine.c_str() + mine.size());
    std::vector<std::int64_t> lengths;
    std::vector<char> all;
    {
        const nb::gil_scoped_release others_may_run;
        lengths = comm::gather_list(*alive, std::vector{static_cast<std::int64_t>(sent.size())});
        all.resize(static_cast<std::size_t>(comm::Layout(lengths).extent()));
        alive->allgatherv(std::span<const char>(sent), std::span<char>(all), comm::Layout(lengths));
    }
    nb::list parts;
    const char* begin = all.data();
    for (const auto length : lengths) {
        parts.append(nb::bytes(begin, static_cast<std::size_t>(length)));
        begin += length;
    }
    return parts;
}

void broadcast_buffer(const Ranks& ranks, nb::handle into, int root) {
    const Buffer buffer(into);
    const nb::gil_scoped_release others_may_run;
    ranks.get()->broadcast(buffer.values<std::byte>(), root);
}

/// Python ends. A rank that ends by an exception that nobody caught takes the others with it, so
/// that none waits for it.
void leave() {
    const auto ranks = met_world();
    const bool has_failed = PySys_GetObject("last_value") != nullptr;
    if (ranks && has_failed && ranks->size() > 1 && !ranks->is_broken()) {
        for (const auto* name : {"stdout", "stderr"}) {
            nb::module_::import_("sys").attr(name).attr("flush")();
        }
        ranks->abort(1);
    }
    const nb::gil_scoped_release others_may_run;
    leave_world();
}

// The death signal is set first and the parent looked at again, so that no moment is missed.
void end_with(int parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        raise(SIGKILL);
    }
}

int launch(int ranks,
           const std::string& backend,
           const std::vector<std::string>& command,
           const nb::object& notice) {
    app::LaunchRequest request;
    request.ranks = ranks;
    request.backend = backend == "tcp" ? comm::BackendKind::tcp : comm::BackendKind::shm;
    request.on_failure = app::OnFailure::abort;
    request.command = command;
    const nb::gil_scoped_release others_may_run;
    return app::launch(request, [&](const std::string& text) {
        const nb::gil_scoped_acquire python;
        notice(text);
    });
}

}  // namespace

void bind_comm(nb::module_& m) {
    nb::class_<Ranks>(m, "Ranks")
        .def_prop_ro("rank", [](const Ranks& ranks) { return ranks.get()->rank(); })
        .def_prop_ro("size", [](const Ranks& ranks) { return ranks.get()->size(); })
        .def_prop_ro("backend",
                     [](const Ranks& ranks) { return std::string(ranks.get()->backend()); })
        .def_prop_ro("library", [](const Ranks& ranks) { return ranks.get()->library(); })
        .def_prop_ro("is_broken", [](const Ranks& ranks) { return ranks.get()->is_broken(); })
        .def("host", [](const Ranks& ranks, int rank) { return ranks.get()->host(rank); })
        .def(
            "barrier",
            [](const Ranks& ranks) { ranks.get()->barrier(); },
            nb::call_guard<nb::gil_scoped_release>())
        .def("gather", &gather_bytes)
        .def("broadcast", &broadcast_buffer)
        .def("reduce", &reduce_buffer);
    m.def(
        "world",
        [](const std::string& backend) { return Ranks(world(backend)); },
        nb::call_guard<nb::gil_scoped_release>());
    m.def("launch", &launch);
    m.def("end_with", &end_with);
    m.def("leave", &leave);
    nb::module_::import_("atexit").attr("register")(m.attr("leave"));
}

}  // namespace lockstep::python
