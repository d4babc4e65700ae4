// Wheels run where libstdc++ is older than the compiler's: the one symbol of this package that is
// younger (GLIBCXX_3.4.30, of GCC 12) has an older twin that does the same. The linker's --wrap
// sends our calls here.
#include <condition_variable>
#include <mutex>

extern "C" {
void older_wait(std::condition_variable*, std::unique_lock<std::mutex>*);
__asm__(
    ".symver older_wait,_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    std::condition_variable* condition, std::unique_lock<std::mutex>* lock) {
    older_wait(condition, lock);
}
}
