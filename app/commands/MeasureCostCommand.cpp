#include "app/arguments/NumberChecks.h"
#include "app/arguments/SettingArguments.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/Error.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "models/attention/cost/AttentionCost.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace softscope {

void addMeasureCostCommand(CLI::App& program, Command& chosen) {
  auto request = std::make_shared<CostRequest>();
  CLI::App* command = addListedCommand(program, "measure-cost");
  addSetting(
      *command,
      ChoiceSetting<CostRequest, CostScope>{
          {.key = "scope", .flag = "--scope", .label = "Of"}, &CostRequest::scope, costScopeNames},
      *request);
  addSetting(
      *command,
      ChoiceSetting<CostRequest, CostPass>{
          {.key = "pass", .flag = "--pass", .label = "Pass"}, &CostRequest::pass, costPassNames},
      *request);
  command->add_option("--mechanism", request->mechanism)
      ->required()
      ->check(CLI::IsMember(costMechanisms()));
  command->add_option("--tokens", request->tokens)->check(aboveZero());
  command->add_option("--channels", request->channels)->check(aboveZero());
  command->add_option("--heads", request->heads)->check(aboveZero());
  command->add_option("--threads", request->threads)->check(zeroOrMore());
  command->add_option("--device", request->device);
  command->callback([&chosen, request] {
    chosen = [request] {
      nlohmann::ordered_json numbers;
      try {
        const CostPoint point = measureCost(*request);
        numbers = {{"milliseconds", point.milliseconds},
                   {"bytes", point.bytes},
                   {"peak_bytes", point.peakBytes},
                   {"median", point.median},
                   {"quartile_1", point.quartile1},
                   {"quartile_3", point.quartile3},
                   {"runs", point.runs}};
        if (point.coresLost) numbers["cores_lost"] = *point.coresLost;
      } catch (const MemoryError&) {
        numbers = {{"out_of_memory", true}};
      }
      std::cout << numbers.dump() << '\n';
      return 0;
    };
  });
}

}  // namespace softscope
