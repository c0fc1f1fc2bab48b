// Does what sanitizers are to find, so that a build in which they are asleep fails its tests.

#include <thread>
#include <vector>

namespace {

#ifdef __SANITIZE_THREAD__
int doWrong() {
  int shared = 0;
  std::thread other([&] {
    for (int i = 0; i < 100000; ++i) ++shared;
  });
  for (int i = 0; i < 100000; ++i) ++shared;
  other.join();
  return shared == 0 ? 1 : 0;
}
#else
int doWrong() {
  const std::vector<int> values(3);
  return *(values.data() + values.size()) == 1 ? 1 : 0;
}
#endif

}  // namespace

int main() {
  return doWrong();
}
