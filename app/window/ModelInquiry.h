#pragma once

#include <QtCore/QObject>
#include <QtCore/QSet>
#include <QtCore/QString>

namespace softscope {

class MechanismQuestion;
class Workspace;

/// Asks about the current model where its weights cannot tell what it is, opens it again as the
/// user says, and remembers the answer.
class ModelInquiry : public QObject {
  Q_OBJECT

 public:
  ModelInquiry(MechanismQuestion& question, Workspace& workspace, QObject* parent = nullptr);

  /// Shows the question, or hides it where there is none.
  void ask();

 private:
  void takeAnswer(const QString& mechanism, int heads);

  MechanismQuestion& question_;
  Workspace& workspace_;
  /// Models (by their files) about whose mechanism the user would rather not say.
  QSet<QString> unasked_;
};

}  // namespace softscope
