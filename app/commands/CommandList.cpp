#include "app/commands/CommandList.h"

#include "app/arguments/DrawsFigures.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace softscope {

const std::vector<ListedCommand>& commandList() {
  static const std::vector<ListedCommand> commands{
      {"inspect", "Say what a checkpoint is: family, variant, mechanism, layers, parameters"},
      {"dump", "Write logits and every layer's attention as NumPy arrays"},
      {"record", "Write a model's attention on a picture into one file that opens like a model"},
      {"convert", "Write a checkpoint's weights as .safetensors"},
#ifdef SOFTSCOPE_HAS_IMAGE
      {"train", "Train a network on a folder of pictures"},
      {"evaluate", "Measure a model's accuracy on a folder of pictures"},
      {"linescores", "Measure how much of every head's attention is vertical lines, over a folder"},
      {"survey", "Measure every head of models on every picture of a folder, into one file"},
#endif
      {"merge", "Join the shards of a survey into one file"},
      {"table", "Write the numbers of a survey as CSV, or their summary"},
      {"figure", drawsFigures
                     ? "Draw a view into a file, as the window shows it; figure KIND --help says "
                       "what a kind shows, and its options"
                     : "Write the numbers behind a view; this build draws no figures"},
      // For the program itself: figure cost is for people.
      {"measure-cost", "Measure one point of a figure of costs, and print it as a line of JSON",
       true},
      // For packages, which install what it prints, and for the guide.
      {"documentation",
       "Print the manual page, tables of options, or what a shell completes options with", true},
  };
  return commands;
}

CLI::App* addListedCommand(CLI::App& program, const std::string& name) {
  const auto listed = std::find_if(commandList().begin(), commandList().end(),
                                   [&](const ListedCommand& one) { return one.name == name; });
  CLI::App* command = program.add_subcommand(name, listed->description);
  if (listed->isHidden) command->group("");
  return command;
}

}  // namespace softscope
