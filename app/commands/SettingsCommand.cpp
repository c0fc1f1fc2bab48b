#include "app/arguments/CommandProgress.h"
#include "app/arguments/DataSetArguments.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/SurveyedModels.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/Error.h"
#include "core/ParallelWork.h"
#include "core/image/PreparedPicture.h"
#include "core/model/SettingOption.h"
#include "core/network/Device.h"
#include "core/network/NetworkRun.h"
#include "core/survey/PictureList.h"
#include "core/text/Words.h"
#include "core/train/DataSet.h"
#include "core/train/Evaluation.h"
#include "models/OpenModel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

namespace {

struct SettingsArguments {
  std::string checkpoint;
  ModelArguments model;
  /// Its split is empty if the command line does not give one.
  DataSetArguments data;
  std::int64_t limit = 100;
};

/// So many combinations are all tried; of more, one setting is varied after the other.
constexpr std::size_t mostCombinations = 64;

/// The answers to the pictures with one value for each setting.
struct TriedSettings {
  std::vector<std::string> values;
  /// Why the network cannot be opened with them, or does not take the pictures; empty if it can.
  std::string obstacle;
  /// Whether each picture's class had the largest logit; empty without classes.
  std::vector<bool> right;
  double loss = 0;     ///< mean cross entropy; 0 without classes
  double entropy = 0;  ///< mean entropy of the classes' probabilities, in nats
  /// The problems with files that cannot be read as pictures, and were not answered.
  std::vector<std::string> unreadable;

  std::int64_t rightCount() const { return std::count(right.begin(), right.end(), true); }
};

/// Returns what can be tried. The name of a mean says the deviation, too: others do not go with it.
std::vector<NetworkSetting> openSettings(const ModelSummary& summary) {
  std::vector<NetworkSetting> open = summary.undetermined();
  std::erase_if(open, [](const NetworkSetting& setting) { return !setting.isChoosable(); });
  const bool variesMean =
      std::ranges::any_of(open, [](const auto& setting) { return setting.option == "mean"; });
  if (variesMean) std::erase_if(open, [](const auto& setting) { return setting.option == "std"; });
  return open;
}

/// Runs a model with other settings on the same pictures.
class SettingsTrial {
 public:
  SettingsTrial(const SettingsArguments& arguments, ModelRequest request,
                std::vector<NetworkSetting> settings, const PictureList& pictures,
                const Progress& progress)
      : arguments_(arguments),
        request_(std::move(request)),
        settings_(std::move(settings)),
        pictures_(pictures),
        progress_(progress) {}

  /// Finds out which logit belongs to each class of the pictures. Throws DataSetError if they do
  /// not match.
  void matchClassesOf(const ModelSummary& summary) {
    logitOfClass_ =
        matchClasses(pictures_.folder, pictures_.classes, summary.classNames, summary.classes);
    isLabelled_ = true;
  }
  bool isLabelled() const { return isLabelled_; }
  const std::vector<NetworkSetting>& settings() const { return settings_; }

  /// Returns the values that are assumed.
  std::vector<std::string> assumed() const {
    std::vector<std::string> values;
    for (const NetworkSetting& setting : settings_) values.push_back(setting.value);
    return values;
  }

  TriedSettings run(const std::vector<std::string>& values) const {
    TriedSettings tried{.values = values};
    ModelRequest request = request_;
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      setOption(request, settings_[i].option, values[i]);
    }
    try {
      measure(*openClassifier(request, progress_), tried);
    } catch (const ModelError& error) {
      tried.obstacle = error.what();
    } catch (const MemoryError&) {
      // With more memory the settings are possible.
      throw;
    } catch (const InspectionError& error) {
      tried.obstacle = error.what();
    }
    return tried;
  }

 private:
  /// A picture's logits, or why it could not be read.
  struct Answer {
    std::string problem;
    std::vector<float> logits;
  };

  Answer answer(const Model& model, const InputTransform& transform, std::size_t index) const {
    const std::string path = pictures_.pathOf(pictures_.entries[index]);
    Answer answer;
    InputTensor input;
    answer.problem = readProblem(path, [&] {
      usePicture(path, arguments_.data.reading,
                 [&](const Picture& picture) { input = preparePicture(picture, transform).input; });
    });
    if (answer.problem.empty()) answer.logits = runNetwork(model, input, nullptr);
    return answer;
  }

  void measure(const Model& model, TriedSettings& tried) const {
    const InputTransform transform = chosenTransform(model, arguments_.data);
    std::int64_t answered = 0;
    const auto take = [&](std::size_t i, const Answer& answer) {
      if (!answer.problem.empty()) {
        tried.unreadable.push_back(answer.problem);
        return;
      }
      ++answered;
      count(answer.logits, pictures_.entries[i].classIndex, tried);
    };
    OrderedWork<Answer>({.count = pictures_.entries.size(),
                         .workers = workersFor(arguments_.model.threads),
                         .begin = [] { setComputeThreads(1); },
                         .work = [&](std::size_t i) { return answer(model, transform, i); },
                         .take = take})
        .run(progress_);
    if (answered == 0) throw DataSetError(pictures_.folder, "none of its pictures can be read");
    tried.loss /= static_cast<double>(answered);
    tried.entropy /= static_cast<double>(answered);
  }

  void count(const std::vector<float>& logits, std::optional<int> ofClass,
             TriedSettings& tried) const {
    if (!std::ranges::all_of(logits, [](float logit) { return std::isfinite(logit); })) {
      throw InspectionError("the network answers with values that are not finite");
    }
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    double weighted = 0;
    for (const float logit : logits) {
      const double share = std::exp(logit - largest);
      sum += share;
      weighted += share * (logit - largest);
    }
    tried.entropy += std::log(sum) - weighted / sum;
    if (!isLabelled_ || !ofClass) return;
    const auto at = static_cast<std::size_t>(*ofClass);
    const auto label =
        static_cast<std::size_t>(logitOfClass_.empty() ? *ofClass : logitOfClass_[at]);
    tried.right.push_back(logits[label] == static_cast<float>(largest));
    tried.loss += std::log(sum) - (logits[label] - largest);
  }

  const SettingsArguments& arguments_;
  ModelRequest request_;
  std::vector<NetworkSetting> settings_;
  const PictureList& pictures_;
  const Progress& progress_;
  std::vector<int> logitOfClass_;
  bool isLabelled_ = false;
};

/// True if `a` is better: more often right, or as often with less loss; without classes, surer.
bool isBetter(const TriedSettings& a, const TriedSettings& b) {
  if (a.obstacle.empty() != b.obstacle.empty()) return a.obstacle.empty();
  if (a.right.empty() || b.right.empty()) return a.entropy < b.entropy;
  if (a.rightCount() != b.rightCount()) return a.rightCount() > b.rightCount();
  return a.loss < b.loss;
}

/// True if the difference of two accuracies is within twice its standard error, judged by the
/// pictures on which only one of both is right (McNemar).
bool isAsGood(const TriedSettings& best, const TriedSettings& other) {
  if (best.right.size() != other.right.size()) return false;
  std::int64_t discordant = 0;
  for (std::size_t i = 0; i < best.right.size(); ++i) {
    discordant += best.right[i] != other.right[i];
  }
  const auto ahead = static_cast<double>(best.rightCount() - other.rightCount());
  return ahead <= 2 * std::sqrt(static_cast<double>(discordant));
}

std::vector<std::vector<std::string>> combinationsOf(const std::vector<NetworkSetting>& settings) {
  std::vector<std::vector<std::string>> all{{}};
  for (const NetworkSetting& setting : settings) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& values : all) {
      for (const std::string& choice : setting.choices) {
        longer.push_back(values);
        longer.back().push_back(choice);
      }
    }
    all = std::move(longer);
    if (all.size() > mostCombinations) return {};
  }
  return all;
}

/// Tries every combination or, if they are too many, the values of one setting after the other
/// with the best of those before it.
std::vector<TriedSettings> tryAll(const SettingsTrial& trial, ProgressLine& line) {
  std::vector<TriedSettings> tried;
  const auto runOnce = [&](const std::vector<std::string>& values) {
    const auto known = std::find_if(tried.begin(), tried.end(),
                                    [&](const auto& each) { return each.values == values; });
    if (known != tried.end()) return;
    line.show("trying " + listText(values));
    tried.push_back(trial.run(values));
  };
  const auto combinations = combinationsOf(trial.settings());
  for (const auto& values : combinations) runOnce(values);
  if (combinations.empty()) {
    runOnce(trial.assumed());
    for (std::size_t i = 0; i < trial.settings().size(); ++i) {
      const auto best = std::min_element(tried.begin(), tried.end(), isBetter)->values;
      for (const std::string& choice : trial.settings()[i].choices) {
        std::vector<std::string> values = best;
        values[i] = choice;
        runOnce(values);
      }
    }
  }
  std::stable_sort(tried.begin(), tried.end(), isBetter);
  return tried;
}

std::string accuracyText(const TriedSettings& tried) {
  const auto n = static_cast<double>(tried.right.size());
  const double share = static_cast<double>(tried.rightCount()) / n;
  return fixedText(100 * share, 1) + " % +- " +
         fixedText(100 * std::sqrt(share * (1 - share) / n), 1);
}

void printTable(const SettingsTrial& trial, const std::vector<TriedSettings>& tried) {
  std::vector<std::vector<std::string>> rows{{}};
  for (const NetworkSetting& setting : trial.settings()) rows[0].push_back(setting.option);
  if (trial.isLabelled()) rows[0].insert(rows[0].end(), {"accuracy", "loss"});
  rows[0].emplace_back("entropy");
  for (const TriedSettings& each : tried) {
    std::vector<std::string> row = each.values;
    if (!each.obstacle.empty()) {
      row.push_back("not possible: " + printableText(each.obstacle));
    } else {
      if (trial.isLabelled()) {
        row.insert(row.end(), {accuracyText(each), fixedText(each.loss, 3)});
      }
      row.push_back(fixedText(each.entropy, 3));
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    if (row.size() != widths.size()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool isLast = i + 1 == row.size();
      std::cout << std::left << std::setw(isLast ? 0 : static_cast<int>(widths[i]) + 2) << row[i];
    }
    std::cout << '\n';
  }
}

std::string optionsText(const SettingsTrial& trial, const TriedSettings& tried) {
  std::string text;
  for (std::size_t i = 0; i < tried.values.size(); ++i) {
    text += (i > 0 ? " --" : "--") + trial.settings()[i].option + ' ' + tried.values[i];
  }
  return text;
}

void printAdvice(const SettingsTrial& trial, const std::vector<TriedSettings>& tried) {
  const TriedSettings& best = tried.front();
  if (!trial.isLabelled()) {
    std::cout
        << "surest: " << optionsText(trial, best)
        << "\nBeing sure is not being right: pictures in folders of their classes tell more.\n";
    return;
  }
  std::cout << "best: " << optionsText(trial, best) << '\n';
  const auto asGood = std::count_if(tried.begin() + 1, tried.end(), [&](const auto& each) {
    return each.obstacle.empty() && isAsGood(best, each);
  });
  if (asGood > 0) {
    std::cout << countedText(asGood, "other combination") << (asGood == 1 ? " is" : " are")
              << " as good within the error of so many pictures; --limit takes more.\n";
  }
}

int findSettings(SettingsArguments arguments) {
  checkPreparation(arguments.data);
  arguments.model.checkpoints = {arguments.checkpoint};
  ProgressLine line;
  Progress progress;
  const Interruption interruption(progress);
  const ModelRequest request = arguments.model.request(0, arguments.data.size);
  const auto model = openClassifier(request, progress);
  const ModelSummary& summary = model->summary();
  const std::vector<NetworkSetting> settings = openSettings(summary);
  if (settings.empty()) {
    std::cout << printableName(summary.path) << " leaves nothing to choose: "
              << (summary.settings.empty() ? "its weights determine the network"
                                           : "it says what its weights do not")
              << '\n';
    return 0;
  }
  if (summary.classes == 0) {
    throw ModelError(summary.path +
                     ": is a backbone without a classifier, whose answers cannot be "
                     "judged; give a checkpoint that predicts classes");
  }
  const std::string& split = arguments.data.split;
  const PictureList pictures = listPictures(
      arguments.data.folder, split.empty() ? std::nullopt : std::optional(split), arguments.limit);
  SettingsTrial trial(arguments, request, settings, pictures, progress);
  if (!pictures.classes.empty()) {
    trial.matchClassesOf(summary);
    noteOrder(pictures.classes, summary, line);
  }
  const std::vector<TriedSettings> tried = tryAll(trial, line);
  line.clear();
  const TriedSettings& best = tried.front();
  if (!best.obstacle.empty()) {
    throw InspectionError("no settings are possible here; with " + optionsText(trial, best) + ": " +
                          best.obstacle);
  }
  noteUnreadable(best.unreadable, line);
  const std::int64_t answered = std::ssize(pictures.entries) - std::ssize(best.unreadable);
  std::cout << printableName(summary.path) << ", on " << countedText(answered, "picture") << ":\n";
  printTable(trial, tried);
  printAdvice(trial, tried);
  return 0;
}

}  // namespace

void addSettingsCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<SettingsArguments>();
  arguments->data.split.clear();
  CLI::App* command = addListedCommand(program, "settings");
  command->add_option("CKPT", arguments->checkpoint, "Checkpoint whose settings are open")
      ->type_name("")
      ->required();
  command
      ->add_option("FOLDER", arguments->data.folder,
                   "Folder of pictures in folders of their classes, or data set with val/; without "
                   "classes, only how sure the network is can be said")
      ->type_name("")
      ->required();
  command
      ->add_option("--limit", arguments->limit,
                   "Number of pictures, spread evenly over the folder (default: 100)")
      ->check(aboveZero())
      ->type_name("N");
  addPreparation(*command, arguments->data);
  addModelDescription(*command, arguments->model);
  command->footer(
      "Tries what the checkpoint's weights leave open (softscope inspect lists it), and prints "
      "how\n"
      "often each combination is right, the mean cross entropy and the mean entropy of the "
      "answers.\n"
      "Wrong settings are rarely as good as the right ones. Options that are given are not "
      "tried.\n\n"
      "Example:\n  softscope settings my_vit.pth mnist/test");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return findSettings(*arguments); }; });
}

}  // namespace softscope
