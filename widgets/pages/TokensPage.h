#pragma once

#include "core/analysis/tokens/TokenMatches.h"
#include "core/analysis/tokens/TokensAnalysis.h"
#include "widgets/analysis/TokensFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/pages/KeptPictures.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <optional>
#include <string>
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
  /// A model that was run, and its tokens.
  struct Inspected {
    std::shared_ptr<const Inspection> inspection;
    std::shared_ptr<const TokenInspection> tokens;
  };
  using Tokens = std::vector<Inspected>;
  /// The maps of vectors, or why there are none.
  struct VectorMaps {
    std::vector<TokenMap> maps;
    std::string obstacle;
  };
  using TokensSubject = std::vector<std::shared_ptr<const Inspection>>;
  /// The tokens and settings that components and matches are computed from.
  struct MapsSubject {
    std::vector<AnalysedTokens> layers;
    std::vector<AnalysedTokens> basis;
    TokenSettings settings;
    /// The query whose token the foreground of components is like, if one is asked for.
    std::optional<PictureQuery> like = {};

    bool operator==(const MapsSubject&) const = default;
  };
  /// Vectors' maps also depend on what the files held when they were read: their fileStamp().
  struct VectorsSubject : MapsSubject {
    std::vector<std::string> stamps;

    bool operator==(const VectorsSubject&) const = default;
  };
  /// The tokens that are shown, and those that components are fitted on.
  struct Shown {
    std::vector<AnalysedTokens> layers;
    std::vector<AnalysedTokens> basis;
  };

  const TokenSettings& settings() const;
  /// Returns the layers of the scope whose model has tokens and sees the same part of the picture
  /// as the current one.
  std::vector<AnalysedLayer> comparableLayers() const;
  /// Returns the line above tokens: `about`, and which models comparableLayers() leave out.
  QString withLeftOut(const QString& about) const;
  const Tokens* inspected(const std::vector<AnalysedLayer>& layers);
  /// Returns the kept pictures that are not the present one; empty if there is none.
  std::vector<KeptPicture> othersThanPresent() const;
  /// Returns the tokens of the layers on the present picture and, if `kept` is given, on the other
  /// ones.
  Shown tokensOf(const std::vector<AnalysedLayer>& layers, const Tokens& tokens,
                 const KeptTokens* kept) const;
  /// Returns the requested maps; empty while components are being computed.
  std::optional<std::vector<TokenMap>> computed(const Shown& shown);
  std::optional<std::vector<TokenMap>> computedComponents(const MapsSubject& subject);
  MapsSubject componentsSubject(const Shown& shown) const;
  /// Returns the query whose token the foreground of components is like.
  std::optional<PictureQuery> foregroundQuery(const Shown& shown) const;
  /// Shows the tokens of the layers; returns false if no maps of them are shown.
  bool showTokens(const std::vector<AnalysedLayer>& layers);
  /// Shows the requested maps; the previous ones stay while those of another query are computed, so
  /// that stepping does not flicker. Returns false if it shows neither.
  bool showMaps(const Shown& shown);
  void drawMaps();
  void showMatches(const Shown& shown);
  void showButtons();
  void showVectorButtons();
  void keepPicture();
  void chooseVectors();
  /// Returns the maps of vectors; shows why there are none, or that they are computed.
  std::optional<std::vector<TokenMap>> computedVectors(const Shown& shown);
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
  LatestResult<TokensSubject, Tokens> tokens_;
  LatestResult<KeptSubject, KeptTokens> kept_;
  LatestResult<MapsSubject, std::vector<TokenMap>> components_;
  LatestResult<MapsSubject, std::vector<LayerMatches>> matches_;
  LatestResult<VectorsSubject, VectorMaps> vectors_;
  std::vector<TokenMap> shown_;
  /// The subject of the components in `shown_`, without its query.
  std::optional<MapsSubject> shownOf_;
  std::vector<LayerMatches> shownMatches_;
};

}  // namespace softscope
