#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

// CLI11 reads numbers as C does: 010 as eight, 0x10 as sixteen, and -1 as a large one if it has no
// sign. Its templates prefer these functions where they are declared before them, for which
// app/CMakeLists.txt includes this header first everywhere.
namespace CLI::detail {

/// Reads decimal text, and nothing else. Returns false if it is none, or a number too large.
template <typename Number>
bool readDecimal(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

inline bool lexical_cast(const std::string& text, int& number) {
  return readDecimal(text, number);
}
inline bool lexical_cast(const std::string& text, std::int64_t& number) {
  return readDecimal(text, number);
}
inline bool lexical_cast(const std::string& text, std::uint64_t& number) {
  return readDecimal(text, number);
}
inline bool lexical_cast(const std::string& text, double& number) {
  return readDecimal(text, number);
}

}  // namespace CLI::detail
