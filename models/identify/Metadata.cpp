#include "models/identify/Metadata.h"

#include "core/Error.h"
#include "core/attention/LandmarkChoice.h"
#include "core/checkpoint/PickledMetadata.h"
#include "core/files/Resources.h"
#include "core/json/ParsedJson.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace softscope {

namespace {

using Entries = std::map<std::string, std::string>;

/// Largest number of heads, and largest ratio.
constexpr int largestNumber = 1024;
constexpr int imageNetClasses = 1000;

std::optional<std::string> entry(const Entries& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  return found->second;
}

void readClassNames(const Entries& metadata, ModelSummary& summary) {
  auto names = namesInMetadata(metadata);
  if (!names || names->size() != static_cast<std::size_t>(summary.classes)) return;
  summary.classNames = std::move(*names);
}

/// An input's height and width.
using Sides = std::pair<int, int>;

std::optional<Sides> inputSizeInMetadata(const Entries& metadata) {
  const auto text = entry(metadata, "input_size");
  if (!text) return std::nullopt;
  std::istringstream stream(*text);
  int height = 0;
  int width = 0;
  char cross = 0;
  if (!(stream >> height) || height < 1 || height > 8192) return std::nullopt;
  if (!(stream >> cross >> width) || cross != 'x') width = height;
  if (width < 1 || width > 8192) return std::nullopt;
  return Sides(height, width);
}

std::optional<double> cropInMetadata(const Entries& metadata) {
  const auto text = entry(metadata, "crop");
  if (!text) return std::nullopt;
  std::istringstream stream(*text);
  stream.imbue(std::locale::classic());
  double fraction = 0;
  const bool isRead = stream >> fraction && fraction > 0 && fraction <= 1;
  return isRead ? std::optional(fraction) : std::nullopt;
}

std::optional<InputTransform::Filter> filterIn(const Entries& metadata) {
  const auto text = entry(metadata, "filter");
  if (text == "bilinear") return InputTransform::Filter::Bilinear;
  if (text == "bicubic") return InputTransform::Filter::Bicubic;
  return std::nullopt;
}

/// Returns true if the whole text is an input size, as a part of it is for the reader.
bool isInputSize(const Entries& metadata, const std::string& text) {
  const std::optional<Sides> sides = inputSizeInMetadata(metadata);
  if (!sides) return false;
  const std::string height = std::to_string(sides->first);
  return text == height || text == height + "x" + std::to_string(sides->second);
}

/// Returns `tench, Tinca tinca` and so on, in the order of the logits; none if the file is missing.
std::vector<std::string> imageNetNames() {
  std::vector<std::string> names;
  try {
    std::ifstream file(resourcePath("labels/imagenet1k.txt"));
    for (std::string line; std::getline(file, line);) names.push_back(line);
  } catch (const FileError&) {
    // Without names, classes are called by their numbers.
    return {};
  }
  return names;
}

std::string firstWord(const std::string& name) {
  return name.substr(0, name.find(','));
}

/// Returns true if all words of the path to a nested dictionary are of the network, and none is of
/// its decoder, an optimiser or other data: `model_kwargs`, `MODEL.VIT`.
bool isPathOfNetwork(std::string_view path) {
  constexpr std::string_view ofNetwork[] = {
      "model",  "network", "net",   "vit",   "encoder", "backbone",  "transformer", "arch",
      "vision", "config",  "cfg",   "args",  "kwargs",  "params",    "hparams",     "hyper",
      "init",   "module",  "image", "block", "blocks",  "attention", "attn",        "architecture"};
  const std::string lower = lowerCase(std::string(path));
  for (std::size_t at = 0; at <= lower.size();) {
    const std::size_t end = std::min(lower.find_first_of("._", at), lower.size());
    const std::string_view word = std::string_view(lower).substr(at, end - at);
    if (std::ranges::find(ofNetwork, word) == std::end(ofNetwork)) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

void nameImageNetClasses(ModelSummary& summary) {
  if (summary.classes != imageNetClasses || !summary.classNames.empty()) return;
  const std::vector<std::string> names = imageNetNames();
  if (names.size() != static_cast<std::size_t>(imageNetClasses)) return;
  std::map<std::string, int> begin;
  for (const std::string& name : names) ++begin[firstWord(name)];
  for (const std::string& name : names) {
    const std::string first = firstWord(name);
    summary.classNames.push_back(begin[first] == 1 ? first : name);
  }
}

const std::vector<std::string>& placesOfTrainers() {
  static const std::vector<std::string> places = [] {
    std::vector<std::string> beginnings = {""};
    for (const std::string dictionary : trainersDictionaries)
      beginnings.push_back(dictionary + ".");
    return beginnings;
  }();
  return places;
}

bool isWrittenBySoftscope(const Entries& metadata) {
  const auto copy = entry(metadata, "weights");
  return copy == "raw" || copy == "ema" || entry(metadata, "mechanism") ||
         entry(metadata, "architecture");
}

bool isGenericName(const std::string& name) {
  static const std::set<std::string> names{"epsilon", "eps",        "stride",   "padding", "size",
                                           "iters",   "iterations", "norm",     "pool",    "scale",
                                           "act",     "mode",       "positions"};
  return names.count(name) > 0;
}

void applyMetadata(const Entries& metadata, ModelSummary& summary) {
  readClassNames(metadata, summary);
  InputTransform& transform = summary.transform;
  if (const auto sides = inputSizeInMetadata(metadata)) {
    std::tie(transform.height, transform.width) = *sides;
  }
  transform.cropFraction = cropInMetadata(metadata).value_or(transform.cropFraction);
  if (const auto filter = filterIn(metadata)) summary.transform.filter = *filter;
}

bool givesFilter(const Entries& metadata) {
  return filterIn(metadata).has_value();
}

std::optional<std::vector<std::string>> namesInMetadata(const Entries& metadata) {
  const auto text = entry(metadata, "classes");
  if (!text) return std::nullopt;
  const auto names = parsedJson(*text);
  if (!names.is_array()) return std::nullopt;
  std::vector<std::string> read;
  for (const auto& name : names) {
    if (!name.is_string()) return std::nullopt;
    read.push_back(name.get<std::string>());
  }
  return read;
}

std::string unreadableEntry(const std::string& key, const std::string& value) {
  const Entries alone{{key, value}};
  if (key == "classes" && !namesInMetadata(alone)) return "a JSON list of names, [\"cat\",\"dog\"]";
  if (key == "input_size" && !isInputSize(alone, value)) return "N or HxW, from 1 to 8192";
  if (key == "crop" && !(cropInMetadata(alone) && parseNumber(value))) {
    return "a fraction above 0, at most 1";
  }
  if (key == "filter" && !givesFilter(alone)) return "bicubic or bilinear";
  if (key == "ratios" && numbersInMetadata(alone, key).empty()) return "A,B,...";
  const bool isPooled = key == "landmarks" && value == nameOf(LandmarkSource::Pooled);
  if (key == "landmarks" && !isPooled && numbersInMetadata(alone, key).size() != 1) {
    return "pooled or N";
  }
  return {};
}

std::vector<int> numbersInMetadata(const Entries& metadata, const std::string& key) {
  const auto text = entry(metadata, key);
  if (!text) return {};
  std::vector<int> numbers;
  const char* at = text->data();
  const char* end = at + text->size();
  while (true) {
    int number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 1 || number > largestNumber) return {};
    numbers.push_back(number);
    if (stop == end) return numbers;
    if (*stop != ',') return {};
    at = stop + 1;
  }
}

std::string listedNumbers(std::span<const int> numbers) {
  std::string text;
  for (const int number : numbers) {
    if (!text.empty()) text += ',';
    text += std::to_string(number);
  }
  return text;
}

std::optional<std::string> nestedEntry(const Entries& metadata, const std::string& name) {
  std::optional<std::string> found;
  for (const auto& [key, value] : metadata) {
    const std::size_t last = key.rfind('.');
    if (last == std::string::npos || lowerCase(key.substr(last + 1)) != name) continue;
    const std::size_t first = key.find('.');
    const auto& places = placesOfTrainers();
    const bool isKnown =
        first < last && std::ranges::find(places, key.substr(0, first + 1)) != places.end();
    if (!isKnown || !isPathOfNetwork(std::string_view(key).substr(first + 1, last - first - 1))) {
      continue;
    }
    if (found && *found != value) return std::nullopt;
    found = value;
  }
  return found;
}

std::optional<HeadCounts> headsInMetadata(const Entries& metadata) {
  static constexpr const char* names[] = {"heads", "num_heads", "n_heads", "nhead",
                                          "num_attention_heads"};
  for (const std::string& place : placesOfTrainers()) {
    for (const char* name : names) {
      const auto text = entry(metadata, place + name);
      if (!text) continue;
      if (auto heads = parseHeadCounts(*text)) return heads;
    }
  }
  for (const char* name : names) {
    const auto text = nestedEntry(metadata, name);
    const auto heads = text ? parseHeadCounts(*text) : std::nullopt;
    if (heads) return heads;
  }
  return std::nullopt;
}

}  // namespace softscope
