#include "models/identify/ChosenSizes.h"

#include "core/Error.h"
#include "core/text/Words.h"

#include <algorithm>

namespace softscope {

std::string ArchitectureSizes::text() const {
  std::string text;
  if (!widths.empty()) text += ", width " + listText(widths, ",");
  if (!heads.empty()) text += ", heads " + listText(heads, ",");
  return text;
}

void chooseSizes(const std::vector<int>& given, std::span<int> sizes, const std::string& option) {
  if (given.empty()) return;
  if (given.size() != sizes.size()) {
    const std::string wanted =
        sizes.size() == 1
            ? "one number for this architecture"
            : std::to_string(sizes.size()) + " numbers for this architecture, one for each stage";
    throw ModelError(option + " takes " + wanted + ", not " + std::to_string(given.size()));
  }
  std::copy(given.begin(), given.end(), sizes.begin());
}

void requireTrainableHeads(int channels, int heads, std::size_t stage) {
  if (channels % heads == 0) return;
  const std::string where = stage == 0 ? "" : " of stage " + std::to_string(stage);
  throw ModelError("the " + std::to_string(channels) + " channels" + where +
                   " do not divide among " + std::to_string(heads) +
                   " heads; choose a --width and --heads that do");
}

}  // namespace softscope
