#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

namespace {

constexpr const char* sinkPaper = "Efficient Streaming Language Models with Attention Sinks, 2023";

std::optional<double> shareOfSink(const HeadPass& head) {
  return head.sink() ? std::optional(head.sink()->share) : std::nullopt;
}

std::optional<double> factorOfSink(const HeadPass& head) {
  return head.sink() ? std::optional(head.sink()->factor) : std::nullopt;
}

/// Returns 1 for a class token, a register and the like, and 0 for a patch; nothing where all keys
/// are patches.
std::optional<double> sinkIsPrefix(const HeadPass& head) {
  if (!head.sink() || !hasPrefixKeys(head.attention())) return std::nullopt;
  return head.sink()->isPrefix ? 1 : 0;
}

std::optional<double> valueNormOfSink(const HeadPass& head) {
  return head.sink() ? head.sink()->valueNorm : std::nullopt;
}

}  // namespace

std::vector<Measure> sinkMeasures() {
  return {
      {.name = "sink",
       .title = "Share of the strongest key",
       .unit = "share of the attention",
       .source = sinkPaper,
       .value = shareOfSink},
      {.name = "sink_factor",
       .title = "Strongest key over uniform attention",
       .unit = "times",
       .source = sinkPaper,
       .value = factorOfSink},
      {.name = "sink_is_prefix",
       .title = "Strongest key is a prefix token",
       .unit = "0 or 1",
       .source = "Vision Transformers Need Registers, 2023",
       .value = sinkIsPrefix},
      {.name = "sink_value_norm",
       .title = "Value norm of the strongest key",
       .unit = "over the median",
       .source = "When Attention Sink Emerges in Language Models: An Empirical View, 2024",
       .value = valueNormOfSink},
  };
}

}  // namespace softscope
