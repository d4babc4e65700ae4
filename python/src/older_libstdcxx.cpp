// Wheels run where libstdc++ is older than the compiler's: one symbol of this package is younger
// (GLIBCXX_3.4.30, of GCC 12). The linker's --wrap sends its calls here, to what it does.
#include <condition_variable>
#include <mutex>

#include <pthread.h>

extern "C" void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    std::condition_variable* condition, std::unique_lock<std::mutex>* lock) {
    pthread_cond_wait(condition->native_handle(), lock->mutex()->native_handle());
}
