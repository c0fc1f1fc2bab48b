#include "widgets/figure/HeadsFigure.h"

#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/query/ValueRange.h"

namespace softscope {
namespace {

FigureCaption captionOf(const HeadsSubject& subject, const QueriedLayer& asked) {
  FigureCaption caption;
  caption.name = QString::fromStdString(subject.modelName);
  caption.detail = QString::fromStdString(asked.layer->name);
  caption.about =
      layerText(*asked.layer, QString::fromStdString(subject.mechanismNote), asked.map) +
      captionSeparator +
      questionText(asked.attention(), subject.direction, asked.token, asked.map) +
      (subject.orderNote.empty() ? QString()
                                 : captionSeparator + QString::fromStdString(subject.orderNote)) +
      caveatsText(asked, asked.values);
  return caption;
}

FigureBlock headsBlock(const HeadsSubject& subject, const QueriedLayer& asked,
                       const MarkedQuery& query,
                       const std::shared_ptr<const CroppedPicture>& picture) {
  const double aspect =
      panelAspect(subject.picture.get(), subject.region, asked.attention(), subject.direction);
  const std::vector<ValueRange> ranges = valueRanges(asked.values, subject.view);
  const bool shared = subject.view.normalisation == ViewSettings::Normalisation::Shared;
  FigureBlock block;
  block.caption = captionOf(subject, asked);
  block.cells.push_back({picturePanel(asked, query), picture, aspect});
  for (std::size_t i = 0; i < asked.values.size(); ++i) {
    if (repeatsOnlyHead(asked, asked.values[i])) continue;
    HeadPanel panel = headPanel(asked, query, asked.values[i], ranges[i], subject.view);
    panel.colorBar = !shared;
    block.cells.push_back({std::move(panel), picture, aspect});
  }
  if (shared && !ranges.empty()) {
    block.bar = {ranges.front(), heatmapStyle(subject.view, ranges.front()).colors, {}};
  }
  return block;
}

}  // namespace

PanelFigure headsFigure(const HeadsSubject& subject) {
  std::shared_ptr<const CroppedPicture> picture;
  if (subject.picture) {
    picture = std::make_shared<const CroppedPicture>(pictureImage(subject.picture), subject.region);
  }
  PanelFigure figure;
  // The answers come layer by layer, with every query for each layer.
  const std::vector<QueriedLayer> answers = answersOf(subject);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const MarkedQuery& query = subject.queries[i % subject.queries.size()];
    figure.blocks.push_back(headsBlock(subject, answers[i], query, picture));
  }
  return figure;
}

std::vector<QueriedLayer> answersOf(const HeadsSubject& subject) {
  std::vector<QueriedLayer> answers;
  const PictureExtent extent = extentOf(subject.picture.get(), subject.region);
  for (std::size_t i = 0; i < subject.layers.size(); ++i) {
    ShownHeads shown = subject.shown;
    if (!subject.orders.empty()) shown.heads = subject.orders[i];
    for (const PictureQuery& query : placesOf(subject.queries)) {
      answers.push_back(
          askLayer(subject.layers[i], extent, query, subject.direction, shown, subject.map));
    }
  }
  // Likeness is that of rows; the answers of columns are different ones.
  if (subject.direction != Direction::Rows) return answers;
  tellLikeness(answers, subject.likeness.empty() ? layerLikeness(subject.layers, subject.map)
                                                 : subject.likeness);
  return answers;
}

}  // namespace softscope
