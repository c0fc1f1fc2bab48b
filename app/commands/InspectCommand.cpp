#include "app/arguments/ModelArguments.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/model/PixelNorm.h"
#include "core/network/Device.h"
#include "core/text/Words.h"
#include "models/OpenModel.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace softscope {

namespace {

struct InspectArguments {
  ModelArguments model;
  bool json = false;
};

nlohmann::ordered_json sizeJson(const InputTransform& transform) {
  if (transform.height == transform.width) return transform.height;
  return nlohmann::ordered_json::array({transform.height, transform.width});
}

nlohmann::ordered_json landmarksJson(const LandmarkChoice& landmarks) {
  nlohmann::ordered_json json = {{"source", nameOf(landmarks.source)}};
  if (landmarks.count) json["count"] = *landmarks.count;
  if (landmarks.source == LandmarkSource::Random) json["seed"] = landmarks.seed;
  return json;
}

/// Returns the text as a JSON number if it is one.
nlohmann::ordered_json valueJson(const std::string& text) {
  const auto number = nlohmann::ordered_json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::ordered_json(text);
}

/// Returns the source of the heads: that of their setting, or else the recording or the weights.
std::string headsSource(const ModelSummary& summary) {
  const NetworkSetting* heads = summary.setting("heads");
  if (heads != nullptr) return heads->source;
  return summary.recorded ? "recorded" : "from the weights";
}

/// Returns `{"value": "gelu", "source": "from config.json"}`; without a value if the family's own
/// code has only one.
nlohmann::ordered_json settingJson(const ModelSummary& summary, const std::string& option) {
  if (const NetworkSetting* setting = summary.setting(option)) {
    return {{"value", valueJson(setting->value)}, {"source", setting->source}};
  }
  const std::string source =
      summary.recorded ? "not recorded" : "as the published code of " + summary.family + " has it";
  return {{"value", nullptr}, {"source", source}};
}

nlohmann::ordered_json channelsJson(const ModelSummary& summary, const std::string& option,
                                    const std::array<float, 3>& channels) {
  const NetworkSetting* setting = summary.setting(option);
  auto values = nlohmann::ordered_json::array();
  for (const std::string& number : CLI::detail::split(channelsText(channels), ',')) {
    values.push_back(nlohmann::ordered_json::parse(number));
  }
  return {{"value", values}, {"source", setting == nullptr ? "recorded" : setting->source}};
}

nlohmann::ordered_json undeterminedJson(const ModelSummary& summary) {
  auto list = nlohmann::ordered_json::array();
  for (const NetworkSetting& setting : summary.undetermined()) {
    auto choices = nlohmann::ordered_json::array();
    for (const std::string& choice : setting.choices) choices.push_back(valueJson(choice));
    list.push_back({{"option", setting.option},
                    {"value", valueJson(setting.value)},
                    {"choices", choices},
                    {"why", setting.why}});
  }
  return list;
}

nlohmann::ordered_json summaryJson(const ModelSummary& summary) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const LayerSummary& layer : summary.layers) {
    layers.push_back({{"name", layer.name},
                      {"mechanism", layer.mechanism},
                      {"stage", layer.stage},
                      {"heads", layer.heads}});
  }
  nlohmann::ordered_json json = {{"family", summary.family},
                                 {"variant", summary.variant},
                                 {"mechanism", summary.mechanism},
                                 {"alternatives", summary.alternatives},
                                 {"confidence", summary.confidence()},
                                 {"reason", summary.reason},
                                 {"parameters", summary.parameters},
                                 {"heads", summary.heads},
                                 {"heads_source", headsSource(summary)},
                                 {"heads_alternatives", summary.headsAlternatives},
                                 {"activation", settingJson(summary, "activation")},
                                 {"epsilon", settingJson(summary, "epsilon")},
                                 {"norm", settingJson(summary, "norm")},
                                 {"pooling", settingJson(summary, "pooling")},
                                 {"mean", channelsJson(summary, "mean", summary.transform.mean)},
                                 {"std", channelsJson(summary, "std", summary.transform.deviation)},
                                 {"undetermined", undeterminedJson(summary)},
                                 {"preparation_doubts", summary.preparationDoubts},
                                 {"taken_for_granted", summary.takenForGranted},
                                 {"classes", summary.classes},
                                 {"input_size", sizeJson(summary.transform)},
                                 {"weights", summary.weights},
                                 {"weights_key", summary.weightsKey},
                                 {"layers", layers},
                                 {"not_recorded", summary.notRecorded},
                                 {"missing", summary.missing},
                                 {"unexpected", summary.unexpected},
                                 {"foreign", summary.foreign},
                                 {"beside", summary.beside},
                                 {"wrong_shape", summary.wrongShape},
                                 {"metadata", summary.metadata}};
  const LandmarkChoice landmarks = summary.namedLandmarks();
  if (!landmarks.isTrained()) json["landmarks"] = landmarksJson(landmarks);
  return json;
}

void printNames(const std::string& title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::cout << title << " (" << names.size() << "):\n";
  for (const std::string& name : names) std::cout << "  " << printableText(name) << '\n';
}

/// Returns the unexpected names that are not foreign; both lists are in the file's order.
std::vector<std::string> harmlessOf(const ModelSummary& summary) {
  std::vector<std::string> harmless;
  auto foreign = summary.foreign.begin();
  for (const std::string& name : summary.unexpected) {
    if (foreign != summary.foreign.end() && *foreign == name) {
      ++foreign;
    } else {
      harmless.push_back(name);
    }
  }
  return harmless;
}

/// Returns a value in readable form: `ImageNet's` for the mean of imagenet.
std::string shownValue(const NetworkSetting& setting) {
  const bool isOfPictures = setting.option == "mean" || setting.option == "std";
  const PixelNorm* norm = isOfPictures ? findPixelNorm(setting.value) : nullptr;
  return norm == nullptr ? setting.value : norm->title;
}

/// Returns ` (it may be relu: --activation)` for a value that was guessed among several.
std::string othersText(const NetworkSetting& setting) {
  if (!setting.isUndetermined() || !setting.isChoosable()) return {};
  const std::vector<std::string> others(setting.choices.begin() + 1, setting.choices.end());
  return " (it may be " + listText(others) + ": --" + setting.option + ")";
}

/// Prints `  epsilon     1e-06, from config.json`, and the alternatives if the value was guessed.
void printSetting(const NetworkSetting& setting, const std::string& value) {
  std::string title = setting.option;
  title.resize(std::max<std::size_t>(title.size(), 10), ' ');
  std::cout << "  " << title << "  " << printableText(value) << ", "
            << printableText(setting.source) << othersText(setting) << '\n';
}

void printSettings(const ModelSummary& summary) {
  if (!summary.heads.empty() && summary.setting("heads") == nullptr) {
    std::cout << "  heads       " << listText(summary.heads) << ", " << headsSource(summary)
              << '\n';
  }
  for (const NetworkSetting& setting : summary.settings) {
    // The mechanism has been printed above.
    if (setting.option == "attention") continue;
    printSetting(setting,
                 setting.option == "heads" ? listText(summary.heads) : shownValue(setting));
  }
}

/// Prints what was taken for granted, in lines that fit a terminal.
void printTakenForGranted(const ModelSummary& summary) {
  if (summary.takenForGranted.empty()) return;
  std::cout << "  taken for granted\n";
  constexpr std::size_t width = 90;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) std::cout << "    " << printableText(line) << '\n';
    line.clear();
  };
  std::istringstream words(summary.takenForGranted);
  for (std::string word; words >> word;) {
    if (line.size() + word.size() > width) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  flush();
}

/// Returns the mechanism, whether it is a guess, and how it differs from what was trained.
std::string mechanismText(const ModelSummary& summary) {
  std::string text = summary.mechanism;
  const NetworkSetting* setting = summary.setting("attention");
  if (setting != nullptr && setting->isUndetermined()) {
    text += ", " + setting->source + othersText(*setting);
  }
  return summary.mechanismNote().empty() ? text : text + ", " + summary.mechanismNote();
}

void printText(const ModelSummary& summary) {
  std::cout << printableText(summary.path) << '\n'
            << "  family      " << summary.family << " (" << printableText(summary.variant) << ")\n"
            << "  mechanism   " << printableText(mechanismText(summary)) << '\n'
            << "              " << printableText(summary.reason) << '\n'
            << "  parameters  " << summary.parameters << '\n';
  printSettings(summary);
  printTakenForGranted(summary);
  std::cout << "  classes     "
            << (summary.classes > 0 ? std::to_string(summary.classes)
                : summary.recorded  ? "none recorded"
                                    : "none: a backbone")
            << '\n'
            << "  input       " << summary.transform.height << " x " << summary.transform.width
            << '\n'
            << "  weights     " << summary.weights
            << (summary.weightsKey.empty() ? "" : ", from " + printableText(summary.weightsKey))
            << '\n'
            << (summary.layers.empty() ? "  layers      none with attention\n" : "  layers\n");
  for (const LayerSummary& layer : summary.layers) {
    std::cout << "    " << printableText(layer.name) << "  " << printableText(layer.mechanism)
              << ", " << countedText(layer.heads, "head") << '\n';
  }
  printNames("not recorded", summary.notRecorded);
  printNames("missing", summary.missing);
  printNames("of another network", summary.foreign);
  printNames("unexpected, but harmless", harmlessOf(summary));
  printNames("beside the network, left out", summary.beside);
  printNames("wrong shape", summary.wrongShape);
}

int inspectCheckpoint(const InspectArguments& arguments) {
  resolveDevice(arguments.model.device);
  const ModelSummary summary = identifyModel(arguments.model.request(0));
  if (arguments.json) {
    // Names in a file may not be UTF-8; invalid bytes are replaced rather than refused.
    // A terminal would obey characters that JSON may hold as they are.
    const bool isAscii = isatty(STDOUT_FILENO) == 1;
    std::cout << summaryJson(summary).dump(2, ' ', isAscii,
                                           nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
  } else {
    printText(summary);
  }
  return 0;
}

}  // namespace

void addInspectCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = addListedCommand(program, "inspect");
  command
      ->add_option("CKPT", arguments->model.checkpoints,
                   "Checkpoint: .pth, .pt, .pt2, .ckpt, .bin or .safetensors; or a recording")
      ->type_name("")
      ->required()
      ->expected(1);
  command->add_flag("--json", arguments->json, "Print JSON, for scripts");
  addModelDescription(*command, arguments->model);
  command->footer(
      "Exits with 0 for a recognised file even if it is damaged; what is missing, unexpected or\n"
      "of the wrong shape is listed, and what is of another network (JSON: foreign, among the\n"
      "unexpected), which other commands refuse without --ignore-unexpected.\n\nExample:\n  "
      "softscope inspect soft_tiny.pth --json");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return inspectCheckpoint(*arguments); }; });
}

}  // namespace softscope
