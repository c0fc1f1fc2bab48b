#include "core/query/ComparedAnswers.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/query/ValueRange.h"

#include <algorithm>
#include <vector>

namespace softscope {

namespace {

/// Replaces all ranges by one that covers them all, but for those of no values.
void link(std::vector<ValueRange>& ranges) {
  const auto first = std::ranges::find(ranges, false, &ValueRange::isEmpty);
  if (first == ranges.end()) return;
  ValueRange all = *first;
  for (const ValueRange& range : ranges) {
    if (range.isEmpty) continue;
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
    all.clipped = all.clipped || range.clipped;
  }
  std::fill(ranges.begin(), ranges.end(), all);
}

/// Sets the ranges and colours of panels that are seen together.
void apply(const std::vector<HeadPanel*>& panels, ViewSettings view, bool differences,
           bool linked) {
  std::vector<AttentionValues> values;
  for (const HeadPanel* panel : panels) values.push_back(panel->values);
  std::vector<ValueRange> ranges =
      differences ? differenceRanges(values, view) : valueRanges(values, view);
  if (linked) link(ranges);
  view.absolute = view.absolute && !differences;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i]->range = ranges[i];
    panels[i]->heat = heatmapStyle(view, ranges[i]);
  }
}

/// Sets the ranges and colours of a comparison's panels: for models by the view, for differences
/// centred at zero. Each line gets its own or, if `linked`, all models share one and all
/// differences another.
void applyRanges(std::vector<ComparedLine>& lines, const ViewSettings& view, bool linked) {
  for (const bool differences : {false, true}) {
    std::vector<HeadPanel*> together;
    for (ComparedLine& line : lines) {
      if (line.isDifference != differences) continue;
      for (HeadPanel& panel : line.panels) together.push_back(&panel);
      if (linked) continue;
      apply(together, view, differences, false);
      together.clear();
    }
    apply(together, view, differences, linked);
  }
  const bool shared = linked || view.normalisation == ViewSettings::Normalisation::Shared;
  for (ComparedLine& line : lines) {
    line.sharedBar = shared;
    for (HeadPanel& panel : line.panels) panel.colorBar = !shared;
  }
}

/// Fills in what the line of a model and that of a difference on its patches have in common.
ComparedLine lineOn(const CompareSubject& subject, const ComparedAnswer& answer) {
  const QueriedLayer& asked = answer.asked;
  ComparedLine line;
  line.query = answer.query;
  line.row = answer.row;
  line.isDifference = answer.isDifference;
  line.question = questionText(asked.attention(), subject.direction, asked.token, asked.map);
  line.token = QString::fromStdString(tokenName(asked.attention(), subject.direction, asked.token));
  line.region = subject.rows[static_cast<std::size_t>(answer.on)].region;
  line.aspect =
      panelAspect(subject.picture.get(), line.region, asked.attention(), subject.direction);
  line.picturePanel = picturePanel(asked, subject.queries[static_cast<std::size_t>(answer.query)]);
  return line;
}

ComparedLine modelLine(const CompareSubject& subject, const ComparedAnswer& answer) {
  const CompareRow& compared = subject.rows[static_cast<std::size_t>(answer.row)];
  const MarkedQuery& query = subject.queries[static_cast<std::size_t>(answer.query)];
  ComparedLine line = lineOn(subject, answer);
  line.name = QString::fromStdString(compared.modelName);
  line.layer = QString::fromStdString(compared.layer.name);
  line.prediction = QString::fromStdString(compared.prediction);
  line.about = layerText(*answer.asked.layer, QString::fromStdString(compared.mechanismNote),
                         answer.asked.map);
  line.caveats = caveatsText(answer.asked, answer.values);
  for (const AttentionValues& values : answer.values) {
    if (repeatsOnlyHead(answer.asked, values)) continue;
    line.panels.push_back(headPanel(answer.asked, query, values, {}, subject.view));
  }
  return line;
}

QString differenceAbout(const RowDifference& difference, const ComparedAnswer& answer) {
  if (!answer.obstacle.empty()) return QString::fromStdString(answer.obstacle);
  QString about = difference.normalised ? QStringLiteral("each divided by its largest magnitude")
                                        : QStringLiteral("of raw values");
  if (answer.ofMeans) {
    about += captionSeparator + QStringLiteral("means, as heads are not as many");
  }
  if (answer.resampled) {
    const TokenGrid& grid = answer.values.front().grid;
    const QString how = answer.sharedOut
                            ? QStringLiteral(
                                  "the coarser shared out by area over the "
                                  "finer's %1 × %2 patches")
                            : QStringLiteral("the coarser on the finer's %1 × %2 patches");
    about += captionSeparator + how.arg(grid.height).arg(grid.width);
  } else if (answer.sharedOut) {
    about += captionSeparator + QStringLiteral("weights shared out by the keys' area");
  }
  return about;
}

ComparedLine differenceLine(const CompareSubject& subject, const ComparedAnswer& answer) {
  const RowDifference& difference = subject.differences[static_cast<std::size_t>(answer.row)];
  ComparedLine line = lineOn(subject, answer);
  line.name = QString::fromStdString(
      differenceName(subject.rows[static_cast<std::size_t>(difference.first)],
                     subject.rows[static_cast<std::size_t>(difference.second)]));
  line.layer = difference.normalised ? QStringLiteral("difference of normalised maps")
                                     : QStringLiteral("difference");
  line.about = differenceAbout(difference, answer);
  for (const AttentionValues& values : answer.values) {
    HeadPanel panel;
    panel.title = headText(values.head);
    panel.values = values;
    panel.query = line.picturePanel.query;
    line.panels.push_back(std::move(panel));
  }
  return line;
}

bool inputsDiffer(const std::vector<CompareRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const CompareRow& row) { return row.input != rows.front().input; });
}

}  // namespace

std::vector<ComparedLine> comparedLines(const CompareSubject& subject) {
  std::vector<ComparedLine> lines;
  const bool saysInput = inputsDiffer(subject.rows);
  for (const ComparedAnswer& answer : answersOf(subject)) {
    lines.push_back(answer.isDifference ? differenceLine(subject, answer)
                                        : modelLine(subject, answer));
    if (!saysInput || answer.isDifference) continue;
    lines.back().input =
        QString::fromStdString(subject.rows[static_cast<std::size_t>(answer.row)].input);
  }
  applyRanges(lines, subject.view, subject.linkedScales);
  return lines;
}

}  // namespace softscope
