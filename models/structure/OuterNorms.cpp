#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/HeadProducts.h"
#include "models/structure/OuterParts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Gives every norm outside the blocks its place.
class OuterNormReader {
 public:
  OuterNormReader(std::vector<TensorUnit>& units, const BesideNorms& beside,
                  TransformerStructure& read)
      : units_(units), beside_(beside), read_(read) {}

  /// Takes the norms beside a patch product, which are numbered with it.
  void takePatchNorms() {
    if (!read_.patches.isProduct) return;
    const std::string path = parentPath(beside_.patches);
    const int number = numberOfSibling(beside_.patches);
    if (path.empty() || number < 0) return;
    const std::int64_t pixels =
        read_.patches.pictureChannels * read_.patches.height * read_.patches.width;
    std::erase_if(units_, [&](const TensorUnit& unit) {
      if (parentPath(unit.name) != path) return false;
      const int at = numberOfSibling(unit.name);
      if (at >= 0 && at < number && unit.isNorm(pixels) && !read_.patches.normBefore) {
        read_.patches.normBefore = NormPart{unit.weight, unit.bias};
        return true;
      }
      if (at > number && unit.isNorm(read_.channels) && !read_.patches.normAfter) {
        read_.patches.normAfter = NormPart{unit.weight, unit.bias};
        return true;
      }
      return false;
    });
    const int first = read_.patches.normBefore ? number - 1 : number;
    read_.patches.followsRearrangement = first >= 1;
  }

  /// Takes the norm in the head's own Sequential and the one behind the blocks.
  void takeNorms() {
    std::erase_if(units_, [&](const TensorUnit& unit) {
      if (!unit.isNorm(read_.channels)) return false;
      if (isOfPatches(unit)) {
        read_.patches.normAfter = NormPart{unit.weight, unit.bias};
        read_.patches.mayNormFollowPositions = standsBesideTokens(unit);
        return true;
      }
      if (isOfHead(unit)) {
        requireBeforeProducts(unit);
        if (!isNumberedInHead(unit)) requireOutsideHead(unit);
      } else {
        requireBehindBlocks(unit);
        readPlace(unit);
        requireOutsideHead(unit);
      }
      std::optional<NormPart>& place = isOfHead(unit) ? read_.poolingNorm : read_.norm;
      if (place) {
        throw ModelError("tensor without a place: " + unitText(unit) +
                         ", a second norm outside the blocks");
      }
      place = NormPart{unit.weight, unit.bias};
      isHeadNormNumbered_ = isHeadNormNumbered_ || (isOfHead(unit) && isNumberedInHead(unit));
      return true;
    });
    if (!read_.poolingNorm || read_.norm || isHeadNormNumbered_) return;
    // Code may norm the tokens in the head's module before it pools them.
    read_.norm = std::exchange(read_.poolingNorm, std::nullopt);
    read_.isNormOfHead = true;
  }

 private:
  /// Returns true if a norm stands in one Sequential with the head's first product.
  bool isNumberedInHead(const TensorUnit& norm) const {
    return numberOfSibling(norm.name) >= 0 && numberOfSibling(beside_.products.front().name) >= 0;
  }

  /// Returns true if a norm stands in the module of the patch embedding: `embed.norm` beside
  /// `embed.proj`.
  bool isOfPatches(const TensorUnit& norm) const {
    const std::string path = parentPath(norm.name);
    const bool isInside = !path.empty() && path == parentPath(beside_.patches) &&
                          !beside_.context.blocks.starts_with(path + ".");
    return isInside && !read_.patches.isProduct && !read_.patches.normAfter;
  }

  /// Throws for a norm that says that it stands in front of the blocks, as CLIP's does.
  static void requireBehindBlocks(const TensorUnit& norm) {
    const std::string name = lowerCase(norm.name);
    if (!mentions(name, {"pre", "embed", "patch", "input"})) return;
    throw ModelError("tensor without a place: " + unitText(norm) +
                     ", a norm in front of the blocks, and nothing tells of which tokens");
  }

  /// Returns true if the class token or the positions are in the module of a norm: `embed.pos`
  /// beside `embed.norm`.
  bool standsBesideTokens(const TensorUnit& norm) const {
    const std::string path = parentPath(norm.name);
    return std::ranges::any_of(
        std::array{read_.classToken, read_.positions, read_.registers},
        [&](const std::optional<BareTensor>& part) {
          return part && commonPath(std::array{part->name, norm.name + ".weight"}) == path;
        });
  }

  /// Throws for a norm that stands behind a product in the head's Sequential.
  void requireBeforeProducts(const TensorUnit& norm) const {
    const int at = numberOfSibling(norm.name);
    const int first = numberOfSibling(beside_.products.front().name);
    const bool isNumbered = at >= 0 && first >= 0;
    const bool isBehind = isNumbered
                              ? at > first
                              : beside_.context.isOrdered && beside_.products.size() > 1 &&
                                    placeOf(norm.weight) > placeOf(beside_.products.front().weight);
    if (!isBehind) return;
    throw ModelError("tensor without a place: " + unitText(norm) +
                     ", a norm behind the first product of the head");
  }

  /// Throws for a norm that may stand between two products of the head, before or behind what else
  /// is there: by the file's order, or because a sorted file tells nothing.
  void requireOutsideHead(const TensorUnit& norm) const {
    if (read_.isNormOfBlocks || !mayHoldNorm(read_.head, read_.channels)) return;
    const std::string& first = beside_.products.front().name;
    if (!beside_.context.isOrdered) {
      throw ModelError("ambiguous norm: " + unitText(norm) + " may stand in front of " +
                       quotedText(first) +
                       " or behind it in the head, and the file's order tells nothing, as it does "
                       "in a file of torch.save");
    }
    if (placeOf(norm.weight) < placeOf(beside_.products.front().weight)) return;
    throw ModelError("tensor without a place: " + unitText(norm) +
                     ", a norm behind the first product of the head");
  }

  std::ptrdiff_t placeOf(const std::string& tensor) const {
    const auto& entries = beside_.context.state.entries();
    return std::ranges::find(entries, tensor, &StateDict::Entry::name) - entries.begin();
  }

  /// Tells from the file's order and the norm's module whether it stands behind the blocks.
  void readPlace(const TensorUnit& norm) {
    const auto& entries = beside_.context.state.entries();
    const auto isOfBlocks = [&](const StateDict::Entry& entry) {
      return entry.name.starts_with(beside_.context.blocks);
    };
    const auto block = std::ranges::find_if(entries, isOfBlocks) - entries.begin();
    const std::string path = parentPath(norm.name);
    const bool isInModule =
        !path.empty() && beside_.context.blocks.starts_with(path + ".") &&
        (beside_.products.empty() || !beside_.products.front().name.starts_with(path + ".")) &&
        !beside_.patches.starts_with(path + ".");
    const bool saysEnd =
        mentions(lowerCase(norm.name), {"final", "post", "out", "last", "head", "ln_f", "fc"});
    read_.mayNormPrecedeBlocks =
        beside_.context.isOrdered ? placeOf(norm.weight) < block : !saysEnd && !isInModule;
    read_.isNormOfBlocks = isInModule && !read_.mayNormPrecedeBlocks;
  }

  bool isOfHead(const TensorUnit& norm) const {
    if (beside_.products.empty()) return false;
    const std::string path = parentPath(norm.name);
    return !path.empty() && path == parentPath(beside_.products.front().name) &&
           !beside_.context.blocks.starts_with(path + ".") &&
           !beside_.patches.starts_with(path + ".");
  }

  std::vector<TensorUnit>& units_;
  const BesideNorms& beside_;
  TransformerStructure& read_;
  bool isHeadNormNumbered_ = false;
};

}  // namespace

void takeOuterNorms(std::vector<TensorUnit>& units, const BesideNorms& beside,
                    TransformerStructure& read) {
  OuterNormReader reader(units, beside, read);
  reader.takePatchNorms();
  reader.takeNorms();
}

}  // namespace softscope
