#include "widgets/figure/FigureCommandText.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "core/text/SettingOptions.h"
#include "core/text/Words.h"
#include "widgets/settings/MapSettings.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

namespace softscope {

namespace {

using Words = std::vector<std::string>;
using ValueOf = std::function<std::string(const FigureModel&)>;

/// Adds an option with a value for each model if any model has one; a single value if all are
/// equal.
void addPerModel(Words& words, const std::vector<FigureModel>& models, const std::string& option,
                 const std::string& nothing, const ValueOf& valueOf) {
  Words values;
  for (const FigureModel& model : models) values.push_back(valueOf(model));
  if (std::all_of(values.begin(), values.end(), [](const auto& value) { return value.empty(); })) {
    return;
  }
  const bool same = std::all_of(values.begin(), values.end(),
                                [&](const auto& value) { return value == values.front(); });
  const std::size_t count = same ? 1 : values.size();
  for (std::size_t i = 0; i < count; ++i) {
    words.insert(words.end(), {option, values[i].empty() ? nothing : values[i]});
  }
}

/// Adds a name for each model up to the last named one; a single name applies to the first model
/// only.
void addNames(Words& words, const std::vector<FigureModel>& models) {
  std::size_t count = models.size();
  while (count > 0 && models[count - 1].name.empty()) --count;
  for (std::size_t i = 0; i < count; ++i) {
    words.insert(words.end(), {"--name", models[i].name.empty() ? "auto" : models[i].name});
  }
}

/// Adds the flag of plain norms: `--plain-norms=yes`.
void addPlainNorms(Words& words, const std::vector<FigureModel>& models) {
  Words values;
  const std::string flag = "--plain-norms";
  addPerModel(values, models, flag, "auto",
              [](const auto& m) { return m.request.plainNorms.value_or(""); });
  for (std::size_t i = 1; i < values.size(); i += 2) words.push_back(flag + "=" + values[i]);
}

/// Builds a command line; options at their defaults are left out.
class CommandLine {
 public:
  explicit CommandLine(const std::string& command) : text_(command) {}

  void add(const std::string& word) { text_ += ' ' + shellWord(word); }
  void add(const std::string& option, const std::string& value) {
    add(option);
    add(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void requirePicture(const FigureSource& source) {
  if (source.picture.empty()) {
    throw Error(
        "no command makes this figure: its picture was pasted and is no file; save it as one in "
        "another program and open that");
  }
  requireUnchanged(source.pictureVersion);
  std::error_code failed;
  if (std::filesystem::is_regular_file(source.picture, failed)) return;
  throw FileError(source.picture,
                  std::filesystem::exists(source.picture, failed)
                      ? "is no file of a picture, so no command makes this figure; open the "
                        "picture that it was made on"
                      : "is no longer there, so no command makes this figure; put the file back, "
                        "or open another picture");
}

void addSource(CommandLine& line, const FigureSource& source,
               const std::vector<std::string>& morePictures) {
  requirePicture(source);
  requireUnchanged(source.models);
  for (const std::string& word : modelOptions(source.models)) line.add(word);
  line.add(absolutePath(source.picture));
  for (const std::string& picture : morePictures) line.add(absolutePath(picture));
  for (const std::string& word : readingOptions(source.reading)) line.add(word);
  for (const std::string& word : sizeOptions(source.models)) line.add(word);
  if (!source.models.empty() && source.models.front().request.device != ModelRequest().device) {
    line.add("--device", source.models.front().request.device);
  }
  if (source.threads > 0) line.add("--threads", std::to_string(source.threads));
}

void addOption(AnalysisCommand& command, const std::string& option, const std::string& value) {
  command.options.insert(command.options.end(), {option, value});
}

void addHeads(AnalysisCommand& command, const ShownHeads& shown) {
  if (shown.single) {
    for (const int head : shown.heads) addOption(command, "--head", std::to_string(head));
    if (shown.heads.empty() && (shown.mean || shown.largest)) addOption(command, "--head", "all");
  }
  if (shown.mean) addOption(command, "--head", "mean");
  if (shown.largest) addOption(command, "--head", "max");
}

void addQueries(CommandLine& line, const std::vector<MarkedQuery>& queries) {
  for (const MarkedQuery& marked : queries) {
    for (const std::string& option : queryOptions(marked.query)) line.add(option);
  }
  if (queries == markedQueries(placesOf(queries))) return;
  for (const MarkedQuery& marked : queries) {
    line.add("--mark", marked.letter.toStdString() + ":" + marked.color.name().toStdString());
  }
}

void addSettings(CommandLine& line, const FigureSettings& settings) {
  for (const std::string& option : settingOptions(figureSettings, settings)) line.add(option);
}

void addView(CommandLine& line, const ViewSettings& view, Direction direction) {
  if (direction == Direction::Columns) line.add("--direction", "columns");
  for (const std::string& option : viewOptions(view)) line.add(option);
}

void addOutput(CommandLine& line, const std::string& output) {
  line.add("-o", output.starts_with('-') ? "./" + output : output);
}

}  // namespace

std::string absolutePath(const std::string& path) {
  std::error_code failed;
  std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) return path;
  // The parent of a linked folder is not the folder before it in the path.
  const bool climbs = std::find(absolute.begin(), absolute.end(), "..") != absolute.end();
  if (climbs) absolute = std::filesystem::weakly_canonical(absolute, failed);
  return failed ? path : absolute.lexically_normal().string();
}

std::vector<std::string> modelOptions(const std::vector<FigureModel>& models) {
  Words words;
  for (const FigureModel& model : models) {
    words.insert(words.end(), {"-m", absolutePath(model.request.path)});
  }
  addNames(words, models);
  const auto perModel = [&](const std::string& option, const std::string& nothing,
                            const ValueOf& valueOf) {
    addPerModel(words, models, option, nothing, valueOf);
  };
  perModel("--attention", "auto", [](const auto& m) { return m.request.attention.value_or(""); });
  perModel("--arch", "auto", [](const auto& m) { return m.request.architecture.value_or(""); });
  perModel("--heads", "0",
           [](const auto& m) { return m.request.heads ? m.request.heads->text() : std::string(); });
  perModel("--landmarks", "trained", [](const auto& m) {
    const LandmarkChoice& landmarks = m.request.landmarks;
    if (!landmarks.isTrained()) return nameOf(landmarks.source);
    return landmarks.count ? std::to_string(*landmarks.count) : std::string();
  });
  perModel("--landmark-count", "0", [](const auto& m) {
    const LandmarkChoice& landmarks = m.request.landmarks;
    const bool counts = landmarks.count && !landmarks.isTrained();
    return counts ? std::to_string(*landmarks.count) : std::string();
  });
  perModel("--landmark-seed", "0", [](const auto& m) {
    const int seed = m.request.landmarks.seed;
    return seed != 0 ? std::to_string(seed) : std::string();
  });
  for (const SettingOption& option : settingOptions()) {
    if (option.value == &ModelRequest::plainNorms) continue;
    perModel(std::string("--") + option.name, "auto",
             [&option](const auto& m) { return (m.request.*option.value).value_or(""); });
  }
  addPlainNorms(words, models);
  perModel("--weights", "auto", [](const auto& m) { return m.request.weights.value_or(""); });
  perModel("--class-names", "auto", [](const auto& m) {
    return m.request.classNames ? absolutePath(*m.request.classNames) : std::string();
  });
  // The flag applies to all models; it changes nothing for those without unexpected parameters.
  if (std::any_of(models.begin(), models.end(),
                  [](const auto& m) { return m.request.ignoresUnexpected; })) {
    words.push_back("--ignore-unexpected");
  }
  return words;
}

void requireUnchanged(const std::vector<FigureModel>& models) {
  for (const FigureModel& model : models) {
    for (const FileVersion& version : model.versions) requireUnchanged(version);
  }
}

std::vector<std::string> sizeOptions(const std::vector<FigureModel>& models) {
  Words words;
  addPerModel(words, models, "--size", "published",
              [](const FigureModel& model) { return inputSizeText(model.inputSize); });
  return words;
}

std::vector<std::string> queryOptions(const PictureQuery& query) {
  std::string place = numberText(query.x) + "," + numberText(query.y);
  if (query.prefixToken) {
    // By its number, as `class` may be another token in other layers.
    place += ",token" + std::to_string(*query.prefixToken);
  }
  return {"--at", place};
}

std::vector<std::string> viewOptions(const ViewSettings& view) {
  const ViewSettings byDefault;
  std::vector<std::string> options;
  for (const auto member : {&ViewSettings::colorMap, &ViewSettings::divergingColorMap}) {
    if (view.*member != byDefault.*member) {
      options.insert(options.end(), {"--colormap", view.*member});
    }
  }
  const std::vector<std::string> others = settingOptions(viewSettings, view);
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

void addMap(AnalysisCommand& command, ShownMap map,
            const std::vector<const LayerInspection*>& layers) {
  const std::vector<std::string> words = settingOptions(mapSettings, MapSettings{map});
  command.options.insert(command.options.end(), words.begin(), words.end());
  if (map != ShownMap::GradientProduct) return;
  const auto layer = std::ranges::find_if(
      layers, [](const LayerInspection* one) { return one->gradientProduct != nullptr; });
  if (layer == layers.end()) return;
  const LogitRequest& asked = (*layer)->gradientProduct->logit().asked;
  if (asked.classIndex) addOption(command, "--class", std::to_string(*asked.classIndex));
  if (asked.against) addOption(command, "--class", std::to_string(*asked.against));
}

AnalysisCommand headsCommand(const HeadsSubject& subject) {
  AnalysisCommand command{.kind = "heads", .takesChannel = true};
  std::vector<const LayerInspection*> layers;
  for (const LayerInspection& layer : subject.layers) {
    addOption(command, "--layer", layer.name);
    layers.push_back(&layer);
  }
  addHeads(command, subject.shown);
  addMap(command, subject.map, layers);
  command.queries = subject.queries;
  command.direction = subject.direction;
  command.view = subject.view;
  return command;
}

AnalysisCommand compareCommand(const CompareSubject& subject) {
  AnalysisCommand command{.kind = "compare", .takesChannel = true};
  std::vector<const LayerInspection*> layers;
  for (const CompareRow& row : subject.rows) {
    addOption(command, "--layer", row.layer.name);
    layers.push_back(&row.layer);
  }
  addHeads(command, subject.shown);
  addMap(command, subject.map, layers);
  if (subject.linkedScales) command.options.emplace_back("--linked-scales");
  if (!subject.differences.empty()) {
    addOption(command, "--difference",
              subject.differences.front().normalised ? "normalised" : "raw");
  }
  command.queries = subject.queries;
  command.direction = subject.direction;
  command.view = subject.view;
  return command;
}

std::string figureCommandText(const AnalysisCommand& command, const FigureSource& source,
                              const FigureSettings& settings, const std::string& output) {
  CommandLine line("softscope figure " + command.kind);
  if (command.ofModels) addSource(line, source, command.pictures);
  if (command.takesChannel) {
    for (const std::string& word : settingOptions(channelSettings, source.channel)) line.add(word);
  }
  for (const std::string& option : command.options) line.add(option);
  addQueries(line, command.queries);
  if (command.view) addView(line, *command.view, command.direction);
  addSettings(line, settings);
  addOutput(line, output);
  return line.text();
}

}  // namespace softscope
