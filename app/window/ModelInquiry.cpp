#include "app/window/ModelInquiry.h"

#include "app/window/settings/WindowSettings.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

ModelInquiry::ModelInquiry(MechanismQuestion& question, Workspace& workspace, QObject* parent)
    : QObject(parent), question_(question), workspace_(workspace) {
  connect(&workspace.models(), &OpenModels::inspectionChanged, this, &ModelInquiry::ask);
  connect(&question, &MechanismQuestion::answered, this, &ModelInquiry::takeAnswer);
  connect(&question, &MechanismQuestion::dismissed, this,
          [this] { unasked_.insert(workspace_.models().current()->fingerprint); });
  ask();
}

void ModelInquiry::ask() {
  const OpenedModel* opened = workspace_.models().current();
  OpenQuestions open;
  if (opened && !unasked_.contains(opened->fingerprint)) {
    open = openQuestions(opened->request, opened->summary());
  }
  if (open.empty()) {
    question_.hide();
  } else {
    question_.ask(opened->name(), QString::fromStdString(opened->summary().reason), open);
  }
}

void ModelInquiry::takeAnswer(const QString& mechanism, int heads) {
  const OpenedModel& opened = *workspace_.models().current();
  const QString fingerprint = opened.fingerprint;
  ModelRequest request = workspace_.queue().wantedRequest(opened);
  if (!mechanism.isEmpty()) {
    request = workspace_.queue().requestWith(opened, mechanism.toStdString());
    rememberMechanism(fingerprint, *request.attention);
  }
  if (heads > 0) {
    request.heads = heads;
    rememberHeads(fingerprint, heads);
  }
  workspace_.queue().open(request);
}

}  // namespace softscope
