#include "app/arguments/LogitArguments.h"

#include "app/arguments/UsageError.h"
#include "core/analysis/classmap/ClassMap.h"

namespace softscope {

void checkLogit(const MapSettings& shown, const std::vector<std::string>& classes) {
  if (classes.empty()) return;
  if (shown.map != ShownMap::GradientProduct) {
    throw UsageError("--class names the class of --map gradient; add that, or leave --class out");
  }
  if (classes.size() > 2) {
    throw UsageError(
        "--map gradient takes one class, or two and their difference; give --class "
        "at most twice");
  }
}

LogitRequest namedLogit(const std::vector<std::string>& classes, const ModelSummary& summary) {
  LogitRequest logit;
  const auto indexOf = [&](std::size_t i) {
    return classIndexOf(classes[i], summary.classNames, summary.classes);
  };
  if (!classes.empty()) logit.classIndex = indexOf(0);
  if (classes.size() > 1) logit.against = indexOf(1);
  return logit;
}

std::optional<LogitRequest> askedLogit(const MapSettings& shown,
                                       const std::vector<std::string>& classes,
                                       const ModelSummary& summary) {
  if (shown.map != ShownMap::GradientProduct) return std::nullopt;
  // A model without classes says so itself.
  return summary.classes == 0 ? LogitRequest() : namedLogit(classes, summary);
}

}  // namespace softscope
