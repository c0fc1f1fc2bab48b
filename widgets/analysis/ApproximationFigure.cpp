#include "widgets/analysis/ApproximationFigure.h"

#include "core/Error.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/QueriedLayer.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <utility>

namespace softscope {
namespace {

bool isSoftmax(const HeadApproximation& approximation) {
  return approximation.of.attention().mechanism == "nystromformer";
}

QString exactText(const HeadApproximation& approximation) {
  return isSoftmax(approximation) ? QStringLiteral("exact softmax S")
                                  : QStringLiteral("exact Gaussian kernel S");
}

/// A form as its factors spell it; V is the inverse that the iteration makes.
QString formText(const HeadApproximation& approximation, const NystromForm& form) {
  if (isSoftmax(approximation)) return QStringLiteral("K₁ V K₃");
  return form.normalised ? QStringLiteral("P D⁻½ V D⁻½ Pᵀ") : QStringLiteral("P V Pᵀ");
}

/// What the released iteration inverts.
QString invertedText(const HeadApproximation& approximation) {
  if (isSoftmax(approximation)) return QStringLiteral("A = K₂");
  return approximation.of.attention().mechanism == "soft" ? QStringLiteral("A + 0.01 I")
                                                          : QStringLiteral("A");
}

std::string formName(const NystromForm& form) {
  return form.normalised ? "attention" : "nystrom";
}

/// Asks one of the maps what the layer is asked.
QueriedLayer ask(const HeadApproximation& approximation, const MarkedQuery& query,
                 const PictureExtent& seen) {
  return askLayer(approximation.of.layer(), seen, query, Direction::Rows,
                  {.heads = {approximation.head}});
}

std::vector<AttentionValues> rowsOf(const HeadApproximation& approximation, int token) {
  std::vector<AttentionValues> rows = {
      attentionValues(approximation.exact(), approximation.head, token, Direction::Rows)};
  for (const NystromForm& form : approximation.forms) {
    rows.push_back(attentionValues(*form.map, approximation.head, token, Direction::Rows));
  }
  return rows;
}

QString patchText(const std::optional<TokenGrid>& grid, int token) {
  if (!grid) return QString::number(token);
  return QStringLiteral("(%1, %2)").arg(token / grid->width).arg(token % grid->width);
}

QString errorText(const HeadApproximation& approximation, std::size_t index) {
  const ApproximationError& error = approximation.errors[index];
  const AttentionDescription& attention = approximation.of.attention();
  return QStringLiteral("relative Frobenius error %1, largest %2 at query %3, key %4")
      .arg(valueText(error.relativeFrobenius), valueText(error.largest),
           patchText(attention.queryGrid, error.query), patchText(attention.keyGrid, error.key));
}

FigureBlock approximationBlock(const HeadApproximation& approximation, const MarkedQuery& query,
                               const std::shared_ptr<const Picture>& picture,
                               const ViewSettings& view) {
  const PictureRegion& region = approximation.of.region;
  const PictureExtent seen = extentOf(picture, region);
  const auto cropped =
      picture ? std::make_shared<const CroppedPicture>(pictureImage(*picture), region) : nullptr;
  const double aspect =
      panelAspect(picture.get(), region, approximation.of.attention(), Direction::Rows);
  FigureBlock block;
  block.caption = captionOf({approximation.of}, {});
  block.caption->about = approximationText(approximation);
  block.cells.push_back({picturePanel(ask(approximation, query, seen)), cropped, aspect, {}});
  for (HeadPanel& panel : approximationPanels(approximation, query, seen, view)) {
    block.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  return block;
}

void addNumber(NamedArrays& arrays, const std::string& name, double number) {
  arrays.emplace_back(name, FloatArray{{1}, {static_cast<float>(number)}});
}

void addErrors(NamedArrays& arrays, const HeadApproximation& approximation) {
  for (std::size_t i = 0; i < approximation.errors.size(); ++i) {
    const std::string name = headName(approximation.of, approximation.head) +
                             (approximation.forms[i].normalised ? ".attention" : ".approximation");
    addNumber(arrays, name + "_relative_frobenius", approximation.errors[i].relativeFrobenius);
    addNumber(arrays, name + "_largest", approximation.errors[i].largest);
  }
}

void addApproximatedRows(NamedArrays& arrays, const HeadApproximation& approximation,
                         const QueriedLayer& asked) {
  const std::vector<AttentionValues> rows = rowsOf(approximation, asked.token);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = headName(approximation.of, approximation.head) + "." +
                             (i == 0 ? "exact" : formName(approximation.forms[i - 1])) + "." +
                             queryName(asked);
    arrays.emplace_back(name, FloatArray{{rows[i].grid.height, rows[i].grid.width},
                                         {rows[i].patches.begin(), rows[i].patches.end()}});
  }
}

}  // namespace

std::vector<HeadApproximation> approximationsOf(const std::vector<AnalysedLayer>& layers,
                                                const std::vector<int>& heads) {
  std::vector<HeadApproximation> approximations;
  for (const AnalysedLayer& of : layers) {
    try {
      exactKernelOf(of.layer());
      const std::vector<NystromForm> forms = nystromForms(of.layer());
      const std::vector<int> wanted = headsOrAll(of, heads);
      for (const int head : wanted) of.layer().attention->checkHead(head);
      for (const int head : wanted) approximations.push_back({of, head, forms, {}, {}});
    } catch (const InspectionError& error) {
      approximations.push_back({of, 0, {}, {}, error.what()});
    }
  }
  return approximations;
}

std::vector<HeadApproximation> computeApproximations(const std::vector<AnalysedLayer>& layers,
                                                     const std::vector<int>& heads,
                                                     const Progress& progress) {
  std::vector<HeadApproximation> approximations = approximationsOf(layers, heads);
  const auto count = static_cast<double>(approximations.size());
  for (std::size_t i = 0; i < approximations.size(); ++i) {
    HeadApproximation& approximation = approximations[i];
    const Progress part =
        progress.part(double(i) / count, double(i + 1) / count, approximation.of.layer().name);
    const auto forms = static_cast<double>(approximation.forms.size());
    for (std::size_t k = 0; k < approximation.forms.size(); ++k) {
      approximation.errors.push_back(
          approximationError(approximation.exact(), *approximation.forms[k].map, approximation.head,
                             part.part(double(k) / forms, double(k + 1) / forms, {})));
    }
  }
  return approximations;
}

std::vector<HeadPanel> approximationPanels(const HeadApproximation& approximation,
                                           const MarkedQuery& query, const PictureExtent& seen,
                                           const ViewSettings& view) {
  QueriedLayer asked = ask(approximation, query, seen);
  asked.values = rowsOf(approximation, asked.token);
  const std::vector<ValueRange> ranges = valueRanges(asked.values, view);
  std::vector<HeadPanel> panels;
  for (std::size_t i = 0; i < asked.values.size(); ++i) {
    HeadPanel panel = headPanel(asked, asked.values[i], ranges[i], view);
    panel.title =
        i == 0 ? exactText(approximation) : formText(approximation, approximation.forms[i - 1]);
    panel.note = i == 0                                  ? QString()
                 : approximation.forms[i - 1].normalised ? QStringLiteral("attention")
                                                         : QStringLiteral("Nyström");
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString approximationText(const HeadApproximation& approximation) {
  QString text = layerText(approximation.of.attention(),
                           QString::fromStdString(approximation.of.mechanismNote)) +
                 QStringLiteral(" · ") + headText(approximation.head) + QStringLiteral(" · ") +
                 exactText(approximation);
  for (std::size_t i = 0; i < approximation.forms.size(); ++i) {
    const NystromForm& form = approximation.forms[i];
    text += QStringLiteral(" · ") + formText(approximation, form);
    if (form.normalised) text += QStringLiteral(", which SOFT++ attends with");
    if (i < approximation.errors.size()) {
      text += QStringLiteral(": ") + errorText(approximation, i);
    }
  }
  return text + QStringLiteral(" · V: the iteration's inverse of ") + invertedText(approximation);
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

NamedArrays approximationArrays(const std::vector<HeadApproximation>& approximations,
                                const std::vector<MarkedQuery>& queries,
                                const std::shared_ptr<const Picture>& picture) {
  NamedArrays arrays;
  for (const HeadApproximation& approximation : approximations) {
    if (!approximation.obstacle.empty()) continue;
    addErrors(arrays, approximation);
    const PictureExtent seen = extentOf(picture, approximation.of.region);
    for (const MarkedQuery& query : queries) {
      addApproximatedRows(arrays, approximation, ask(approximation, query, seen));
    }
  }
  return arrays;
}

}  // namespace softscope
