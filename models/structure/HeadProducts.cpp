#include "models/structure/HeadProducts.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/structure/TensorUnits.h"

#include <optional>

namespace softscope {

namespace {

/// Returns the name of a product's layer: `head.0` for `head.0.weight`.
std::string layerOf(const ProductPart& part) {
  constexpr std::size_t lettersOfWeight = 7;
  return part.weight.substr(0, part.weight.size() - lettersOfWeight);
}

std::string moduleOf(const ProductPart& part) {
  return parentPath(layerOf(part));
}

/// Returns a name without the digits that end it; nothing if there are none.
std::optional<std::string> withoutNumber(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == name.size() || name[last] == '.') {
    return std::nullopt;
  }
  return name.substr(0, last + 1);
}

/// Returns how many places in their Sequential two products are apart; 0 if they are in none.
int placesApart(const ProductPart& product, const ProductPart& next) {
  const int from = numberOfSibling(layerOf(product));
  const int to = numberOfSibling(layerOf(next));
  return moduleOf(product) == moduleOf(next) && from >= 0 && to >= 0 ? to - from : 0;
}

/// Throws if blocks have no mlp, and two products of the head that give out the tokens' width again
/// stand in another module than the one for the classes, in a list, or in no module: they may be
/// the mlp.
void refuseMlpInHead(const TransformerStructure& read, const std::string& blocks) {
  if (read.block.expand) return;
  for (std::size_t i = 0; i + 1 < read.head.size(); ++i) {
    const std::string module = moduleOf(read.head[i]);
    const bool isLast = i + 2 == read.head.size();
    const bool isApart = module.empty() || (isLast ? numberOfSibling(module) >= 0
                                                   : module != moduleOf(read.head.back()));
    const bool keepsWidth =
        read.head[i].inputs == read.channels && read.head[i + 1].outputs == read.channels;
    if (!keepsWidth || !isApart) continue;
    throw ModelError("two stacks of blocks: " + quotedText(blocks) + " has no mlp, and " +
                     quotedText(module.empty() ? layerOf(read.head[i]) : module) +
                     " may be the one of every block or of the head");
  }
}

/// Throws for a product that gives out the tokens' width again and is not known to be in series
/// with the next one, which may then take the tokens as well: a projector beside the classes.
void refuseProjector(const TransformerStructure& read) {
  for (std::size_t i = 0; i + 1 < read.head.size(); ++i) {
    const std::string layer = layerOf(read.head[i]);
    const std::string next = layerOf(read.head[i + 1]);
    const bool isInSeries = areInSeries(layer, next) || saysPooler(layer);
    if (read.head[i].outputs != read.channels || isInSeries) continue;
    throw ModelError("ambiguous head: " + quotedText(layer) +
                     " gives out the tokens' width again, and nothing tells whether " +
                     quotedText(next) + " takes what it gives or the tokens");
  }
}

/// Throws for neighbours in a list of products alone that is called by a plural and where both may
/// take the tokens: heads of several tasks.
void refuseListOfHeads(const TransformerStructure& read) {
  for (std::size_t i = 0; i + 1 < read.head.size(); ++i) {
    const ProductPart& product = read.head[i];
    const ProductPart& next = read.head[i + 1];
    const bool isPlural = hasWord(
        lastPartOfName(moduleOf(product)),
        {"heads", "classifiers", "fcs", "outs", "outputs", "tasks", "linears", "predictors"});
    if (!isPlural || placesApart(product, next) != 1 || !isActivated(read.head, i)) continue;
    if (product.inputs != next.inputs || product.inputs != read.channels) continue;
    throw ModelError("ambiguous head: " + quotedText(layerOf(product)) + " and " +
                     quotedText(layerOf(next)) +
                     " may be heads of several tasks or in series, and nothing tells which");
  }
}

}  // namespace

bool areInSeries(const std::string& product, const std::string& next) {
  if (parentPath(product) != parentPath(next)) return false;
  if (numberOfSibling(product) >= 0 && numberOfSibling(next) >= 0) return true;
  const bool isInModule = !parentPath(product).empty();
  const bool isFirst = hasWord(lastPartOfName(product), {"pre", "hidden"});
  const bool isLast = hasWord(lastPartOfName(next), {"out", "output"});
  if (isInModule && (isFirst || isLast)) return true;
  const auto name = withoutNumber(product);
  return name && name == withoutNumber(next);
}

bool saysPooler(const std::string& product) {
  return hasWord(product, {"pooler"}) || mentions(product, {"pre_logits"});
}

bool isActivated(const std::vector<ProductPart>& head, std::size_t product) {
  if (placesApart(head[product], head[product + 1]) != 1) return true;
  for (std::size_t i = 0; i + 1 < head.size(); ++i) {
    const bool isSameModule = moduleOf(head[i]) == moduleOf(head[product]);
    if (isSameModule && placesApart(head[i], head[i + 1]) > 1) return false;
  }
  return true;
}

bool mayHoldNorm(const std::vector<ProductPart>& head, std::int64_t size) {
  for (std::size_t i = 0; i + 1 < head.size(); ++i) {
    const bool mayBeApart = placesApart(head[i], head[i + 1]) < 2 && isActivated(head, i);
    if (head[i].outputs == size && mayBeApart) return true;
  }
  return false;
}

void refuseMixedJoints(const std::vector<ProductPart>& head) {
  std::optional<std::size_t> inside;
  std::optional<std::size_t> across;
  for (std::size_t i = 0; i + 1 < head.size(); ++i) {
    const bool isInside = moduleOf(head[i]) == moduleOf(head[i + 1]);
    if (isActivated(head, i)) (isInside ? inside : across) = i;
  }
  if (!inside || !across) return;
  const auto jointText = [&](std::size_t i) {
    return quotedText(layerOf(head[i])) + " and " + quotedText(layerOf(head[i + 1]));
  };
  throw ModelError("ambiguous head: an activation may stand between " + jointText(*inside) +
                   ", and nothing tells whether one stands between " + jointText(*across) +
                   ", too, which --head-activation says of both");
}

void refuseDoubtfulHead(const TransformerStructure& read, const std::string& blocks) {
  refuseMlpInHead(read, blocks);
  refuseListOfHeads(read);
  refuseProjector(read);
}

}  // namespace softscope
