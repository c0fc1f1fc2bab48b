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

/// What a page puts on paper: a drawing, the numbers behind it, and the command line of both.
struct PageFigure {
  /// What a file of it is called, without an ending.
  QString name;
  PrintableFigure drawing;
  /// Indices into OpenModels::all() of those it is of.
  std::vector<std::size_t> models;
  /// The command that writes the same file, of a source that names those models.
  std::function<std::string(const FigureSource&, const FigureSettings&, const std::string& output)>
      command;
  /// One of them: a table as .csv, arrays as .npz.
  std::function<Table()> table;
  std::function<NamedArrays()> arrays;
  /// What is to be known of the arrays beside their values, a line each; may be empty.
  std::function<std::vector<std::string>()> caveats;
};

/// `command` are the kind and its own options.
PageFigure pageFigure(const QString& name, PrintableFigure drawing,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command);

PageFigure pageFigure(const QString& name, PanelFigure figure,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command);

}  // namespace softscope
