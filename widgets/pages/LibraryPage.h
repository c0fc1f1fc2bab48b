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
  /// `everyday10`
  QString dataSet;
  /// `93.07 %`
  QString accuracy;
  /// As its file says it, e.g. `93.07 % at 128 x 128`.
  QString accuracyInFull;
  QString parameters;
  /// Of the file.
  QString size;
};

/// The page of the trained models in the box: what each is, and buttons that open it.
class LibraryPage : public Page {
  Q_OBJECT

 public:
  using Source = std::function<std::vector<LibraryModel>()>;

  /// `source` is asked when the page is first looked at; it may be null.
  LibraryPage(Workspace& workspace, Source source, QWidget* parent = nullptr);

  bool isReady() const override { return true; }
  void showNow() override {}

  QTreeWidget& list() { return *list_; }

 Q_SIGNALS:
  void openWanted(const QString& path);
  void openBesideWanted(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void showOpened();
  void add(const LibraryModel& model);
  void addButtons(QTreeWidgetItem* item, const LibraryModel& model);

  Source source_;
  QTreeWidget* list_;
  bool filled_ = false;
};

}  // namespace softscope
