#pragma once

#include <QtCore/QObject>
#include <QtCore/QSet>
#include <QtCore/QString>

namespace softscope {

class MechanismQuestion;
class Workspace;

/// Asks about the current model if its weights do not tell its architecture, opens it again with
/// the user's answer, and remembers the answer.
class ModelInquiry : public QObject {
  Q_OBJECT

 public:
  ModelInquiry(MechanismQuestion& question, Workspace& workspace, QObject* parent = nullptr);

  /// Asks for the mechanism or the heads of the current model if its file leaves them open and the
  /// user has not declined to answer; hides the question otherwise.
  void ask();

 private:
  void takeAnswer(const QString& mechanism, int heads);

  MechanismQuestion& question_;
  Workspace& workspace_;
  /// Models (by their files) whose mechanism the user declined to give.
  QSet<QString> unasked_;
};

}  // namespace softscope
