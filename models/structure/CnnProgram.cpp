#include "core/Error.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"
#include "models/structure/NonLocalUnits.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace softscope {

namespace {

using nlohmann::json;

/// Follows a program step by step.
class CnnProgram {
 public:
  CnnProgram(const std::vector<TensorUnit>& units, const std::vector<FoundNonLocal>& blocks)
      : units_(units), blocks_(blocks) {}

  NonLocalCnnStructure run(const json& program) {
    constexpr std::size_t mostSteps = 10'000;
    if (!program.is_array() || program.size() > mostSteps) refuse("is no list of steps");
    for (const json& step : program) addStep(step);
    for (const TensorUnit& unit : units_) {
      if (used_.count(unit.name) == 0) {
        throw ModelError("tensor without a place: " + unitText(unit) +
                         " is in no step of config.json's network");
      }
    }
    if (read_.classes == 0) refuse("ends without a linear step");
    read_.height = read_.width = 32;
    return read_;
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw ModelError("the network in config.json " + what);
  }

  static std::int64_t numberAt(const json& step, std::size_t index) {
    constexpr std::int64_t largest = 1024;
    const bool isNumber = step.size() > index && step[index].is_number_integer();
    const std::int64_t number = isNumber ? step[index].get<std::int64_t>() : -1;
    if (number < 0 || number > largest) refuse("has a step with a number missing or too large");
    return number;
  }

  /// Returns the unit at the path of a step, which may have a wrapper's prefix.
  const TensorUnit& unitAt(const json& path, std::size_t dimensions) {
    std::string name = path.is_string() ? path.get<std::string>() : std::string();
    constexpr std::string_view wrapper = "module.";
    const auto find = [&] { return std::ranges::find(units_, name, &TensorUnit::name); };
    auto found = find();
    if (found == units_.end() && name.starts_with(wrapper)) {
      name.erase(0, wrapper.size());
      found = find();
    }
    if (found == units_.end() || !found->hasDimensions(dimensions)) {
      refuse("names " + quotedText(name) + ", which the file has not");
    }
    used_.insert(found->name);
    return *found;
  }

  void addStep(const json& step) {
    if (!step.is_array() || step.empty() || !step[0].is_string()) refuse("has a step without name");
    const auto kind = step[0].get<std::string>();
    const json path = step.size() > 1 ? step[1] : json();
    if (kind == "conv") {
      const TensorUnit& unit = unitAt(path, 4);
      if (channels_ == 0) read_.pictureChannels = unit.size(1);
      if (channels_ != 0 && channels_ != unit.size(1)) refuse("joins maps of other channels");
      channels_ = unit.size(0);
      const std::int64_t stride = std::max<std::int64_t>(1, numberAt(step, 5));
      read_.steps.emplace_back(
          CnnConvolution{unit.name, unit.shape, !unit.bias.empty(), stride, numberAt(step, 6)});
    } else if (kind == "bn") {
      const TensorUnit& unit = unitAt(path, 1);
      if (!unit.isBatchNorm || unit.size(0) != channels_) refuse("has a bn that fits no map");
      read_.steps.emplace_back(CnnBatchNorm{unit.name, unit.size(0)});
    } else if (kind == "relu") {
      read_.steps.emplace_back(CnnActivation{});
    } else if (kind == "maxpool" || kind == "avgpool") {
      read_.steps.emplace_back(
          CnnPooling{std::max<std::int64_t>(1, numberAt(step, 1)), kind == "avgpool"});
    } else if (kind == "globalavgpool") {
      read_.steps.emplace_back(CnnGlobalPooling{});
    } else if (kind == "flatten") {
      read_.steps.emplace_back(CnnFlattening{});
    } else if (kind == "linear") {
      const TensorUnit& unit = unitAt(path, 2);
      read_.classes = unit.size(0);
      read_.steps.emplace_back(
          CnnProduct{unit.name, unit.size(1), unit.size(0), !unit.bias.empty()});
    } else if (kind == "nonlocal") {
      addNonLocal(path);
    } else {
      refuse("has the step " + quotedText(kind) + ", which Softscope does not know");
    }
  }

  void addNonLocal(const json& described) {
    std::string path =
        described.is_object() && described.contains("path") && described.at("path").is_string()
            ? described.at("path").get<std::string>()
            : std::string();
    const auto found = std::ranges::find_if(blocks_, [&](const FoundNonLocal& one) {
      return one.block.path == path || "module." + one.block.path == path;
    });
    if (found == blocks_.end() || found->block.channels != channels_) {
      refuse("names the non-local block " + quotedText(path) + ", which does not fit the file");
    }
    for (const std::size_t unit : found->units) used_.insert(units_[unit].name);
    read_.steps.emplace_back(found->block);
  }

  const std::vector<TensorUnit>& units_;
  const std::vector<FoundNonLocal>& blocks_;
  std::set<std::string> used_;
  std::int64_t channels_ = 0;
  NonLocalCnnStructure read_;
};

}  // namespace

NonLocalCnnStructure cnnOfProgram(const std::string& program, const std::vector<TensorUnit>& units,
                                  const std::vector<FoundNonLocal>& blocks) {
  return CnnProgram(units, blocks).run(parsedJson(program));
}

}  // namespace softscope
