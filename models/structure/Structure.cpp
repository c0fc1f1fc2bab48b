#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/structure/NonLocalCnn.h"
#include "models/structure/NonLocalCnnNetwork.h"
#include "models/structure/StructureNetwork.h"
#include "models/structure/StructureSettings.h"
#include "models/structure/TransformerStructure.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Side of pictures of small data sets, and that of ImageNet's.
constexpr std::int64_t usualSides[] = {28, 32, 64, 96, 128, 224};

/// Returns the picture's size: that of the patches that the file tells, or else the size that
/// something says, or a usual one that patches divide.
SaidSize pictureSize(const TransformerStructure& read, const std::optional<SaidSize>& said) {
  const PatchStructure& patches = read.patches;
  if (read.patchCount() > 0) {
    return {read.patchRows * patches.height, read.patchColumns * patches.width};
  }
  const auto divides = [&](const SaidSize& size) {
    return size.height % patches.height == 0 && size.width % patches.width == 0;
  };
  if (said && divides(*said)) return *said;
  constexpr std::int64_t smallPatch = 8;
  for (const std::int64_t side : usualSides) {
    const bool isSmall = side < 224;
    const bool suits = patches.pictureChannels == 1 || patches.height <= smallPatch || !isSmall;
    if (suits && side >= 2 * patches.height && divides({side, side})) return {side, side};
  }
  return {patches.height * 4, patches.width * 4};
}

InputTransform structureTransform(const SaidSize& size, std::int64_t channels) {
  InputTransform transform;
  transform.extent = InputTransform::Extent::Whole;
  transform.filter = InputTransform::Filter::Bilinear;
  transform.height = static_cast<int>(size.height);
  transform.width = static_cast<int>(size.width);
  transform.channels = static_cast<int>(channels);
  return transform;
}

/// Writes settled values to a summary.
void describeStructure(const SettledStructure& settled, ModelSummary& summary) {
  summary.mechanism = settled.mechanism;
  summary.alternatives = settled.mechanisms;
  summary.settings = settled.described;
  summary.headsAlternatives = settled.headsAlternatives;
  constexpr double guessed = 0.5;
  constexpr double assumed = 0.8;
  for (const NetworkSetting& setting : settled.described) {
    summary.counterfactual = summary.counterfactual || setting.isCounterfactual;
    if (!setting.isUndetermined()) continue;
    if (setting.option == "heads") summary.headsConfidence = guessed;
    if (setting.option == "attention") summary.mechanismConfidence = assumed;
  }
}

std::string layoutText(const TransformerStructure& read) {
  switch (read.block.attention.layout) {
    case ProjectionLayout::Packed:
      return "packed q, k, v";
    case ProjectionLayout::Separate:
      return "separate q, k, v";
    case ProjectionLayout::KeyValue:
      return "q beside packed k, v";
    case ProjectionLayout::OfHeads:
      return "a matrix for each head";
    case ProjectionLayout::OfSlices:
      return "a matrix for each head's channels";
    case ProjectionLayout::Shared:
      break;
  }
  return "matrices that all heads share";
}

DefinedModel defineTransformer(const TransformerStructure& read,
                               const std::optional<SaidSize>& said, const ModelHints& hints) {
  const SettledStructure settled = settleStructure(read, hints);
  ModelSummary summary;
  summary.family = "structure";
  summary.variant = "custom";
  summary.mechanismConfidence = 1;
  summary.reason = "Read by structure: " + countedText(std::ssize(read.blocks), "block") +
                   " called " + read.blocks.front() + " and so on, with " + layoutText(read) + ".";
  describeStructure(settled, summary);
  summary.heads = {settled.values.heads};
  summary.channels = static_cast<int>(read.channels);
  summary.classes = read.head.empty() ? 0 : static_cast<int>(read.head.back().outputs);
  summary.transform = structureTransform(pictureSize(read, said), read.patches.pictureChannels);
  for (const std::string& block : read.blocks) {
    summary.layers.push_back({.name = block + read.block.attention.path,
                              .mechanism = settled.mechanism,
                              .stage = 1,
                              .heads = settled.values.heads});
  }
  DefinedModel model{std::move(summary), std::make_shared<StructureNetwork>(read, settled.values)};
  model.pixelNorms = {"half", "imagenet"};
  model.harmless = read.ofDecoder;
  return model;
}

/// Runs `read`, and says what else was seen if a part of the structure cannot be read.
template <typename Read>
auto readOrRefuse(const std::string& seen, const Read& read) {
  try {
    return read();
  } catch (const ModelError& error) {
    throw ModelError(std::string(error.what()) + "; otherwise it looks like " + seen + "; " +
                     recordingAdvice());
  }
}

DefinedModel defineStructure(const StateDict& state, const ModelHints& hints) {
  if (!hasTransformerBlocks(state)) {
    return readOrRefuse("non-local blocks among convolutions",
                        [&] { return defineNonLocalCnn(state, hints); });
  }
  const auto said = saidPictureSize(hints);
  return defineTransformer(
      readOrRefuse(stackText(state), [&] { return readTransformer(state, said); }), said, hints);
}

bool isReadByStructure(const StateDict& state) {
  return isReadableByStructure(state) && (hasTransformerBlocks(state) || hasNonLocalBlocks(state));
}

}  // namespace

Family structureFamily() {
  return {.name = "structure",
          .networks =
              "transformers that people wrote themselves, small convolutional networks with "
              "non-local blocks",
          .attention = "softmax, ELU, efficient, Linformer, Performer, Nyströmformer; non-local",
          .recognises = isReadByStructure,
          .define = defineStructure,
          .readsStructure = true};
}

}  // namespace softscope
