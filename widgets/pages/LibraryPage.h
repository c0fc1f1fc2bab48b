#pragma once

#include "widgets/pages/Page.h"

#include <QtCore/QString>

#include <functional>
#include <vector>

class QTreeWidget;
class QTreeWidgetItem;

namespace softscope {

/// One of the trained models that come with the program.
struct LibraryModel {
  QString path;
  QString name;
  QString mechanism;
  /// Name of the data set, e.g. `everyday10`.
  QString dataSet;
  /// Accuracy without its conditions, e.g. `93.07 %`.
  QString accuracy;
  /// Accuracy as stated in the model's file, e.g. `93.07 % at 128 x 128`.
  QString accuracyInFull;
  QString parameters;
  /// Size of the file.
  QString size;
};

/// The page of the trained models that come with the program: a description of each, and buttons
/// that open it.
class LibraryPage : public Page {
  Q_OBJECT

 public:
  using Source = std::function<std::vector<LibraryModel>()>;

  /// `source` is called when the page is first shown; it may be empty.
  LibraryPage(Workspace& workspace, Source source, QWidget* parent = nullptr);

  bool isReady() const override { return true; }
  void showNow() override {}

  QTreeWidget& list() { return *list_; }

 Q_SIGNALS:
  void openWanted(const QString& path);
  void openBesideWanted(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  QWidget* keyTaker() override;

 private:
  void fill();
  /// Makes columns as wide as their contents, and gives columns of words what is left.
  void shareWidth();
  void showOpened();
  void add(const LibraryModel& model);
  void addButtons(QTreeWidgetItem* item, const LibraryModel& model);

  Source source_;
  QTreeWidget* list_;
  bool filled_ = false;
};

}  // namespace softscope
