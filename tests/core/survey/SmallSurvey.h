#pragma once

#include "core/survey/SurveyPlan.h"
#include "core/survey/SurveyWriter.h"

namespace softscope::test {

/// Returns the plan of a survey of four pictures in two classes, with one model that has a layer of
/// two heads and a layer of one head, and one measure each of heads, layers and models.
inline SurveyPlan smallPlan() {
  SurveyPlan plan{.program = "softscope test",
                  .command = "softscope survey",
                  .folder = "/pictures",
                  .pictures = 4,
                  .listing = "abc",
                  .shard = {},
                  .models = {{.name = "model",
                              .path = "/model.pth",
                              .fingerprint = "123",
                              .family = "soft",
                              .variant = "custom",
                              .mechanism = "soft",
                              .parameters = 7,
                              .request = R"({"device":"cpu"})",
                              .transform = R"({"height":32})",
                              .layers = {{"first", 0, "soft", 2}, {"second", 2, "softmax", 1}}}},
                  .classes = {"cat", "dog"},
                  .measures = {{"entropy", "head", "Entropy", "share", "ours"},
                               {"outliers", "layer", "Outliers", "share", "ours"},
                               {"confidence", "model", "Confidence", "probability", "ours"}}};
  return plan;
}

inline PictureList::Entry smallEntry(int picture) {
  return {.path = std::to_string(picture) + ".png", .classIndex = picture % 2};
}

/// Returns numbers that tell which picture they belong to.
inline PictureValues smallValues(int picture) {
  const double value = picture + 0.1;
  return {
      .models = {{value}}, .layers = {{value}, {std::nullopt}}, .heads = {{1.0}, {value}, {0.5}}};
}

}  // namespace softscope::test
