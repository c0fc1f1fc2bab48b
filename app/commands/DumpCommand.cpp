#include "app/arguments/CommandProgress.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/Input.h"
#include "app/arguments/LayerChoice.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/SettingArguments.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/Error.h"
#include "core/array/Npy.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/BlockMap.h"
#include "core/attention/ProductMap.h"
#include "core/files/AtomicFile.h"
#include "core/files/AtomicFolder.h"
#include "core/files/Overwriting.h"
#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/recording/EarlierDump.h"
#include "core/recording/RecordingKeys.h"
#include "core/recording/RecordingPreview.h"
#include "core/text/Names.h"
#include "core/text/Words.h"
#include "models/OpenModel.h"
#include "widgets/settings/MapSettings.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

namespace softscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* channelsSuffix = ".channels";

struct DumpArguments {
  ModelArguments model;
  InputOptions input;
  std::string inputPath;
  std::string folder;
  std::string layers = "*";
  std::string rows = "all";
  std::vector<int> channels;
  MapSettings shown;
  /// `--class`: names or numbers of classes.
  std::vector<std::string> classes;
};

/// Parses `--rows`; returns nothing for all rows.
std::optional<std::vector<int>> parseRows(const std::string& text) {
  if (text == "all") return std::nullopt;
  std::vector<int> rows;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const auto row = parseNumber<int>(part);
    if (!row || *row < 0) {
      throw UsageError("--rows is all or a list such as 0,5,7, not \"" + text + "\"");
    }
    rows.push_back(*row);
  }
  return rows;
}

/// Throws unless every layer has the rows, and they fit in memory, also those of `channels`
/// channels.
void checkRows(const std::vector<LayerInspection>& layers,
               const std::optional<std::vector<int>>& rows, std::size_t channels) {
  constexpr std::int64_t mostValues = std::int64_t{1} << 29;
  for (const LayerInspection& layer : layers) {
    const AttentionDescription& attention = layer.attention->description();
    const int last = rows ? *std::max_element(rows->begin(), rows->end()) : 0;
    if (last >= attention.queries) {
      throw InspectionError(layer.name + ": row " + std::to_string(last) + " is outside 0 to " +
                            std::to_string(attention.queries - 1) +
                            "; choose the layers that have it with --layers");
    }
    const std::int64_t height = rows ? std::ssize(*rows) : attention.queries;
    const std::int64_t arrays = attention.meanOfChannels > 0 ? 1 + std::int64_t(channels) : 1;
    const std::int64_t values = arrays * attention.heads * height * attention.keys;
    if (values > mostValues) {
      throw InspectionError(layer.name + ": " + (arrays > 1 ? std::to_string(arrays) + " x " : "") +
                            std::to_string(attention.heads) + " x " + std::to_string(height) +
                            " x " + std::to_string(attention.keys) + " values take " +
                            std::to_string(values >> 28) + " GiB; choose some with --rows I,J,..." +
                            (arrays > 1 ? ", fewer --channels," : "") +
                            " or leave the layer out with --layers");
    }
  }
}

/// Returns rows in the order of the network's own sequence.
FloatArray rowsOf(const AttentionMap& map, const std::optional<std::vector<int>>& rows) {
  const AttentionDescription& description = map.description();
  const std::size_t count = rows ? rows->size() : static_cast<std::size_t>(description.queries);
  FloatArray array;
  array.shape = {description.heads, static_cast<std::int64_t>(count), description.keys};
  array.values.reserve(static_cast<std::size_t>(array.count()));
  const auto append = [&](const auto& values) {
    array.values.insert(array.values.end(), values.data(), values.data() + values.size());
  };
  constexpr int strip = 256;
  for (int head = 0; head < description.heads; ++head) {
    if (rows) {
      for (const int row : *rows) append(rowInSequence(map, head, row));
      continue;
    }
    if (description.patchesBeforePrefix > 0) {
      for (int row = 0; row < description.queries; ++row) append(rowInSequence(map, head, row));
      continue;
    }
    for (int first = 0; first < description.queries; first += strip) {
      const int height = std::min(strip, description.queries - first);
      append(map.block(head, first, 0, height, description.keys));
    }
  }
  return array;
}

FloatArray arrayOf(const Matrix& matrix) {
  return {{matrix.rows(), matrix.cols()}, {matrix.data(), matrix.data() + matrix.size()}};
}

FloatArray arrayOf(const std::vector<Matrix>& matrices) {
  FloatArray array;
  array.shape = {static_cast<std::int64_t>(matrices.size()), matrices.front().rows(),
                 matrices.front().cols()};
  for (const Matrix& matrix : matrices) {
    array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
  }
  return array;
}

/// Returns the indices of all blocks as [blocks, indices of a block].
FloatArray indexArray(const std::vector<int>& indices, int blocks) {
  return {{blocks, std::ssize(indices) / blocks}, {indices.begin(), indices.end()}};
}

Json gridJson(const std::optional<TokenGrid>& grid) {
  if (!grid) return nullptr;
  return Json::array({grid->height, grid->width});
}

/// Returns what stands beside a layer's attention, as part of a sentence. SOFT's convolution of V
/// is named, too, because a folder that is opened again does not have its filters.
std::string besideOf(const LayerInspection& layer) {
  const std::string text = besideText(layer.attention->description());
  return text.empty() && layer.convolution ? "a convolution of V with a filter for each head"
                                           : text;
}

Json layerJson(std::size_t index, const LayerInspection& layer,
               const std::optional<std::vector<int>>& rows, const std::string& file) {
  const AttentionDescription& description = layer.attention->description();
  Json json = {
      {"index", index},
      {dumpedNameKey, layer.name},
      {dumpedMechanismKey, description.mechanism},
      {"heads", description.heads},
      {"queries", description.queries},
      {"keys", description.keys},
      {dumpedQueryGridKey, gridJson(description.queryGrid)},
      {dumpedKeyGridKey, gridJson(description.keyGrid)},
      {dumpedPrefixKey, description.prefixTokens},
      {dumpedLandmarksKey, description.landmarks ? Json(*description.landmarks) : Json(nullptr)},
      {dumpedLandmarkGridKey, gridJson(description.landmarkGrid)},
      {dumpedRowsKey, rows ? Json(*rows) : Json(dumpedAllRows)},
      {dumpedFileKey, file}};
  if (description.suffixTokens > 0) json[dumpedSuffixKey] = description.suffixTokens;
  if (description.patchesBeforePrefix > 0) {
    json[dumpedPatchesBeforeKey] = description.patchesBeforePrefix;
  }
  if (const std::string beside = besideOf(layer); !beside.empty()) json[dumpedBesideKey] = beside;
  if (description.meanOfChannels > 0) json[dumpedMeanOfChannelsKey] = description.meanOfChannels;
  if (!description.prefixNames.empty()) json[dumpedPrefixNamesKey] = description.prefixNames;
  if (!description.landmarkTokens.empty()) json["landmark_tokens"] = description.landmarkTokens;
  return json;
}

/// Returns the suffix of files for a map other than the attention: `.effective`.
std::string mapSuffix(ShownMap map) {
  return std::string(".") + mapSetting.nameOf(map);
}

/// Returns the suffixes of all arrays that a layer may have, its attention's empty one first.
std::vector<std::string> arraySuffixes() {
  std::vector<std::string> suffixes{"", channelsSuffix};
  for (const char* part : dumpedParts) suffixes.push_back(std::string(".") + part);
  for (const auto& choice : mapSetting.choices) {
    if (choice.value != ShownMap::Attention) suffixes.push_back(mapSuffix(choice.value));
  }
  return suffixes;
}

/// Returns the names of the files of layers, without endings and each once: dots in a layer's name,
/// and what belongs into no file's name, are underscores.
std::vector<std::string> stemsOf(const std::vector<LayerInspection>& layers) {
  std::vector<std::string> stems(dumpedOutputs.begin(), dumpedOutputs.end());
  const auto others = std::ssize(stems);
  for (const LayerInspection& layer : layers) {
    // A recording's layers may have any names.
    std::string stem = asFileName(layer.name);
    std::replace(stem.begin(), stem.end(), '.', '_');
    stems.push_back(std::move(stem));
  }
  stems = uniqueNames(stems);
  stems.erase(stems.begin(), stems.begin() + others);
  return stems;
}

/// Returns a layer's attention if its channels have matrices of their own, or null.
const ChannelMeanMap* channelMapsOf(const LayerInspection& layer) {
  return dynamic_cast<const ChannelMeanMap*>(layer.attention.get());
}

/// Throws InspectionError unless some layer has channels, and each of these all of `channels`.
void checkChannels(const std::vector<LayerInspection>& layers, const std::vector<int>& channels) {
  if (channels.empty()) return;
  const int last = *std::max_element(channels.begin(), channels.end());
  bool areThere = false;
  for (const LayerInspection& layer : layers) {
    const ChannelMeanMap* maps = channelMapsOf(layer);
    if (maps == nullptr) continue;
    areThere = true;
    if (last >= maps->channels()) {
      throw InspectionError(layer.name + " has channels 0 to " +
                            std::to_string(maps->channels() - 1) + ", and no channel " +
                            std::to_string(last) + "; choose the layers with --layers");
    }
  }
  if (!areThere) {
    throw InspectionError(
        "no layer here has matrices of single channels to write; leave out --channels");
  }
}

/// Returns the rows of single channels, [channels, heads, rows, keys].
FloatArray channelRows(const ChannelMeanMap& maps, const std::vector<int>& channels,
                       const std::optional<std::vector<int>>& rows) {
  FloatArray all;
  for (const int channel : channels) {
    const FloatArray one = rowsOf(*maps.ofChannel(channel), rows);
    all.shape = one.shape;
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
  }
  all.shape.insert(all.shape.begin(), std::ssize(channels));
  return all;
}

void writeLayer(const std::filesystem::path& folder, const std::string& stem,
                const LayerInspection& layer, const std::optional<std::vector<int>>& rows,
                ShownMap map, const std::vector<int>& channels) {
  const auto write = [&](const std::string& suffix, const FloatArray& array) {
    writeNpy((folder / (stem + suffix + ".npy")).string(), array);
  };
  const auto writePart = [&](const char* part, const FloatArray& array) {
    write(std::string(".") + part, array);
  };
  write("", rowsOf(*layer.attention, rows));
  if (map != ShownMap::Attention && hasMap(layer, map)) {
    write(mapSuffix(map), rowsOf(*mapOf(layer, map), rows));
  }
  if (const ChannelMeanMap* maps = channelMapsOf(layer); maps != nullptr && !channels.empty()) {
    write(channelsSuffix, channelRows(*maps, channels, rows));
  }
  if (layer.queryL1.size() > 0) writePart(dumpedQueryL1, arrayOf(layer.queryL1));
  if (layer.keyL1.size() > 0) writePart(dumpedKeyL1, arrayOf(layer.keyL1));
  if (const auto* blocks = dynamic_cast<const BlockMap*>(layer.attention.get())) {
    writePart(dumpedBlockRows, indexArray(blocks->blocks().rows, blocks->blocks().count));
    writePart(dumpedBlockColumns, indexArray(blocks->blocks().columns, blocks->blocks().count));
  }
  if (!layer.bottleneck.empty()) writePart(dumpedBottleneck, arrayOf(layer.bottleneck));
  if (!layer.bottleneckInverse.empty()) writePart(dumpedInverse, arrayOf(layer.bottleneckInverse));
}

void writeDump(const std::filesystem::path& folder, const Inspection& inspection,
               const std::vector<LayerInspection>& chosen,
               const std::optional<std::vector<int>>& rows, ShownMap map,
               const std::vector<int>& channels, const Progress& progress) {
  if (!inspection.logits.empty()) {
    writeNpy((folder / dumpedLogits).string(),
             {{static_cast<std::int64_t>(inspection.logits.size())}, inspection.logits});
  }
  if (inspection.features.size() > 0) {
    writeNpy((folder / "features.npy").string(), arrayOf(inspection.features));
  }
  const std::vector<std::string> stems = stemsOf(chosen);
  Json layers = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    progress.throwIfCancelled();
    const LayerInspection& layer = chosen[i];
    const std::string& stem = stems[i];
    writeLayer(folder, stem, layer, rows, map, channels);
    const std::ptrdiff_t index = inspection.find(layer.name) - inspection.layers.data();
    layers.push_back(layerJson(static_cast<std::size_t>(index), layer, rows, stem + ".npy"));
    if (!channels.empty() && channelMapsOf(layer) != nullptr) {
      layers.back()["channels"] = channels;
      layers.back()["channels_file"] = stem + channelsSuffix + ".npy";
    }
    if (map != ShownMap::Attention) {
      const std::string file = stem + mapSuffix(map) + ".npy";
      layers.back()[mapSetting.nameOf(map)] = hasMap(layer, map) ? Json(file) : Json(nullptr);
    }
  }
  writeFileAtomically((folder / dumpedLayers).string(), layers.dump(2) + "\n");
}

/// Throws FileError if the folder is, or contains, a recording that is read: its files would be
/// mistaken for the new ones, or replaced by them.
void keepRecording(const DumpArguments& arguments) {
  const std::string& model = arguments.model.checkpoints.front();
  if (isRecording(model)) keepOutOf(arguments.folder, {model});
}

/// Notes outputs that are NaN or infinite, as those of a network whose weights are: readers of the
/// arrays might not look.
void noteNotFinite(const Inspection& inspection) {
  const auto isFinite = [](float value) { return std::isfinite(value); };
  if (std::ranges::all_of(inspection.logits, isFinite) && inspection.features.allFinite()) return;
  noteOnResult(
      "the network answers with values that are not finite (NaN or infinite); its weights "
      "or the input hold such values, or ones that are far too large");
}

int dump(const DumpArguments& arguments) {
  const auto rows = parseRows(arguments.rows);
  checkLogit(arguments.shown, arguments.classes);
  const std::vector<std::string> inputs = filesReadFor(arguments.model, {arguments.inputPath});
  checkOutputs({arguments.folder}, inputs);
  keepRecording(arguments);
  setComputeThreads(arguments.model.threads);
  const auto model = openModel(arguments.model.request(0, arguments.input.size));
  noteGuesses(model->summary(), guessedFor(arguments.inputPath));
  const Input input = readInput(arguments.inputPath, model->summary(), arguments.input);
  checkLayers(model->summary(), {arguments.layers});
  const auto inspection =
      inspect(*model, input.tensor, {},
              {.logit = askedLogit(arguments.shown, arguments.classes, model->summary())});
  noteNotFinite(*inspection);
  const std::vector<LayerInspection> chosen =
      chosenLayers(*inspection, {arguments.layers}, model->summary().mechanism);
  checkRows(chosen, rows, arguments.channels.size());
  const ShownMap map = arguments.shown.map;
  checkMap(chosen, map);
  checkChannels(chosen, arguments.channels);

  Progress progress;
  const Interruption interruption(progress);
  std::vector<std::filesystem::path> left;
  writeFolderAtomically(arguments.folder, dumpedLayers, [&](const std::string& folder) {
    writeDump(folder, *inspection, chosen, rows, map, arguments.channels, progress);
    keepInputs(arguments.folder, folder, inputs);
    left = leftOfEarlierDump(arguments.folder, folder, arraySuffixes(), inputs);
  });
  // Until the new layers.json is in place, the earlier one names these.
  removeFiles(left);
  std::cout << printableName(arguments.folder) << ": " << countedText(std::ssize(chosen), "layer")
            << ", " << countedText(std::ssize(inspection->logits), "logit") << '\n';
  return 0;
}

}  // namespace

void addDumpCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* command = addListedCommand(program, "dump");
  command
      ->add_option("INPUT", arguments->inputPath,
                   "A picture, or a float32 .npy [1, 3, H, W] that is normalised already; a "
                   "recording needs none")
      ->type_name("");
  addModels(*command, arguments->model, true);
  takeOneModel(*command);
  command->add_option("-o,--output", arguments->folder, "Folder to write to")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--layers", arguments->layers, "Only layers whose names match, e.g. 'block3.*'")
      ->type_name("GLOB");
  command->add_option("--rows", arguments->rows, "Rows of the attention to write: all, or I,J,...")
      ->type_name("ROWS")
      ->capture_default_str();
  command
      ->add_option("--channels", arguments->channels,
                   "Write a second array of each layer whose channels have matrices of their own: "
                   "those of channels I, J, ..., beside the mean over channels")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("I,J,...")
      ->check(between(0, 1 << 20));
  addSetting(*command, mapSetting, arguments->shown)
      ->description(
          "Write a second array of each layer: SOFT's convolution of V beside the "
          "attention as a matrix, the attention plus it, the exact kernel of queries and keys "
          "that landmarks stand for, or the attention times the gradient of a class's logit");
  addRepeatable(*command, "--class", arguments->classes,
                "The class of --map gradient, by name or by number from 0 (default: the predicted "
                "one); given twice, the gradient of the difference of both logits is taken")
      ->type_name("NAME|INDEX");
  addInputOptions(*command, arguments->input);
  command->footer(
      "DIR holds logits.npy (features.npy [tokens, C], all tokens after the final norm, of a\n"
      "backbone without a head), layers.json and, per layer with the dots of its name as "
      "underscores,\n"
      "NAME.npy [heads, rows, keys], NAME.q_l1.npy and NAME.k_l1.npy [heads, tokens], and\n"
      "NAME.A.npy and NAME.A_inv.npy [heads, m, m] where there is a bottleneck matrix. --map\n"
      "effective adds NAME.effective.npy [heads, rows, keys] where a convolution of V stands\n"
      "beside the attention, --map convolution NAME.convolution.npy, --map kernel NAME.kernel.npy\n"
      "where landmarks stand for an exact kernel, --map gradient NAME.gradient.npy where the\n"
      "class depends on the layer, --channels I,J NAME.channels.npy\n"
      "[channels, heads, rows, keys]; layers.json names them.\n\n"
      "Example:\n  softscope dump -m soft_tiny.pth cat.jpg -o dump --layers 'block1.*' --rows "
      "0,1500");
  command->callback([&chosen, arguments] { chosen = [arguments] { return dump(*arguments); }; });
}

}  // namespace softscope
