#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softscope::fuzz {

/// An input and the name under which it is stored. Its bytes have nothing behind them, so that the
/// address sanitizer sees who reads on.
struct Input {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// The inputs of a corpus, a `.tar.gz` as tests/archive packs it, in the order in which they stand
/// there. Throws a std::runtime_error for what is not whole, is not an archive or holds no input.
std::vector<Input> readCorpus(const std::string& path);

}  // namespace softscope::fuzz
