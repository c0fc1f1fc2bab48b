#include "app/figures/CostProcess.h"

#include "core/Error.h"
#include "core/json/ParsedJson.h"
#include "core/machine/ChildProcess.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// The numbers that the process writes for every point.
constexpr const char* costNumbers[] = {"milliseconds", "bytes",      "peak_bytes", "median",
                                       "quartile_1",   "quartile_3", "runs"};

std::vector<std::string> measureCommand(const CostRequest& request) {
  return {"measure-cost",
          "--scope",
          scopeName(request.scope),
          "--mechanism",
          request.mechanism,
          "--tokens",
          std::to_string(request.tokens),
          "--channels",
          std::to_string(request.channels),
          "--heads",
          std::to_string(request.heads),
          "--threads",
          std::to_string(request.threads),
          "--pass",
          passName(request.pass),
          "--device",
          request.device};
}

}  // namespace

CostPoint measureInChildProcess(const CostRequest& request, const Progress& progress) {
  const ChildOutcome child = runChildProcess("/proc/self/exe", measureCommand(request), progress);
  const std::string text = child.output + child.errors;
  const std::string what = "measuring " + request.mechanism + " at " +
                           std::to_string(request.tokens) + " tokens failed: ";
  // The system ends processes that take more memory than there is.
  if (text.empty() && !child.exited) {
    throw MemoryError(what + "the process was ended, perhaps for want of memory; try fewer tokens");
  }
  if (!child.exited || child.exitCode != 0) {
    // An error is the last that a program says.
    const std::string told = child.errors.substr(0, child.errors.find_last_not_of('\n') + 1);
    throw InspectionError(what + told.substr(told.rfind('\n') + 1));
  }
  const nlohmann::json numbers = parsedJson(child.output);
  if (numbers.is_object() && numbers.contains("out_of_memory")) {
    throw MemoryError(what + "there is not enough memory; try fewer tokens");
  }
  const auto isThere = [&numbers](const char* name) { return numbers.contains(name); };
  if (!numbers.is_object() || !std::ranges::all_of(costNumbers, isThere)) {
    throw InspectionError("measuring " + request.mechanism + " gave no numbers: " + text);
  }
  CostPoint point{request};
  point.milliseconds = numbers["milliseconds"].get<double>();
  point.bytes = numbers["bytes"].get<std::int64_t>();
  point.peakBytes = numbers["peak_bytes"].get<std::int64_t>();
  point.median = numbers["median"].get<double>();
  point.quartile1 = numbers["quartile_1"].get<double>();
  point.quartile3 = numbers["quartile_3"].get<double>();
  point.runs = numbers["runs"].get<int>();
  if (numbers.contains("cores_lost")) point.coresLost = numbers["cores_lost"].get<double>();
  return point;
}

}  // namespace softscope
