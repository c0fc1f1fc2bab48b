#include "widgets/pages/TokensPage.h"

#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

#include <QtWidgets/QSpinBox>

#include <algorithm>

namespace softscope {

TokensPage::TokensPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Tokens"), parent),
      maps_(new HeadGrid(this)),
      tokens_(workspace.worker(), [this] { showNow(); }),
      components_(workspace.worker(), [this] { showNow(); }) {
  maps_->setAccessibleName(tr("Tokens"));
  maps_->setAccessibleDescription(
      tr("Maps of the tokens behind blocks. Arrow keys step the query one patch."));
  setContent(maps_);
  addSettings(tokenSettings, controls_);
  addScope("tokens");
  for (auto* box : findChildren<QAbstractSpinBox*>()) {
    (qobject_cast<QSpinBox*>(box) ? foreground_ : outliers_) = box;
  }
  static_cast<QSpinBox*>(foreground_)->setPrefix(tr("foreground from "));
  static_cast<QDoubleSpinBox*>(outliers_)->setPrefix(tr("outliers from "));
  connectQuery(*maps_, workspace_);
  connectZoom(*maps_, workspace_);
  connectMenu(*maps_, *this, workspace_);
  connect(maps_, &HeadGrid::hovered, this, &TokensPage::readToken);
  connect(maps_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
}

void TokensPage::takePicture() {
  AnalysisPage::takePicture();
  seenPicture_ = seenPicture(workspace_);
}

std::vector<AnalysedLayer> TokensPage::comparableLayers() const {
  std::vector<AnalysedLayer> layers = scopeLayers();
  const std::optional<AnalysedLayer> front = analysedLayer(workspace_.models());
  if (!front) return {};
  std::erase_if(layers, [&](const AnalysedLayer& layer) { return layer.region != front->region; });
  return layers;
}

const TokensPage::Tokens* TokensPage::inspected(const std::vector<AnalysedLayer>& layers) {
  TokensSubject subject;
  std::vector<std::function<Inspected(const Progress&)>> runs;
  for (const OpenedModel& opened : workspace_.models().all()) {
    const bool wanted = std::any_of(layers.begin(), layers.end(), [&](const AnalysedLayer& layer) {
      return layer.inspection == opened.inspection;
    });
    if (!wanted) continue;
    subject.push_back(opened.inspection);
    runs.push_back([inspector = workspace_.engine().inspectTokens, model = opened.model,
                    inspection = opened.inspection,
                    input = inputOf(opened, workspace_.picture().shared())](
                       const Progress& progress) -> Inspected {
      return {inspection, inspector(*model, input(), progress)};
    });
  }
  return tokens_.get(subject, tr("Taking tokens"), [runs](const Progress& progress) {
    Tokens tokens;
    for (const auto& run : runs) tokens.push_back(run(progress));
    return tokens;
  });
}

std::optional<std::vector<TokenMap>> TokensPage::computed(
    const std::vector<AnalysedTokens>& layers) {
  const TokenSettings settings = workspace_.analysis().settings().of<TokenSettings>();
  if (settings.of != TokenQuantity::Components) {
    return tokenMaps(layers, settings, workspace_.picture().get(), {workspace_.queries().query()});
  }
  const auto* components =
      components_.get({layers, settings.foreground}, tr("Finding principal components"),
                      [layers, foreground = settings.foreground](const Progress& progress) {
                        progress.throwIfCancelled();
                        return componentMaps(layers, foreground);
                      });
  if (!components) return std::nullopt;
  return *components;
}

void TokensPage::showNow() {
  const TokenSettings settings = workspace_.analysis().settings().of<TokenSettings>();
  controls_.show(settings);
  foreground_->setVisible(settings.of == TokenQuantity::Components);
  outliers_->setVisible(settings.of == TokenQuantity::Norms);
  shown_.clear();
  const std::vector<AnalysedLayer> layers = comparableLayers();
  if (layers.empty()) return;
  if (!workspace_.engine().inspectTokens) {
    showWords(tr("No tokens"), tr("Models cannot be run from here."));
    return;
  }
  const Tokens* tokens = inspected(layers);
  if (!tokens) {
    showWaiting();
    return;
  }
  std::vector<AnalysedTokens> analysed;
  for (const AnalysedLayer& layer : layers) {
    const auto of = std::find_if(tokens->begin(), tokens->end(), [&](const Inspected& inspected) {
      return inspected.inspection == layer.inspection;
    });
    analysed.push_back({layer.model, layer.mechanismNote, of->tokens,
                        of->tokens->indexOf(layer.layer().name), layer.region});
  }
  auto maps = computed(analysed);
  if (!maps) {
    showWaiting();
    return;
  }
  shown_ = std::move(*maps);
  std::vector<HeadPanel> panels = tokenPanels(shown_, workspace_.view().settings());
  const AskedQueries& queries = workspace_.queries();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i].visible = workspace_.view().visible();
    // In a pyramid, layers have patches of different sizes.
    if (!queries.asksPatch()) continue;
    panels[i].query =
        patchMark(shown_[i].of.layer().grid, queries.extent(), {queries.query(), Qt::white, {}});
  }
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  showContent(tokensText(shown_) + leftOutText());
  maps_->setPanels(std::move(panels), seenPicture_);
}

QString TokensPage::leftOutText() const {
  if (comparableLayers().size() == scopeLayers().size()) return {};
  return tr(" · models that see another part of the picture are left out");
}

void TokensPage::retry() {
  tokens_.retry();
  components_.retry();
}

void TokensPage::releaseResults() {
  maps_->clear();
  shown_.clear();
  tokens_.keepIf(OpenSubjects(workspace_.models()));
  components_.keepIf([this](const ComponentsSubject&) { return tokens_.latest() != nullptr; });
}

std::optional<PageFigure> TokensPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const TokenSettings settings = workspace_.analysis().settings().of<TokenSettings>();
  const std::vector<std::string> scope = scopeOptions();
  AnalysisCommand command{"tokens", scope};
  addOptions(command, tokenSettings, settings);
  if (settings.of == TokenQuantity::Similarity) {
    const std::vector<std::string> query = queryOptions(workspace_.queries().query());
    command.options.insert(command.options.end(), query.begin(), query.end());
  }
  const std::vector<std::string> view = viewOptions(workspace_.view().settings());
  command.options.insert(command.options.end(), view.begin(), view.end());
  std::vector<MarkedQuery> marked;
  if (settings.of == TokenQuantity::Similarity)
    marked = markedQueries({workspace_.queries().query()});
  PanelFigure drawing =
      tokensFigure(shown_, marked, workspace_.picture().shared(), workspace_.view().settings());
  drawing.blocks.front().caption->about += leftOutText();
  PageFigure page =
      pageFigure(QStringLiteral("tokens"), std::move(drawing), scopeModels(), command);
  page.arrays = [maps = shown_] { return tokenArrays(maps); };
  return page;
}

void TokensPage::readToken(int panel, int row, int column) {
  const auto index = static_cast<std::size_t>(panel);
  if (index < shown_.size()) Q_EMIT readOut(tokenReading(shown_[index], row, column));
}

}  // namespace softscope
