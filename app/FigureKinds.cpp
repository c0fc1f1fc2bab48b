#include "app/FigureKinds.h"

#include "app/CompareFigureCommand.h"
#include "app/HeadsFigureCommand.h"
#include "app/SaliencyFigureCommand.h"
#include "app/SpectrumFigureCommand.h"

namespace softscope {

const std::vector<FigureKind>& figureKinds() {
  static const std::vector<FigureKind> kinds = {
      {"heads", "every head's attention as an overlay, of one model", drawHeadsFigure},
      {"compare", "several models on one picture, a row for each", drawCompareFigure,
       addCompareOptions},
      {"saliency", "the l1 norms of every patch's query and key", drawSaliencyFigure,
       addSaliencyOptions},
      {"spectrum", "singular values and eigenvalues of every head", drawSpectrumFigure,
       addSpectrumOptions},
  };
  return kinds;
}

}  // namespace softscope
