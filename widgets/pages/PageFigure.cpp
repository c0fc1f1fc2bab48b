#include "widgets/pages/PageFigure.h"

namespace softscope {
namespace {

template <typename Figure>
Figure withFigureSettings(Figure figure, const FigureSettings& settings) {
  figure.settings = settings;
  return figure;
}

}  // namespace

PageFigure pageFigure(const QString& name, const HeadsFigure& figure,
                      const std::vector<std::size_t>& models) {
  PageFigure page;
  page.name = name;
  page.models = models;
  page.drawing = {[figure](const auto& settings) {
                    return headsFigureSize(withFigureSettings(figure, settings));
                  },
                  [figure](QPainter& painter, const QRectF& place, const auto& settings) {
                    paintHeadsFigure(painter, place, withFigureSettings(figure, settings));
                  }};
  page.command = [figure](const FigureSource& source, const FigureSettings& settings,
                          const std::string& output) {
    return figureCommandText(withFigureSettings(figure, settings), source, output);
  };
  page.arrays = [figure] { return headsFigureArrays(figure); };
  return page;
}

PageFigure pageFigure(const QString& name, const CompareFigure& figure,
                      const std::vector<std::size_t>& models) {
  PageFigure page;
  page.name = name;
  page.models = models;
  page.drawing = {[figure](const auto& settings) {
                    return compareFigureSize(withFigureSettings(figure, settings));
                  },
                  [figure](QPainter& painter, const QRectF& place, const auto& settings) {
                    paintCompareFigure(painter, place, withFigureSettings(figure, settings));
                  }};
  page.command = [figure](const FigureSource& source, const FigureSettings& settings,
                          const std::string& output) {
    return figureCommandText(withFigureSettings(figure, settings), source, output);
  };
  page.arrays = [figure] { return compareFigureArrays(figure); };
  return page;
}

PageFigure pageFigure(const QString& name, const PanelFigure& figure,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command) {
  PageFigure page;
  page.name = name;
  page.models = models;
  page.drawing = printable(figure);
  page.command = [command](const FigureSource& source, const FigureSettings& settings,
                           const std::string& output) {
    return figureCommandText(command, source, settings, output);
  };
  return page;
}

}  // namespace softscope
