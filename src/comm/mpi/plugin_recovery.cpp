#include <algorithm>
#include <vector>

#include <mpi.h>

#include "comm/mpi/plugin.hpp"

namespace lockstep::comm {
namespace {

// User-level failure mitigation, by name: in Open MPI from version 5.
struct Mitigation {
    int (*revoke)(MPI_Comm) = symbol<int (*)(MPI_Comm)>("MPIX_Comm_revoke");
    int (*shrink)(MPI_Comm, MPI_Comm*) = symbol<int (*)(MPI_Comm, MPI_Comm*)>("MPIX_Comm_shrink");
    int (*agree)(MPI_Comm, int*) = symbol<int (*)(MPI_Comm, int*)>("MPIX_Comm_agree");
    int (*begin_agree)(MPI_Comm, int*, MPI_Request*) =
        symbol<int (*)(MPI_Comm, int*, MPI_Request*)>("MPIX_Comm_iagree");
    int (*acknowledge)(MPI_Comm) = symbol<int (*)(MPI_Comm)>("MPIX_Comm_failure_ack");
    int (*acknowledged)(MPI_Comm, MPI_Group*) =
        symbol<int (*)(MPI_Comm, MPI_Group*)>("MPIX_Comm_failure_get_acked");
    [[nodiscard]] bool is_whole() const {
        return revoke != nullptr && shrink != nullptr && agree != nullptr &&
               begin_agree != nullptr && acknowledge != nullptr && acknowledged != nullptr;
    }
};

const Mitigation& mitigation() {
    static const Mitigation functions;
    return functions;
}

// Open MPI's control variable of this name: what 'mpirun --with-ft ulfm' switches on.
bool is_fault_tolerance_on() {
    int level = 0;
    if (MPI_T_init_thread(MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return false;
    }
    char value[8] = {};  // a boolean; room for any number
    int index = 0;
    int count = 0;
    MPI_T_cvar_handle handle{};
    if (MPI_T_cvar_get_index("mpi_ft_enable", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
        if (count == 1) {
            MPI_T_cvar_read(handle, value);
        }
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return value[0] != 0;
}

// Ranks in `to` of all members of `from`, in the order of `from`.
std::vector<int> translate(MPI_Group from, MPI_Group to) {
    int size = 0;
    MPI_Group_size(from, &size);
    std::vector<int> own(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
        own[static_cast<std::size_t>(i)] = i;
    }
    std::vector<int> others(own.size());
    if (size > 0) {
        MPI_Group_translate_ranks(from, size, own.data(), to, others.data());
    }
    return others;
}

}  // namespace

bool can_recover() {
    static const bool is_able = mitigation().is_whole() && is_fault_tolerance_on();
    return is_able;
}

int revoke(MpiComm* comm) {
    return mitigation().revoke(comm->comm);
}

int agree(MpiComm* comm, bool* is_well) {
    int flag = *is_well ? 1 : 0;
    const int code = mitigation().agree(comm->comm, &flag);
    *is_well = flag != 0;
    return code;
}

int begin_refusal(MpiComm* comm, MpiRequest** out) {
    return make_request(out, [&](MpiRequest& made) {
        return mitigation().begin_agree(comm->comm, &made.flag, &made.request);
    });
}

int first_lost(MpiComm* comm, int* rank) {
    *rank = -1;
    // News of a loss are taken in while MPI does something else.
    int has_message = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &has_message, MPI_STATUS_IGNORE);
    MPI_Group lost = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    int code = mitigation().acknowledge(comm->comm);
    if (code == MPI_SUCCESS) {
        code = mitigation().acknowledged(comm->comm, &lost);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_group(comm->comm, &all);
    }
    if (code != MPI_SUCCESS) {
        return code;
    }
    const auto ranks = translate(lost, all);
    if (!ranks.empty()) {
        *rank = *std::min_element(ranks.begin(), ranks.end());
    }
    if (lost != MPI_GROUP_EMPTY) {
        MPI_Group_free(&lost);
    }
    return MPI_Group_free(&all);
}

int shrink(MpiComm* comm, MpiComm** out, int* old_ranks) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group before = MPI_GROUP_NULL;
    MPI_Group after = MPI_GROUP_NULL;
    int code = mitigation().shrink(comm->comm, &made);
    if (code == MPI_SUCCESS) {
        code = adopt(made, out);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_group(comm->comm, &before);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_group(made, &after);
    }
    if (code != MPI_SUCCESS) {
        return code;
    }
    const auto ranks = translate(after, before);
    std::copy(ranks.begin(), ranks.end(), old_ranks);
    MPI_Group_free(&before);
    return MPI_Group_free(&after);
}

}  // namespace lockstep::comm
