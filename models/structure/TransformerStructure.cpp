#include "models/structure/TransformerStructure.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/HeadProducts.h"
#include "models/structure/OuterParts.h"
#include "models/structure/UnplacedTensors.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace softscope {

namespace {

using Units = std::vector<TensorUnit>;
constexpr std::size_t fewestUnitsOfBlock = 2;

Units unitsAt(const Units& all, const std::vector<std::size_t>& indices) {
  Units chosen;
  for (const std::size_t index : indices) chosen.push_back(all[index]);
  return chosen;
}

bool mayBeTransformer(const Units& all, const RepeatedBlocks& stack) {
  const auto isMatrix = [&](std::size_t index) { return all[index].isMatrix(); };
  return stack.width() >= fewestUnitsOfBlock &&
         std::ranges::count_if(stack.units.front(), isMatrix) >= 2;
}

/// Returns true if every member of a stack has three matrices of one shape and nothing else, as the
/// heads of an attention may.
bool mayBeHeads(const Units& all, const RepeatedBlocks& stack) {
  constexpr std::size_t projections = 3;
  const TensorUnit& first = all[stack.units.front().front()];
  return stack.paths.size() > 1 && stack.width() == projections &&
         std::ranges::all_of(stack.units.front(), [&](std::size_t index) {
           return all[index].isMatrix() && all[index].shape == first.shape;
         });
}

/// Returns true if heads stand in a block that stands alone: it has other matrices, but no
/// convolution as a whole network has.
bool isLoneBlockOf(const Units& all, const RepeatedBlocks& heads, const RepeatedBlocks& block) {
  if (block.paths.size() > 1 || !heads.prefix.starts_with(block.paths.front())) return false;
  std::ptrdiff_t matrices = 0;
  for (const std::size_t index : block.units.front()) {
    if (all[index].hasDimensions(4)) return false;
    matrices += all[index].isMatrix();
  }
  return matrices > std::ssize(heads.paths) * std::ssize(heads.units.front());
}

/// Returns the stacks that may be a transformer's; those of a single block only if there are no
/// others but the lists of its heads.
std::vector<RepeatedBlocks> transformerStacks(const Units& all) {
  std::vector<RepeatedBlocks> stacks = repeatedBlocks(all);
  std::erase_if(stacks, [&](const RepeatedBlocks& stack) { return !mayBeTransformer(all, stack); });
  const std::vector<RepeatedBlocks> every = stacks;
  std::erase_if(stacks, [&](const RepeatedBlocks& stack) {
    return mayBeHeads(all, stack) && std::ranges::any_of(every, [&](const RepeatedBlocks& block) {
             return isLoneBlockOf(all, stack, block);
           });
  });
  const bool repeats = !stacks.empty() && stacks.front().paths.size() > 1;
  std::erase_if(stacks,
                [&](const RepeatedBlocks& stack) { return repeats && stack.paths.size() < 2; });
  return stacks;
}

/// Returns the units that are in none of a stack's blocks.
Units unitsOutside(const Units& all, const RepeatedBlocks& stack) {
  std::set<std::size_t> inside;
  for (const auto& block : stack.units) inside.insert(block.begin(), block.end());
  Units outside;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (inside.count(i) == 0) outside.push_back(all[i]);
  }
  return outside;
}

/// Returns the width of the tokens: the size of the blocks' norms, of those that something outside
/// is as wide as; without any, that of the class token or of the positions, or else the rows of the
/// patch embedding.
std::int64_t tokenWidth(const Units& block, const Units& outside) {
  const auto isOutside = [&](std::int64_t width) {
    return std::ranges::any_of(outside, [&](const TensorUnit& unit) {
      if (unit.shape.empty()) return false;
      return unit.isBare ? unit.shape.back() == width : unit.size(0) == width;
    });
  };
  for (const TensorUnit& unit : block) {
    const bool isNorm = unit.hasDimensions(1) && unit.isNorm(unit.size(0));
    if (isNorm && isOutside(unit.size(0))) return unit.size(0);
  }
  for (const TensorUnit& unit : block) {
    if (unit.hasDimensions(1) && unit.isNorm(unit.size(0))) return unit.size(0);
  }
  for (const TensorUnit& unit : outside) {
    if (unit.isBare && !unit.shape.empty() && unit.shape.size() <= 3) return unit.shape.back();
  }
  for (const TensorUnit& unit : outside) {
    if (unit.hasDimensions(4)) return unit.size(0);
  }
  for (const TensorUnit& unit : block) {
    if (unit.hasDimensions(2)) return unit.size(1);
  }
  return 0;
}

/// Returns a name up to the first dot or underscore behind `from` letters.
std::string firstWord(const std::string& name, std::size_t from = 0) {
  return name.substr(0, name.find_first_of("._", std::min(from, name.size())));
}

/// Returns how many letters of the paths of two stacks are whole parts that both have.
std::size_t sharedParts(const std::string& a, const std::string& b) {
  const auto shared = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t dot = a.substr(0, shared).rfind('.');
  return dot == std::string::npos ? 0 : dot + 1;
}

bool isCalledMask(const TensorUnit& unit) {
  return unit.isBare && mentions(lastPartOfName(unit.name), {"mask"});
}

/// Returns the sizes that at least two layers of a stack's block give out, the tokens' width among
/// them.
std::set<std::int64_t> widthsOf(const Units& all, const RepeatedBlocks& stack) {
  std::map<std::int64_t, int> layers;
  for (const std::size_t index : stack.units.front()) {
    const TensorUnit& unit = all[index];
    if (!unit.isBare && !unit.shape.empty() && unit.shape.size() <= 2) ++layers[unit.size(0)];
  }
  std::set<std::int64_t> widths;
  for (const auto& [width, count] : layers) {
    if (count > 1) widths.insert(width);
  }
  return widths;
}

/// Returns the names of the learned tokens that stand for hidden patches in a pretraining: single
/// rows outside the blocks that are as wide as tokens, or called tokens (of pixels, for example).
/// Other masks hide tokens from each other.
std::set<std::string> maskTokens(const Units& all, const std::vector<RepeatedBlocks>& stacks) {
  std::set<std::size_t> inside;
  std::set<std::int64_t> widths;
  for (const RepeatedBlocks& stack : stacks) {
    widths.merge(widthsOf(all, stack));
    if (stack.paths.size() < 2) continue;
    for (const auto& block : stack.units) inside.insert(block.begin(), block.end());
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<std::int64_t>& shape = all[i].shape;
    if (!isCalledMask(all[i]) || inside.count(i) > 0 || shape.empty()) continue;
    const bool isOneRow =
        std::all_of(shape.begin(), shape.end() - 1, [](std::int64_t side) { return side == 1; });
    const bool saysToken = mentions(lastPartOfName(all[i].name), {"mask_tok", "mask_emb"});
    if (isOneRow && (saysToken || widths.count(shape.back()) > 0)) names.insert(all[i].name);
  }
  return names;
}

/// Returns true if a unit is of the decoder whose blocks are `decoder`, and not of the encoder's.
bool isOfDecoder(const TensorUnit& unit, const std::string& encoder, const std::string& decoder) {
  const std::size_t shared = sharedParts(encoder, decoder);
  const std::string word = firstWord(decoder, shared);
  return word != firstWord(encoder, shared) && firstWord(unit.name, shared) == word;
}

std::size_t sharedLetters(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// Returns true if the unit may be a patch embedding: a convolution of a few channels.
bool mayEmbedPatches(const TensorUnit& unit) {
  constexpr std::int64_t mostChannels = 4;
  return unit.hasDimensions(4) && unit.size(1) <= mostChannels;
}

/// For a file with mask tokens and two stacks, returns the encoder's stack, the one that shares
/// more of its path with the patch embedding, and moves the decoder's units to `dropped`.
RepeatedBlocks takeEncoder(const std::vector<RepeatedBlocks>& stacks,
                           const std::set<std::string>& masks, Units& all, Units& dropped) {
  const auto patches = std::ranges::find_if(all, mayEmbedPatches);
  const std::string path = patches == all.end() ? "" : patches->name;
  const auto decoderOf = [&](const RepeatedBlocks& encoder) -> const RepeatedBlocks* {
    const auto other = std::ranges::find_if(stacks, [&](const RepeatedBlocks& stack) {
      const std::size_t shared = sharedParts(stack.prefix, encoder.prefix);
      const bool isInside =
          stack.prefix.starts_with(encoder.prefix) || encoder.prefix.starts_with(stack.prefix);
      return !isInside && firstWord(stack.prefix, shared) != firstWord(encoder.prefix, shared);
    });
    return other == stacks.end() ? nullptr : &*other;
  };
  const RepeatedBlocks* encoder = &stacks.front();
  const RepeatedBlocks* decoder = decoderOf(*encoder);
  if (decoder != nullptr &&
      sharedLetters(decoder->prefix, path) > sharedLetters(encoder->prefix, path)) {
    std::swap(encoder, decoder);
  }
  const std::string encoderPrefix = encoder->prefix;
  const std::string decoderPrefix = decoder == nullptr ? "" : decoder->prefix;
  std::erase_if(all, [&](const TensorUnit& unit) {
    const bool drops = masks.count(unit.name) > 0 ||
                       (!decoderPrefix.empty() && isOfDecoder(unit, encoderPrefix, decoderPrefix));
    if (drops) dropped.push_back(unit);
    return drops;
  });
  for (const RepeatedBlocks& stack : repeatedBlocks(all)) {
    if (stack.prefix == encoderPrefix) return stack;
  }
  return stacks.front();
}

/// Adds the names of a unit's tensors.
void addTensorNames(const TensorUnit& unit, std::vector<std::string>& names) {
  names.push_back(unit.weight);
  if (!unit.bias.empty()) names.push_back(unit.bias);
}

/// Throws for files whose parts are known not to be a single stack of blocks.
void refuseSeveralStacks(const Units& all, const std::vector<RepeatedBlocks>& stacks) {
  const RepeatedBlocks& widest = stacks.front();
  const auto crosses = [](const TensorUnit& unit) {
    return mentions(lowerCase(unit.name), {"cross_attn", "crossattn", "cross_attention",
                                           "encoder_attn", "enc_dec_attn", "multihead_attn."});
  };
  if (const auto crossing = std::ranges::find_if(all, crosses); crossing != all.end()) {
    throw ModelError("encoder-decoder: " + quotedText(crossing->name) +
                     " attends from one sequence to another");
  }
  for (const RepeatedBlocks& other : stacks) {
    const bool isApart = !other.prefix.starts_with(widest.prefix) &&
                         !widest.prefix.starts_with(other.prefix) &&
                         (other.paths.size() > 1 || widest.paths.size() == 1) && other.width() >= 4;
    if (isApart) {
      throw ModelError(
          "two stacks of blocks, as an encoder-decoder has: " + quotedText(widest.prefix) +
          " and " + quotedText(other.prefix) + ", and nothing tells how they are joined");
    }
  }
}

/// Throws for a file without some of the blocks. Where what lies between all of them has no
/// tensors, as in a Sequential with dropouts, nothing is missing.
void refuseAbsentBlocks(const RepeatedBlocks& stack) {
  if (stack.absent.empty() || stack.isRegular()) return;
  std::vector<std::string> names;
  for (const std::string& path : stack.absent) names.push_back(quotedText(path));
  throw ModelError("blocks up to " + quotedText(stack.paths.back()) + " and no tensor of " +
                   listText(names) +
                   ": a part of the network is missing in the file, or has no weights");
}

/// Throws for the names of vit-pytorch's SimpleViT whose blocks add only what is orthogonal to what
/// they add it to.
void refuseOrthogonalUpdates(const Units& block, const std::string& path,
                             const TransformerStructure& read) {
  const auto has = [&](const char* name) {
    return std::ranges::any_of(
        block, [&](const TensorUnit& unit) { return nameInBlock(unit, path) == name; });
  };
  if (!mentions(read.patches.weight, {"to_patch_embedding.2."}) || !has(".0.block.norm") ||
      !has(".0.block.to_qkv") || !has(".1.block.net.1")) {
    return;
  }
  throw ModelError(
      "orthogonal residual updates, as in vit-pytorch's "
      "simple_vit_orthog_residual_update: " +
      quotedText(path) + " does not add plainly what its attention and mlp compute");
}

/// Throws if the attention of a block stands below `f` and its mlp below `g`, as reversible blocks
/// call them: each sees one half of two streams and adds to the other, and no weight shows that.
void refuseReversible(const Units& block, const std::string& path) {
  constexpr std::pair<const char*, const char*> halves[] = {
      {".f.", ".g."}, {".f_block.", ".g_block."}, {".fm.", ".gm."}};
  for (const auto& [first, second] : halves) {
    std::size_t inFirst = 0;
    std::size_t inSecond = 0;
    for (const TensorUnit& unit : block) {
      const std::string name = lowerCase(nameInBlock(unit, path)) + ".";
      inFirst += name.starts_with(first);
      inSecond += name.starts_with(second);
    }
    if (inFirst == 0 || inSecond == 0 || inFirst + inSecond != block.size()) continue;
    throw ModelError("reversible blocks: the halves " + quotedText(path + first) + " and " +
                     quotedText(path + second) +
                     " may pass on two streams of tokens, each of which adds to the other");
  }
}

/// Returns true for the names of vit-pytorch's ViT and SimpleViT, whose code is known. Its ViT has
/// a norm behind the blocks; one with adaptive token sampling, which leaves nothing else in a file,
/// has that norm in the head.
bool isOfVitPytorch(const Units& block, const std::string& path, const TransformerStructure& read) {
  const auto has = [&](const char* name) {
    return std::ranges::any_of(
        block, [&](const TensorUnit& unit) { return nameInBlock(unit, path) == name; });
  };
  const bool hasNorm = read.norm && !read.isNormOfHead;
  return read.patches.normBefore && read.patches.normAfter && (hasNorm || !read.positions) &&
         mentions(read.patches.weight, {"to_patch_embedding.2."}) && has(".0.norm") &&
         has(".0.to_qkv") && has(".1.net.0") && has(".1.net.1");
}

}  // namespace

TransformerStructure readTransformer(const StateDict& state, const SaidGrid& said) {
  Units all = tensorUnits(state);
  std::vector<RepeatedBlocks> stacks = transformerStacks(all);
  if (stacks.empty()) throw ModelError("no blocks repeat in it");
  const Units copies = takeCopies(state, stacks, all);
  if (!copies.empty()) stacks = transformerStacks(all);
  Units dropped;
  std::vector<RepeatedBlocks> every;
  if (std::ranges::any_of(all, isCalledMask)) {
    // A decoder may have a single block.
    every = repeatedBlocks(all);
    std::erase_if(every, [&](const RepeatedBlocks& one) { return !mayBeTransformer(all, one); });
  }
  const std::set<std::string> masks = maskTokens(all, every);
  RepeatedBlocks stack = stacks.front();
  if (!masks.empty()) {
    stack = takeEncoder(every, masks, all, dropped);
  } else {
    refuseSeveralStacks(all, stacks);
  }
  const Units outside = unitsOutside(all, stack);
  std::ranges::for_each(outside, refuseMask);
  const Units block = unitsAt(all, stack.units.front());
  TransformerStructure read;
  read.channels = tokenWidth(block, outside);
  if (read.channels < 1) throw ModelError("nothing tells how wide its tokens are");
  refuseAbsentBlocks(stack);
  read.blocks = stack.paths;
  read.absentBlocks = stack.absent;
  read.isMaskedAutoencoder = dropped.size() > 1;
  for (const TensorUnit& unit : dropped) addTensorNames(unit, read.ofDecoder);
  for (const TensorUnit& unit : copies) addTensorNames(unit, read.copies);
  const bool isOrdered = stack.haveOneOrder && keepsLayerOrder(state);
  readOuterParts(outside, {state, stack.prefix, isOrdered, said}, read);
  const std::int64_t tokens =
      read.patchCount() > 0 ? read.patchCount() + read.classToken.has_value() + read.registerCount
                            : 0;
  read.block = readBlockStructure(block, stack.paths.front(), read.channels, tokens, isOrdered);
  refuseDoubtfulHead(read, stack.prefix);
  refuseOrthogonalUpdates(block, stack.paths.front(), read);
  refuseReversible(block, stack.paths.front());
  read.isVitPytorch = isOfVitPytorch(block, stack.paths.front(), read);
  return read;
}

bool hasTransformerBlocks(const StateDict& state) {
  return isReadableByStructure(state) && !transformerStacks(tensorUnits(state)).empty();
}

std::string stackText(const StateDict& state) {
  if (!isReadableByStructure(state)) return {};
  const Units all = tensorUnits(state);
  const std::vector<RepeatedBlocks> stacks = transformerStacks(all);
  if (stacks.empty()) return {};
  const RepeatedBlocks& stack = stacks.front();
  const Units block = unitsAt(all, stack.units.front());
  const std::int64_t width = tokenWidth(block, unitsOutside(all, stack));
  const auto hasShape = [&](std::int64_t out, std::int64_t in) {
    return std::ranges::any_of(block, [&](const TensorUnit& unit) {
      return unit.hasDimensions(2) && unit.size(0) == out && unit.size(1) == in;
    });
  };
  std::string prefix = stack.prefix;
  while (prefix.ends_with('.') || prefix.ends_with('_')) prefix.pop_back();
  return countedText(std::ssize(stack.paths), "block") + " of " +
         countedText(std::ssize(block), "layer") +
         (hasShape(3 * width, width) ? " with packed q, k, v" : "") + ", " + std::to_string(width) +
         " wide, called " + quotedText(prefix);
}

}  // namespace softscope
