#pragma once

#include <QtWidgets/QToolButton>

#include <vector>

class QFrame;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace softscope {

class Workspace;

/// A button on the status line that tells how far the workspace's jobs are. It opens a list of
/// them, in which each can be stopped, or shown on its page. Hidden while there are none.
class JobList : public QToolButton {
  Q_OBJECT

 public:
  explicit JobList(Workspace& workspace, QWidget* parent = nullptr);
  ~JobList() override;

 private:
  /// A line of the list.
  struct Row {
    int job = 0;
    QString page;
    QWidget* line = nullptr;
    QLabel* text = nullptr;
    QProgressBar* bar = nullptr;
    QPushButton* stop = nullptr;
    QPushButton* show = nullptr;
  };

  void showJobs();
  void makeRow();
  void openList();

  Workspace& workspace_;
  QFrame* list_;
  QVBoxLayout* lines_;
  std::vector<Row> rows_;
};

}  // namespace softscope
