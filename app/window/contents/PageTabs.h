#pragma once

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <vector>

class QAction;
class QActionGroup;
class QToolButton;

namespace softscope {

class MeasuredTabBar;

/// The tabs of the pages in groups: what maps show, the mathematics behind them, evidence for them,
/// and models. One row holds the groups, another the pages of the group in front. Where a row is
/// too short for its pages, the last are in a menu at its end.
class PageTabs : public QWidget {
  Q_OBJECT

 public:
  /// `actions` has one action for each page, with the page's name as its data.
  explicit PageTabs(const QActionGroup& actions, QWidget* parent = nullptr);

  /// Brings the page's tab and its group's tab to the front.
  void setCurrent(const QString& page);

 Q_SIGNALS:
  void chosen(const QString& page);
  /// The context menu of a tab was requested; its page was chosen just before.
  void menuWanted(const QPoint& globalPlace);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Tab {
    QString page;
    QString title;
    const QAction* action = nullptr;
  };

  void showGroup(int group);
  void showTips();
  /// Shortens the titles of groups where not all have room.
  void fitGroups();
  /// Shows as many of the group's tabs as there is room for, with the one in front among them.
  void fit();
  void fillMore();

  MeasuredTabBar* groups_;
  MeasuredTabBar* pages_;
  QToolButton* more_;
  /// The tabs of each group, in the order of the groups.
  std::vector<std::vector<Tab>> tabs_;
  /// For each group, the page that was last in front.
  std::vector<QString> last_;
};

}  // namespace softscope
