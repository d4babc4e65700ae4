#include "support/random_exchanges.hpp"

#include <algorithm>
#include <type_traits>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

class ExchangeWriter {
public:
    ExchangeWriter(sddp::Problem& problem, Dice& dice) : problem_(problem), dice_(dice) {}

    void write() {
        const int contracts = dice_.chance(0.5) ? dice_.integer(1, 2) : 0;
        for (int c = 0; c < contracts; ++c) {
            problem_.system.contracts.push_back(contract(c));
        }
        const int stations =
            problem_.hydro_count() > 1 && dice_.chance(0.6) ? dice_.integer(1, 2) : 0;
        for (int j = 0; j < stations; ++j) {
            problem_.system.pumping_stations.push_back(station(j));
        }
        const int batteries = dice_.chance(0.5) ? dice_.integer(1, 2) : 0;
        for (int b = 0; b < batteries; ++b) {
            problem_.system.batteries.push_back(battery(b));
        }
    }

private:
    sddp::Battery battery(int b) {
        sddp::Battery battery;
        battery.id = b;
        battery.name = numbered('E', b);
        battery.bus = any_bus();
        battery.charge_efficiency = dice_.uniform(0.7, 1);
        battery.discharge_efficiency = dice_.uniform(0.7, 1);
        battery.max_charge_mw = by_block(5, 30, dice_.chance(0.3));
        battery.max_discharge_mw = by_block(5, 30, dice_.chance(0.3));
        const double most = dice_.uniform(500, 5000);
        const double least = dice_.chance(0.5) ? 0 : 0.2 * most;
        battery.initial_energy_mwh = dice_.uniform(least, most);
        battery.max_energy_mwh.assign(at(problem_.stage_count()), most);
        battery.min_energy_mwh.assign(at(problem_.stage_count()), least);
        vary_energy(battery);
        return battery;
    }

    // A minimum that falls and a maximum that rises, so that no energy has to come or go.
    void vary_energy(sddp::Battery& battery) {
        const bool falls = dice_.chance(0.6);
        const bool rises = dice_.chance(0.3);
        double least = battery.min_energy_mwh[0];
        double most = battery.initial_energy_mwh;
        for (int t = 0; t < problem_.stage_count(); ++t) {
            least *= falls ? dice_.uniform(0.5, 1) : 1;
            most = std::max(most, dice_.uniform(0.4, 1) * battery.max_energy_mwh[at(t)]);
            battery.min_energy_mwh[at(t)] = least;
            battery.max_energy_mwh[at(t)] = rises ? most : battery.max_energy_mwh[at(t)];
        }
    }

    int any_bus() { return dice_.integer(0, static_cast<int>(problem_.system.buses.size()) - 1); }

    // Zero in some stages, as out of service, if `rests`.
    sddp::ByBlock by_block(double low, double high, bool rests) {
        sddp::ByBlock values(problem_.calendar, 0);
        for (int t = 0; t < problem_.stage_count(); ++t) {
            const bool off = rests && dice_.chance(0.3);
            const auto& blocks = problem_.calendar.stages[at(t)].blocks;
            for (int k = 0; !off && k < static_cast<int>(blocks.size()); ++k) {
                values(t, k) = dice_.uniform(low, high);
            }
        }
        return values;
    }

    // A share of `most` at some random moments.
    sddp::ByBlock minimum(const sddp::ByBlock& most, bool is_some) {
        sddp::ByBlock values = most;
        values.visit([&](auto& list) {
            for (auto& value : list) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
                    value *= is_some ? dice_.uniform(0, 0.4) : 0;
                }
            }
        });
        return values;
    }

    sddp::Contract contract(int c) {
        sddp::Contract contract;
        contract.id = c;
        contract.name = numbered('X', c);
        contract.bus = any_bus();
        contract.is_import = dice_.chance(0.5);
        contract.price = contract.is_import ? by_block(5, 200, false) : by_block(-80, 20, false);
        contract.max_mw = by_block(5, 40, dice_.chance(0.3));
        contract.min_mw = minimum(contract.max_mw, dice_.chance(0.4));
        return contract;
    }

    [[nodiscard]] bool can_make_water() const {
        return problem_.process.non_negativity == sddp::NonNegativity::penalty ||
               problem_.process.non_negativity == sddp::NonNegativity::truncation_with_penalty;
    }

    // Water is lifted between plants that operate.
    void rest_without_plants(sddp::PumpingStation& station) {
        const auto operates = [&](int plant, int stage) {
            return problem_.system.hydros[at(plant)].phase(stage) == sddp::HydroPhase::operating;
        };
        for (int t = 0; t < problem_.stage_count(); ++t) {
            if (!operates(station.source, t) || !operates(station.destination, t)) {
                const auto& blocks = problem_.calendar.stages[at(t)].blocks;
                for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
                    station.max_m3s(t, k) = 0;
                }
            }
        }
    }

    sddp::PumpingStation station(int j) {
        const int last = problem_.hydro_count() - 1;
        sddp::PumpingStation station;
        station.id = j;
        station.name = numbered('P', j);
        station.bus = any_bus();
        station.source = dice_.integer(0, last);
        station.destination = (station.source + dice_.integer(1, last)) % problem_.hydro_count();
        station.consumption_mw_per_m3s = dice_.cost(0.1, 1);
        station.max_m3s = by_block(5, 40, dice_.chance(0.3));
        rest_without_plants(station);
        station.min_m3s = minimum(station.max_m3s, can_make_water() && dice_.chance(0.6));
        return station;
    }

    sddp::Problem& problem_;
    Dice& dice_;
};

}  // namespace

void add_random_exchanges(sddp::Problem& problem, Dice& dice) {
    ExchangeWriter(problem, dice).write();
}

}  // namespace lockstep::test
