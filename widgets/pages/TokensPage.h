#pragma once

#include "widgets/analysis/TokensFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <optional>
#include <vector>

class QAbstractSpinBox;

namespace softscope {

class CroppedPicture;
class HeadGrid;

/// The page of the tokens behind blocks: how similar each patch is to the query's token, their
/// principal components, and their norms. They are computed in a second pass when the page is
/// shown.
class TokensPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit TokensPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  bool drawsMaps() const override { return true; }
  bool hasFigure() const override { return showsContent() && !shown_.empty(); }
  std::optional<PageFigure> figure() const override;

 private:
  /// A model that was run, and its tokens.
  struct Inspected {
    std::shared_ptr<const Inspection> inspection;
    std::shared_ptr<const TokenInspection> tokens;
  };
  using Tokens = std::vector<Inspected>;
  using TokensSubject = std::vector<std::shared_ptr<const Inspection>>;
  struct ComponentsSubject {
    std::vector<AnalysedTokens> layers;
    int foreground = 0;

    bool operator==(const ComponentsSubject&) const = default;
  };

  /// Returns the layers of the scope whose model sees the same part of the picture as the current
  /// one.
  std::vector<AnalysedLayer> comparableLayers() const;
  /// Returns a text that says so if comparableLayers() leave some out; otherwise empty.
  QString leftOutText() const;
  const Tokens* inspected(const std::vector<AnalysedLayer>& layers);
  /// Returns the requested maps; empty while components are being computed.
  std::optional<std::vector<TokenMap>> computed(const std::vector<AnalysedTokens>& layers);
  void readToken(int panel, int row, int column);
  void retry() override;

  SettingControls<TokenSettings> controls_;
  /// The controls of two settings, each visible only if it has an effect.
  QAbstractSpinBox* foreground_ = nullptr;
  QAbstractSpinBox* outliers_ = nullptr;
  HeadGrid* maps_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  LatestResult<TokensSubject, Tokens> tokens_;
  LatestResult<ComponentsSubject, std::vector<TokenMap>> components_;
  std::vector<TokenMap> shown_;
};

}  // namespace softscope
