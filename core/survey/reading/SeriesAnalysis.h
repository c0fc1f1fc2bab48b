#pragma once

#include "core/analysis/Analysis.h"

namespace softscope {

/// A measure of surveys over the steps of a training. The window has a slider over the steps
/// instead of a page.
struct SeriesAnalysis {
  static constexpr AnalysisDescription about{
      .name = "series",
      .title = "Series",
      .group = AnalysisGroup::Evidence,
      .summary =
          "a measure of every head over the steps of a training; -m is a folder of "
          "checkpoints, or a name with wildcards",
      .choosesHeads = true,
      .ofPictures = true,
      .hasPage = false,
      .usage = "-m 'run/epoch_*.pth' IMAGE... --measure NAME [OPTIONS]",
  };
};

}  // namespace softscope
