#include "app/arguments/ModelArguments.h"

#include "app/arguments/NumberChecks.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/SettingArguments.h"
#include "app/arguments/UsageError.h"
#include "core/files/CheckpointSeries.h"
#include "core/model/SettingOption.h"
#include "core/query/ModelNames.h"
#include "core/text/Words.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace softscope {

namespace {

template <typename T>
std::optional<T> valueFor(const std::vector<T>& values, std::size_t index, std::size_t models,
                          const std::string& option) {
  requireOncePerModel(option, values.size(), models);
  if (values.empty()) return std::nullopt;
  return values.size() == 1 ? values.front() : values[index];
}

/// Returns nothing for `auto` and 0, which stand for a model without the option beside others that
/// need it.
std::optional<std::string> said(std::optional<std::string> text) {
  return text == "auto" ? std::nullopt : text;
}

std::optional<int> said(std::optional<int> number) {
  return number == 0 ? std::nullopt : number;
}

/// Returns the number of a `--landmarks N`; nothing for a name.
std::optional<int> trainedLandmarks(const std::string& text) {
  constexpr int most = 65536;
  const auto number = parseNumber<int>(text);
  return number && *number >= 1 && *number <= most ? number : std::nullopt;
}

/// Throws UsageError if an option of landmarks was given that none of the choices uses.
void requireLandmarksFor(const std::vector<std::string>& chosen, bool given,
                         const std::string& option, const std::vector<std::string>& takers) {
  const bool taken = std::any_of(chosen.begin(), chosen.end(), [&](const std::string& name) {
    return name == "all" || std::find(takers.begin(), takers.end(), name) != takers.end();
  });
  if (given && !taken) {
    throw UsageError(option + " belongs to --landmarks " + listedWithOr(takers));
  }
}

/// Calls `visit` with each list whose k-th value belongs to the k-th model, and its option.
template <typename Visit>
void forEachList(ModelArguments& models, const Visit& visit) {
  visit(models.attention, "--attention");
  visit(models.architecture, "--arch");
  visit(models.heads, "--heads");
  visit(models.landmarks, "--landmarks");
  visit(models.landmarkCounts, "--landmark-count");
  visit(models.landmarkSeeds, "--landmark-seed");
  for (auto& [name, values] : models.settings) visit(values, "--" + name);
  visit(models.weights, "--weights");
  visit(models.classNames, "--class-names");
}

void addLandmarkOptions(CLI::App& command, ModelArguments& arguments) {
  addRepeatable(
      command, "--landmarks", arguments.landmarks,
      "Landmarks of SOFT, SOFT++ and Nyströmformer: as trained, means of queries that "
      "lie together, queries drawn at random, or the first; N: as many were trained, where "
      "the file does not tell; all: a table (figure bottleneck --approximation)")
      ->type_name("trained|pooled|random|first|N")
      ->check(checkOf("trained, pooled, random, first or a number",
                      [](const std::string& text) {
                        return text == "auto" || text == "all" || landmarkSourceNamed(text) ||
                               trainedLandmarks(text);
                      }))
      ->group("Model");
  addRepeatable(command, "--landmark-count", arguments.landmarkCounts,
                "Landmarks of each layer that are not as trained (default: as many as trained); "
                "pooled, it divides the grid: rows times columns")
      ->type_name("M")
      ->check(zeroOrMore())
      ->group("Model");
  addRepeatable(command, "--landmark-seed,--seed", arguments.landmarkSeeds,
                "Seed of random landmarks (default: 0)")
      ->type_name("N")
      ->check(zeroOrMore())
      ->group("Model");
}

constexpr const char* modelText =
    "Checkpoint: .pth, .pt, .pt2, .ckpt, .bin or .safetensors; or a recording: .npz, .safetensors "
    "or a "
    "folder of dump";

}  // namespace

ModelRequest ModelArguments::request(std::size_t index, const std::string& size) const {
  const std::size_t models = checkpoints.size();
  ModelRequest request;
  request.path = checkpoints[index];
  request.attention = said(valueFor(attention, index, models, "--attention"));
  request.architecture = said(valueFor(architecture, index, models, "--arch"));
  request.heads = headCounts(index);
  request.landmarks = landmarkChoice(index);
  for (const SettingOption& option : settingOptions()) {
    const auto given = settings.find(option.name);
    if (given == settings.end()) continue;
    request.*option.value =
        said(valueFor(given->second, index, models, std::string("--") + option.name));
  }
  request.weights = said(valueFor(weights, index, models, "--weights"));
  request.classNames = said(valueFor(classNames, index, models, "--class-names"));
  if (!size.empty()) request.size = size;
  request.device = device;
  request.ignoresUnexpected = ignoresUnexpected;
  return request;
}

std::optional<HeadCounts> ModelArguments::headCounts(std::size_t index) const {
  const auto text = valueFor(heads, index, checkpoints.size(), "--heads");
  return text && text != "0" ? parseHeadCounts(*text) : std::nullopt;
}

std::vector<int> ModelArguments::allHeads() const {
  std::vector<int> all;
  for (const std::string& text : heads) {
    const auto counts = parseHeadCounts(text);
    if (!counts) throw UsageError("--heads 0 says nothing; give numbers of heads");
    all.insert(all.end(), counts->counts().begin(), counts->counts().end());
  }
  return all;
}

LandmarkChoice ModelArguments::landmarkChoice(std::size_t index) const {
  const std::size_t models = checkpoints.size();
  if (wantsAllLandmarks()) {
    throw UsageError("--landmarks all belongs to figure bottleneck --approximation");
  }
  requireLandmarksFor(landmarks, !landmarkCounts.empty(), "--landmark-count",
                      {"pooled", "random", "first"});
  requireLandmarksFor(landmarks, !landmarkSeeds.empty(), "--landmark-seed", {"random"});
  LandmarkChoice choice;
  const auto name = valueFor(landmarks, index, models, "--landmarks");
  const auto count = said(valueFor(landmarkCounts, index, models, "--landmark-count"));
  const auto seed = valueFor(landmarkSeeds, index, models, "--landmark-seed");
  choice.source = landmarkSourceNamed(name.value_or("trained")).value_or(LandmarkSource::Trained);
  choice.count = choice.isTrained() ? trainedLandmarks(name.value_or("")) : count;
  if (choice.source == LandmarkSource::Random) choice.seed = seed.value_or(0);
  return choice;
}

std::string ModelArguments::givenName(std::size_t index) const {
  const std::string name = index < names.size() ? names[index] : "";
  return name == "auto" ? std::string() : name;
}

std::vector<std::size_t> ModelArguments::expandWildcards() {
  std::vector<std::string> files;
  std::vector<std::size_t> origins;
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    const std::vector<std::string> matching = filesMatching(checkpoints[i]);
    files.insert(files.end(), matching.begin(), matching.end());
    origins.insert(origins.end(), matching.size(), i);
  }
  forEachList(*this, [&](auto& values, const std::string&) {
    if (values.size() < 2 || values.size() != checkpoints.size()) return;
    auto repeated = values;
    repeated.clear();
    for (const std::size_t origin : origins) repeated.push_back(values[origin]);
    values = std::move(repeated);
  });
  checkpoints = std::move(files);
  return origins;
}

ModelArguments ModelArguments::only(std::size_t index) const {
  ModelArguments one = *this;
  forEachList(one, [&](auto& values, const std::string& option) {
    const auto own = valueFor(values, index, checkpoints.size(), option);
    if (own) values = {*own};
  });
  one.checkpoints = {checkpoints[index]};
  one.names = {givenName(index)};
  if (one.names.front().empty()) one.names.clear();
  return one;
}

std::vector<std::string> ModelArguments::modelNames() const {
  if (names.size() > checkpoints.size()) {
    throw UsageError("--name was given " + std::to_string(names.size()) + " times for " +
                     std::to_string(checkpoints.size()) +
                     " models; the k-th name belongs to the k-th -m");
  }
  std::vector<NamedFile> files;
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    files.push_back({checkpoints[i], givenName(i)});
  }
  return softscope::modelNames(files);
}

bool ModelArguments::wantsAllLandmarks() const {
  return std::find(landmarks.begin(), landmarks.end(), "all") != landmarks.end();
}

ModelArguments ModelArguments::withLandmarks(LandmarkSource source) const {
  ModelArguments chosen = *this;
  chosen.landmarks = {nameOf(source)};
  if (source == LandmarkSource::Trained) chosen.landmarkCounts.clear();
  if (source != LandmarkSource::Random) chosen.landmarkSeeds.clear();
  return chosen;
}

void addModelDescription(CLI::App& command, ModelArguments& arguments) {
  addRepeatable(command, "--attention", arguments.attention,
                "Mechanism, where the weights allow several (softscope inspect lists them)")
      ->type_name("NAME")
      ->group("Model");
  addRepeatable(command, "--arch", arguments.architecture,
                "Family or published variant, instead of finding it out")
      ->type_name("NAME")
      ->group("Model");
  addRepeatable(
      command, "--heads", arguments.heads,
      "Heads, where shapes do not tell, of the last stage, or A,B,C of each; figure cost: "
      "what is measured")
      ->type_name("N|A,B,C")
      ->check(checkOf(
          "numbers of heads from 1 to 1024, or 0",
          [](const std::string& text) { return text == "0" || parseHeadCounts(text).has_value(); }))
      ->group("Model");
  addLandmarkOptions(command, arguments);
  for (const SettingOption& option : settingOptions()) {
    const std::string name = std::string("--") + option.name;
    // figure matrix has a --part of its own.
    if (option.value == &ModelRequest::part && command.get_name() == "figure") continue;
    if (option.value == &ModelRequest::plainNorms) {
      // A flag, which may also say no for the k-th of several models: --plain-norms=no.
      command.add_flag(name + "{yes}", arguments.settings[option.name], option.description)
          ->check(takenBy(option, true))
          ->group("Model");
      continue;
    }
    addRepeatable(command, name, arguments.settings[option.name], option.description)
        ->type_name(option.type)
        ->check(takenBy(option, true))
        ->group("Model");
  }
  addRepeatable(command, "--weights", arguments.weights,
                "Copy of the weights to take: ema or raw (default: the published evaluation's)")
      ->type_name("COPY")
      ->check(CLI::IsMember({"ema", "raw", "auto"}))
      ->group("Model");
  addRepeatable(command, "--class-names", arguments.classNames,
                "Names of the classes, in place of the checkpoint's: a line for each, or JSON")
      ->type_name("FILE")
      ->group("Model");
  ComputeSettings& compute = arguments;
  addSetting(command, deviceSetting, compute)
      ->check(checkOf(deviceSetting.text.help, isDeviceName))
      ->capture_default_str()
      ->group("Compute");
  addSetting(command, threadsSetting, compute)->group("Compute");
}

void addIgnoreUnexpected(CLI::App& command, bool& ignoresUnexpected) {
  command
      .add_flag(
          "--ignore-unexpected", ignoresUnexpected,
          "Open a file even if it has parameters that the network it looks like does not have")
      ->group("Model");
}

void addModels(CLI::App& command, ModelArguments& arguments, bool required) {
  addRepeatable(command, "-m,--model", arguments.checkpoints,
                std::string(modelText) +
                    "; repeat for several models, or quote a name with "
                    "wildcards: 'run/epoch_*.pth'")
      ->type_name("CKPT")
      ->required(required)
      ->group("Model");
  addModelDescription(command, arguments);
  addIgnoreUnexpected(command, arguments.ignoresUnexpected);
}

void addNames(CLI::App& command, ModelArguments& arguments, const std::string& group) {
  addRepeatable(command, "--name", arguments.names,
                "What a model is called, instead of its file; the k-th belongs to the k-th -m, and "
                "auto leaves one as it is")
      ->type_name("NAME")
      ->group(group);
}

void takeOneModel(CLI::App& command) {
  command.get_option("--model")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->description(modelText);
}

std::vector<std::string> wordsWithJoinedFlag(std::vector<std::string> words) {
  const std::string flag = "--plain-norms";
  const SettingOption* option = findSettingOption("plain-norms");
  for (std::size_t i = 0; option != nullptr && i + 1 < words.size(); ++i) {
    const std::string& value = words[i + 1];
    if (words[i] != flag || (!option->accepts(value) && value != "auto")) continue;
    words[i] += "=" + value;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return words;
}

}  // namespace softscope
