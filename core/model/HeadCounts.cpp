#include "core/model/HeadCounts.h"

#include "core/text/Words.h"

#include <charconv>

namespace softscope {

std::string HeadCounts::text() const {
  return listText(counts_, ",");
}

std::optional<HeadCounts> parseHeadCounts(const std::string& text) {
  constexpr int mostHeads = 1024;
  std::vector<int> counts;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int count = 0;
    const auto [stop, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count < 1 || count > mostHeads) return std::nullopt;
    counts.push_back(count);
    if (stop == end) return HeadCounts(std::move(counts));
    if (*stop != ',') return std::nullopt;
    at = stop + 1;
  }
}

}  // namespace softscope
