#include "app/Commands.h"
#include "app/CompareFigureCommand.h"
#include "app/HeadsFigureCommand.h"
#include "app/UsageError.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace softscope {

namespace {

int drawFigure(const FigureArguments& arguments) {
  if (arguments.output.empty() && arguments.data.empty()) {
    throw UsageError("figure writes a file: give -o FILE, --data FILE, or both");
  }
  return arguments.kind == "compare" ? drawCompareFigure(arguments) : drawHeadsFigure(arguments);
}

}  // namespace

void addFigureCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<FigureArguments>();
  CLI::App* command =
      program.add_subcommand("figure", "Draw a view into a file, as the window shows it");
  command
      ->add_option("KIND", arguments->kind,
                   "heads: every head's attention as an overlay, of one model; compare: several "
                   "models on one picture, a row for each")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"heads", "compare"}));
  command
      ->add_option("IMAGE", arguments->image,
                   "A picture, or a float32 .npy [1, 3, H, W] that is normalised already")
      ->type_name("")
      ->required();
  addModels(*command, arguments->model, true);
  addFigureOptions(*command, *arguments);
  command->footer(
      "At least one of -o and --data is needed.\n\nExamples:\n"
      "  softscope figure heads -m soft_tiny.pth cat.jpg -o heads.pdf --width 84\n"
      "  softscope figure heads -m soft_tiny.pth cat.jpg --layer 'block3.*' --at 0.4,0.3 \\\n"
      "      --at 0.8,0.8 --head mean --data heads.npz\n"
      "  softscope figure compare -m soft_tiny.pth -m soft_norm_tiny.pth cat.jpg -o compare.pdf "
      "\\\n"
      "      --layer block2.0.att.mha.attn --at 0.4,0.3 --difference normalised\n"
      "  softscope figure compare -m soft_tiny.pth -m soft_tiny.pth --attention soft \\\n"
      "      --attention gaussian cat.jpg --head mean -o soft_and_kernel.svg");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return drawFigure(*arguments); }; });
}

}  // namespace softscope
