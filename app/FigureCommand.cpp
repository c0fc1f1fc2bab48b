#include "app/Commands.h"
#include "app/HeadsFigureCommand.h"
#include "app/UsageError.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace softscope {

namespace {

void addOutputOptions(CLI::App& command, FigureArguments& arguments) {
  command
      .add_option("-o,--output", arguments.output,
                  "Figure to write: .png, .svg or .pdf (vector text and lines)")
      ->type_name("FILE")
      ->group("Output");
  command.add_option("--data", arguments.data, "Write the numbers behind the figure: .npz")
      ->type_name("FILE")
      ->group("Output");
  command.add_option("--dpi", arguments.dpi, "Resolution of pictures and heat maps")
      ->type_name("N")
      ->check(CLI::Range(20, 2400))
      ->capture_default_str()
      ->group("Output");
  command.add_option("--theme", arguments.theme, "Ground of the figure")
      ->type_name("light|dark")
      ->check(CLI::IsMember({"light", "dark"}))
      ->capture_default_str()
      ->group("Output");
}

void addQueryOptions(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--layer", arguments.layer, "Layer by name or pattern, or all")
      ->type_name("NAME")
      ->group("What is shown");
  command.add_option("--head", arguments.heads, "Head N, counted from 0, mean, or all; repeatable")
      ->type_name("N|mean|all")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->group("What is shown");
  command
      .add_option("--query", arguments.queries,
                  "Query patch in the first layer's grid, counted from 0, or class; repeatable")
      ->type_name("ROW,COL")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->group("What is shown");
  command
      .add_option("--at", arguments.places,
                  "Query as fractions of the picture from its left and top; repeatable")
      ->type_name("X,Y")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->group("What is shown");
  command
      .add_option("--direction", arguments.direction,
                  "rows: what the query attends to; columns: who attends to it")
      ->type_name("rows|columns")
      ->check(CLI::IsMember({"rows", "columns"}))
      ->capture_default_str()
      ->group("What is shown");
}

void addViewOptions(CLI::App& command, FigureArguments& arguments) {
  command
      .add_option("--colormap", arguments.colorMap,
                  "Colour map; signed values take a diverging one")
      ->type_name("NAME")
      ->group("Colours");
  command.add_option("--opacity", arguments.opacity, "Of the heat map over the picture")
      ->type_name("0..1")
      ->check(CLI::Range(0.0, 1.0))
      ->group("Colours");
  command
      .add_option("--range", arguments.range,
                  "What the colours' ends stand for: head, shared, percentile")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"head", "shared", "percentile"}))
      ->group("Colours");
  command.add_flag("--smooth", arguments.smooth, "Interpolate between patches")->group("Colours");
  command.add_flag("--absolute", arguments.absolute, "Magnitudes instead of signed values")
      ->group("Colours");
}

}  // namespace

void addFigureCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<FigureArguments>();
  CLI::App* command =
      program.add_subcommand("figure", "Draw a view into a file, as the window shows it");
  command->add_option("KIND", arguments->kind, "heads: every head's attention as an overlay")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"heads"}));
  command
      ->add_option("IMAGE", arguments->image,
                   "A picture, or a float32 .npy [1, 3, H, W] that is normalised already")
      ->type_name("")
      ->required();
  addModels(*command, arguments->model, true);
  addOutputOptions(*command, *arguments);
  addQueryOptions(*command, *arguments);
  addViewOptions(*command, *arguments);
  addInputOptions(*command, arguments->input);
  command->footer(
      "At least one of -o and --data is needed.\n\nExamples:\n"
      "  softscope figure heads -m soft_tiny.pth cat.jpg -o heads.pdf\n"
      "  softscope figure heads -m soft_tiny.pth cat.jpg --layer 'block3.*' --at 0.4,0.3 \\\n"
      "      --at 0.8,0.8 --head mean --data heads.npz");
  command->callback([&chosen, arguments] {
    chosen = [arguments] {
      if (arguments->output.empty() && arguments->data.empty()) {
        throw UsageError("figure writes a file: give -o FILE, --data FILE, or both");
      }
      return drawHeadsFigure(*arguments);
    };
  });
}

}  // namespace softscope
