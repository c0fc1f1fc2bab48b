#pragma once

#include "widgets/paint/QueryMark.h"

#include <QtWidgets/QWidget>

#include <vector>

class QToolButton;

namespace softscope {

class FlowLayout;

/// Shows the pinned queries as a row of letters: a click goes to one, a middle click or its menu
/// removes it. Hidden if there are none.
class PinStrip : public QWidget {
  Q_OBJECT

 public:
  explicit PinStrip(QWidget* parent = nullptr);

  void setPins(const std::vector<MarkedQuery>& pins);
  int count() const { return static_cast<int>(buttons_.size()); }

 Q_SIGNALS:
  void chosen(int index);
  void removed(int index);
  void cleared();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QToolButton* pinButton(int index);
  void drawLetters();

  FlowLayout* line_;
  QToolButton* clear_;
  std::vector<QToolButton*> buttons_;
  std::vector<MarkedQuery> pins_;
};

}  // namespace softscope
