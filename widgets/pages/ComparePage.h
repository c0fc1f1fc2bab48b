#pragma once

#include "core/image/PreparedPicture.h"
#include "widgets/pages/Page.h"
#include "widgets/workspace/ModelMarks.h"

#include <memory>
#include <optional>
#include <vector>

class QScrollArea;

namespace softscope {

class CompareBar;
class CompareLineView;
class CroppedPicture;
struct CompareLineHeader;
struct CompareTable;
struct ComparedLine;

/// The page on which open models answer the same queries, with a line for each query and model, or
/// for each query and head if heads are collected, and for each difference.
class ComparePage : public Page {
  Q_OBJECT

 public:
  explicit ComparePage(Workspace& workspace, QWidget* parent = nullptr);

  /// True as soon as a model is open; a model with nothing to show says why.
  bool isReady() const override;
  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override {
    return FollowedView{.overHeads = true};
  }
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;
  int lineCount() const { return static_cast<int>(lines_.size()); }
  CompareLineView& line(int index) { return *lines_[std::size_t(index)]; }

 Q_SIGNALS:
  /// The user asked for another model; a list of them can stand at that place on the screen.
  void modelWanted(const QPoint& globalPlace);
  /// The user asked to rename the model whose index is `model`.
  void renameWanted(int model);

 protected:
  QWidget* keyTaker() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// The content of a line: a model, given by its index, or one head of it, or a difference.
  struct Shown {
    int model = -1;
    std::optional<HeadOfLayer> head;
    int line = -1;
    /// Index of the query.
    int query = 0;
  };

  /// The part of the picture that some models saw.
  struct Seen {
    PictureRegion region;
    std::shared_ptr<const CroppedPicture> picture;
  };

  std::vector<Shown> shownLines(const std::vector<ComparedLine>& lines) const;
  CompareLineHeader headerOf(const Shown& shown, const ComparedLine* line) const;
  std::shared_ptr<const CroppedPicture> pictureOf(const PictureRegion& region);
  CompareLineView* makeLine(int index);
  /// Removes all lines except the first `left`.
  void removeLines(std::size_t left);
  void showLineMenu(int index, const QPoint& globalPlace);
  /// Closes the model of a line, or takes its head out.
  void close(const Shown& shown);
  /// Shows the model of a line, and the layer of its head, in the panels.
  void choose(const Shown& shown);
  void readValue(int index, int panel, int row, int column);
  void arrange();
  /// Returns the table that the lines can stand in: one whose every model or head has one panel.
  std::optional<CompareTable> table() const;

  CompareBar* bar_;
  QScrollArea* scroll_;
  QWidget* canvas_;
  std::vector<CompareLineView*> lines_;
  std::vector<Shown> shown_;
  /// The part of the picture that each line shows.
  std::vector<PictureRegion> regions_;
  std::vector<Seen> pictures_;
};

}  // namespace softscope
