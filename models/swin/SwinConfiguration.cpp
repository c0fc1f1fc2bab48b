#include "models/swin/SwinConfiguration.h"

#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ShapeReader.h"
#include "models/swin/PublishedSwins.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <vector>

namespace softscope {

namespace {

constexpr int largestWindow = 256;

std::vector<int> saidSwinNumbers(const ConfigurationFile* said, const char* key) {
  if (said == nullptr || !said->values.contains(key)) return {};
  return listedSwinNumbers(said->values.at(key));
}

/// Reads a list for `stages` stages with the sides of some windows, `[[14,7],7]`; empty for any
/// other text.
std::vector<TokenGrid> windowsOfStages(const std::string& text, std::size_t stages) {
  // Each text matches in one way at most: otherwise matching might take forever.
  static const std::regex whole(
      R"(\[(?:\d{1,3}|\[\d{1,3},\d{1,3}\])(?:,(?:\d{1,3}|\[\d{1,3},\d{1,3}\]))*\])");
  static const std::regex window(R"(\[(\d+),(\d+)\]|(\d+))");
  constexpr std::size_t longest = 256;
  if (text.size() > longest || !std::regex_match(text, whole)) return {};
  std::vector<TokenGrid> windows;
  for (std::sregex_iterator found(text.begin(), text.end(), window), end; found != end; ++found) {
    const std::smatch& sides = *found;
    windows.push_back(sides[3].matched ? TokenGrid{std::stoi(sides[3]), std::stoi(sides[3])}
                                       : TokenGrid{std::stoi(sides[1]), std::stoi(sides[2])});
  }
  return windows.size() == stages ? windows : std::vector<TokenGrid>{};
}

bool swinFileSays(const ConfigurationFile* said, const char* key) {
  return said != nullptr && said->values.contains(key) && said->values.at(key) == "true";
}

/// Returns the side of a square window whose table of biases has this many rows.
std::optional<int> sideOfSwinTable(int rows) {
  const int side = static_cast<int>(std::lround(std::sqrt(double(rows))));
  if (side * side != rows || side % 2 == 0) return std::nullopt;
  return (side + 1) / 2;
}

/// Returns the window whose index of pairs of places is stored: the index decreases by one from
/// place to place until the first row ends. Nothing if there is none of any window.
std::optional<TokenGrid> windowOfSwinIndex(const StateDict& state, const std::string& name) {
  const torch::Tensor* stored = state.find(name);
  if (stored == nullptr || stored->scalar_type() != torch::kInt64) return std::nullopt;
  const auto area = static_cast<int>(std::lround(std::sqrt(double(stored->numel()))));
  if (area < 1 || std::int64_t{area} * area != stored->numel()) return std::nullopt;
  const torch::Tensor index = stored->flatten().slice(0, 0, area).contiguous();
  const auto* places = index.data_ptr<std::int64_t>();
  int width = 1;
  while (width < area && places[width] == places[0] - width) ++width;
  if (area % width != 0 || std::max(width, area / width) > largestWindow) return std::nullopt;
  const TokenGrid window{area / width, width};
  // The first place is the last of its row and column, apart from itself.
  const int first = (window.height - 1) * (2 * window.width - 1) + window.width - 1;
  return places[0] == first ? std::optional(window) : std::nullopt;
}

int tableOfWindow(const TokenGrid& window) {
  return (2 * window.height - 1) * (2 * window.width - 1);
}

/// Reads sizes stage by stage.
class SwinReader {
 public:
  SwinReader(const StateDict& state, const ModelHints& hints)
      : state_(state), hints_(hints), shapes_(state, "Swin") {}

  SwinConfiguration read();

 private:
  void readEnds();
  SwinStage readStage(int index) const;
  int readHeads(const SwinStage& stage, const std::string& block, int index) const;
  void readWindowsOfTables();
  void readWindowsOfV2();
  /// Takes the window of a stage from the coordinates or the index that are stored, if any are:
  /// what is beside the file, or its name, may be of other windows.
  void readStoredWindow(int index);
  /// Returns the side of the window that config.json says Swin V2's biases were trained with, for
  /// each stage; empty if it does not. Throws ModelError for windows that are not square.
  std::vector<int> trainedSides() const;
  void readPicture();
  /// Returns the window that config.json gives each stage under a key as a list with lists among
  /// them; empty if its value is another. Throws ModelError if that list is of no such windows.
  std::vector<TokenGrid> nestedWindows(const char* key, int least) const;
  /// Returns the window that config.json gives each stage; empty if it does not.
  std::vector<TokenGrid> saidWindows() const;
  TokenGrid gridOf(int stage) const;
  /// Returns true if the table of a stage is of these windows, or of what its grid has room for.
  bool isTableOf(const TokenGrid& window, int stage) const;
  std::optional<int> size(const std::string& name, int dimension) const {
    return shapes_.size({name}, dimension);
  }

  const StateDict& state_;
  const ModelHints& hints_;
  ShapeReader shapes_;
  SwinConfiguration made_;
  const ConfigurationFile* said_ = nullptr;
};

SwinConfiguration SwinReader::read() {
  made_.names = swinNamesOf(state_).value_or(SwinNames{});
  made_.isV2 = state_.contains(made_.names.blocks(0) + "0." + made_.names.scale);
  constexpr int mostStages = 8;
  for (int s = 0; s < mostStages && shapes_.any(made_.names.blocks(s) + "0."); ++s) {
    made_.stages.push_back(readStage(s));
  }
  readEnds();
  said_ = swinFile(made_, hints_);
  made_.keepsWindows = swinFileSays(said_, "dynamic_img_size") ||
                       (said_ != nullptr && said_->values.contains("strict_img_size") &&
                        said_->values.at("strict_img_size") == "false");
  if (made_.isV2) {
    readWindowsOfV2();
    readPicture();
  } else {
    readWindowsOfTables();
  }
  return made_;
}

void SwinReader::readEnds() {
  const SwinNames& names = made_.names;
  made_.patch = std::max(1, size(names.embedding + ".weight", 2).value_or(4));
  made_.hasEmbeddingNorm = shapes_.any(names.embeddingNorm + ".");
  // Backbones of detectors, which have norms for each stage instead, and Donut's encoder have no
  // norm behind the last stage; a plain Swin without it has lost it.
  const bool isHuggingFace = names.library == SwinNames::Library::HuggingFace;
  const bool mayLack = shapes_.any(names.prefix + "hidden_states_norms.") ||
                       hints_.configuration.modelType == "donut-swin";
  made_.hasNorm =
      !isHuggingFace || !mayLack || shapes_.any(names.norm + ".") || shapes_.any(names.head + ".");
  if (!names.positions.empty()) made_.positions = size(names.positions, 1).value_or(0);
  made_.classes = shapes_.size({names.head + ".weight", names.head + ".bias"}, 0).value_or(0);
  const std::string block = names.blocks(0) + "0.";
  const std::string first = names.queryKeyValue.empty() ? names.query : names.queryKeyValue;
  made_.hasQueryBias = shapes_.any(block + first + ".bias") || !names.queryBias.empty();
  made_.positionChannels = size(block + names.positionMlp + ".0.weight", 0).value_or(512);
  made_.hasCoordinates = made_.isV2 && state_.contains(block + names.coordinates);
}

SwinStage SwinReader::readStage(int index) const {
  const SwinNames& names = made_.names;
  const std::string name = "stage " + std::to_string(index + 1);
  const std::string block = names.blocks(index) + "0.";
  SwinStage stage;
  stage.channels = shapes_.require(
      shapes_.size({block + names.norm1 + ".weight", block + names.norm1 + ".bias"}, 0),
      "the channels of " + name);
  stage.inner = size(block + names.projection + ".weight", 1).value_or(stage.channels);
  stage.depth = shapes_.require(shapes_.count(names.blocks(index)), "the blocks of " + name);
  stage.hidden = shapes_.size({block + names.expand + ".weight", block + names.expand + ".bias"}, 0)
                     .value_or(4 * stage.channels);
  stage.heads = readHeads(stage, block, index);
  if (!made_.isV2) stage.table = size(block + names.table, 0).value_or(0);
  return stage;
}

int SwinReader::readHeads(const SwinStage& stage, const std::string& block, int index) const {
  const auto told =
      made_.isV2 ? size(block + made_.names.scale, 0) : size(block + made_.names.table, 1);
  const int heads = shapes_.require(told, "the heads of stage " + std::to_string(index + 1));
  requireWholeHeads("Swin", stage.inner, heads, static_cast<std::size_t>(index) + 1);
  return heads;
}

std::vector<TokenGrid> SwinReader::nestedWindows(const char* key, int least) const {
  const std::string text = configuredValue(said_, key);
  if (!text.starts_with('[')) return {};
  std::vector<TokenGrid> windows = windowsOfStages(text, made_.stages.size());
  const bool fits = std::ranges::all_of(windows, [&](const TokenGrid& window) {
    return std::min(window.height, window.width) >= least &&
           std::max(window.height, window.width) <= largestWindow;
  });
  if (windows.empty() || !fits) {
    requireConfigured(said_, key, {"one window for each stage"}, "Swin");
  }
  return windows;
}

std::vector<TokenGrid> SwinReader::saidWindows() const {
  constexpr const char* key = "window_size";
  if (const auto nested = nestedWindows(key, 1); !nested.empty()) return nested;
  const std::vector<int> numbers = saidSwinNumbers(said_, key);
  const std::size_t stages = made_.stages.size();
  std::vector<TokenGrid> windows;
  if (numbers.empty() || std::ranges::any_of(numbers, [](int number) {
        return number < 1 || number > largestWindow;
      })) {
    return windows;
  }
  // timm takes two numbers for the sides of one window.
  if (numbers.size() <= 2) return {stages, TokenGrid{numbers.front(), numbers.back()}};
  if (numbers.size() != stages) return windows;
  for (const int number : numbers) windows.push_back({number, number});
  return windows;
}

TokenGrid SwinReader::gridOf(int stage) const {
  TokenGrid grid{made_.imageHeight / made_.patch, made_.imageWidth / made_.patch};
  for (int s = 0; s < stage; ++s) grid = {(grid.height + 1) / 2, (grid.width + 1) / 2};
  return grid;
}

/// The largest table is of whole windows. Authors and timm make windows no larger than the grid of
/// their stage, which smaller tables show; other stages have windows of their own.
void SwinReader::readWindowsOfTables() {
  int largest = 1;
  for (std::size_t s = 0; s < made_.stages.size(); ++s) {
    SwinStage& stage = made_.stages[s];
    if (stage.table < 1) {
      throw ModelError("this looks like Swin, but stage " + std::to_string(s + 1) +
                       " has no table of biases");
    }
    const std::string index = made_.names.blocks(static_cast<int>(s)) + "0." + made_.names.index;
    const int side = sideOfSwinTable(stage.table).value_or(0);
    // A table tells the sides of a square; the index beside it, which torchvision stores, others.
    const auto stored = windowOfSwinIndex(state_, index);
    const bool fits = stored && tableOfWindow(*stored) == stage.table;
    stage.window = fits ? *stored : TokenGrid{side, side};
    largest = std::max(largest, side);
  }
  const std::vector<TokenGrid> windows = saidWindows();
  // The last grid of published networks is a single window, also where earlier windows are larger.
  const TokenGrid last = windows.empty() ? made_.stages.back().window : windows.back();
  const int unit = made_.patch << (made_.stages.size() - 1);
  const auto sideOf = [&](int window) {
    const int whole = window > 0 ? window : largest;
    return std::min(8192, unit * whole);
  };
  made_.imageHeight = sideOf(last.height);
  made_.imageWidth = sideOf(last.width);
  if (const auto side = namedSwinSide(made_, hints_, unit)) {
    made_.imageHeight = made_.imageWidth = *side;
  }
  readPicture();
  const auto wholeOf = [&](std::size_t stage) {
    return windows.empty() ? TokenGrid{largest, largest} : windows[stage];
  };
  // Where a stage has room for the largest window and a smaller one all the same, as in Swin S3,
  // each has a window of its own.
  bool haveOwn = false;
  for (std::size_t s = 0; windows.empty() && s < made_.stages.size(); ++s) {
    haveOwn = haveOwn || !isTableOf(wholeOf(s), static_cast<int>(s));
  }
  for (std::size_t s = 0; s < made_.stages.size(); ++s) {
    SwinStage& stage = made_.stages[s];
    if (!haveOwn && isTableOf(wholeOf(s), static_cast<int>(s))) stage.window = wholeOf(s);
    if (stage.window.count() > 0) continue;
    const TokenGrid grid = gridOf(static_cast<int>(s));
    throw ModelError("this looks like Swin, but the " + std::to_string(stage.table) +
                     " biases of stage " + std::to_string(s + 1) + " are of no window on " +
                     std::to_string(grid.height) + " x " + std::to_string(grid.width) + " tokens");
  }
}

bool SwinReader::isTableOf(const TokenGrid& window, int stage) const {
  const int table = made_.stages[static_cast<std::size_t>(stage)].table;
  const auto isOf = [&](int height, int width) { return tableOfWindow({height, width}) == table; };
  const bool shrinks = made_.names.library == SwinNames::Library::Authors ||
                       made_.names.library == SwinNames::Library::Timm;
  const TokenGrid grid = gridOf(stage);
  return isOf(window.height, window.width) || (shrinks && isOf(std::min(window.height, grid.height),
                                                               std::min(window.width, grid.width)));
}

std::vector<int> SwinReader::trainedSides() const {
  constexpr const char* key = "pretrained_window_sizes";
  const std::vector<TokenGrid> nested = nestedWindows(key, 0);
  if (nested.empty()) return saidSwinNumbers(said_, key);
  std::vector<int> sides;
  for (const TokenGrid& window : nested) {
    if (window.height != window.width) requireConfigured(said_, key, {"square ones"}, "Swin V2");
    sides.push_back(window.height);
  }
  return sides;
}

void SwinReader::readWindowsOfV2() {
  made_.imageHeight = made_.imageWidth = 256;
  const auto named = namedSwin(made_, hints_);
  if (named) made_.imageHeight = made_.imageWidth = named->side;
  const std::vector<TokenGrid> windows = saidWindows();
  const std::vector<int> trained = trainedSides();
  for (std::size_t s = 0; s < made_.stages.size(); ++s) {
    SwinStage& stage = made_.stages[s];
    if (!windows.empty()) {
      stage.window = windows[s];
    } else if (named) {
      stage.window = {named->window, named->window};
    }
    if (s < trained.size()) {
      stage.pretrainedWindow = trained[s];
    } else if (named && trained.empty() && named->pretrainedWindow > 0) {
      // The last stage's grid had no room for the window.
      const int grid = 192 / made_.patch >> s;
      stage.pretrainedWindow = std::min(named->pretrainedWindow, grid);
    }
    readStoredWindow(static_cast<int>(s));
  }
}

void SwinReader::readStoredWindow(int index) {
  SwinStage& stage = made_.stages[static_cast<std::size_t>(index)];
  const std::string block = made_.names.blocks(index) + "0.";
  if (made_.hasCoordinates) {
    const auto half = [&](int dimension) {
      return (size(block + made_.names.coordinates, dimension).value_or(1) + 1) / 2;
    };
    stage.window = {half(1), half(2)};
    stage.table = tableOfWindow(stage.window);
  } else if (const auto stored = windowOfSwinIndex(state_, block + made_.names.index)) {
    stage.window = *stored;
    made_.hasIndex = true;
  }
}

/// The picture decides which windows a stage has room for.
void SwinReader::readPicture() {
  if (said_ == nullptr) return;
  if (said_->transform.height && said_->transform.width) {
    made_.imageHeight = *said_->transform.height;
    made_.imageWidth = *said_->transform.width;
  }
  for (const char* key : {"image_size", "img_size"}) {
    const std::vector<int> sides = saidSwinNumbers(said_, key);
    if (sides.empty() || sides.size() > 2 || std::ranges::count(sides, 0) > 0) continue;
    made_.imageHeight = sides.front();
    made_.imageWidth = sides.back();
    return;
  }
}

}  // namespace

std::vector<int> listedSwinNumbers(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream list(text);
  for (std::string number; std::getline(list, number, ',');) {
    const bool isNumber = !number.empty() && number.front() >= '0' && number.front() <= '9';
    const int value = std::atoi(number.c_str());
    if (!isNumber || value < 0 || value > 8192) return {};
    numbers.push_back(value);
  }
  return numbers;
}

SwinConfiguration readSwin(const StateDict& state, const ModelHints& hints) {
  return SwinReader(state, hints).read();
}

const ConfigurationFile* swinFile(const SwinConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile& said = hints.configuration;
  // Hugging Face's older files give the channels of the first stage.
  const std::vector<SwinStage>& stages = configuration.stages;
  return said.fits(stages.back().channels, {stages.front().channels}) ? &said : nullptr;
}

SaidSwinWindow saidSwinWindow(const SwinConfiguration& configuration, const ModelHints& hints) {
  if (configuration.hasIndex) {
    return {configuration.stages.front().window.height, "by " + configuration.names.index};
  }
  const ConfigurationFile* said = swinFile(configuration, hints);
  constexpr const char* key = "window_size";
  // A list with lists in it was read, or refused.
  if (configuredValue(said, key).starts_with('[') || !saidSwinNumbers(said, key).empty()) {
    return {configuration.stages.front().window.height, "from " + said->fileName};
  }
  if (const auto named = namedSwin(configuration, hints)) return {named->window, named->source};
  return {};
}

}  // namespace softscope
