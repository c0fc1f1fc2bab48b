#include "core/attention/Mechanism.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <utility>

namespace softscope {
namespace {

bool isSoftmax(const HeadApproximation& approximation) {
  return traitsOf(approximation.of.attention().mechanism).approximatesSoftmax();
}

QString exactText(const HeadApproximation& approximation) {
  return isSoftmax(approximation) ? QStringLiteral("exact softmax S")
                                  : QStringLiteral("exact Gaussian kernel S");
}

/// Writes a form as the product of its factors; V is the inverse that the iteration yields.
QString formText(const HeadApproximation& approximation, const NystromForm& form) {
  const bool exact = form.middle == NystromForm::Middle::Exact;
  if (isSoftmax(approximation)) {
    return exact ? QStringLiteral("K₁ A⁺ K₃") : QStringLiteral("K₁ V K₃");
  }
  if (exact) return QStringLiteral("P A⁺ Pᵀ");
  return form.middle == NystromForm::Middle::Normalised ? QStringLiteral("P D⁻½ V D⁻½ Pᵀ")
                                                        : QStringLiteral("P V Pᵀ");
}

/// Returns the choice of landmarks, if it is not the one that the network ran with.
QString landmarkChoiceText(const HeadApproximation& approximation) {
  if (approximation.landmarks.isTrained()) return {};
  return QStringLiteral(" · %1 in place of the network's, for this kernel alone")
      .arg(QString::fromStdString(approximation.landmarks.text()));
}

QString formNote(const HeadApproximation& approximation, const NystromForm& form) {
  switch (form.middle) {
    case NystromForm::Middle::Exact:
      return QStringLiteral("exact inverse");
    case NystromForm::Middle::Normalised:
      return QStringLiteral("attention");
    case NystromForm::Middle::Released:
      break;
  }
  return approximation.landmarks.isTrained()
             ? QStringLiteral("Nyström")
             : QString::fromStdString(nameOf(approximation.landmarks.source));
}

/// Returns the matrix that the released iteration inverts.
QString invertedText(const HeadApproximation& approximation) {
  if (isSoftmax(approximation)) return QStringLiteral("A = K₂");
  const auto& bottleneck = traitsOf(approximation.of.attention().mechanism).bottleneck;
  return bottleneck && bottleneck->inverse == InverseScheme::Soft ? QStringLiteral("A + 0.01 I")
                                                                  : QStringLiteral("A");
}

QString patchText(const std::optional<TokenGrid>& grid, int token) {
  if (!grid) return QString::number(token);
  return QStringLiteral("(%1, %2)").arg(token / grid->width).arg(token % grid->width);
}

QString errorText(const HeadApproximation& approximation, std::size_t index) {
  const ApproximationError& error = approximation.errors[index];
  const AttentionDescription& attention = approximation.of.attention();
  return QStringLiteral(
             "relative Frobenius error %1, %2 when rescaled, largest %3 at query %4, key %5")
      .arg(valueText(error.relativeFrobenius), valueText(error.rescaledFrobenius),
           valueText(error.largest), patchText(attention.queryGrid, error.query),
           patchText(attention.keyGrid, error.key));
}

FigureBlock approximationBlock(const HeadApproximation& approximation, const MarkedQuery& query,
                               const std::shared_ptr<const Picture>& picture,
                               const ViewSettings& view) {
  const PictureRegion& region = approximation.of.region;
  const PictureExtent seen = extentOf(picture.get(), region);
  const auto cropped =
      picture ? std::make_shared<const CroppedPicture>(pictureImage(picture), region) : nullptr;
  const double aspect =
      panelAspect(picture.get(), region, approximation.of.attention(), Direction::Rows);
  FigureBlock block;
  block.caption = captionOf({approximation.of}, {});
  block.caption->about = approximationText(approximation);
  block.cells.push_back({picturePanel(askApproximation(approximation, query.query, seen), query),
                         cropped,
                         aspect,
                         {}});
  for (HeadPanel& panel : approximationPanels(approximation, query, seen, view)) {
    block.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  return block;
}

}  // namespace

std::vector<HeadPanel> approximationPanels(const HeadApproximation& approximation,
                                           const MarkedQuery& query, const PictureExtent& seen,
                                           const ViewSettings& view) {
  const QueriedLayer asked = askApproximation(approximation, query.query, seen);
  const std::vector<ValueRange> ranges = valueRanges(asked.values, view);
  std::vector<HeadPanel> panels;
  for (std::size_t i = 0; i < asked.values.size(); ++i) {
    HeadPanel panel = headPanel(asked, query, asked.values[i], ranges[i], view);
    panel.title =
        i == 0 ? exactText(approximation) : formText(approximation, approximation.forms[i - 1]);
    if (i > 0) panel.note = formNote(approximation, approximation.forms[i - 1]);
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString approximationText(const HeadApproximation& approximation) {
  QString text = layerText(approximation.of.attention(),
                           QString::fromStdString(approximation.of.mechanismNote)) +
                 QStringLiteral(" · ") + headText(approximation.head) + QStringLiteral(" · ") +
                 exactText(approximation) + landmarkChoiceText(approximation);
  for (std::size_t i = 0; i < approximation.forms.size(); ++i) {
    const NystromForm& form = approximation.forms[i];
    text += QStringLiteral(" · ") + formText(approximation, form);
    if (form.middle == NystromForm::Middle::Normalised) {
      text += QStringLiteral(", which SOFT++ attends with");
    }
    if (i < approximation.errors.size()) {
      text += QStringLiteral(": ") + errorText(approximation, i);
    }
  }
  text += QStringLiteral(" · V: the iteration's inverse of ") + invertedText(approximation);
  if (approximation.forms.back().middle == NystromForm::Middle::Exact) {
    text += QStringLiteral(", A⁺: the pseudo-inverse of A, which no network computes");
  }
  return text;
}

PanelFigure approximationFigure(const std::vector<HeadApproximation>& approximations,
                                const std::vector<MarkedQuery>& queries,
                                const std::shared_ptr<const Picture>& picture,
                                const ViewSettings& view) {
  PanelFigure figure;
  for (const HeadApproximation& approximation : approximations) {
    if (!approximation.obstacle.empty()) continue;
    for (const MarkedQuery& query : queries) {
      figure.blocks.push_back(approximationBlock(approximation, query, picture, view));
    }
  }
  return figure;
}

}  // namespace softscope
