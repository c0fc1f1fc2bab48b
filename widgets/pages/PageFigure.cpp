#include "widgets/pages/PageFigure.h"

#include "widgets/controls/NameText.h"

#include <utility>

namespace softscope {

PageFigure pageFigure(const QString& name, PrintableFigure drawing,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command) {
  PageFigure page;
  page.name = asFileName(name);
  page.models = models;
  page.drawing = std::move(drawing);
  page.command = [command](const FigureSource& source, const FigureSettings& settings,
                           const std::string& output) {
    return figureCommandText(command, source, settings, output);
  };
  return page;
}

PageFigure pageFigure(const QString& name, PanelFigure figure,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command) {
  return pageFigure(name, printable(std::move(figure)), models, command);
}

}  // namespace softscope
