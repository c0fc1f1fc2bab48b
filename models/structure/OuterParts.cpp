#include "models/structure/OuterParts.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/structure/HeadProducts.h"
#include "models/structure/PatchGrid.h"
#include "models/structure/PatchProduct.h"
#include "models/structure/PositionSines.h"
#include "models/structure/RepeatedBlocks.h"
#include "models/structure/TokenNames.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace softscope {

namespace {

using Units = std::vector<TensorUnit>;

/// Places the units outside the blocks one kind after another; what is left has no place.
class OuterReader {
 public:
  OuterReader(Units units, const OuterContext& context, TransformerStructure& read)
      : units_(std::move(units)), context_(context), read_(read) {}

  void run() {
    takeEmpty();
    refuseAmongBlocks();
    nameLoneNorms();
    read_.pixels = takePixelBuffers(context_.state, units_);
    takeConvolution();
    readTokens(units_, context_.said, read_);
    read_.isTableSquare = isTableSquare();
    read_.positionsDoubt = doubtOfPositions();
    splitLinears();
    takeProduct();
    refuseProductsOfBlocks();
    takePooler();
    takeHead();
    refuseTokensOfHead();
    takeOuterNorms(units_, {linears_, *patchPath_, context_}, read_);
    if (!units_.empty()) refuse(units_.front());
    if (read_.pixels && read_.patches.pictureChannels != 3) refuse(read_.pixels->mean);
    // vit-pytorch appends registers, and cuts positions.
    const bool isOfVitPytorch = mentions(read_.patches.weight, {"to_patch_embedding."});
    read_.registersLast = read_.registerCount > 0 && isOfVitPytorch;
    read_.cutsPositions = isOfVitPytorch && read_.positions && !read_.arePositionsOfGrid &&
                          lastPartOfName(read_.positions->name) == "pos_embedding";
    resolveGrid(read_, context_.said, storesSines());
  }

 private:
  [[noreturn]] static void refuse(const TensorUnit& unit) {
    throw ModelError("tensor without a place: " + unitText(unit));
  }

  /// Returns true if the table of positions is a buffer of sines.
  bool storesSines() const {
    if (!read_.positions) return false;
    const torch::Tensor* table = context_.state.find(read_.positions->name);
    if (table == nullptr) return false;
    return holdsSines(read_.arePositionsInColumns ? table->reshape({read_.channels, -1}).t()
                                                  : table->reshape({-1, read_.channels}));
  }

  /// Returns true for a learned table of positions that may be [C, n] as well as [n, C]. A layer's
  /// table has a row for each position.
  bool isTableSquare() const {
    const bool mayBeTurned = read_.positions && !read_.positions->name.ends_with("weight") &&
                             read_.positions->shape.size() <= 3 && !read_.arePositionsOfGrid &&
                             !storesSines();
    return mayBeTurned && positionRows(read_) == read_.channels;
  }

  /// Returns why the table may hold no positions, if its name does not say that it does: a layer's
  /// table may be a product beside the head, and a square one may be added to scores.
  std::string doubtOfPositions() const {
    if (!read_.positions || isCalledPositions(read_.positions->name)) return {};
    const std::string& name = read_.positions->name;
    if (name.ends_with(".weight")) return name + " may as well be a second head";
    return read_.isTableSquare
               ? name + " is as wide as it is long, and may be added to the scores of attention"
               : "";
  }

  /// Returns true for a buffer of the numbers 0, 1, 2, ..., with which code looks into a table.
  bool holdsItsIndices(const std::string& name) const {
    const torch::Tensor* tensor = context_.state.find(name);
    if (tensor == nullptr || at::isFloatingType(tensor->scalar_type())) return false;
    const torch::Tensor numbers = tensor->flatten();
    return numbers.numel() > 1 && numbers.equal(at::arange(numbers.numel(), numbers.options()));
  }

  /// Returns true for a single whole number that training counts, such as Performer's
  /// `calls_since_last_redraw`.
  bool countsSteps(const std::string& name) const {
    const torch::Tensor* tensor = context_.state.find(name);
    return tensor != nullptr && !at::isFloatingType(tensor->scalar_type()) &&
           tensor->numel() == 1 &&
           mentions(lastPartOfName(name), {"calls", "step", "updates", "iter", "initted"});
  }

  /// Returns the number of the member of the blocks' list that a unit is in, or -1.
  int numberAmongBlocks(const std::string& name) const {
    if (!name.starts_with(context_.blocks)) return -1;
    const std::string rest = name.substr(context_.blocks.size());
    return numberOfSibling(rest.substr(0, rest.find('.')));
  }

  [[noreturn]] void refuseInList(const TensorUnit& unit) const {
    // Blocks that are regularly apart have one member of another kind between them.
    const int apart = read_.blocks.size() < 2 ? 1
                                              : numberAmongBlocks(read_.blocks[1]) -
                                                    numberAmongBlocks(read_.blocks.front());
    if (apart == 2) {
      throw ModelError(
          "two kinds of blocks in one list, which take turns as attention and mlp do in "
          "x-transformers: " +
          unitText(unit) + " stands beside " + quotedText(read_.blocks.front()) +
          ", and Softscope opens blocks that hold both");
    }
    throw ModelError("two kinds of blocks in one list: " + unitText(unit) + " stands beside " +
                     quotedText(read_.blocks.front()) + ", and nothing tells how they are joined");
  }

  /// Throws for what stands between two blocks in their list, and for a vector behind them.
  void refuseAmongBlocks() const {
    const int first = numberAmongBlocks(read_.blocks.front());
    const int last = numberAmongBlocks(read_.blocks.back());
    for (const TensorUnit& unit : units_) {
      const int number = numberAmongBlocks(unit.name);
      if (number > first && (number < last || unit.isBare)) refuseInList(unit);
    }
  }

  /// Takes a vector that is alone in a module called a norm for the weight of that norm:
  /// `ln_f.gamma`.
  void nameLoneNorms() {
    std::vector<std::string> names;
    for (const TensorUnit& unit : units_) names.push_back(unit.name);
    for (TensorUnit& unit : units_) {
      const std::string module = parentPath(unit.name);
      const auto isInside = [&](const std::string& name) { return name.starts_with(module + "."); };
      const std::string last = lastPartOfName(unit.name);
      const bool isWeight = last == "gamma" || last == "g" || last == "scale";
      if (!unit.isBare || !isWeight || !isCalledNorm(module) ||
          unit.shape != std::vector<std::int64_t>{read_.channels} ||
          std::ranges::count_if(names, isInside) != 1) {
        continue;
      }
      unit.name = module;
      unit.isBare = false;
    }
  }

  void takeEmpty() {
    std::erase_if(units_, [&](const TensorUnit& unit) {
      const bool isEmpty = unit.isBare && std::ranges::find(unit.shape, 0) != unit.shape.end();
      if (isEmpty) read_.empty.push_back({unit.name, unit.shape});
      return isEmpty;
    });
    std::erase_if(units_, [&](const TensorUnit& unit) {
      const bool counts = unit.isBare && (holdsItsIndices(unit.name) || countsSteps(unit.name));
      if (counts) read_.indices.push_back(unit.name);
      return counts;
    });
  }

  void takeConvolution() {
    Units convolutions;
    for (const TensorUnit& unit : units_) {
      if (unit.isBatchNorm) refuseBatchNorm(unit);
      if (unit.shape.size() == 4 && !unit.isBare) convolutions.push_back(unit);
    }
    if (convolutions.empty()) return;
    for (const TensorUnit& unit : convolutions) refuseTransposed(unit);
    const auto embeds = [&](const TensorUnit& unit) {
      return unit.size(0) == read_.channels && unit.size(1) <= mostPictureChannels;
    };
    auto patches = std::ranges::find_if(convolutions, embeds);
    if (patches == convolutions.end() && convolutions.size() == 1 &&
        convolutions.front().size(0) == read_.channels) {
      patches = convolutions.begin();
    }
    if (patches == convolutions.end()) refuseHybrid(convolutions.front());
    read_.patches = {.weight = patches->weight,
                     .bias = patches->bias,
                     .pictureChannels = patches->size(1),
                     .height = patches->size(2),
                     .width = patches->size(3),
                     .normBefore = {},
                     .normAfter = {}};
    const std::string taken = patches->name;
    patchPath_ = taken;
    std::erase_if(units_, [&](const TensorUnit& unit) { return unit.name == taken; });
    if (convolutions.size() == 1) return;
    for (const TensorUnit& other : convolutions) {
      if (other.name != taken) refuse(other);
    }
  }

  /// Throws for a convolution that makes pixels of tokens, as an autoencoder's decoder does: its
  /// bias is not as long as it has rows, or a product makes tokens of pixels.
  void refuseTransposed(const TensorUnit& unit) const {
    const std::int64_t pixels = unit.size(1) * unit.size(2) * unit.size(3);
    const auto embeds = [&](const TensorUnit& other) {
      return other.isMatrix() && other.size(0) == read_.channels && other.size(1) == pixels;
    };
    const auto widens = [&](const TensorUnit& other) {
      return other.isMatrix() && other.size(0) == pixels;
    };
    const bool isBesideEmbedding =
        std::ranges::any_of(units_, embeds) && std::ranges::none_of(units_, widens);
    const bool isBiasShorter = unit.biasShape != std::vector<std::int64_t>{unit.size(0)};
    if (unit.bias.empty() ? !isBesideEmbedding : !isBiasShorter) return;
    throw ModelError("tensor without a place: " + unitText(unit) +
                     ", which may make pixels of tokens, as a decoder does");
  }

  /// Returns true if a batch norm stands in one Sequential with products.
  bool isAmongProducts(const TensorUnit& norm) const {
    const std::string path = parentPath(norm.name);
    return !path.empty() && std::ranges::any_of(units_, [&](const TensorUnit& unit) {
      return unit.isMatrix() && parentPath(unit.name) == path;
    });
  }

  [[noreturn]] void refuseBatchNorm(const TensorUnit& norm) const {
    if (!isAmongProducts(norm)) refuseHybrid(norm);
    throw ModelError("tensor without a place: " + unitText(norm) + ", a batch norm among products");
  }

  [[noreturn]] static void refuseHybrid(const TensorUnit& unit) {
    throw ModelError("CNN and transformer hybrid: " + unitText(unit) +
                     " is of a convolutional network in front of the blocks, whose strides, "
                     "pooling and order are not in the file");
  }

  void splitLinears() {
    std::erase_if(units_, [&](const TensorUnit& unit) {
      if (unit.isMatrix()) linears_.push_back(unit);
      return unit.isMatrix();
    });
  }

  /// Takes the product that embeds the pixels of patches, if no convolution does.
  void takeProduct() {
    if (patchPath_) return;
    refuseShiftedPatches(linears_, units_, read_.channels, context_.said);
    const std::size_t at = findPatchProduct(linears_, read_.channels, context_);
    const TensorUnit unit = linears_[at];
    linears_.erase(linears_.begin() + static_cast<std::ptrdiff_t>(at));
    patchPath_ = unit.name;
    read_.patches = patchProduct(unit, context_.said);
  }

  /// Throws for products that are of blocks and not of the head: in the blocks' list, but for one
  /// that goes on with the head, or in a list of their own.
  void refuseProductsOfBlocks() const {
    const int last = numberAmongBlocks(read_.blocks.back());
    int ofHead = -1;
    bool isHeadInside = true;
    for (const TensorUnit& unit : linears_) {
      const int number = numberAmongBlocks(unit.name);
      ofHead = std::max(ofHead, number);
      isHeadInside = isHeadInside && number > last;
    }
    for (const TensorUnit& unit : linears_) {
      const int number = numberAmongBlocks(unit.name);
      const bool isMember = unit.name == context_.blocks + std::to_string(number);
      if (number >= 0 && !(isHeadInside && (isMember || number == ofHead))) refuseInList(unit);
    }
    for (const RepeatedBlocks& other : repeatedBlocks(linears_)) {
      if (other.paths.size() < 2 || other.width() < 2) continue;
      throw ModelError("two stacks of blocks: " + quotedText(context_.blocks) + " and " +
                       quotedText(other.prefix) + ", and nothing tells how they are joined");
    }
  }

  /// Throws for a vector of the head's module, such as the query of a pool, which is no token.
  void refuseTokensOfHead() const {
    const auto isOfHead = [&](const BareTensor& part) {
      return std::ranges::any_of(linears_, [&](const TensorUnit& product) {
        const std::string path = parentPath(product.name) + ".";
        return path.size() > 1 && part.name.starts_with(path) &&
               !context_.blocks.starts_with(path) && !patchPath_->starts_with(path);
      });
    };
    for (const std::optional<BareTensor>& part : {read_.classToken, read_.registers}) {
      if (!part || !isOfHead(*part)) continue;
      throw ModelError("tensor without a place: " + quotedText(part->name) +
                       ", which stands in the head's module and is no token of the blocks");
    }
  }

  /// Leaves out a pooler that no head follows: Hugging Face's backbones end with it, and its
  /// products are no classes.
  void takePooler() {
    if (linears_.size() != 1 || !saysPooler(linears_.front().name)) return;
    const TensorUnit& pooler = linears_.front();
    if (pooler.size(0) != read_.channels || pooler.size(1) != read_.channels) return;
    read_.ofPooler.push_back(pooler.weight);
    if (!pooler.bias.empty()) read_.ofPooler.push_back(pooler.bias);
    linears_.clear();
  }

  /// Takes the other products as the head's, from the tokens to the classes.
  void takeHead() {
    if (linears_.empty()) return;
    orderHead();
    std::int64_t width = read_.channels;
    for (std::size_t i = 0; i < linears_.size(); ++i) {
      const TensorUnit& unit = linears_[i];
      const std::int64_t inputs = unit.size(1);
      if (i == 0 && inputs != width && inputs % width == 0) {
        read_.headTokens = inputs / width;
      } else if (inputs != width) {
        refuse(unit);
      }
      if (!unit.bias.empty() && unit.biasShape != std::vector<std::int64_t>{unit.size(0)}) {
        refuse(unit);
      }
      const bool isAmbiguous = i + 1 < linears_.size() && inputs == read_.channels &&
                               unit.size(0) == read_.channels && !isBesideNext(i) &&
                               !saysPooler(unit.name);
      if (isAmbiguous) {
        throw ModelError("ambiguous Linear: " + unitText(unit) +
                         " may stand behind the patch embedding or in the head");
      }
      width = unit.size(0);
      read_.head.push_back(productOf(unit, false));
    }
  }

  /// Returns true if a product of a module is in series with the next one.
  bool isBesideNext(std::size_t i) const {
    const std::string path = parentPath(linears_[i].name);
    return !path.empty() && areInSeries(linears_[i].name, linears_[i + 1].name) &&
           path != parentPath(read_.patches.weight.substr(0, read_.patches.weight.rfind('.')));
  }

  /// Without an order of the file, begins the head with the product of the tokens' width.
  void orderHead() {
    if (context_.isOrdered || linears_.size() < 2) return;
    if (areNumbered()) {
      std::ranges::sort(linears_, {},
                        [](const TensorUnit& unit) { return numberOfSibling(unit.name); });
      return;
    }
    Units ordered;
    std::int64_t width = read_.channels;
    Units left = linears_;
    while (!left.empty()) {
      const auto fits = [&](const TensorUnit& unit) { return unit.size(1) == width; };
      const auto next = std::ranges::find_if(left, fits);
      if (next == left.end()) return;
      if (std::ranges::count_if(left, fits) > 1) {
        throw ModelError("ambiguous Linear: " + unitText(*next) +
                         " is one of several that may come next in the head");
      }
      width = next->size(0);
      ordered.push_back(*next);
      left.erase(next);
    }
    linears_ = ordered;
  }

  /// Returns true if the head's products stand in one Sequential.
  bool areNumbered() const {
    const std::string path = parentPath(linears_.front().name);
    return std::ranges::all_of(linears_, [&](const TensorUnit& unit) {
      return parentPath(unit.name) == path && numberOfSibling(unit.name) >= 0;
    });
  }

  static constexpr std::int64_t mostPictureChannels = 4;
  Units units_;
  Units linears_;
  const OuterContext& context_;
  TransformerStructure& read_;
  std::optional<std::string> patchPath_;
};

}  // namespace

void readOuterParts(const std::vector<TensorUnit>& units, const OuterContext& context,
                    TransformerStructure& read) {
  OuterReader(units, context, read).run();
}

}  // namespace softscope
