#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/io/file.hpp"
#include "lockstep/runtime/cluster_farm.hpp"

namespace lockstep::runtime::test {

// Elements run on this machine, all at once; STATE/JOB_I holds the process of each.
inline constexpr const char* stand_in_start = R"sh(#!/bin/sh
state=$(dirname "$0")/state
job=$(date +%s%N | cut -c 6-19)
last=0
suffix=
)sh";
inline constexpr const char* stand_in_elements = R"sh(
element=0
while [ "$element" -le "$last" ]; do
    SLURM_ARRAY_TASK_ID=$element PBS_ARRAY_INDEX=$element PBS_JOBID=$job$suffix PBS_O_WORKDIR=$PWD \
        sh "$@" >/dev/null 2>&1 </dev/null &
    echo $! >"$state/${job}_$element"
    element=$((element + 1))
done
echo "$job$suffix"
)sh";
inline constexpr const char* stand_in_sbatch = R"sh(
for option in "$@"; do
    case $option in
        --array=*) last=${option#--array=0-}; last=${last%%%*}; shift ;;
        --*) shift ;;
        *) break ;;
    esac
done
)sh";
inline constexpr const char* stand_in_qsub = R"sh(
[ "$1" = -o ] && shift 2
array=$(sed -n 's/^#PBS -J 0-//p' "$1")
last=${array%%%*}
suffix=${last:+[]}.server
last=${last:-0}
)sh";
// Of those that live. Nobody may have asked for the end of a process that is over.
inline constexpr const char* stand_in_list = R"sh(#!/bin/sh
state=$(dirname "$0")/state
lives() { [ -e "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat" 2>/dev/null; }
for word in "$@"; do
    case $word in [0-9]*) job=${word%%[!0-9]*} ;; esac
done
for file in "$state/$job"_*; do
    if lives "$(cat "$file")"; then LINE; fi
done
)sh";
inline constexpr const char* stand_in_cancel = R"sh(#!/bin/sh
state=$(dirname "$0")/state
for element in "$@"; do
    name=$(echo "$element" | sed 's/\.server$//; s/\[/_/; s/\]$//')
    case $name in *_*) ;; *) name=${name}_0 ;; esac
    kill -TERM "$(cat "$state/$name")" 2>/dev/null
done
)sh";

/// A folder with sbatch, squeue, scancel, qsub, qstat and qdel that come first in PATH while it
/// lives, and a folder for tasks whose name no shell likes.
class StandInCluster {
public:
    StandInCluster() {
        std::string pattern = std::filesystem::temp_directory_path() / "lockstep-cluster-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) {
            std::abort();
        }
        folder_ = pattern;
        std::filesystem::create_directory(folder_ / "state");
        add("sbatch", std::string(stand_in_start) + stand_in_sbatch + stand_in_elements);
        add("qsub", std::string(stand_in_start) + stand_in_qsub + stand_in_elements);
        add("squeue", list(R"(basename "$file")"));
        // Of an array alone; the first word is cut off as OpenPBS does.
        add("qstat",
            list(R"(basename "$file" | sed 's/_\(.*\)/[\1].ser*  name user 00:00:00 R workq/')"));
        add("scancel", stand_in_cancel);
        add("qdel", stand_in_cancel);
        setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    }
    ~StandInCluster() {
        setenv("PATH", path_.c_str(), 1);
        kill_elements();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    StandInCluster(const StandInCluster&) = delete;
    StandInCluster& operator=(const StandInCluster&) = delete;

    /// Replaces a command.
    void add(const std::string& name, const std::string& script) const {
        io::write_file(folder_ / name, script);
        std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

    [[nodiscard]] ClusterOptions options(std::vector<std::string> command) const {
        ClusterOptions options;
        options.folder = folder_ / "o'dd \"%a\" $HOME folder";
        options.command = std::move(command);
        options.poll = std::chrono::milliseconds(20);
        options.queue_poll = std::chrono::milliseconds(100);
        options.settle = std::chrono::milliseconds(200);
        return options;
    }

private:
    // As a queue does with those that were cancelled and do not end.
    void kill_elements() const {
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "state")) {
            pid_t process = 0;
            std::ifstream(entry.path()) >> process;
            std::ifstream command(fmt::format("/proc/{}/cmdline", process));
            const std::string words{std::istreambuf_iterator<char>(command), {}};
            if (words.find(folder_.string()) != words.npos) {
                kill(process, SIGKILL);
            }
        }
    }
    static std::string list(const std::string& line) {
        std::string script = stand_in_list;
        return script.replace(script.find("LINE"), 4, line);
    }

    std::filesystem::path folder_;
    std::string path_ = std::getenv("PATH");
};

}  // namespace lockstep::runtime::test
