#pragma once

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <vector>

class QAction;
class QActionGroup;
class QTabBar;

namespace softscope {

/// The tabs of the pages in groups: what maps show, the mathematics behind them, evidence for them,
/// and models. One row of groups, one of the pages of the group in front, so that all can be read
/// in a window 800 pixels wide.
class PageTabs : public QWidget {
  Q_OBJECT

 public:
  /// `actions` has one for each page, with the page's name as its data.
  explicit PageTabs(const QActionGroup& actions, QWidget* parent = nullptr);

  /// Brings that page's tab, and its group's, to the front.
  void setCurrent(const QString& page);

 Q_SIGNALS:
  void chosen(const QString& page);
  /// On a tab, whose page was chosen just before.
  void menuWanted(const QPoint& globalPlace);

 private:
  struct Tab {
    QString page;
    QString title;
    const QAction* action = nullptr;
  };

  void showGroup(int group);
  void showTips();

  QTabBar* groups_;
  QTabBar* pages_;
  /// Of each group, in its order.
  std::vector<std::vector<Tab>> tabs_;
  /// The page that was in front of a group last.
  std::vector<QString> last_;
};

}  // namespace softscope
