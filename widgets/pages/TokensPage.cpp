#include "widgets/pages/TokensPage.h"

#include "core/Error.h"
#include "core/analysis/tokens/TokenVectors.h"
#include "widgets/analysis/TokensFigure.h"
#include "widgets/controls/NameText.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/pages/TokensCommand.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/MatchGrid.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QStackedWidget>

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

/// The name of what models without weights lack, for ModelSummary::obstacleTo().
constexpr const char* tokensOfModel = "token to look at";

/// Shows what a button lets go of.
void showRelease(QPushButton& button, const QString& name) {
  const QFontMetrics metrics = button.fontMetrics();
  const QString text = TokensPage::tr("Let go of %1");
  button.setText(metrics.elidedText(text.arg(onButton(name)), Qt::ElideMiddle,
                                    18 * metrics.averageCharWidth() + 60));
  button.setAccessibleName(text.arg(name));
}

}  // namespace

TokensPage::TokensPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Tokens"), parent),
      keep_(new QPushButton(tr("Keep picture"), this)),
      release_(new QPushButton(this)),
      vector_(new QPushButton(tr("Vector…"), this)),
      releaseVectors_(new QPushButton(this)),
      maps_(new HeadGrid(this)),
      pairs_(new MatchGrid(this)),
      grids_(new QStackedWidget(this)),
      results_(workspace, [this] { showNow(); }) {
  maps_->setAccessibleName(tr("Tokens"));
  maps_->setAccessibleDescription(
      tr("Maps of the tokens behind blocks. Arrow keys step the query one patch."));
  grids_->addWidget(maps_);
  grids_->addWidget(pairs_);
  setContent(grids_);
  addSettings(tokenSettings, controls_);
  addScope("tokens");
  static_cast<QSpinBox*>(controls_.at("foreground"))->setPrefix(tr("Foreground from "));
  static_cast<QDoubleSpinBox*>(controls_.at("outliers"))->setPrefix(tr("Outliers from "));
  static_cast<QSpinBox*>(controls_.at("lines"))->setPrefix(tr("At most "));
  for (QPushButton* button : {vector_, releaseVectors_, keep_, release_}) {
    button->setFocusPolicy(Qt::TabFocus);
    addControl(button);
  }
  keep_->setAccessibleName(keep_->text());
  release_->setAccessibleName(tr("Let go of kept pictures"));
  connect(keep_, &QPushButton::clicked, this, &TokensPage::keepPicture);
  connect(release_, &QPushButton::clicked, this, [this] {
    change([](AnalysisSettings& changed) {
      changed.of<TokenSettings>().kept.clear();
      changed.of<TokenSettings>().keptReadings.clear();
    });
  });
  vector_->setAccessibleName(tr("Compare with a vector"));
  releaseVectors_->setAccessibleName(tr("Let go of vectors"));
  vector_->setToolTip(
      tr("Compare patches with the vectors of .npy files instead of the query's token, such as "
         "those that CLIP makes of texts. They may be dropped on the window as well"));
  connect(vector_, &QPushButton::clicked, this, &TokensPage::chooseVectors);
  connect(releaseVectors_, &QPushButton::clicked, this,
          [this] { workspace_.analysis().compareVectors({}); });
  connectQuery(*maps_, workspace_);
  connectZoom(*maps_, workspace_);
  connectMenu(*maps_, *this, workspace_);
  connect(maps_, &HeadGrid::hovered, this, &TokensPage::readToken);
  connect(maps_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
  AskedQueries& queries = workspace_.queries();
  connect(pairs_, &MatchGrid::stepped, &queries, &AskedQueries::step);
  connect(pairs_, &MatchGrid::pressed, &queries, [&queries](const QPointF& place) {
    queries.ask(queryInRegion(queries.extent(), place));
  });
  connect(pairs_, &MatchGrid::dragged, &queries, [&queries](const QPointF& place) {
    queries.drag(queryInRegion(queries.extent(), place));
  });
}

std::optional<FollowedView> TokensPage::followedView() const {
  switch (settings().of) {
    case TokenQuantity::Similarity:
      return FollowedView{};
    case TokenQuantity::Norms:
      return FollowedView{.signs = false};
    case TokenQuantity::Components:
      return FollowedView{.values = false, .signs = false};
    case TokenQuantity::Matches:
      break;
  }
  return std::nullopt;
}

const TokenSettings& TokensPage::settings() const {
  return workspace_.analysis().settings().of<TokenSettings>();
}

void TokensPage::takePicture() {
  AnalysisPage::takePicture();
  seenPicture_ = seenPicture(workspace_);
  parts_.clear();
}

std::vector<AnalysedLayer> TokensPage::comparableLayers() const {
  std::vector<AnalysedLayer> layers = scopeLayers();
  takeOutLacking(layers, tokensOfModel);
  const std::optional<AnalysedLayer> front = analysedLayer(workspace_.models());
  if (!front) return {};
  std::erase_if(layers, [&](const AnalysedLayer& layer) { return layer.region != front->region; });
  return layers;
}

std::optional<std::vector<TokenMap>> TokensPage::computed(const ShownTokens& shown) {
  const std::vector<PictureQuery> queries{workspace_.queries().query()};
  if (settings().of == TokenQuantity::Components) {
    return computedComponents(componentsSubject(shown));
  }
  return tokenMaps(shown.layers, settings(), queries);
}

std::optional<PictureQuery> TokensPage::foregroundQuery(const ShownTokens& shown) const {
  if (!settings().asksForeground()) return std::nullopt;
  const AskedQueries& queries = workspace_.queries();
  PictureQuery query = queries.query();
  const TokenGrid& grid = shown.layers.front().layer().grid;
  const bool haveOneGrid = std::ranges::all_of(
      shown.layers, [&](const AnalysedTokens& of) { return of.layer().grid == grid; });
  // Every place on a patch asks for the same.
  if (haveOneGrid) {
    const std::optional<int> prefixToken = query.prefixToken;
    query = queryAt(grid, queries.extent(), patchAt(grid, queries.extent(), query));
    query.prefixToken = prefixToken;
  }
  return query;
}

TokenMapsSubject TokensPage::componentsSubject(const ShownTokens& shown) const {
  return {shown.layers, shown.basis, settings(), foregroundQuery(shown)};
}

std::optional<std::vector<TokenMap>> TokensPage::computedComponents(
    const TokenMapsSubject& subject) {
  const auto* components = results_.components(subject);
  if (!components) return std::nullopt;
  std::vector<TokenMap> maps = *components;
  for (TokenMap& map : maps) {
    if (map.leastCosine) map.query = workspace_.queries().query();
  }
  return maps;
}

bool TokensPage::showMaps(const ShownTokens& shown) {
  TokenMapsSubject subject = componentsSubject(shown);
  subject.like.reset();
  if (settings().comparesVectors()) {
    auto maps = computedVectors(shown);
    if (!maps) return false;
    shown_ = std::move(*maps);
    shownOf_.reset();
    drawMaps();
    return true;
  }
  auto maps = computed(shown);
  if (!maps) {
    if (shownOf_ == subject && !shown_.empty() && workspace_.worker().isBusy()) return true;
    showWaiting();
    return false;
  }
  shown_ = std::move(*maps);
  shownOf_ = std::move(subject);
  drawMaps();
  return true;
}

void TokensPage::drawMaps() {
  std::vector<HeadPanel> panels = tokenPanels(shown_, workspace_.view().settings());
  const AskedQueries& queries = workspace_.queries();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const AnalysedTokens& of = shown_[i].of;
    panels[i].asks = of.picture == shown_.front().of.picture;
    if (!of.picture.empty()) {
      panels[i].title = QString::fromStdString(of.picture) + captionSeparator + panels[i].title;
    }
    if (!panels[i].asks) continue;
    panels[i].visible = workspace_.view().visible();
    // In a pyramid, layers have patches of different sizes.
    if (!queries.asksPatch() || shown_[i].vector) continue;
    panels[i].query =
        patchMark(of.layer().grid, queries.extent(), {queries.query(), Qt::white, {}});
  }
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  grids_->setCurrentWidget(maps_);
  showContent(withLeftOut(tokensText(shown_)));
  std::vector<std::shared_ptr<const CroppedPicture>> pictures;
  for (const TokenMap& map : shown_) {
    const bool isPresent = map.of.picture == shown_.front().of.picture;
    pictures.push_back(isPresent ? seenPicture_ : parts_.of(map.of.shown, map.of.region));
  }
  maps_->setPanels(std::move(panels), pictures);
}

void TokensPage::showMatches(const ShownTokens& shown) {
  // Those of all patches, so that another query only picks another of them.
  const auto* matches = results_.matches(shown.layers);
  if (!matches) {
    shownMatches_.clear();
    showWaiting();
    return;
  }
  const bool ofQuery = settings().matched == MatchedPatches::Query;
  shownMatches_ = ofQuery ? matchesOfQueries(*matches, {workspace_.queries().query()}) : *matches;
  grids_->setCurrentWidget(pairs_);
  showContent(withLeftOut(matchesText(shownMatches_, settings().lines)));
  pairs_->setPanels(matchPanels(shownMatches_, settings().lines,
                                markedQueries(shownMatches_.front().queries), parts_));
}

void TokensPage::showButtons() {
  const std::vector<std::string>& kept = settings().kept;
  const OpenedPicture& picture = workspace_.picture();
  const bool isKept = picture.get() && results_.othersThanPresent().size() < kept.size();
  QString tip =
      tr("Keep this picture beside those opened next: their components are those fitted on it, in "
         "the same colours, and similarity and matches reach to it");
  if (!picture.isFile()) tip = tr("Only pictures from files can be kept; save this one first");
  if (isKept) tip = tr("This picture is kept; open another to see it beside this one");
  const bool isFull = kept.size() >= mostKeptPictures;
  if (isFull) tip = tr("No more pictures can be kept");
  keep_->setEnabled(picture.isFile() && !isKept && !isFull);
  keep_->setToolTip(tip);
  showVectorButtons();
  release_->setVisible(!kept.empty());
  const QString name = kept.size() == 1
                           ? QFileInfo(QString::fromStdString(kept.front())).completeBaseName()
                           : tr("%1 pictures").arg(kept.size());
  showRelease(*release_, name);
  release_->setToolTip(tr("Stop keeping a picture"));
}

void TokensPage::showVectorButtons() {
  const std::vector<std::string>& vectors = settings().vectors;
  const bool isOfSimilarity = settings().of == TokenQuantity::Similarity;
  vector_->setVisible(isOfSimilarity);
  releaseVectors_->setVisible(isOfSimilarity && !vectors.empty());
  const QString name = vectors.size() == 1
                           ? QFileInfo(QString::fromStdString(vectors.front())).fileName()
                           : tr("%1 vectors").arg(vectors.size());
  showRelease(*releaseVectors_, name);
  releaseVectors_->setToolTip(tr("Compare patches with the query's token again"));
}

std::optional<std::vector<TokenMap>> TokensPage::computedVectors(const ShownTokens& shown) {
  const VectorMaps* found = results_.vectorMapsOf(shown.layers);
  if (!found) {
    showWaiting();
    return std::nullopt;
  }
  if (found->obstacle.empty()) return found->maps;
  showWords(tr("Patches cannot be compared with this"), QString::fromStdString(found->obstacle));
  return std::nullopt;
}

void TokensPage::chooseVectors() {
  const std::vector<std::string>& vectors = settings().vectors;
  const QString folder = vectors.empty()
                             ? QString()
                             : QFileInfo(QString::fromStdString(vectors.front())).absolutePath();
  const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Compare with vectors"), folder,
                                                          tr("NumPy arrays (*.npy)"));
  if (paths.isEmpty()) return;
  workspace_.analysis().compareVectors(paths);
  // A file that was chosen before may have other vectors in it now.
  showNow();
}

void TokensPage::keepPicture() {
  const Picture& picture = *workspace_.picture().get();
  const PictureReading& reading = picture.source.reading;
  change([&](AnalysisSettings& changed) {
    TokenSettings& tokens = changed.of<TokenSettings>();
    // From now on those without a reading keep the one that they have been shown with.
    tokens.keptReadings.resize(tokens.kept.size(), reading);
    tokens.kept.push_back(absolutePath(picture.path));
    tokens.keptReadings.push_back(reading);
  });
}

void TokensPage::showNow() {
  controls_.show(settings());
  const TokenQuantity of = settings().of;
  controls_.at("foreground")->setVisible(of == TokenQuantity::Components);
  controls_.at("foregroundBy")->setVisible(of == TokenQuantity::Components);
  controls_.at("foregroundBy")->setEnabled(settings().foreground > 0);
  controls_.at("vectorSpace")->setVisible(settings().comparesVectors());
  controls_.at("outliers")->setVisible(of == TokenQuantity::Norms);
  controls_.at("matches")->setVisible(of == TokenQuantity::Matches);
  controls_.at("lines")->setVisible(of == TokenQuantity::Matches);
  showButtons();
  if (of != TokenQuantity::Matches) shownMatches_.clear();
  // Maps are not cleared before, because asking the worker for others comes back here.
  if (!showTokens(comparableLayers())) shown_.clear();
}

bool TokensPage::showTokens(const std::vector<AnalysedLayer>& layers) {
  const TokenQuantity of = settings().of;
  const bool reachesKept = of != TokenQuantity::Norms && !settings().kept.empty();
  if (showsNoEngine(workspace_.engine().inspectTokens != nullptr, tr("No tokens"))) return false;
  if (layers.empty()) {
    std::vector<AnalysedLayer> all = scopeLayers();
    const QStringList lacking = takeOutLacking(all, tokensOfModel);
    if (!lacking.isEmpty()) showWords(tr("No tokens"), lacking.join(u'\n'));
    return false;
  }
  if (of == TokenQuantity::Matches && results_.othersThanPresent().empty()) {
    showWords(tr("Matches are between two pictures"),
              settings().kept.empty()
                  ? tr("Keep this picture, then open another: lines join the patches of both that "
                       "are most alike.")
                  : tr("This picture is kept. Open another: lines join the patches of both that "
                       "are most alike."));
    return false;
  }
  const TokenResults::Tokens* tokens = results_.tokens(modelsOf(layers));
  const KeptTokens* kept = nullptr;
  if (tokens && reachesKept) kept = results_.keptTokens(modelsOf(layers));
  if (!tokens || (reachesKept && !kept)) {
    showWaiting();
    return false;
  }
  if (kept && !kept->obstacle.empty()) {
    showWords(tr("A kept picture cannot be shown"), QString::fromStdString(kept->obstacle));
    return false;
  }
  const ShownTokens shown = results_.tokensOf(layers, *tokens, kept);
  if (of != TokenQuantity::Matches) return showMaps(shown);
  showMatches(shown);
  return false;
}

QString TokensPage::withLeftOut(const QString& about) const {
  std::vector<AnalysedLayer> layers = scopeLayers();
  const QStringList lacking = takeOutLacking(layers, tokensOfModel);
  const bool seeAlike = comparableLayers().size() == layers.size();
  return joinedCaption(
      {about, seeAlike ? QString() : tr("models that see another part of the picture are left out"),
       lackingText(lacking)});
}

void TokensPage::retry() {
  results_.retry();
}

void TokensPage::releaseResults() {
  maps_->clear();
  pairs_->clear();
  shown_.clear();
  shownOf_.reset();
  shownMatches_.clear();
  parts_.clear();
  results_.releaseClosed();
}

bool TokensPage::hasFigure() const {
  return showsContent() && (!shown_.empty() || !shownMatches_.empty());
}

std::optional<PageFigure> TokensPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const TokenSettings& settings = this->settings();
  const bool matches = settings.of == TokenQuantity::Matches;
  // Only of what is drawn: models that see another part of the picture are left out.
  const std::vector<AnalysedLayer> layers = comparableLayers();
  std::vector<KeptPicture> drawn;
  if (settings.of != TokenQuantity::Norms) drawn = results_.othersThanPresent();
  std::vector<std::string> others;
  for (const KeptPicture& other : drawn) others.push_back(other.path);
  std::optional<PictureQuery> query;
  std::vector<MarkedQuery> marked;
  if (settings.asksQuery()) {
    query = matches ? shownMatches_.front().queries.front() : shown_.front().query;
    marked = markedQueries({*query});
  }
  const AnalysisCommand command = tokensCommand(scopeOptions(layers), settings, std::move(others),
                                                query, workspace_.view().settings());
  PanelFigure drawing = matches ? matchesFigure(shownMatches_, settings.lines, marked)
                                : tokensFigure(shown_, marked, workspace_.view().settings());
  PageFigure page =
      pageFigure(QStringLiteral("tokens"), std::move(drawing), modelsOf(layers), command);
  if (settings.of == TokenQuantity::Components) drawn = results_.allKept();
  if (!results_.areReadLikePresent(drawn)) {
    page.command = [](const FigureSource&, const FigureSettings&,
                      const std::string&) -> std::string {
      throw Error(
          "no command makes this figure: a command reads all pictures alike, and these were read "
          "with other pages, levels or orientations; keep pictures that are read like this one");
    };
  }
  if (matches) {
    page.table = [shown = shownMatches_] { return matchTable(shown); };
  } else {
    page.arrays = [maps = shown_] { return tokenArrays(maps); };
    if (shown_.front().vector) page.caveats = [maps = shown_] { return vectorNotes(maps); };
  }
  return page;
}

void TokensPage::readToken(int panel, int row, int column) {
  const auto index = static_cast<std::size_t>(panel);
  if (index < shown_.size()) Q_EMIT readOut(tokenReading(shown_[index], row, column));
}

}  // namespace softscope
