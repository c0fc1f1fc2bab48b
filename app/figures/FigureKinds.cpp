#include "app/figures/FigureKinds.h"

#include "app/figures/BottleneckFigureCommand.h"
#include "app/figures/CompareFigureCommand.h"
#include "app/figures/ConvergenceFigureCommand.h"
#include "app/figures/CostFigureCommand.h"
#include "app/figures/DeletionFigureCommand.h"
#include "app/figures/HeadsFigureCommand.h"
#include "app/figures/MatrixFigureCommand.h"
#include "app/figures/NormsFigureCommand.h"
#include "app/figures/OverviewFigureCommand.h"
#include "app/figures/RolloutFigureCommand.h"
#include "app/figures/SaliencyFigureCommand.h"
#include "app/figures/ShareFigureCommand.h"
#include "app/figures/SpectrumFigureCommand.h"
#include "app/figures/SurveyFigureCommand.h"
#include "app/figures/TokensFigureCommand.h"

namespace softscope {

const std::vector<FigureKind>& figureKinds() {
  static const std::vector<FigureKind> kinds = {
      {"heads", "every head's attention as an overlay, of one model", writeHeadsFigure},
      {"compare",
       "several models on one picture or several, a row for each",
       writeCompareFigure,
       addCompareOptions,
       true,
       "-m CKPT... IMAGE... [OPTIONS]",
       {},
       true},
      {"overview", "how far, or how widely, every head of every layer looks", writeOverviewFigure,
       addOverviewOptions},
      {"saliency", "the l1 norms of every patch's query and key", writeSaliencyFigure,
       addSaliencyOptions},
      {"rollout", "what a token sees of the picture through all layers", writeRolloutFigure,
       addRolloutOptions},
      {"tokens", "the tokens behind each block: similarity, principal components, norms",
       writeTokensFigure, addTokensOptions},
      {"matrix", "whole attention matrices, keys across and queries down", writeMatrixFigure,
       addMatrixOptions},
      {"spectrum", "singular values and eigenvalues of every head", writeSpectrumFigure,
       addSpectrumOptions},
      {"bottleneck", "landmarks, their kernel and its eigenvalues; or what they approximate",
       writeBottleneckFigure, addBottleneckOptions},
      {"convergence", "how the iteration comes near the inverse of the bottleneck matrix",
       writeConvergenceFigure, addConvergenceOptions},
      {"norms", "spectral norms with and without SOFT++'s normalisation, at one size or several",
       writeNormsFigure, addNormsOptions},
      {"share", "how large the attention of every head is, and what knocking it out changes",
       writeShareFigure, addShareOptions},
      {"deletion", "how faithful maps are: a class' probability while patches go and come",
       writeDeletionFigure, addDeletionOptions},
      {"cost",
       "time and memory of attention, measured here; needs neither model nor picture",
       writeCostFigure,
       addCostOptions,
       false,
       "[OPTIONS]",
       {"heads"}},
      {"survey",
       "measures of many pictures, of a FILE.survey in IMAGE's place; -m names its models",
       writeSurveyFigure,
       addSurveyOptions,
       false,
       "FILE.survey [OPTIONS]",
       {"model", "layer", "head"}},
  };
  return kinds;
}

}  // namespace softscope
