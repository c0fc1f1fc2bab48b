#include "models/structure/PatchGrid.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/structure/TokenParts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace softscope {

namespace {

/// Lays patches out as a square or, if they make none, as the rectangle nearest to it, wider than
/// high.
void layOut(std::int64_t patches, TransformerStructure& read) {
  std::int64_t rows = sideOfPatches(patches);
  for (std::int64_t i = 1; rows == 0 && i * i <= patches; ++i) {
    if (patches % i == 0) read.patchRows = i;
  }
  if (rows > 0) read.patchRows = rows;
  read.patchColumns = patches / read.patchRows;
}

/// Returns true for lengths that people give to tables of sines which are to be long enough.
bool isRoundLength(std::int64_t rows) {
  constexpr std::int64_t hundred = 100;
  constexpr std::uint64_t longPower = 512;
  const auto count = static_cast<std::uint64_t>(rows);
  return rows % hundred == 0 || (count >= longPower && std::has_single_bit(count));
}

/// Finds the rows of a table of positions that belong to the patches.
class GridSettling {
 public:
  GridSettling(TransformerStructure& read, const SaidGrid& said, bool areSines)
      : read_(read), said_(said), areSines_(areSines), rows_(positionRows(read).value_or(0)) {
    possible_ = {read.classToken.has_value()};
    if (read.classToken) possible_.push_back(0);
    if (read.registerCount > 0 && !read.registersLast) possible_.push_back(read.otherTokens());
    tried_ = possible_;
    const auto asked = said.prefixPositions;
    if (asked && std::ranges::find(possible_, *asked) != possible_.end()) tried_ = {*asked};
  }

  void run() {
    constexpr std::int64_t mostPatches = 1 << 20;
    if (rows_ > mostPatches) throw ModelError("has positions for too many patches");
    const std::int64_t told = read_.patchCount();
    if (!takeSaidSize(told) && told > 0) {
      layOut(told, read_);
      if (rows_ > 0 && !fitRows(told)) refuseFewRows(told);
    } else if (read_.patchCount() == 0 && rows_ > 0) {
      guess();
    }
    if (rows_ == 0) {
      read_.prefixPositions = tried_.front();
      if (possible_.size() > 1) read_.possiblePrefixPositions = possible_;
    }
  }

 private:
  /// Takes the size that is said, unless the file contradicts it.
  bool takeSaidSize(std::int64_t told) {
    const PatchStructure& patches = read_.patches;
    if (!said_.size || said_.size->height % patches.height != 0 ||
        said_.size->width % patches.width != 0) {
      return false;
    }
    const std::int64_t rows = said_.size->height / patches.height;
    const std::int64_t columns = said_.size->width / patches.width;
    const std::int64_t count = rows * columns;
    if (count == 0 || (told > 0 && count != told)) return false;
    if (rows_ > 0 && !isExact(count) && !areSines_ && makesSquare()) {
      read_.strideDoubt = rowsText() + " are not those of the " + std::to_string(count) +
                          " patches of a picture of " + std::to_string(said_.size->height) + " x " +
                          std::to_string(said_.size->width);
      return false;
    }
    const bool fits = rows_ == 0 || fitRows(count);
    if (!fits) return false;
    read_.patchRows = rows;
    read_.patchColumns = columns;
    return true;
  }

  bool isExact(std::int64_t patches) const {
    return std::ranges::any_of(tried_,
                               [&](std::int64_t prefix) { return rows_ == patches + prefix; });
  }
  bool makesSquare() const {
    return std::ranges::any_of(
        tried_, [&](std::int64_t prefix) { return sideOfPatches(rows_ - prefix) > 0; });
  }

  /// Says that patches may overlap if the picture would have no usual size.
  void doubtStride() {
    const std::int64_t side = read_.patchRows * read_.patches.height;
    const bool isDoubtful = !read_.patches.isProduct && read_.strideDoubt.empty() &&
                            read_.patches.height == read_.patches.width && !isUsualSide(side) &&
                            read_.patches.height > 1 && read_.patches.height % 2 == 1;
    if (!isDoubtful) return;
    read_.strideDoubt = "pictures of " + std::to_string(side) + " x " + std::to_string(side) +
                        " are unusual, so patches may overlap";
  }

  /// Divides the table among the tokens of a picture of `patches`. Returns false if it is too
  /// short.
  bool fitRows(std::int64_t patches) {
    for (const std::int64_t prefix : tried_) {
      if (rows_ != patches + prefix) continue;
      read_.prefixPositions = prefix;
      read_.hasLongPositions = areSines_;
      return true;
    }
    if (rows_ < patches + tried_.front()) return false;
    goOn();
    return true;
  }

  /// Takes the table for one whose first rows are used.
  void goOn() {
    read_.hasLongPositions = true;
    read_.prefixPositions = tried_.front();
    if (possible_.size() > 1) read_.possiblePrefixPositions = possible_;
  }

  /// Determines the patches from the length of the table alone.
  void guess() {
    std::vector<std::int64_t> squares;
    for (const std::int64_t prefix : tried_) {
      if (rows_ > prefix && sideOfPatches(rows_ - prefix) > 0) squares.push_back(prefix);
    }
    if (areSines_ && (isRoundLength(rows_) || squares.empty())) return guessLong();
    if (!squares.empty()) {
      read_.prefixPositions = squares.front();
      layOut(rows_ - squares.front(), read_);
      doubtStride();
      read_.hasLongPositions = areSines_;
      const bool isNatural = squares.front() == possible_.front();
      if (squares.size() > 1 || (areSines_ && !isNatural)) {
        read_.possiblePrefixPositions = possible_;
        auto& possible = read_.possiblePrefixPositions;
        std::rotate(possible.begin(), std::ranges::find(possible, squares.front()), possible.end());
      }
      if (squares.size() > 1) read_.gridDoubt = rowsText() + " can be divided in several ways";
      if (areSines_) read_.gridDoubt = rowsText() + " are sines, which may go on beyond a picture";
      return;
    }
    constexpr std::int64_t longestRatio = 4;
    const std::int64_t patches = rows_ - tried_.front();
    if (patches < 1) return guessLong();
    layOut(patches, read_);
    if (read_.patchColumns > longestRatio * read_.patchRows) return guessLong();
    read_.prefixPositions = tried_.front();
    if (possible_.size() > 1) read_.possiblePrefixPositions = possible_;
    read_.gridDoubt = rowsText() + " make no square";
  }

  void guessLong() {
    read_.patchRows = read_.patchColumns = 0;
    goOn();
    read_.gridDoubt = rowsText() + " may go on beyond a picture";
  }

  std::string rowsText() const {
    return "the " + std::to_string(rows_) + " rows of " + quotedText(read_.positions->name);
  }

  [[noreturn]] void refuseFewRows(std::int64_t patches) const {
    throw ModelError("tensor without a place: " + rowsText() + " are fewer than the " +
                     std::to_string(patches) + " patches that the head takes");
  }

  TransformerStructure& read_;
  const SaidGrid& said_;
  bool areSines_;
  std::int64_t rows_;
  /// Numbers of tokens in front of the patches that may have positions, the likeliest first, and
  /// those of them that are tried.
  std::vector<std::int64_t> possible_, tried_;
};

}  // namespace

std::int64_t sideOfPatches(std::int64_t count) {
  if (count < 1) return 0;
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(count))));
  return side * side == count ? side : 0;
}

bool isUsualSide(std::int64_t side) {
  constexpr std::int64_t sides[] = {28,  32,  48,  56,  64,  84,  96,  112, 128, 144,
                                    160, 192, 224, 240, 256, 288, 320, 384, 448, 512};
  return std::ranges::find(sides, side) != std::end(sides);
}

void settleGrid(TransformerStructure& read, const SaidGrid& said, bool areSines) {
  GridSettling(read, said, areSines).run();
}

}  // namespace softscope
