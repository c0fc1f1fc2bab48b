#include "models/structure/PatchGrid.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/structure/OuterParts.h"
#include "models/structure/PatchStride.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>

namespace softscope {

namespace {

/// Returns the rows of the square that patches make or, if they make none, of the rectangle nearest
/// to it, wider than high.
std::int64_t rowsOfRectangle(std::int64_t patches) {
  std::int64_t rows = sideOfPatches(patches);
  if (rows > 0) return rows;
  for (std::int64_t i = 1; i * i <= patches; ++i) {
    if (patches % i == 0) rows = i;
  }
  return rows;
}

void layOut(std::int64_t patches, TransformerStructure& read) {
  read.patchRows = rowsOfRectangle(patches);
  read.patchColumns = patches / read.patchRows;
}

/// Returns true unless patches only make rectangles that are much wider than high.
bool mayBePicture(std::int64_t patches) {
  constexpr std::int64_t longestRatio = 4;
  const std::int64_t rows = rowsOfRectangle(patches);
  return patches / rows <= longestRatio * rows;
}

/// Returns true for lengths that people give to tables of sines which are to be long enough.
bool isRoundLength(std::int64_t rows) {
  constexpr std::int64_t hundred = 100;
  constexpr std::uint64_t longPower = 512;
  const auto count = static_cast<std::uint64_t>(rows);
  return rows % hundred == 0 || (count >= longPower && std::has_single_bit(count));
}

/// Finds the rows of a table of positions that belong to the patches.
class GridResolver {
 public:
  GridResolver(TransformerStructure& read, const SaidGrid& said, bool areSines)
      : read_(read), said_(said), areSines_(areSines), rows_(positionRows(read).value_or(0)) {
    possible_ = {read.classToken.has_value()};
    if (read.classToken) possible_.push_back(0);
    if (read.registerCount > 0 && !read.registersLast) possible_.push_back(read.otherTokens());
    if (read.arePositionsOfGrid) possible_ = {0};
    tried_ = possible_;
    const auto asked = said.prefixPositions;
    if (asked && std::ranges::find(possible_, *asked) != possible_.end()) tried_ = {*asked};
    takeSaidStride();
    size_ = said.size ? said.size : said.chosenSize;
  }

  void run() {
    constexpr std::int64_t mostPatches = 1 << 20;
    if (rows_ > mostPatches) throw ModelError("has positions for too many patches");
    const std::int64_t told = read_.isFlattened() ? flattenedPatches() : 0;
    passOverContradicted(told);
    const bool isSaid = takeSaidSize(told);
    describeStride(said_.size.has_value(), isSaid && (told > 0 || isExact(read_.patchCount())),
                   read_);
    if (!isSaid && told > 0) {
      layOut(told, read_);
      if (rows_ > 0) fitRows(told);
      if (rows_ == 0 && !said_.size) read_.gridDoubt = "nothing but the head's width tells it";
    } else if (read_.patchCount() == 0 && rows_ > 0) {
      guess();
    }
    if (rows_ == 0) {
      read_.prefixPositions = tried_.front();
      if (possible_.size() > 1) read_.possiblePrefixPositions = possible_;
    }
    const bool isOfUnknownPicture = !isSaid && read_.patchCount() > 0 && !read_.patches.tile();
    if (isOfUnknownPicture && read_.gridDoubt.empty()) {
      read_.gridDoubt = "patches that overlap fit pictures of several sizes";
    }
  }

 private:
  void takeSaidStride() {
    PatchStructure& patches = read_.patches;
    patches.strideDown = said_.stride ? said_.stride->down : patches.height;
    patches.strideAcross = said_.stride ? said_.stride->across : patches.width;
    patches.padding = said_.padding.value_or(0);
  }

  /// Returns how many patches there are if the head takes all tokens side by side, or the patches
  /// alone, and says if both may be. A learned table has to have as many rows as that takes. Throws
  /// if neither can be, as with a head of a class token and a mean.
  std::int64_t flattenedPatches() {
    std::vector<std::int64_t> counts;
    for (const std::int64_t others : {read_.otherTokens(), std::int64_t{0}}) {
      const std::int64_t count = read_.headTokens - others;
      const bool isLongEnough = areSines_ && rows_ >= count + tried_.front();
      if (count > 0 && (rows_ == 0 || isExact(count) || isLongEnough)) addOnce(count, counts);
    }
    const bool isPicture = std::ranges::any_of(counts, mayBePicture);
    std::erase_if(counts, [&](std::int64_t count) { return isPicture && !mayBePicture(count); });
    constexpr std::int64_t mostVectors = 2;
    if (counts.empty() || (rows_ == 0 && read_.headTokens <= mostVectors)) refuseVectors();
    const auto rank = [&](std::int64_t count) {
      const bool isOfPatches = count == read_.headTokens;
      const bool isAsked = said_.flattensPatches && *said_.flattensPatches == isOfPatches;
      return std::tuple(!isAsked, !isOfSaidSize(count), sideOfPatches(count) == 0);
    };
    std::ranges::stable_sort(counts, {}, rank);
    const std::int64_t taken = counts.front();
    read_.flattensPatches = read_.otherTokens() > 0 && taken == read_.headTokens;
    if (counts.size() > 1 && !isOfSaidSize(taken)) {
      read_.flattenDoubt = "the head may take all tokens or the patches alone, " +
                           std::to_string(counts[0]) + " or " + std::to_string(counts[1]);
    }
    return taken;
  }

  bool isOfSaidSize(std::int64_t count) const {
    const PatchStructure& patches = read_.patches;
    return said_.size &&
           patches.rowsOn(said_.size->height) * patches.columnsOn(said_.size->width) == count;
  }

  /// Passes over a stride and a padding that metadata or config.json say if the picture whose size
  /// is said too would not have as many patches with them as the file: they are of something else.
  void passOverContradicted(std::int64_t told) {
    const bool isSaid =
        (said_.stride && !said_.isStrideChosen) || (said_.padding && !said_.isPaddingChosen);
    const bool isChecked = said_.size && (told > 0 || (rows_ > 0 && !areSines_));
    if (!isSaid || !isChecked) return;
    if (fitsPatches(read_.patches, told) || !overlapsThatFit(told).empty()) return;
    if (!said_.isStrideChosen) said_.stride.reset();
    if (!said_.isPaddingChosen) said_.padding.reset();
    takeSaidStride();
    read_.stride.contradictsSaid = true;
  }

  /// Takes the size that the user chose, which need not be the network's own, if it gives as many
  /// patches as the file has. Patches that overlap have to end with the picture.
  bool takeChosenSize(std::int64_t told) {
    PatchStructure& patches = read_.patches;
    if (told == 0 && (rows_ == 0 || areSines_)) return false;
    if (!fitsPatches(patches, told)) {
      const std::vector<StrideFit> fits = overlapsThatFit(told);
      if (fits.empty() || !fits.front().isExact || fits.front().padding != patches.padding) {
        return false;
      }
      patches.strideDown = fits.front().down;
      patches.strideAcross = fits.front().across;
      explainChosenSize();
    }
    read_.patchRows = patches.rowsOn(size_->height);
    read_.patchColumns = patches.columnsOn(size_->width);
    return rows_ == 0 || fitRows(read_.patchCount());
  }

  /// Takes the size that is said, unless the file contradicts it.
  bool takeSaidSize(std::int64_t told) {
    PatchStructure& patches = read_.patches;
    if (!size_) return false;
    if (!said_.size) return takeChosenSize(told);
    const bool isCut = !patches.tile() ||
                       (size_->height % patches.height == 0 && size_->width % patches.width == 0);
    const bool fitsNow = isCut && fitsPatches(patches, told);
    if (!fitsNow && (told > 0 || (rows_ > 0 && !areSines_))) {
      takeLikeliest(overlapsThatFit(told), read_);
    }
    if (patches.tile() && !isCut) return false;
    const std::int64_t rows = patches.rowsOn(size_->height);
    const std::int64_t columns = patches.columnsOn(size_->width);
    const std::int64_t count = rows * columns;
    if (count == 0 || (told > 0 && count != told)) return false;
    if (rows_ > 0 && !isExact(count) && !areSines_ && makesSquare()) {
      read_.stride.why = rowsText() + " are not those of the " + std::to_string(count) +
                         " patches of a picture of " + std::to_string(size_->height) + " x " +
                         std::to_string(size_->width);
      return false;
    }
    const bool fits = rows_ == 0 || fitRows(count);
    if (!fits) return false;
    read_.patchRows = rows;
    read_.patchColumns = columns;
    return true;
  }

  /// Returns true if the picture whose size is said has as many patches as a head or a table takes.
  bool fitsPatches(const PatchStructure& patches, std::int64_t told) const {
    const std::int64_t count = patches.rowsOn(size_->height) * patches.columnsOn(size_->width);
    return count > 0 && (told > 0 ? count == told : isExact(count));
  }

  std::vector<StrideFit> overlapsThatFit(std::int64_t told) const {
    return strideFits(read_.patches, said_, *size_,
                      [&](const PatchStructure& patches) { return fitsPatches(patches, told); });
  }

  bool isExact(std::int64_t patches) const {
    return std::ranges::any_of(tried_,
                               [&](std::int64_t prefix) { return rows_ == patches + prefix; });
  }
  bool makesSquare() const {
    return std::ranges::any_of(
        tried_, [&](std::int64_t prefix) { return sideOfPatches(rows_ - prefix) > 0; });
  }

  /// Says of which pictures the patches would be if they did not overlap.
  void explainStride() {
    if (!read_.patches.tile() || size_) return;
    const std::string rows = std::to_string(read_.patchRows * read_.patches.height);
    const std::string columns = std::to_string(read_.patchColumns * read_.patches.width);
    read_.stride.why = "patches that do not overlap are of pictures of " + rows + " x " + columns +
                       (isUsualSide(read_.patchRows * read_.patches.height) ? ""
                                                                            : ", an unusual "
                                                                              "size");
  }

  /// Says of which other picture the patches may be, if that has a usual size.
  void explainChosenSize() {
    const PatchStructure& patches = read_.patches;
    const std::int64_t side = patches.height * patches.rowsOn(size_->height);
    addOnce(patches.strideDown, read_.stride.possible);
    if (!isUsualSide(side)) return;
    addOnce(patches.height, read_.stride.possible);
    read_.stride.why = "patches that do not overlap are of pictures of " + std::to_string(side) +
                       " x " + std::to_string(side) + ", and --size may be another than theirs";
  }

  /// Divides the table among the tokens of a picture of `patches`. Returns false if it is too
  /// short.
  bool fitRows(std::int64_t patches) {
    for (const std::int64_t prefix : tried_) {
      if (rows_ != patches + prefix) continue;
      read_.prefixPositions = prefix;
      if (said_.prefixPositions && possible_.size() > 1) read_.possiblePrefixPositions = possible_;
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
    // A square of patches alone would be a table that the code of these names never has.
    const bool isChosen = tried_.size() == 1;
    if (placesClassToken() && !isChosen && std::ranges::find(squares, 1) == squares.end()) {
      squares.clear();
    }
    if (areSines_ && (isRoundLength(rows_) || squares.empty())) return guessLong();
    if (!squares.empty()) {
      read_.prefixPositions = squares.front();
      layOut(rows_ - squares.front(), read_);
      explainStride();
      read_.hasLongPositions = areSines_;
      const bool isNatural = squares.front() == possible_.front();
      if (squares.size() > 1 || !isNatural) {
        read_.possiblePrefixPositions = possible_;
        auto& possible = read_.possiblePrefixPositions;
        std::rotate(possible.begin(), std::ranges::find(possible, squares.front()), possible.end());
      }
      if (squares.size() > 1) read_.gridDoubt = rowsText() + " can be divided in several ways";
      if (squares.size() == 1 && !isNatural && !isChosen) {
        read_.gridDoubt = rowsText() +
                          " may be of the patches alone, which form a square, or of tokens beside "
                          "them and patches that form none";
      }
      if (areSines_) read_.gridDoubt = rowsText() + " are sines, which may go on beyond a picture";
      return;
    }
    const std::int64_t patches = rows_ - tried_.front();
    if (patches < 1 || !mayBePicture(patches)) return guessLong();
    layOut(patches, read_);
    read_.prefixPositions = tried_.front();
    if (possible_.size() > 1) read_.possiblePrefixPositions = possible_;
    read_.gridDoubt = rowsText() + " make no square";
  }

  /// Returns true for the names of vit-pytorch's ViT and its relatives, whose tables have a row for
  /// the class token.
  bool placesClassToken() const {
    return read_.classToken && read_.positions &&
           mentions(read_.patches.weight, {"to_patch_embedding."}) &&
           lastPartOfName(read_.positions->name) == "pos_embedding" &&
           lastPartOfName(read_.classToken->name) == "cls_token";
  }

  void guessLong() {
    read_.patchRows = read_.patchColumns = 0;
    goOn();
    read_.gridDoubt = rowsText() + " may go on beyond a picture";
  }

  std::string rowsText() const {
    return "the " + std::to_string(rows_) + " rows of " + quotedText(read_.positions->name);
  }

  [[noreturn]] void refuseVectors() const {
    const std::string table = rows_ > 0 ? ", and " + rowsText() + " are for other tokens" : "";
    throw ModelError("ambiguous head: " + quotedText(read_.head.front().weight) + " takes " +
                     std::to_string(read_.headTokens) + " times the tokens' width" + table +
                     "; it may take several pooled vectors side by side, such as a class token and "
                     "a mean");
  }

  TransformerStructure& read_;
  SaidGrid said_;
  bool areSines_;
  std::int64_t rows_;
  /// The picture's size that something says, or else the one that the user chose.
  std::optional<SaidSize> size_;
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

SaidSize pictureOfPatches(const PatchStructure& patches, std::int64_t rows, std::int64_t columns) {
  const auto side = [&](std::int64_t count, std::int64_t patch, std::int64_t stride) {
    const std::int64_t least = (count - 1) * stride + patch - 2 * patches.padding;
    for (std::int64_t pixels = least; !patches.tile() && pixels < least + stride; ++pixels) {
      if (isUsualSide(pixels)) return pixels;
    }
    return std::max<std::int64_t>(1, least);
  };
  return {side(rows, patches.height, patches.strideDown),
          side(columns, patches.width, patches.strideAcross)};
}

void resolveGrid(TransformerStructure& read, const SaidGrid& said, bool areSines) {
  GridResolver(read, said, areSines).run();
}

}  // namespace softscope
