#include "models/structure/TransformerStructure.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ShapeReader.h"
#include "models/structure/OuterParts.h"

#include <algorithm>
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
  const auto isMatrix = [&](std::size_t index) {
    return all[index].hasDimensions(2) && !all[index].isBare;
  };
  return stack.width() >= fewestUnitsOfBlock &&
         std::ranges::count_if(stack.units.front(), isMatrix) >= 2;
}

/// Returns the stacks that may be a transformer's; those of a single block only if there are no
/// others.
std::vector<RepeatedBlocks> transformerStacks(const Units& all) {
  std::vector<RepeatedBlocks> stacks = repeatedBlocks(all);
  std::erase_if(stacks, [&](const RepeatedBlocks& stack) { return !mayBeTransformer(all, stack); });
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

bool isMaskToken(const TensorUnit& unit) {
  return unit.isBare && mentions(lastPartOfName(unit.name), {"mask"});
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

/// For a file with a mask token and two stacks, returns the encoder's stack, the one that shares
/// more of its path with the patch embedding, and moves the decoder's units to `dropped`.
RepeatedBlocks takeEncoder(const std::vector<RepeatedBlocks>& stacks, Units& all, Units& dropped) {
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
    const bool drops = isMaskToken(unit) ||
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

/// Returns true for the names of vit-pytorch's ViT and SimpleViT, whose code is known.
bool isOfVitPytorch(const Units& block, const std::string& path, const TransformerStructure& read) {
  const auto has = [&](const char* name) {
    return std::ranges::any_of(
        block, [&](const TensorUnit& unit) { return nameInBlock(unit, path) == name; });
  };
  return read.patches.normBefore && read.patches.normAfter &&
         mentions(read.patches.weight, {"to_patch_embedding.2."}) && has(".0.norm") &&
         has(".0.to_qkv") && has(".1.net.0") && has(".1.net.1");
}

}  // namespace

TransformerStructure readTransformer(const StateDict& state, const SaidGrid& said) {
  Units all = tensorUnits(state);
  std::vector<RepeatedBlocks> stacks = transformerStacks(all);
  if (stacks.empty()) throw ModelError("no blocks repeat in it");
  Units dropped;
  const bool hasMask = std::ranges::any_of(all, isMaskToken);
  RepeatedBlocks stack = stacks.front();
  if (hasMask) {
    // A decoder may have a single block.
    std::vector<RepeatedBlocks> every = repeatedBlocks(all);
    std::erase_if(every, [&](const RepeatedBlocks& one) { return !mayBeTransformer(all, one); });
    stack = takeEncoder(every, all, dropped);
  } else {
    refuseSeveralStacks(all, stacks);
  }
  const Units outside = unitsOutside(all, stack);
  const Units block = unitsAt(all, stack.units.front());
  TransformerStructure read;
  read.channels = tokenWidth(block, outside);
  if (read.channels < 1) throw ModelError("nothing tells how wide its tokens are");
  read.blocks = stack.paths;
  read.isMaskedAutoencoder = dropped.size() > 1;
  for (const TensorUnit& unit : dropped) addTensorNames(unit, read.ofDecoder);
  const bool isOrdered = keepsLayerOrder(state);
  readOuterParts(outside, {state, stack.prefix, isOrdered, said}, read);
  const std::int64_t tokens =
      read.patchCount() > 0 ? read.patchCount() + read.classToken.has_value() + read.registerCount
                            : 0;
  read.block = readBlockStructure(block, stack.paths.front(), read.channels, tokens, isOrdered);
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
