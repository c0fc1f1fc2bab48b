#pragma once

#include "core/model/ModelRequest.h"
#include "core/model/ModelSummary.h"

#include <QtWidgets/QFrame>

#include <string>
#include <vector>

class QComboBox;
class QLabel;

namespace softscope {

/// The properties that neither a model's weights nor its user specified, as candidates with the
/// likeliest first; empty if known.
struct OpenQuestions {
  std::vector<std::string> mechanisms;
  std::vector<int> heads;

  bool empty() const { return mechanisms.empty() && heads.empty(); }
  bool operator==(const OpenQuestions&) const = default;
};
OpenQuestions openQuestions(const ModelRequest& request, const ModelSummary& summary);

/// Asks with which of several mechanisms, and with how many heads, a model was trained, if its
/// weights do not tell. It blocks nothing: the likeliest candidate is shown meanwhile.
class MechanismQuestion : public QFrame {
  Q_OBJECT

 public:
  explicit MechanismQuestion(QWidget* parent = nullptr);

  /// Asks the questions; `reason` says why the likeliest candidates are shown. If the same
  /// questions are already shown, nothing changes, so that an answer chosen but not yet given is
  /// kept.
  void ask(const QString& model, const QString& reason, const OpenQuestions& open);

 Q_SIGNALS:
  /// The user's answers; empty, or 0 heads, for what was not asked.
  void answered(const QString& mechanism, int heads);
  /// The user declined to answer.
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
