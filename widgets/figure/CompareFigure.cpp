#include "widgets/figure/CompareFigure.h"

#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <iterator>

namespace softscope {
namespace {

/// The parts of the picture that the rows saw; rows that saw the same part share one crop.
class SeenPictures {
 public:
  explicit SeenPictures(const CompareSubject& subject) {
    if (subject.picture) image_ = pictureImage(subject.picture);
  }

  std::shared_ptr<const CroppedPicture> of(const PictureRegion& region) {
    if (image_.isNull()) return nullptr;
    for (const auto& [known, picture] : pictures_) {
      if (known == region) return picture;
    }
    pictures_.emplace_back(region, std::make_shared<const CroppedPicture>(image_, region));
    return pictures_.back().second;
  }

 private:
  QImage image_;
  std::vector<std::pair<PictureRegion, std::shared_ptr<const CroppedPicture>>> pictures_;
};

FigureBar barOf(const ComparedLine& line, const QString& label = {}) {
  return {line.panels.front().range, line.panels.front().heat.colors, label};
}

/// Returns the bars of linked lines: one scale for the models and one for their differences.
std::vector<FigureBar> linkedBars(const std::vector<ComparedLine>& lines) {
  std::vector<FigureBar> bars;
  for (const bool differences : {false, true}) {
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const ComparedLine& one) {
      return one.isDifference == differences && !one.panels.empty();
    });
    if (line == lines.end()) continue;
    bars.push_back(barOf(
        *line, differences ? QStringLiteral("all differences") : QStringLiteral("all models")));
  }
  return bars;
}

FigureCaption rowCaption(const ComparedLine& line) {
  const QString input = line.input.isEmpty() ? QString() : line.input + captionSeparator;
  return {line.name, line.layer, line.prediction, input + line.about};
}

/// Returns the caveats of all queries of a row, without repetition.
QString caveatsOf(const std::vector<ComparedLine>& lines, std::size_t row, std::size_t rows) {
  QStringList texts;
  for (std::size_t i = row; i < lines.size(); i += rows) {
    texts += lines[i].caveats.split(captionSeparator, Qt::SkipEmptyParts);
  }
  texts.removeDuplicates();
  return texts.isEmpty() ? QString() : captionSeparator + texts.join(captionSeparator);
}

void addCells(FigureBlock& block, const ComparedLine& line, SeenPictures& pictures) {
  const auto picture = pictures.of(line.region);
  block.cells.push_back({line.picturePanel, picture, line.aspect});
  for (const HeadPanel& panel : line.panels) block.cells.push_back({panel, picture, line.aspect});
}

/// Adds a block for each line.
void addComparedRows(PanelFigure& panels, const std::vector<ComparedLine>& lines, bool linked,
                     SeenPictures& pictures) {
  for (const ComparedLine& line : lines) {
    FigureBlock block;
    block.caption = rowCaption(line);
    if (!line.isDifference) block.caption->about += captionSeparator + line.question + line.caveats;
    addCells(block, line, pictures);
    if (line.sharedBar && !linked && !line.panels.empty()) block.bar = barOf(line);
    panels.blocks.push_back(std::move(block));
  }
}

/// Adds a block for each row, with its queries side by side.
void addWideRows(PanelFigure& panels, const std::vector<ComparedLine>& lines, std::size_t queries,
                 SeenPictures& pictures) {
  const std::size_t rows = lines.size() / queries;
  for (std::size_t row = 0; row < rows; ++row) {
    FigureBlock block;
    block.caption = rowCaption(lines[row]);
    block.caption->about += caveatsOf(lines, row, rows);
    for (std::size_t query = 0; query < queries; ++query) {
      addCells(block, lines[query * rows + row], pictures);
    }
    panels.blocks.push_back(std::move(block));
  }
}

FigureCaption columnHead(const ComparedLine& line) {
  FigureCaption head;
  if (line.isDifference) {
    // Two names side by side would be wider than a column.
    head.name = QStringLiteral("Difference");
    head.about = line.name + captionSeparator + line.about;
    return head;
  }
  head.name = line.name;
  head.about = line.about.section(captionSeparator, 0, 0) + captionSeparator + line.layer +
               captionSeparator + line.panels.front().title;
  if (!line.input.isEmpty()) head.about += captionSeparator + line.input;
  if (!line.prediction.isEmpty()) head.about += captionSeparator + line.prediction;
  return head;
}

/// Adds a line of panels for each query, one panel per model.
void addColumns(PanelFigure& panels, const CompareSubject& subject,
                const std::vector<ComparedLine>& lines, SeenPictures& pictures) {
  const std::size_t across = subject.rows.size() + subject.differences.size();
  panels.columnHeads.emplace_back();
  for (std::size_t i = 0; i < across; ++i) {
    panels.columnHeads.push_back(columnHead(lines[i]));
    panels.columnHeads.back().about += caveatsOf(lines, i, across);
  }
  for (std::size_t from = 0; from < lines.size(); from += across) {
    FigureBlock block;
    const ComparedLine& first = lines[from];
    block.cells.push_back({first.picturePanel, pictures.of(first.region), first.aspect});
    for (std::size_t i = from; i < from + across; ++i) {
      HeadPanel panel = lines[i].panels.front();
      // Each grid counts patches from its own corner, so the same query may be another patch.
      panel.title = lines[i].token == first.token ? QString() : lines[i].token;
      panel.colorBar = !subject.linkedScales;
      block.cells.push_back({std::move(panel), pictures.of(lines[i].region), lines[i].aspect});
    }
    panels.blocks.push_back(std::move(block));
  }
}

/// Adds what is said of the columns of another picture, without repetition.
void addColumnHeads(std::vector<FigureCaption>& heads, const std::vector<FigureCaption>& others) {
  if (heads.empty()) {
    heads = others;
    return;
  }
  for (std::size_t i = 0; i < std::min(heads.size(), others.size()); ++i) {
    QStringList texts = heads[i].about.split(captionSeparator, Qt::SkipEmptyParts) +
                        others[i].about.split(captionSeparator, Qt::SkipEmptyParts);
    texts.removeDuplicates();
    heads[i].about = texts.join(captionSeparator);
  }
}

/// Returns the number of panels in the longest line, including the picture.
std::size_t longestLine(const std::vector<ComparedLine>& lines) {
  std::size_t longest = 0;
  for (const ComparedLine& line : lines) longest = std::max(longest, 1 + line.panels.size());
  return longest;
}

}  // namespace

CompareRow compareRow(const ModelSummary& summary, const Inspection& inspection,
                      const LayerInspection& layer, const PictureRegion& region) {
  CompareRow row = compareRow(summary, layer, region);
  row.input = "input " + std::to_string(inspection.inputHeight) + " × " +
              std::to_string(inspection.inputWidth);
  const auto predictions = topPredictions(inspection.logits, 1);
  if (!predictions.empty()) {
    row.prediction = predictionText(summary, predictions.front()).toStdString();
  } else if (!inspection.logits.empty()) {
    row.prediction = "no class: the logits are not finite";
  }
  return row;
}

PanelFigure compareFigure(const CompareSubject& subject, const FigureSettings& settings) {
  const std::vector<ComparedLine> lines = comparedLines(subject);
  SeenPictures pictures(subject);
  PanelFigure panels;
  panels.settings = settings;
  if (lines.empty()) return panels;
  const auto hasPanels = [](const ComparedLine& line) { return !line.panels.empty(); };
  const bool whole = std::all_of(lines.begin(), lines.end(), hasPanels);
  const std::size_t longest = longestLine(lines);
  const std::size_t queries = subject.queries.size();
  const std::size_t across = 1 + subject.rows.size() + subject.differences.size();
  const auto fitting = static_cast<std::size_t>(fittingColumns(settings));
  // One colour bar per line cannot serve lines of several queries.
  const bool ownBars = subject.linkedScales || !lines.front().sharedBar;
  if (whole && longest == 2 && (settings.columns == 0 || across <= fitting)) {
    addColumns(panels, subject, lines, pictures);
  } else if (whole && queries > 1 && queries * longest <= fitting && ownBars) {
    addWideRows(panels, lines, queries, pictures);
  } else {
    addComparedRows(panels, lines, subject.linkedScales, pictures);
  }
  if (subject.linkedScales) panels.bars = linkedBars(lines);
  return panels;
}

PanelFigure compareFigure(const std::vector<CompareSubject>& subjects,
                          const FigureSettings& settings) {
  if (subjects.size() == 1) return compareFigure(subjects.front(), settings);
  PanelFigure figure;
  figure.settings = settings;
  for (CompareSubject subject : subjects) {
    std::vector<QString> predictions;
    for (const CompareRow& row : subject.rows) {
      predictions.push_back(QString::fromStdString(row.prediction));
    }
    PanelFigure of = compareFigure(subject, settings);
    if (!of.columnHeads.empty()) {
      for (CompareRow& row : subject.rows) row.prediction.clear();
      of = compareFigure(subject, settings);
      for (FigureBlock& block : of.blocks) {
        for (std::size_t i = 0; i < predictions.size(); ++i) {
          if (predictions[i].isEmpty()) continue;
          // The first cell holds the picture, hence the offset. A title would be shortened, and a
          // probability with it.
          QString& note = block.cells[i + 1].panel.note;
          note = predictions[i] + (note.isEmpty() ? QString() : captionSeparator + note);
        }
      }
    }
    addColumnHeads(figure.columnHeads, of.columnHeads);
    std::move(of.blocks.begin(), of.blocks.end(), std::back_inserter(figure.blocks));
  }
  return figure;
}

std::vector<ComparedAnswer> answersOf(const CompareSubject& subject) {
  const std::vector<PictureQuery> queries = placesOf(subject.queries);
  return compareAnswers({subject.picture.get(), subject.rows, subject.differences, queries,
                         subject.shown, subject.direction, subject.map});
}

}  // namespace softscope
