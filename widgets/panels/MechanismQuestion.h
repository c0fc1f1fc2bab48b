#pragma once

#include "core/model/ModelRequest.h"
#include "core/model/ModelSummary.h"

#include <QtWidgets/QFrame>

#include <string>
#include <vector>

class QComboBox;
class QLabel;

namespace softscope {

/// What neither a model's weights nor its user told; the likeliest first, empty where it is known.
struct OpenQuestions {
  std::vector<std::string> mechanisms;
  std::vector<int> heads;

  bool empty() const { return mechanisms.empty() && heads.empty(); }
  bool operator==(const OpenQuestions&) const = default;
};
OpenQuestions openQuestions(const ModelRequest& request, const ModelSummary& summary);

/// Asks with which of several mechanisms a model was trained, and with how many heads, where its
/// weights cannot tell. Never in the way: the likeliest is shown meanwhile.
class MechanismQuestion : public QFrame {
  Q_OBJECT

 public:
  explicit MechanismQuestion(QWidget* parent = nullptr);

  /// `reason` says why the likeliest are shown. What is asked already stays as it is, an answer
  /// chosen and not yet given with it.
  void ask(const QString& model, const QString& reason, const OpenQuestions& open);

 Q_SIGNALS:
  /// Empty, or 0 heads, for what was not asked.
  void answered(const QString& mechanism, int heads);
  /// The user would rather not say.
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
  QLabel* reason_;
  QComboBox* mechanisms_;
  QComboBox* heads_;
  OpenQuestions asked_;
};

}  // namespace softscope
