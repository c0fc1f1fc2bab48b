#include "widgets/analysis/DeletionFigure.h"

#include "core/Error.h"
#include "core/analysis/deletion/DeletionAnalysis.h"
#include "core/analysis/deletion/PatchRemover.h"
#include "core/image/ColorMap.h"
#include "core/text/Words.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace softscope {
namespace {

constexpr int shownPercents[] = {10, 25, 50};
constexpr int shownPictures = static_cast<int>(std::size(shownPercents));

QString orderWord(PatchOrderSource of) {
  return QString::fromStdString(orderTitle(of));
}

/// Returns the layer's name if maps of that kind exist for several layers.
QString layerSuffix(const PictureDeletion& deletion, const OrderedDeletion& order) {
  const auto same = std::count_if(
      deletion.orders.begin(), deletion.orders.end(),
      [&](const OrderedDeletion& other) { return other.of == order.of && !other.layer.empty(); });
  return same > 1 ? u' ' + shortLayerName(QString::fromStdString(order.layer)) : QString();
}

/// Returns an area as the sentence above the plots writes it.
QString areaText(double area) {
  return QString::fromStdString(roundedText(area));
}

QString areasText(double deletion, double insertion) {
  return QStringLiteral("%1 / %2").arg(areaText(deletion), areaText(insertion));
}

QString followedClassName(const PictureDeletion& deletion) {
  const auto index = static_cast<std::size_t>(deletion.classIndex);
  if (index < deletion.classNames.size() && !deletion.classNames[index].empty()) {
    return QString::fromStdString(deletion.classNames[index]);
  }
  return QStringLiteral("class %1").arg(deletion.classIndex);
}

/// Grey is the colour of random orders.
QColor randomColor() {
  return curveColors(8).back();
}

/// Returns colours of maps, none of which is that of random orders.
std::vector<QColor> mapColors(std::size_t maps) {
  std::vector<QColor> colors = curveColors(8);
  colors.pop_back();
  for (const unsigned more : {0x7b5cc4u, 0xb8336au, 0x6b8e23u, 0x1aa6a6u}) {
    colors.emplace_back(QRgb{more});
  }
  return maps <= colors.size() ? colors : curveColors(static_cast<int>(maps));
}

PlotCurve curveOf(const ProbabilityCurve& of, const QColor& color) {
  PlotCurve curve;
  curve.color = color;
  curve.x = of.fractions;
  curve.y = of.probabilities;
  return curve;
}

void addRandomBand(const CurveBand& band, const QString& group, Plot& plot) {
  PlotCurve mean = curveOf({band.fractions, band.mean}, randomColor());
  mean.name = QStringLiteral("random, mean");
  mean.group = group;
  mean.line = PlotCurve::Line::Dashed;
  plot.curves.push_back(std::move(mean));
  PlotBand around{randomColor(), band.fractions, {}, {}};
  for (std::size_t i = 0; i < band.mean.size(); ++i) {
    around.low.push_back(band.low[i]);
    around.high.push_back(band.high[i]);
  }
  plot.bands.push_back(std::move(around));
}

QString randomGroup(const CurveBand& deletion, const CurveBand& insertion) {
  const auto area = [](const CurveBand& band) {
    return QStringLiteral("%1 (%2 to %3)")
        .arg(areaText(band.area), areaText(band.areaLow), areaText(band.areaHigh));
  };
  return QStringLiteral("random, mean (5 % to 95 %): %1 / %2").arg(area(deletion), area(insertion));
}

/// Returns `better than 18 / 20 of 20 random orders`, under deletion and under insertion; empty
/// without random orders.
QString ranksText(const PictureDeletion& deletion, const OrderedDeletion& order) {
  const ChanceRank removed = deletion.deletionRank(order);
  const ChanceRank inserted = deletion.insertionRank(order);
  if (removed.orders == 0) return {};
  QString text = QStringLiteral("better than %1 / %2 of %3 random orders")
                     .arg(removed.better)
                     .arg(inserted.better)
                     .arg(removed.orders);
  if (removed.equal + inserted.equal > 0) {
    text += QStringLiteral(", as good as %1 / %2").arg(removed.equal).arg(inserted.equal);
  }
  return text;
}

Plot emptyPlot(const PictureDeletion& deletion, const QString& title, const QString& note,
               const QString& what) {
  Plot plot;
  plot.title = title;
  plot.note = note;
  plot.x.label = QStringLiteral("share of the patches that is %1").arg(what);
  plot.x.range = {0, 1};
  plot.y.label = QStringLiteral("probability of %1").arg(followedClassName(deletion));
  plot.y.range = {0, 1};
  plot.aspect = 1.35;
  return plot;
}

/// The step of a curve that is closest to a share of removed patches, because only at steps is the
/// probability known.
struct ShownStep {
  double fraction = 0;
  double probability = 0;
};

ShownStep stepNear(const ProbabilityCurve& curve, int percent) {
  const auto nearest = std::min_element(
      curve.fractions.begin(), curve.fractions.end(), [percent](double a, double b) {
        return std::abs(100 * a - percent) < std::abs(100 * b - percent);
      });
  const auto index = static_cast<std::size_t>(nearest - curve.fractions.begin());
  return {*nearest, curve.probabilities[index]};
}

/// Returns `10 %`, or `6.3 %` if there are few patches.
QString percentText(double fraction) {
  return valueText(100 * fraction, 2) + QStringLiteral(" %");
}

/// Returns red, green and blue in [0, 1] of each pixel of a normalised input, `[pixels, 3]`.
Matrix colorsOf(const InputTensor& input, const InputTransform& transform) {
  const Eigen::Index pixels = Eigen::Index{input.height} * input.width;
  Matrix colors(pixels, 3);
  for (Eigen::Index channel = 0; channel < 3; ++channel) {
    const auto of = static_cast<std::size_t>(channel);
    for (Eigen::Index i = 0; i < pixels; ++i) {
      const float value = input.values[static_cast<std::size_t>(channel * pixels + i)];
      colors(i, channel) =
          std::clamp(value * transform.deviation[of] + transform.mean[of], 0.0f, 1.0f);
    }
  }
  return colors;
}

HeadPanel panelOf(const PictureDeletion& deletion, InputTensor picture) {
  HeadPanel panel;
  panel.values.grid = {picture.height, picture.width};
  panel.values.onPicture = true;
  panel.values.patches = Vector::Zero(panel.values.grid.count());
  panel.colors = colorsOf(picture, deletion.transform);
  panel.heat.colors = &colorMap("viridis");
  panel.heat.opacity = 1;
  panel.colorBar = false;
  return panel;
}

FigureBlock curvesBlock(const PictureDeletion& deletion) {
  FigureBlock block;
  block.caption = FigureCaption();
  block.caption->name = QString::fromStdString(deletion.model);
  block.caption->detail = QString::fromStdString(deletion.mechanismNote);
  block.caption->about = deletionText(deletion);
  block.plots = deletionPlots(deletion);
  for (const Plot& plot : block.plots) block.cells.push_back(plotCell(plot));
  block.columns = static_cast<int>(block.plots.size());
  return block;
}

/// Returns the pictures of up to two orders, whose names stand above them: a panel's own title is
/// too narrow for a name and the number.
FigureBlock picturesBlock(const PictureDeletion& deletion, std::size_t first, std::size_t end) {
  FigureBlock block;
  block.columns = 2 * shownPictures;
  block.caption = FigureCaption();
  block.caption->name = orderTitle(deletion, deletion.orders[first]);
  if (end - first > 1) {
    static_assert(shownPictures == 3);
    block.caption->name =
        QStringLiteral("First three: %1. Next three: %2")
            .arg(block.caption->name, orderTitle(deletion, deletion.orders[first + 1]));
  }
  const double aspect = static_cast<double>(deletion.input->width) / deletion.input->height;
  for (std::size_t i = first; i < end; ++i) {
    for (HeadPanel& panel : deletionPanels(deletion, i)) {
      panel.title = std::exchange(panel.note, {});
      block.cells.push_back({std::move(panel), nullptr, aspect, {}});
    }
  }
  return block;
}

QString removalText(const PictureDeletion& deletion) {
  switch (deletion.settings.removal) {
    case PatchRemoval::MeanColor:
      return QStringLiteral("removed: the data set's mean colour in its place");
    case PatchRemoval::Blur:
      return QStringLiteral("removed: the blurred picture in its place");
    case PatchRemoval::Imputation:
      return QStringLiteral("removed: interpolated from the pixels around it, with noise");
    case PatchRemoval::Tokens:
      break;
  }
  return QStringLiteral("removed: the token is left out (here in the mean colour)");
}

QString missingText(const PictureDeletion& deletion) {
  QStringList missing;
  for (const MissingOrder& order : deletion.missing) {
    const QString layer = order.layer.empty()
                              ? QString()
                              : QStringLiteral(" of ") + QString::fromStdString(order.layer);
    missing += QStringLiteral("no %1%2: %3")
                   .arg(orderWord(order.of), layer, QString::fromStdString(order.obstacle));
  }
  return missing.join(captionSeparator);
}

}  // namespace

QString orderTitle(const PictureDeletion& deletion, const OrderedDeletion& order) {
  const QString word = order.ofQueriesAndKeys ? QStringLiteral("saliency") : orderWord(order.of);
  return word + layerSuffix(deletion, order);
}

std::vector<Plot> deletionPlots(const PictureDeletion& deletion) {
  Plot removed =
      emptyPlot(deletion, QStringLiteral("Deletion"),
                QStringLiteral("the smaller the area, the better"), QStringLiteral("removed"));
  Plot inserted =
      emptyPlot(deletion, QStringLiteral("Insertion"),
                QStringLiteral("the larger the area, the better"), QStringLiteral("put in"));
  if (deletion.maps() < deletion.orders.size()) {
    const CurveBand away = deletion.randomDeletion();
    const CurveBand in = deletion.randomInsertion();
    const QString group = randomGroup(away, in);
    addRandomBand(away, group, removed);
    addRandomBand(in, group, inserted);
  }
  const std::vector<QColor> colors = mapColors(deletion.maps());
  for (std::size_t i = 0; i < deletion.maps(); ++i) {
    const OrderedDeletion& order = deletion.orders[i];
    const DeletionCurves& curves = order.curves;
    const QString title = orderTitle(deletion, order);
    const QString ranks = ranksText(deletion, order);
    for (auto [plot, of] :
         {std::pair(&removed, &curves.deletion), {&inserted, &curves.insertion}}) {
      PlotCurve curve = curveOf(*of, colors[i]);
      curve.name = title;
      curve.group =
          title + QStringLiteral(": ") + areasText(curves.deletion.area(), curves.insertion.area());
      if (!ranks.isEmpty()) curve.group += QStringLiteral(", ") + ranks;
      plot->curves.push_back(std::move(curve));
    }
  }
  return {std::move(removed), std::move(inserted)};
}

QString deletionText(const PictureDeletion& deletion) {
  const TokenGrid& grid = deletion.grid;
  QStringList parts;
  const std::string sentence = deletionTable({deletion}).sentence;
  if (!sentence.empty()) parts += typesetText(sentence);
  parts += QStringLiteral("%1 %2, probability %3")
               .arg(deletion.isPredicted ? QStringLiteral("predicted:") : QStringLiteral("of"),
                    followedClassName(deletion), valueText(deletion.probability, 3));
  parts += QStringLiteral("%1 × %2 patches, the most important first, in %3 steps")
               .arg(grid.height)
               .arg(grid.width)
               .arg(std::min(deletion.settings.steps, grid.count()));
  parts += removalText(deletion);
  parts += QStringLiteral("areas: deletion / insertion");
  if (deletion.settings.random > 0) {
    parts += QStringLiteral(
                 "random: mean of %1 orders of this picture (5th to 95th percentile, shaded); "
                 "chance is better than any number of them, 0 to %1, with the same probability")
                 .arg(deletion.settings.random);
  }
  for (const OrderedDeletion& order : deletion.orders) {
    if (!order.note.empty()) {
      parts += QStringLiteral("%1 of %2")
                   .arg(orderTitle(deletion, order), QString::fromStdString(order.note));
    }
  }
  parts += missingText(deletion);
  return joinedCaption(parts);
}

std::vector<HeadPanel> deletionPanels(const PictureDeletion& deletion, std::size_t order) {
  const OrderedDeletion& of = deletion.orders[order];
  const PatchRemover remover(*deletion.input, deletion.grid, deletion.settings.removal);
  const ProbabilityCurve& curve = of.curves.deletion;
  std::vector<HeadPanel> panels;
  for (const int percent : shownPercents) {
    const ShownStep step = stepNear(curve, percent);
    const auto gone =
        static_cast<std::size_t>(std::lround(step.fraction * static_cast<double>(of.order.size())));
    std::vector<bool> kept(of.order.size(), true);
    for (std::size_t i = 0; i < gone; ++i) kept[static_cast<std::size_t>(of.order[i])] = false;
    HeadPanel panel = panelOf(deletion, remover.with(kept));
    panel.title = orderTitle(deletion, of);
    panel.note =
        QStringLiteral("%1: %2").arg(percentText(step.fraction), valueText(step.probability, 2));
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString deletionPictureText(const PictureDeletion& deletion, std::size_t order, std::size_t panel) {
  const OrderedDeletion& of = deletion.orders[order];
  const ShownStep step = stepNear(of.curves.deletion, shownPercents[panel]);
  return QStringLiteral("%1: with %2 of the patches removed the probability of %3 is %4")
      .arg(orderTitle(deletion, of), percentText(step.fraction), followedClassName(deletion),
           valueText(step.probability, 3));
}

PanelFigure deletionFigure(const std::vector<PictureDeletion>& deletions) {
  PanelFigure figure;
  for (const PictureDeletion& deletion : deletions) {
    if (!deletion.obstacle.empty()) continue;
    figure.blocks.push_back(curvesBlock(deletion));
    const std::size_t shown = std::min(deletion.orders.size(), deletion.maps() + 1);
    for (std::size_t first = 0; first < shown; first += 2) {
      figure.blocks.push_back(picturesBlock(deletion, first, std::min(shown, first + 2)));
    }
  }
  if (figure.blocks.empty()) throw InspectionError(deletions.front().obstacle);
  return figure;
}

}  // namespace softscope
