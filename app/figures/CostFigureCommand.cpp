#include "app/arguments/Note.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/SettingArguments.h"
#include "app/arguments/UsageError.h"
#include "app/figures/CostProcess.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/network/Device.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <string_view>

namespace softscope {

namespace {

constexpr const char* group = "Cost";

template <typename Value>
void addList(CLI::App& command, FigureArguments& arguments, const std::string& name,
             std::vector<Value>& values, const std::string& type, const std::string& description) {
  addOwn(arguments, {"cost"},
         addRepeatable(command, name, values, description)
             ->delimiter(',')
             ->type_name(type)
             ->group(group));
}

/// Throws UsageError for several numbers of what the cost is not measured over: it is measured at
/// one of them alone.
void requireOneNumber(const CostSweep& sweep) {
  const auto require = [&](CostOver over, const std::vector<int>& numbers) {
    if (over == sweep.over || numbers.size() < 2) return;
    const std::string name = overName(over);
    throw UsageError("--" + name + " is one number unless the cost is measured over " + name +
                     ", and here it is over " + overName(sweep.over) + "; add --over " + name +
                     ", or give one number of " + name);
  };
  require(CostOver::Tokens, sweep.tokens);
  require(CostOver::Channels, sweep.channels);
  require(CostOver::Heads, sweep.heads);
}

}  // namespace

int writeCostFigure(const FigureArguments& arguments) {
  checkOver(arguments, costOverNames);
  checkFiles(arguments, FigureNumbers::Table);
  if (!arguments.model.checkpoints.empty() || !arguments.image.empty()) {
    throw UsageError("figure cost is of no model and no picture; leave them out");
  }
  CostSweep sweep = arguments.analysis.of<CostSweep>();
  sweep.device = resolveDevice(arguments.model.device);
  sweep.heads = arguments.model.allHeads();
  sweep.threads = arguments.model.threads;
  requireOneNumber(sweep);
  const CostMeasurements measured =
      measureCosts(sweep, measureInChildProcess, {}, costMemoryLimit(arguments.model));
  for (const std::string& sentence : measured.leftOut) noteOnResult(sentence);
  const std::vector<std::string> doubts = costDoubts(measured);
  if (!doubts.empty())
    noteOnResult(listText(doubts, "; ") + "; measure again when nothing else runs");
  if constexpr (drawsFigures) drawCosts(arguments, measured);
  writeNumbers(arguments, costTable(measured));
  return 0;
}

void addCostOptions(CLI::App& command, FigureArguments& arguments) {
  CostSweep& sweep = arguments.analysis.of<CostSweep>();
  addOverOption(command, arguments);
  forEachSetting(costSettings, [&](const auto& setting) {
    if (std::string_view(setting.text.key) == "over") return;
    addOwn(arguments, {"cost"}, addSetting(command, setting, sweep)->group(group));
  });
  ComputeSettings& compute = arguments.model;
  addOwn(arguments, {"cost"}, addSetting(command, costMemorySetting, compute)->group(group));
  addList(command, arguments, "--mechanisms", sweep.mechanisms, "NAME,NAME,...",
          "Among " + listText(costMechanisms()));
  addList(command, arguments, "--tokens", sweep.tokens, "N,N,...",
          "Tokens; without --over tokens, one number");
  addList(command, arguments, "--channels", sweep.channels, "N,N,...",
          "Channels of all heads together; without --over channels, one number. Likewise --heads");
}

}  // namespace softscope
