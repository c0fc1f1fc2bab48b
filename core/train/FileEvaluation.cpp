#include "core/train/FileEvaluation.h"

#include "core/OrderedWork.h"
#include "core/image/PreparedPicture.h"
#include "core/network/Device.h"
#include "core/network/NetworkRun.h"
#include "core/train/DataSet.h"

#include <cstddef>

namespace softscope {

namespace {

/// A network's answer for one file, or why it was not asked.
struct FileAnswer {
  std::string problem;
  std::string note;
  std::vector<float> logits;
};

FileAnswer answerTo(const Model& model, const std::string& path, const EvaluationOptions& options) {
  FileAnswer answer;
  InputTensor input;
  answer.problem = readProblem(path, [&] {
    usePicture(path, options.reading, [&](const Picture& picture) {
      answer.note = sourceNote(picture.source, OptionsInNote::Named);
      input = preparePicture(picture, options.transform).input;
    });
  });
  if (answer.problem.empty()) answer.logits = runNetwork(model, input, nullptr);
  return answer;
}

}  // namespace

FileEvaluation evaluateFiles(const Model& model, const ClassFolders& folders,
                             const EvaluationOptions& options, int workers,
                             const Progress& progress) {
  Evaluation evaluation(model.network(), folders.classes, options);
  ReadableClasses classes(folders);
  NotedPictures noted;
  const std::size_t count = folders.files.size();
  const auto take = [&](std::size_t i, const FileAnswer& answer) {
    progress.report(static_cast<double>(i) / static_cast<double>(count), "Evaluating");
    if (answer.problem.empty()) evaluation.addAnswer(answer.logits, folders.files[i].label);
    classes.add(answer.problem);
    noted.add(folders.files[i].path, answer.note);
  };
  OrderedWork<FileAnswer>(
      {.count = count,
       .workers = workers,
       .begin = [] { setComputeThreads(1); },
       .work = [&](std::size_t i) { return answerTo(model, folders.files[i].path, options); },
       .take = take})
      .run(progress);
  return {evaluation.result(), classes.unreadable(), noted};
}

}  // namespace softscope
