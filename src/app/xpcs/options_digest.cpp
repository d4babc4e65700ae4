#include "app/xpcs/options_digest.hpp"

#include "lockstep/base/build_info.hpp"

namespace lockstep::app {
namespace {

template <typename T>
void add(DigestBuilder& builder, const std::optional<T>& value) {
    builder.add(value.has_value());
    builder.add(value.value_or(T{}));
}

template <typename T>
requires std::is_enum_v<T>
void add(DigestBuilder& builder, T value) {
    builder.add(static_cast<std::int64_t>(value));
}

}  // namespace

Digest options_digest(const XpcsRequest& request) {
    // A field that is new does not compile here until it is decided about.
    const auto& [run,
                 work,
                 data_file,
                 mode,
                 shear,
                 sigma,
                 scaling,
                 objective,
                 errors,
                 max_evaluations,
                 tolerance,
                 start,
                 nlsq_result,
                 held,
                 search,
                 starts,
                 sequential,
                 loss,
                 loss_scale,
                 method,
                 chains,
                 warmup,
                 draws,
                 seed,
                 shards,
                 sharding,
                 combination,
                 farm,
                 cluster,
                 lent_farm,
                 program,
                 summary_format,
                 has_fitted_data,
                 has_page,
                 is_verbose,
                 scratch,
                 time_limit] = request;
    DigestBuilder builder;
    builder.add(build_info().version);
    add(builder, work);
    builder.add(mode);
    add(builder, shear);
    add(builder, sigma);
    builder.add(scaling);
    builder.add(objective);
    add(builder, errors.method);
    builder.add(errors.blocks);
    builder.add(errors.pixels);
    builder.add(errors.seed);
    add(builder, max_evaluations);
    add(builder, tolerance);
    for (const auto& [name, value] : start) {
        builder.add(name);
        builder.add(value);
    }
    for (const auto& [name, value] : held) {
        builder.add(name);
        add(builder, value);
    }
    builder.add(search);
    add(builder, starts);
    builder.add(sequential);
    builder.add(loss);
    add(builder, loss_scale);
    add(builder, method);
    add(builder, chains);
    add(builder, warmup);
    add(builder, draws);
    add(builder, seed);
    builder.add(shards);
    builder.add(sharding);
    builder.add(combination);
    builder.add(time_limit);
    static_cast<void>(farm);  // where shards are sampled changes no bit
    static_cast<void>(cluster);
    static_cast<void>(lent_farm);
    static_cast<void>(program);
    static_cast<void>(nlsq_result);  // its values are among the start values by now
    add(builder, summary_format);
    builder.add(has_fitted_data);
    builder.add(has_page);
    static_cast<void>(is_verbose);
    static_cast<void>(run);        // changes no result but by its input, which has its own digest
    static_cast<void>(data_file);  // likewise
    return builder.digest();
}

}  // namespace lockstep::app
