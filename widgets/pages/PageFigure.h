#pragma once

#include "core/array/Npz.h"
#include "core/array/Table.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/figure/PrintableFigure.h"

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// A page's figure: its drawing, the numbers behind it, and the command line that writes both.
struct PageFigure {
  /// Name of the figure's file, without its extension.
  QString name;
  PrintableFigure drawing;
  /// The models in the figure, as indices into OpenModels::all().
  std::vector<std::size_t> models;
  /// Returns the command that writes the same file, given a source that names those models.
  std::function<std::string(const FigureSource&, const FigureSettings&, const std::string& output)>
      command;
  /// Return the numbers behind the figure; only one is set: a table, saved as .csv, or arrays,
  /// saved as .npz.
  std::function<Table()> table;
  std::function<NamedArrays()> arrays;
  /// Returns what users of the arrays must know apart from their values, one line each; may be
  /// empty.
  std::function<std::vector<std::string>()> caveats;
};

/// Makes a page's figure, whose file is named `name` as far as files can be; `command` holds its
/// kind and the options specific to it.
PageFigure pageFigure(const QString& name, PrintableFigure drawing,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command);

PageFigure pageFigure(const QString& name, PanelFigure figure,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command);

}  // namespace softscope
