#include "tests/fuzz/Corpus.h"
#include "tests/fuzz/Target.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using softscope::fuzz::Input;

std::vector<Input> inputsOf(const std::string& path) {
  if (path.ends_with(".tar.gz")) return softscope::fuzz::readCorpus(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  return {{path, {std::istreambuf_iterator<char>(file), {}}}};
}

bool replay(const Input& input) {
  try {
    LLVMFuzzerTestOneInput(input.bytes.data(), input.bytes.size());
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: nobody caught %s\n", input.name.c_str(), error.what());
    return false;
  }
}

}  // namespace

/// Runs a target, without libFuzzer, on a corpus or on one input.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS.tar.gz|INPUT\n", argv[0]);
    return 2;
  }
  try {
    const std::vector<Input> inputs = inputsOf(argv[1]);
    const auto failures = std::count_if(inputs.begin(), inputs.end(),
                                        [](const Input& input) { return !replay(input); });
    std::printf("%zu inputs\n", inputs.size());
    return failures > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
