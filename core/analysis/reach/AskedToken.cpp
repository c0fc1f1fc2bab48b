#include "core/analysis/reach/AskedToken.h"

#include "core/Error.h"

#include <algorithm>
#include <string>

namespace softscope {
namespace {

int cellAt(double fraction, int cells) {
  return std::clamp(static_cast<int>(fraction * cells), 0, cells - 1);
}

}  // namespace

void chooseToken(Reach& reach, const TokenGrid& grid, int prefixTokens,
                 const ReachRequest& request) {
  reach.grid = grid;
  reach.prefixTokens = prefixTokens;
  if (request.prefixToken) {
    if (*request.prefixToken >= prefixTokens) {
      throw InspectionError("behind this block there are " + std::to_string(prefixTokens) +
                            " tokens before the patches; ask for a patch, or at another layer");
    }
    reach.token = *request.prefixToken;
    return;
  }
  reach.patch = cellAt(request.y, grid.height) * grid.width + cellAt(request.x, grid.width);
  reach.token = prefixTokens + *reach.patch;
}

}  // namespace softscope
