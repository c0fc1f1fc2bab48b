#include "app/arguments/CommandProgress.h"
#include "app/arguments/SurveyPart.h"
#include "app/arguments/UsageError.h"
#include "app/figures/CheckpointSteps.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/survey/reading/SurveyAnswer.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

namespace softscope {

namespace {

constexpr const char* surveyGroup = "Survey";

SurveyQuestion surveyQuestion(const FigureArguments& arguments, const SurveyIndex& index) {
  SurveyQuestion question;
  question.measure = arguments.measure;
  if (question.measure.empty()) {
    throw UsageError("figure survey needs a measure: give --measure, one of " +
                     listText(index.measures, ", ", &SurveyIndex::Measure::name));
  }
  question.against = arguments.analysis.of<SurveySettings>().against;
  question.byClass = arguments.analysis.of<SurveySettings>().byClass;
  question.models = arguments.model.checkpoints;
  question.layers = arguments.layers;
  const HeadChoice heads = parseHeads(arguments.heads);
  if (heads.mean || heads.largest) {
    throw UsageError("a survey has no mean over heads; give --head N or leave it out");
  }
  question.heads = heads.heads;
  return question;
}

/// Returns how a survey is shown: two measures are plotted against each other by default.
SurveyShow shownOfSurvey(const FigureArguments& arguments) {
  const SurveySettings& survey = arguments.analysis.of<SurveySettings>();
  if (survey.against.empty()) {
    if (!takesTwoMeasures(survey.show)) return survey.show;
    throw UsageError("this --view needs a second measure: give --against");
  }
  if (takesTwoMeasures(survey.show)) return survey.show;
  if (survey.show == SurveySettings().show) return SurveyShow::Scatter;
  throw UsageError("--against is a second measure, for --view scatter and contrast; leave it out");
}

/// Returns the measure whose units the answer's series are.
ShownMeasure narrowerMeasure(const SurveyAnswer& answer) {
  const SurveyIndex::Measure& first = answer.firstMeasure();
  if (answer.against < 0 || answer.secondMeasure().scope <= first.scope) {
    return {first.name, first.scope};
  }
  return {answer.secondMeasure().name, answer.secondMeasure().scope};
}

}  // namespace

int writeSurveyFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  if (arguments.image.empty()) {
    throw UsageError("figure survey needs a FILE.survey, which `softscope survey` writes");
  }
  const SurveyShow show = shownOfSurvey(arguments);
  SurveyColumns survey(arguments.image);
  const SurveyQuestion question = surveyQuestion(arguments, *survey.index());
  ProgressLine line;
  Progress progress = percentOn(line);
  const Interruption interruption(progress);
  const SurveyAnswer answer = answerSurvey(survey, question, progress);
  line.clear();
  const std::string obstacle = surveyObstacle(answer, show);
  if (!obstacle.empty()) throw SurveyError(arguments.image, obstacle);
  notePassedOver(arguments, narrowerMeasure(answer));
  notePartOfSurvey(arguments.image, *survey.index());
  if (show == SurveyShow::Steps) {
    const std::vector<std::string> names = answer.modelNames();
    for (const std::size_t model : modelsBesideSteps(names)) noteBesideSteps(names[model]);
  }
  if constexpr (drawsFigures) drawSurvey(arguments, answer, show);
  writeNumbers(arguments, surveyFigureTable(answer, show));
  return 0;
}

void addSurveyOptions(CLI::App& command, FigureArguments& arguments) {
  SurveySettings& survey = arguments.analysis.of<SurveySettings>();
  addOwn(arguments, {"survey"},
         command
             .add_option("--against", survey.against,
                         "A second measure; both are drawn against each other, a point for each "
                         "picture and head, or with --view contrast the first less the second")
             ->type_name("NAME")
             ->group(surveyGroup));
  addOwn(arguments, {"survey"},
         command
             .add_option_function<std::string>(
                 "--by", [&survey](const std::string&) { survey.byClass = true; },
                 "class: the pictures of each class by themselves")
             ->type_name("class")
             ->check(CLI::IsMember({"class"}))
             ->group(surveyGroup));
  addOwnSettings(command, arguments, "survey", surveyGroup, surveySettings, survey);
}

}  // namespace softscope
