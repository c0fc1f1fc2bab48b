#include "core/Error.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/ComparedRanges.h"
#include "widgets/figure/QueriedLayer.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/query/DifferenceValues.h"

namespace softscope {
namespace {

const QString minus = QStringLiteral(" − ");

/// Names of the rows' arrays: their models', numbered where they repeat.
std::vector<std::string> arrayNames(const std::vector<CompareRow>& rows) {
  std::vector<std::string> names;
  for (const CompareRow& row : rows) names.push_back(row.modelName);
  return uniqueNames(names);
}

QString mechanismOfRow(const CompareRow& row) {
  return QString::fromStdString(row.layer.attention->description().mechanism);
}

/// Asks every row every query, and makes lines of the answers.
class LineComparison {
 public:
  explicit LineComparison(const CompareFigure& figure)
      : figure_(figure), names_(arrayNames(figure.rows)) {}

  std::vector<ComparedLine> lines() const {
    std::vector<ComparedLine> lines;
    for (std::size_t query = 0; query < figure_.queries.size(); ++query) {
      std::vector<QueriedLayer> answers;
      for (std::size_t row = 0; row < figure_.rows.size(); ++row) {
        answers.push_back(ask(row, query, figure_.shown));
        lines.push_back(modelLine(row, answers.back()));
        lines.back().query = static_cast<int>(query);
      }
      for (std::size_t i = 0; i < figure_.differences.size(); ++i) {
        lines.push_back(differenceLine(figure_.differences[i], query, answers));
        lines.back().query = static_cast<int>(query);
        lines.back().row = static_cast<int>(i);
      }
    }
    applyRanges(lines, figure_.view, figure_.linkedScales);
    return lines;
  }

 private:
  QueriedLayer ask(std::size_t row, std::size_t query, const ShownHeads& heads) const {
    const CompareRow& asked = figure_.rows[row];
    return askLayer(asked.layer, extentOf(figure_.picture, asked.region), figure_.queries[query],
                    figure_.direction, heads);
  }

  LocatedValues located(std::size_t row, const AttentionValues& values) const {
    return {values, figure_.picture ? figure_.rows[row].region : PictureRegion{0, 0, 1, 1}};
  }

  /// What a model's line and a difference on its patches have in common.
  ComparedLine lineOn(std::size_t row, const QueriedLayer& asked) const {
    ComparedLine line;
    line.row = static_cast<int>(row);
    line.question = questionText(asked.attention(), figure_.direction, asked.token);
    line.token =
        QString::fromStdString(tokenName(asked.attention(), figure_.direction, asked.token));
    line.region = figure_.rows[row].region;
    line.aspect =
        panelAspect(figure_.picture.get(), line.region, asked.attention(), figure_.direction);
    line.picturePanel = picturePanel(asked);
    return line;
  }

  ComparedLine modelLine(std::size_t row, const QueriedLayer& asked) const {
    const CompareRow& compared = figure_.rows[row];
    ComparedLine line = lineOn(row, asked);
    line.name = QString::fromStdString(compared.modelName);
    line.layer = QString::fromStdString(compared.layer.name);
    line.prediction = QString::fromStdString(compared.prediction);
    line.about = layerText(asked.attention(), QString::fromStdString(compared.mechanismNote));
    line.arrayName = names_[row] + "." + layerName(compared.layer) + "." + queryName(asked);
    for (const AttentionValues& values : asked.values) {
      line.panels.push_back(headPanel(asked, values, {}, figure_.view));
    }
    return line;
  }

  QString differenceName(std::size_t first, std::size_t second) const {
    const QString a = QString::fromStdString(figure_.rows[first].modelName);
    const QString b = QString::fromStdString(figure_.rows[second].modelName);
    if (a != b) return a + minus + b;
    return mechanismOfRow(figure_.rows[first]) + minus + mechanismOfRow(figure_.rows[second]);
  }

  ComparedLine differenceLine(const RowDifference& wanted, std::size_t query,
                              const std::vector<QueriedLayer>& answers) const {
    const auto a = static_cast<std::size_t>(wanted.first);
    const auto b = static_cast<std::size_t>(wanted.second);
    if (a >= answers.size() || b >= answers.size()) {
      throw InspectionError("a difference needs two rows that are there");
    }
    const bool alike = answers[a].attention().heads == answers[b].attention().heads;
    const ShownHeads mean{.single = false, .mean = true};
    const QueriedLayer first = alike ? answers[a] : ask(a, query, mean);
    const QueriedLayer second = alike ? answers[b] : ask(b, query, mean);
    const bool onSecond = !first.values.empty() && !second.values.empty() &&
                          isCoarser(located(a, first.values[0]), located(b, second.values[0]));

    ComparedLine line = onSecond ? lineOn(b, second) : lineOn(a, first);
    line.isDifference = true;
    line.name = differenceName(a, b);
    line.layer = wanted.normalised ? QStringLiteral("difference of normalised maps")
                                   : QStringLiteral("difference");
    line.about = wanted.normalised ? QStringLiteral("each divided by its largest magnitude")
                                   : QStringLiteral("of raw values");
    if (!alike) line.about += captionSeparator + QStringLiteral("means, as heads are not as many");
    line.arrayName = names_[a] + "_minus_" + names_[b] + "." + queryName(first);
    try {
      for (std::size_t i = 0; i < first.values.size(); ++i) {
        HeadPanel panel;
        panel.title = headText(first.values[i].head);
        panel.values =
            difference(located(a, first.values[i]), located(b, second.values[i]), wanted.normalised)
                .values;
        panel.query = line.picturePanel.query;
        line.panels.push_back(std::move(panel));
      }
      addGridNote(line, first, second);
    } catch (const InspectionError& error) {
      line.about = QString::fromUtf8(error.what());
    }
    return line;
  }

  /// Says where one of the two was brought onto the other's patches.
  static void addGridNote(ComparedLine& line, const QueriedLayer& first,
                          const QueriedLayer& second) {
    if (line.panels.empty() || first.values[0].grid == second.values[0].grid) return;
    const TokenGrid& grid = line.panels[0].values.grid;
    line.about += captionSeparator + QStringLiteral("the coarser on the finer's %1 × %2 patches")
                                         .arg(grid.height)
                                         .arg(grid.width);
  }

  const CompareFigure& figure_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<ComparedLine> comparedLines(const CompareFigure& figure) {
  return LineComparison(figure).lines();
}

}  // namespace softscope
