#pragma once

#include "core/image/PreparedPicture.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QScrollArea;

namespace softscope {

class CompareBar;
class CompareLineView;
class CroppedPicture;
class Workspace;
struct CompareFigure;
struct CompareLineHeader;
struct ComparedLine;
struct OpenedModel;

/// The page on which all open models answer the same queries: a line for each query and model, and
/// for each difference.
class ComparePage : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePage(Workspace& workspace, QWidget* parent = nullptr);

  /// Forgets pictures as models saw them; call it when a picture or an inspection changed.
  void takePicture();
  /// Draws what the workspace holds now.
  void showComparison();
  int lineCount() const { return static_cast<int>(lines_.size()); }
  CompareLineView& line(int index) { return *lines_[std::size_t(index)]; }

 Q_SIGNALS:
  void readOut(const QString& text);
  void modelWanted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// What a line shows: a model (by its index), or a difference.
  struct Shown {
    int model = -1;
    int line = -1;
  };

  /// The picture as some models saw it.
  struct Seen {
    PictureRegion region;
    std::shared_ptr<const CroppedPicture> picture;
  };

  std::vector<Shown> shownLines(const std::vector<ComparedLine>& lines) const;
  CompareLineHeader headerOf(const OpenedModel& model, const ComparedLine* line) const;
  std::shared_ptr<const CroppedPicture> pictureOf(const PictureRegion& region);
  CompareLineView* makeLine(int index);
  void readValue(int index, int panel, int row, int column);
  void arrange();

  Workspace& workspace_;
  CompareBar* bar_;
  QScrollArea* scroll_;
  QWidget* canvas_;
  std::vector<CompareLineView*> lines_;
  std::vector<Shown> shown_;
  /// The part of the picture that each line lies on.
  std::vector<PictureRegion> regions_;
  std::vector<Seen> pictures_;
};

}  // namespace softscope
