#pragma once

#include "core/analysis/tokens/TokenMatches.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/pages/TokenResults.h"
#include "widgets/paint/PictureImage.h"

#include <memory>
#include <optional>
#include <vector>

class QPushButton;
class QStackedWidget;

namespace softscope {

class HeadGrid;
class MatchGrid;

/// The page of the tokens behind blocks: how similar each patch is to the query's token or to
/// vectors of files, their principal components, their norms, and which patches of another picture
/// they match. They are computed in a second pass when the page is shown. Pictures that the user
/// keeps are shown beside the present one: components are fitted on them, similarity and matches
/// reach to them.
class TokensPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit TokensPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override;
  bool asksOnClick() const override { return true; }
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;

 private:
  const TokenSettings& settings() const;
  /// Returns the layers of the scope whose model has tokens and sees the same part of the picture
  /// as the current one.
  std::vector<AnalysedLayer> comparableLayers() const;
  /// Returns the line above tokens: `about`, and which models comparableLayers() leave out.
  QString withLeftOut(const QString& about) const;
  /// Returns the requested maps; empty while components are being computed.
  std::optional<std::vector<TokenMap>> computed(const ShownTokens& shown);
  std::optional<std::vector<TokenMap>> computedComponents(const TokenMapsSubject& subject);
  TokenMapsSubject componentsSubject(const ShownTokens& shown) const;
  /// Returns the query whose token the foreground of components is like.
  std::optional<PictureQuery> foregroundQuery(const ShownTokens& shown) const;
  /// Shows the tokens of the layers; returns false if no maps of them are shown.
  bool showTokens(const std::vector<AnalysedLayer>& layers);
  /// Shows the requested maps; the previous ones stay while those of another query are computed, so
  /// that stepping does not flicker. Returns false if it shows neither.
  bool showMaps(const ShownTokens& shown);
  void drawMaps();
  void showMatches(const ShownTokens& shown);
  void showButtons();
  void showVectorButtons();
  void keepPicture();
  void chooseVectors();
  /// Returns the maps of vectors; shows why there are none, or that they are computed.
  std::optional<std::vector<TokenMap>> computedVectors(const ShownTokens& shown);
  void readToken(int panel, int row, int column);
  void retry() override;

  SettingControls<TokenSettings> controls_;
  QPushButton* keep_;
  QPushButton* release_;
  QPushButton* vector_;
  QPushButton* releaseVectors_;
  HeadGrid* maps_;
  MatchGrid* pairs_;
  QStackedWidget* grids_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  /// The parts of the other pictures, and of pairs, that the models saw.
  CroppedPictures parts_;
  TokenResults results_;
  std::vector<TokenMap> shown_;
  /// The subject of the components in `shown_`, without its query.
  std::optional<TokenMapsSubject> shownOf_;
  std::vector<LayerMatches> shownMatches_;
};

}  // namespace softscope
