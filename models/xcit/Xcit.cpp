#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/xcit/XcitConfiguration.h"

namespace softscope {

namespace {

bool isXcit(const StateDict& state) {
  return hasXcitNames(state) && hasXcitTemperature(state);
}

/// Returns the heads from the temperatures; other sources only count if a file has lost all of
/// these.
int resolveXcitHeads(const XcitConfiguration& configuration, const ModelHints& hints) {
  const int told = configuration.heads;
  if (told > 0) {
    requireToldHeads("XCiT's temperatures", told, hints);
    return told;
  }
  if (hints.heads) return hints.heads->last();
  if (const auto configured = configuredHeads(configuration.channels, hints)) return *configured;
  const auto published = publishedXcitHeads(configuration.channels);
  if (!published) {
    throw ModelError(
        "this looks like XCiT, but nothing in it tells its heads; the file may be damaged");
  }
  return *published;
}

DefinedModel defineXcit(const StateDict& state, const ModelHints& hints) {
  requireOnly("XCiT", mechanismName(XcitMechanism::Channel), hints);
  XcitConfiguration configuration = readXcitConfiguration(state, "XCiT");
  configuration.mechanism = XcitMechanism::Channel;
  configuration.heads = resolveXcitHeads(configuration, hints);
  requireDivisibleHeads(configuration.channels, configuration.heads);
  DefinedModel model = defineXcitModel("xcit", "XCiT", configuration, hints);
  model.summary.mechanismConfidence = 1;
  model.summary.reason =
      "Names and shapes are those of XCiT: only its attention has a temperature.";
  return model;
}

}  // namespace

Family xcitFamily() {
  return {.name = "xcit",
          .networks = "XCiT",
          .attention = "between channels",
          .recognises = isXcit,
          .define = defineXcit,
          .harmless = harmlessXcitExtras()};
}

}  // namespace softscope
