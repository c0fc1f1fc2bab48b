#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/Parameters.h"
#include "models/structure/NonLocalCnn.h"
#include "models/structure/NonLocalCnnNetwork.h"
#include "models/structure/OtherComputation.h"
#include "models/structure/OuterParts.h"
#include "models/structure/PatchGrid.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureNetwork.h"
#include "models/structure/StructureSettings.h"
#include "models/structure/TransformerStructure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// config.json's key of a picture's channels.
constexpr const char* channelsKey = "in_chans";

/// A sentence on what is computed without asking, as hardly any code does otherwise and no file
/// tells.
constexpr const char* takenForGranted =
    "each block adds what its attention and its mlp make of the tokens, times no factor that the "
    "file lacks, to the tokens as they came unless --norm says otherwise; every query sees all "
    "keys, which no mask hides; queries and keys are not rotated; the softmax runs over keys; "
    "heads are slices of consecutive channels; no activation stands behind the patch embedding, "
    "the attention's output or the logits";

/// Side of pictures of small data sets, and that of ImageNet's.
constexpr std::int64_t usualSides[] = {28, 32, 64, 96, 128, 224};

/// Returns the picture's size: that of the patches that the file tells, or else the size that
/// something says, or a usual one that patches divide and that has no more patches than positions.
SaidSize pictureSize(const TransformerStructure& read, const std::optional<SaidSize>& said) {
  const PatchStructure& patches = read.patches;
  if (read.patchCount() > 0) {
    const bool isSaid = said && patches.rowsOn(said->height) == read.patchRows &&
                        patches.columnsOn(said->width) == read.patchColumns;
    return isSaid && !patches.tile() ? *said
                                     : pictureOfPatches(patches, read.patchRows, read.patchColumns);
  }
  const std::int64_t rows = positionRows(read).value_or(0);
  const auto divides = [&](const SaidSize& size) {
    const std::int64_t count = patches.rowsOn(size.height) * patches.columnsOn(size.width);
    const bool isWhole =
        !patches.tile() || (size.height % patches.height == 0 && size.width % patches.width == 0);
    return isWhole && count > 0 && (rows == 0 || read.prefixPositions + count <= rows);
  };
  if (said && divides(*said)) return *said;
  constexpr std::int64_t smallPatch = 8;
  for (const std::int64_t side : usualSides) {
    const bool isSmall = side < 224;
    const bool suits = patches.pictureChannels == 1 || patches.height <= smallPatch || !isSmall;
    if (suits && side >= 2 * patches.height && divides({side, side})) return {side, side};
  }
  constexpr std::int64_t mostPatches = 4;
  const auto side = static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(std::max<std::int64_t>(1, rows - read.prefixPositions))));
  const std::int64_t patchesOfSide = rows == 0 ? mostPatches : std::min(mostPatches, side);
  return pictureOfPatches(patches, patchesOfSide, patchesOfSide);
}

/// Describes the picture's size if it is a guess.
std::optional<NetworkSetting> doubtfulSize(const TransformerStructure& read, const SaidSize& size,
                                           const std::optional<SaidSize>& said, bool isGiven) {
  const bool isSaid = said && said->height == size.height && said->width == size.width;
  const bool isTold = read.patchCount() > 0 && read.gridDoubt.empty();
  if (isSaid || isTold || isGiven) return std::nullopt;
  const std::string value = std::to_string(size.height) + "x" + std::to_string(size.width);
  return NetworkSetting{
      .option = "size",
      .value = value,
      .source = "assumed",
      .choices = {value},
      .why = read.gridDoubt.empty() ? "no table is as long as a picture's tokens" : read.gridDoubt};
}

/// Describes the picture's channels if they are told, and are neither one nor three, or if they are
/// a guess: grey patches have as many values as those of four channels and half the side, of
/// pictures of half the side. That counts where these are usual, or the grey ones are not.
std::optional<NetworkSetting> doubtfulChannels(const TransformerStructure& read,
                                               const SaidSize& size) {
  const std::int64_t channels = read.patches.pictureChannels;
  if (read.patches.areChannelsSaid && channels != 1 && channels != 3) {
    return NetworkSetting{.option = channelsKey,
                          .value = std::to_string(channels),
                          .source = "as config.json or the file's metadata say",
                          .choices = {},
                          .why = {}};
  }
  if (!read.patches.mayHaveFourChannels) return std::nullopt;
  if (isUsualSide(size.height) && !isUsualSide(size.height / 2)) return std::nullopt;
  const std::string half = std::to_string(read.patches.height / 2);
  return NetworkSetting{.option = channelsKey,
                        .value = "1",
                        .source = "assumed",
                        .choices = {},
                        .why = "the patches have as many values as those of 4 channels and " +
                               half + " x " + half +
                               " pixels, which in_chans or patch_size in config.json tell"};
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

/// Writes resolved values to a summary.
void describeStructure(const ResolvedStructure& resolved, ModelSummary& summary) {
  summary.mechanism = resolved.mechanism;
  summary.alternatives = resolved.mechanisms;
  summary.settings = resolved.described;
  summary.headsAlternatives = resolved.headsAlternatives;
  constexpr double guessed = 0.5;
  constexpr double assumed = 0.8;
  for (const NetworkSetting& setting : resolved.described) {
    summary.counterfactual = summary.counterfactual || setting.isCounterfactual;
    if (!setting.isUndetermined()) continue;
    if (setting.option == "heads") summary.headsConfidence = guessed;
    if (setting.option == "attention") summary.mechanismConfidence = assumed;
  }
}

/// Returns `q, k, v` for the letters of a packed matrix.
std::string lettersText(const std::string& letters) {
  return listText(letters, ", ", [](char letter) { return std::string(1, letter); });
}

/// `packed` has the letters of what a packed matrix makes.
std::string layoutText(const TransformerStructure& read, const std::string& packed) {
  switch (read.block.attention.layout) {
    case ProjectionLayout::Packed:
      return "packed " + lettersText(packed);
    case ProjectionLayout::Separate:
      return "separate q, k, v";
    case ProjectionLayout::KeyValue:
      return std::string(1, "qkv"[std::string("qkv").find_first_not_of(packed)]) +
             " beside packed " + lettersText(packed);
    case ProjectionLayout::OfHeads:
      return "a matrix for each head";
    case ProjectionLayout::OfSlices:
      return "a matrix for each head's channels";
    case ProjectionLayout::Shared:
      break;
  }
  return "matrices that all heads share";
}

/// Says which tensors are left out as copies; empty if none are.
std::string copiesText(const std::vector<std::string>& copies) {
  if (copies.empty()) return {};
  return " Left out are copies of blocks, which are not run: " +
         countedText(std::ssize(copies), "tensor") + " below " + quotedText(commonPath(copies)) +
         ".";
}

/// Names the tensors beside the class token whose place in the sequence only a name tells, and
/// those that are left out of it.
std::string tokensText(const TransformerStructure& read) {
  std::string text;
  if (read.registers) {
    text += " Tokens beside the patches and the class token are those of " +
            quotedText(read.registers->name) + ".";
  }
  std::vector<std::string> leftOut;
  for (const std::string& name : read.leftOutTokens) leftOut.push_back(quotedText(name));
  if (!read.leftOutVector.empty()) leftOut.push_back(quotedText(read.leftOutVector));
  if (leftOut.empty()) return text;
  return text + " Left out of the sequence of tokens: " + firstOf(leftOut) + ".";
}

/// Returns the hints without a config.json that is of a network of another width.
ModelHints fittingHints(const TransformerStructure& read, const ModelHints& hints) {
  ModelHints fitting = hints;
  if (configurationFor(static_cast<int>(read.channels), hints) == nullptr) {
    fitting.configuration = {};
  }
  return fitting;
}

/// Keys under which metadata and config.json have the number of layers.
const std::vector<std::string> namesOfDepth{"depth", "num_layers", "n_layers", "n_layer",
                                            "num_hidden_layers"};

/// Describes the number of layers if metadata or config.json say another than there are blocks.
/// Throws ModelError if they say a multiple, as of blocks that are run several times.
std::optional<NetworkSetting> doubtfulDepth(const TransformerStructure& read,
                                            const ModelHints& hints) {
  const auto said = valueUnder(namesOfDepth, hints);
  const auto layers = said ? parseNumber<int>(said->text) : std::nullopt;
  const auto blocks = static_cast<int>(read.blocks.size());
  if (!layers || *layers < 1 || *layers == blocks) return std::nullopt;
  const std::string text = said->source + " says " + said->name + " " + std::to_string(*layers) +
                           ", and there are tensors of " + countedText(blocks, "block");
  if (*layers > blocks && *layers % blocks == 0) {
    throw ModelError(text +
                     ", which may be run several times; if that is of another network, save the "
                     "state dict alone, without it; otherwise " +
                     recordingAdvice());
  }
  return NetworkSetting{.option = "layers",
                        .value = std::to_string(blocks),
                        .source = "assumed",
                        .choices = {},
                        .why = text};
}

/// Describes the number of layers if members of the list of blocks have no tensors, and nothing
/// says how many blocks there are.
std::optional<NetworkSetting> doubtfulBlocks(const TransformerStructure& read,
                                             const ModelHints& hints) {
  if (read.absentBlocks.empty() || valueUnder(namesOfDepth, hints)) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& path : read.absentBlocks) names.push_back(quotedText(path));
  return NetworkSetting{.option = "layers",
                        .value = std::to_string(read.blocks.size()),
                        .source = "assumed",
                        .choices = {},
                        .why = "the file has no tensor of " + listText(names) +
                               ", which may be blocks that are missing"};
}

/// Returns `8 x 8`.
std::string gridText(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

/// Says how a learned table of positions serves pictures of other sizes, if it is resized; `chosen`
/// is the size that the user chose.
std::string resizedText(const TransformerStructure& read, const StructureSettings& settings,
                        const std::optional<SaidSize>& chosen) {
  const bool isResized = areStored(settings.positions) && !read.takesFirstPositions();
  if (!isResized || sideOfPatches(read.patchCount()) == 0) return {};
  const std::string own = gridText(read.patchRows, read.patchColumns);
  const std::string other =
      chosen ? gridText(read.patches.rowsOn(chosen->height), read.patches.columnsOn(chosen->width))
             : own;
  return "; positions of " + own + " patches are resized to " +
         (other == own ? "pictures of other sizes" : other) +
         " as in timm, while the network's own code may cut them or take no other size";
}

DefinedModel defineTransformer(const TransformerStructure& read, const SaidGrid& grid,
                               const ModelHints& hints) {
  refuseOtherConfigured(read, hints);
  const ModelHints fitting = fittingHints(read, hints);
  refuseOtherComputation(fitting);
  const std::optional<SaidSize>& said = grid.size ? grid.size : grid.chosenSize;
  const ResolvedStructure resolved = resolveStructure(read, hints);
  ModelSummary summary;
  summary.family = "structure";
  summary.variant = "custom";
  summary.mechanismConfidence = 1;
  summary.reason = "Read by structure: " + countedText(std::ssize(read.blocks), "block") +
                   " called " + read.blocks.front() + " and so on, with " +
                   layoutText(read, resolved.values.packedLetters) + "." + tokensText(read) +
                   copiesText(read.copies);
  describeStructure(resolved, summary);
  summary.heads = {resolved.values.heads};
  summary.channels = static_cast<int>(read.channels);
  summary.classes = read.head.empty() ? 0 : static_cast<int>(read.head.back().outputs);
  const SaidSize size = pictureSize(read, said);
  summary.transform = structureTransform(size, read.patches.pictureChannels);
  if (auto doubtful = doubtfulSize(read, size, said, hints.size.has_value()))
    summary.settings.push_back(*doubtful);
  if (auto doubtful = doubtfulChannels(read, size)) summary.settings.push_back(*doubtful);
  if (auto doubtful = doubtfulDepth(read, fitting)) summary.settings.push_back(*doubtful);
  if (auto doubtful = doubtfulBlocks(read, fitting)) summary.settings.push_back(*doubtful);
  summary.takenForGranted = takenForGranted + resizedText(read, resolved.values, grid.chosenSize) +
                            "; docs/guide/checkpoints.md lists it all";
  for (const std::string& block : read.blocks) {
    summary.layers.push_back({.name = block + read.block.attention.path,
                              .mechanism = resolved.mechanism,
                              .stage = 1,
                              .heads = resolved.values.heads});
  }
  DefinedModel model{std::move(summary), std::make_shared<StructureNetwork>(read, resolved.values)};
  model.pixelNorms = {"half", "imagenet"};
  model.harmless = read.ofDecoder;
  model.harmless.insert(model.harmless.end(), read.ofPooler.begin(), read.ofPooler.end());
  model.harmless.insert(model.harmless.end(), read.indices.begin(), read.indices.end());
  model.harmless.insert(model.harmless.end(), read.copies.begin(), read.copies.end());
  model.harmless.insert(model.harmless.end(), read.leftOutTokens.begin(), read.leftOutTokens.end());
  if (!read.leftOutVector.empty()) model.harmless.push_back(read.leftOutVector);
  if (read.pixels) {
    model.normsPixelsItself = "as the network norms pixels with " +
                              quotedText(read.pixels->mean.name) + " and " +
                              quotedText(read.pixels->deviation.name);
  }
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

/// Says how pictures are brought to the input's size, unless a file or the user does.
void describeAssumedExtent(const ModelHints& hints, DefinedModel& model) {
  const ConfigurationFile* said = configurationFor(model, hints);
  const bool isTold = said != nullptr && said->transform.extent;
  if (isTold || hints.size) return;
  const std::string doubt =
      "the file does not tell how pictures are brought to the size of the input; they are resized "
      "whole, whatever their proportions (--size N, a single number, resizes the shorter side and "
      "crops the centre instead)";
  model.summary.reason += " But " + doubt + ".";
  model.summary.preparationDoubts.push_back(doubt);
}

DefinedModel readStructure(const StateDict& state, const ModelHints& hints) {
  if (!hasTransformerBlocks(state)) {
    return readOrRefuse("non-local blocks among convolutions",
                        [&] { return defineNonLocalCnn(state, hints); });
  }
  const SaidGrid said = saidGrid(hints);
  return defineTransformer(
      readOrRefuse(stackText(state), [&] { return readTransformer(state, said); }), said, hints);
}

DefinedModel defineStructure(const StateDict& state, const ModelHints& hints) {
  DefinedModel model = readStructure(state, hints);
  describeAssumedExtent(hints, model);
  return model;
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
