#include "app/ModelArguments.h"

#include "app/UsageError.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace softscope {

namespace {

template <typename T>
std::optional<T> valueFor(const std::vector<T>& values, std::size_t index, std::size_t models,
                          const std::string& option) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return values.front();
  if (values.size() == models) return values[index];
  throw UsageError(option + " was given " + std::to_string(values.size()) + " times for " +
                   std::to_string(models) + " models; give it once, or once per -m");
}

/// One value each time, repeatable; never swallows a positional that follows.
template <typename T>
CLI::Option* addRepeatable(CLI::App& command, const std::string& names, std::vector<T>& values,
                           const std::string& description) {
  return command.add_option(names, values, description)
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

}  // namespace

ModelRequest ModelArguments::request(std::size_t index) const {
  const std::size_t models = checkpoints.size();
  ModelRequest request;
  request.path = checkpoints[index];
  request.attention = valueFor(attention, index, models, "--attention");
  request.architecture = valueFor(architecture, index, models, "--arch");
  request.heads = valueFor(heads, index, models, "--heads");
  request.weights = valueFor(weights, index, models, "--weights");
  request.device = device;
  return request;
}

void addModelDescription(CLI::App& command, ModelArguments& arguments) {
  addRepeatable(command, "--attention", arguments.attention,
                "Mechanism, where the weights allow several (softscope inspect lists them)")
      ->type_name("NAME")
      ->group("Model");
  addRepeatable(command, "--arch", arguments.architecture,
                "Family or published variant, instead of finding it out")
      ->type_name("NAME")
      ->group("Model");
  addRepeatable(command, "--heads", arguments.heads,
                "Heads, where shapes do not tell (SOFT and CvT: of the last stage)")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->group("Model");
  addRepeatable(command, "--weights", arguments.weights,
                "Copy of the weights to take: ema or raw (default: the published evaluation's)")
      ->type_name("COPY")
      ->check(CLI::IsMember({"ema", "raw"}))
      ->group("Model");
  command.add_option("--device", arguments.device, "cpu, cuda or cuda:N")
      ->type_name("D")
      ->capture_default_str()
      ->group("Compute");
  command.add_option("--threads", arguments.threads, "CPU threads (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->group("Compute");
}

void addModels(CLI::App& command, ModelArguments& arguments, bool required) {
  addRepeatable(command, "-m,--model", arguments.checkpoints,
                "Checkpoint: .pth, .pt, .pth.tar or .safetensors; repeat for several models")
      ->type_name("CKPT")
      ->required(required)
      ->group("Model");
  addModelDescription(command, arguments);
}

}  // namespace softscope
