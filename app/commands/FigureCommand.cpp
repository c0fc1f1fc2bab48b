#include "app/arguments/DrawsFigures.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "app/figures/FigureKinds.h"
#include "app/figures/PassedOverChoices.h"
#include "core/analysis/registry/Analyses.h"
#include "core/files/AtomicFile.h"
#include "core/files/Overwriting.h"
#include "core/recording/RecordingPreview.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* figureExamples =
    "At least one of -o and --data is needed.\n\nExamples:\n"
    "  softscope figure heads -m soft_tiny.pth cat.jpg -o heads.pdf --width 84\n"
    "  softscope figure heads -m soft_tiny.pth cat.jpg --layer 'block3.*' --at 0.4,0.3 \\\n"
    "      --at 0.8,0.8 --head mean --data heads.npz\n"
    "  softscope figure page -m soft_tiny.pth cat.jpg --layer 'block3.*' --at 0.4,0.3 -o "
    "page.html\n"
    "  softscope figure sweep -m soft_tiny.pth cat.jpg --at 0.2,0.3 --at 0.8,0.6 -o sweep.gif\n"
    "  softscope figure sweep -m 'run/epoch_*.pth' cat.jpg --over checkpoints --at 0.4,0.3 \\\n"
    "      -o training.webp\n"
    "  softscope figure compare -m soft_tiny.pth -m soft_norm_tiny.pth cat.jpg -o compare.pdf "
    "\\\n"
    "      --layer block2.0.att.mha.attn --at 0.4,0.3 --difference normalised\n"
    "  softscope figure compare -m soft_tiny.pth -m soft_tiny.pth --attention soft \\\n"
    "      --attention gaussian cat.jpg --head mean -o soft_and_kernel.svg\n"
    "  softscope figure matrix -m nl.pth -m nl.pth --attention nonlocal \\\n"
    "      --attention nonlocal_scaled cat.jpg --head 0 -o lines.pdf --data lines.npz\n"
    "  softscope figure spectrum -m soft_tiny.pth cat.jpg --layer all --of bottleneck \\\n"
    "      -o spectra.pdf --data spectra.csv\n"
    "  softscope figure cost --over tokens -o cost.pdf --data cost.csv\n"
    "  softscope figure survey everyday10.survey --measure line_score --by class -o lines.pdf\n"
    "  softscope figure series -m 'run/epoch_*.pth' cat.jpg --measure attention_distance \\\n"
    "      -o series.pdf --data series.csv\n"
    "  softscope figure share -m soft_tiny.pth cat.jpg --share knockout -o share.pdf \\\n"
    "      --data share.csv";

/// Examples for a build that draws no figures.
constexpr const char* numberExamples =
    "IMAGE is a .npy, as this build reads no pictures.\n\nExamples:\n"
    "  softscope figure heads -m soft_tiny.pth cat.npy --layer 'block3.*' --at 0.4,0.3 \\\n"
    "      --at 0.8,0.8 --head mean --data heads.npz\n"
    "  softscope figure spectrum -m soft_tiny.pth cat.npy --layer all --of bottleneck \\\n"
    "      --data spectra.csv\n"
    "  softscope figure cost --over tokens --device cuda --data cost.csv";

/// Returns the kind, which was checked when it was read.
const FigureKind& chosenKind(const FigureArguments& arguments) {
  return *std::find_if(figureKinds().begin(), figureKinds().end(),
                       [&](const FigureKind& kind) { return kind.about->name == arguments.kind; });
}

/// Throws UsageError for several pictures if the kind takes only one.
void checkPictures(const FigureKind& kind, const std::vector<std::string>& images) {
  if (kind.about->ofPictures || images.size() < 2) return;
  throw UsageError("figure " + std::string(kind.about->name) + " is of one picture, and " +
                   images[1] + " is a second; figures that take several are " +
                   listText(analysesThat(&AnalysisDescription::ofPictures)));
}

int writeFigure(const CLI::App& command, FigureArguments arguments) {
  if (!drawsFigures && !arguments.output.empty()) {
    throw UsageError(
        "this build has no figures; leave out -o and give --data FILE, or build with Qt "
        "(SOFTSCOPE_GUI=ON)");
  }
  if (arguments.output.empty() && arguments.data.empty()) {
    throw UsageError(drawsFigures ? "figure writes a file: give -o FILE, --data FILE, or both"
                                  : "figure writes a file: give --data FILE");
  }
  checkOwnOptions(arguments);
  const FigureKind& kind = chosenKind(arguments);
  notePassedOver(command, arguments, *kind.about);
  checkPictures(kind, arguments.images);
  if (kind.about->ofModels) arguments.expandWildcards();
  if (kind.about->ofModels && arguments.model.checkpoints.empty()) {
    throw UsageError("figure " + std::string(kind.about->name) + " needs a model: give -m CKPT");
  }
  const auto& models = arguments.model.checkpoints;
  // A .npz that is no recording is told of when it is opened.
  const auto bringsPicture = [](const std::string& path) {
    return path.ends_with(".npz") || isRecording(path);
  };
  const bool hasPicture =
      !arguments.image.empty() || std::any_of(models.begin(), models.end(), bringsPicture);
  if (kind.about->ofModels && !hasPicture) {
    throw UsageError("figure " + std::string(kind.about->name) +
                     " needs a picture after the models");
  }
  std::vector<std::string> pictures = arguments.images;
  const TokenSettings& tokens = arguments.analysis.of<TokenSettings>();
  for (const std::vector<std::string>& read : {tokens.kept, tokens.vectors}) {
    pictures.insert(pictures.end(), read.begin(), read.end());
  }
  const std::vector<std::string> inputs = filesReadFor(arguments.model, pictures);
  checkOutputs({arguments.output, arguments.data}, inputs);
  // A folder of frames is checked with the rest of its name.
  const bool isFolder = kind.about->isMotion && !fs::path(arguments.output).has_extension();
  if (isFolder && !arguments.output.empty()) keepOutOf(arguments.output, inputs);
  if (!arguments.output.empty() && !isFolder) checkWritable(arguments.output);
  if (!arguments.data.empty()) checkWritable(arguments.data);
  return kind.write(arguments);
}

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const FigureKind& kind : figureKinds()) names.emplace_back(kind.about->name);
  return names;
}

std::string kindDescriptions() {
  std::string text;
  for (const FigureKind& kind : figureKinds()) {
    text += text.empty() ? "" : "; ";
    text += std::string(kind.about->name) + ": " + kind.about->summary;
  }
  return text;
}

}  // namespace

void addFigureCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<FigureArguments>();
  CLI::App* command = addListedCommand(program, "figure");
  command->add_option("KIND", arguments->kind, kindDescriptions())
      ->type_name("")
      ->required()
      ->check(CLI::IsMember(kindNames()));
  command
      ->add_option("IMAGE", arguments->images,
                   "A picture, or a float32 .npy [1, 3, H, W] that is normalised already; "
                   "recordings have their own. Several of " +
                       listText(analysesThat(&AnalysisDescription::ofPictures)) +
                       "; cka and series take a folder, too")
      ->type_name("");
  addModels(*command, arguments->model, false);
  addNames(*command, arguments->model, "Model");
  addFigureOptions(*command, *arguments);
  for (const FigureKind& kind : figureKinds()) {
    if (kind.addOptions) kind.addOptions(*command, *arguments);
  }
  command->footer(drawsFigures ? figureExamples : numberExamples);
  explainKinds(*command, *arguments);
  command->callback([&chosen, arguments, command] {
    if (!arguments->images.empty()) arguments->image = arguments->images.front();
    chosen = [arguments, command] { return writeFigure(*command, *arguments); };
  });
}

}  // namespace softscope
