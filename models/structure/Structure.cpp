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
    "heads "
    "are slices of consecutive channels; no activation stands behind the patch embedding, the "
    "attention's output or the logits; docs/guide/checkpoints.md lists it all";

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

/// Returns the first of config.json's keys that says something which leaves nothing in a file:
/// windows, rotations, several frames, a spectrogram. Empty if none does.
std::string keyOfOtherTokens(const TransformerStructure& read, const ConfigurationFile& said) {
  const auto first = [&](const char* key) {
    const std::vector<int> numbers = numbersInMetadata(said.values, key);
    return numbers.empty() ? 0 : numbers.front();
  };
  const std::int64_t longest = std::max(read.patchRows, read.patchColumns);
  const int window = first("window_size");
  if (window > 0 && (longest == 0 || window < longest)) return "window_size";
  const std::vector<int> whole = numbersInMetadata(said.values, "global_attn_indexes");
  if (!whole.empty() && whole.size() < read.blocks.size()) return "global_attn_indexes";
  // A list for each stage or axis is no number that could be compared.
  for (const char* key :
       {"window_size", "num_windows", "tubelet_size", "frame_patch_size", "num_frames", "frames"}) {
    if (configuredValue(&said, key).starts_with('[')) return key;
  }
  for (const char* key :
       {"window_block_indices", "window_block_indexes", "frequency_stride", "rope_theta"}) {
    if (!configuredValue(&said, key).empty()) return key;
  }
  for (const char* key :
       {"num_windows", "tubelet_size", "frame_patch_size", "num_frames", "frames"}) {
    if (first(key) > 1) return key;
  }
  return {};
}

bool saysYes(const std::string& word) {
  return word == "true" || word == "1" || word == "yes";
}

/// Returns what metadata or config.json say of the computation that leaves nothing in a file and
/// is not computed here: a causal mask, rotations, sums that are scaled. Nothing if they do not.
std::optional<SaidValue> saidOfComputation(const ModelHints& hints) {
  const std::vector<std::string> flags[] = {
      {"causal", "is_causal", "is_decoder", "use_causal_mask", "causal_mask", "causal_attention"},
      {"rope", "use_rope", "rotary", "use_rotary", "rotary_embedding", "use_rotary_embedding",
       "use_rot_pos_emb"}};
  for (const std::vector<std::string>& names : flags) {
    const auto said = valueUnder(names, hints);
    if (said && saysYes(said->text)) return said;
  }
  const auto positions = valueUnder({"positions", "pos_embedding", "positional_encoding",
                                     "pos_encoding", "pos_embed", "position_embedding_type"},
                                    hints);
  if (positions && mentions(positions->text, {"rope", "rotary", "alibi", "relative"})) {
    return positions;
  }
  const auto scale = valueUnder({"residual_scale", "residual_scaling"}, hints);
  const auto factor = scale ? parseNumber(scale->text) : std::nullopt;
  return factor && *factor != 1 ? scale : std::nullopt;
}

/// Returns the hints without a config.json that is of a network of another width.
ModelHints fittingHints(const TransformerStructure& read, const ModelHints& hints) {
  ModelHints fitting = hints;
  if (configurationFor(static_cast<int>(read.channels), hints) == nullptr) {
    fitting.configuration = {};
  }
  return fitting;
}

/// Throws ModelError if metadata or config.json say something that the network cannot be computed
/// with.
void refuseOtherComputation(const ModelHints& hints) {
  const auto said = saidOfComputation(hints);
  if (!said) return;
  throw ModelError(said->source + " says " + said->name + " " + quotedText(said->text) +
                   ", which no weight shows and Softscope does not compute; if that is of another "
                   "network, save the state dict alone, without it; otherwise " +
                   recordingAdvice());
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

/// Throws ModelError if config.json says that the network is another than its structure shows.
void refuseOtherConfigured(const TransformerStructure& read, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(static_cast<int>(read.channels), hints);
  if (said == nullptr) return;
  if (const std::string other = otherModelText(said->modelType); !other.empty()) {
    throw ModelError("is " + other);
  }
  const std::string key = keyOfOtherTokens(read, *said);
  if (key.empty()) return;
  throw ModelError(said->place() + " says " + key + " " + quotedText(configuredValue(said, key)) +
                   ", which no weight shows and Softscope does not compute; if that is of another "
                   "network, keep the two apart; otherwise " +
                   recordingAdvice());
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
  summary.takenForGranted = takenForGranted;
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
