#include "widgets/pages/survey/SurveyControls.h"

#include "widgets/controls/SettingControls.h"

#include <QtCore/QVariant>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>

#include <algorithm>
#include <set>

namespace softscope {
namespace {

constexpr int narrowestChoice = 8;

QString titleOf(const SurveyIndex::Measure& measure) {
  return QString::fromStdString(measure.title.empty() ? measure.name : measure.title);
}

/// Replaces the entries of a choice unless they are the same already, and chooses one.
void fill(QComboBox& box, const std::vector<std::pair<QString, QVariant>>& entries,
          const QVariant& chosen) {
  bool same = box.count() == static_cast<int>(entries.size());
  for (int i = 0; same && i < box.count(); ++i) {
    const auto& [text, data] = entries[static_cast<std::size_t>(i)];
    same = box.itemText(i) == text && box.itemData(i) == data;
  }
  if (!same) {
    box.clear();
    for (const auto& [text, data] : entries) box.addItem(text, data);
  }
  box.setCurrentIndex(std::max(0, box.findData(chosen)));
  box.setEnabled(box.count() > 1);
}

}  // namespace

SurveyControls::SurveyControls(QObject* parent)
    : QObject(parent),
      view_(makeChoice(tr("View"), tr("What is shown of the survey"))),
      measure_(makeChoice(tr("Measure"), tr("What was measured"))),
      against_(makeChoice(tr("Against"), tr("The measure it is drawn against"))),
      model_(makeChoice(tr("Models of the survey"), tr("Of which models"))),
      layer_(makeChoice(tr("Layers of the survey"), tr("Of which layers"))),
      head_(makeChoice(tr("Heads of the survey"), tr("Of which heads"))),
      byClass_(new QCheckBox) {
  for (const auto& choice : surveyShowNames) {
    view_->addItem(QString::fromUtf8(choice.label), static_cast<int>(choice.value));
  }
  view_->addItem(tr("Table"));
  const SettingText byClass = settingText(surveySettings, "byClass");
  byClass_->setText(QString::fromUtf8(byClass.label));
  describeControl(byClass_, byClass);
  connect(byClass_, &QCheckBox::clicked, this, &SurveyControls::changed);
}

QComboBox* SurveyControls::makeChoice(const QString& name, const QString& tip) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setToolTip(tip);
  box->setMinimumContentsLength(narrowestChoice);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  box->setMaximumWidth(260);
  connect(box, &QComboBox::activated, this, &SurveyControls::changed);
  return box;
}

std::vector<QWidget*> SurveyControls::widgets() const {
  return {view_, measure_, against_, model_, layer_, head_, byClass_};
}

void SurveyControls::show(const SurveySettings& settings, const SurveyIndex* index) {
  for (QWidget* widget : widgets()) widget->setVisible(index);
  if (!index) return;
  view_->setCurrentIndex(settings.table ? view_->count() - 1
                                        : view_->findData(static_cast<int>(settings.show)));
  against_->setVisible(takesTwoMeasures(settings.show));
  byClass_->setVisible(!index->classes.empty() && !settings.table);
  byClass_->setChecked(settings.byClass);
  fillMeasures(settings, *index);
  fillUnits(settings, *index);
}

void SurveyControls::fillMeasures(const SurveySettings& settings, const SurveyIndex& index) {
  Entries entries;
  for (const SurveyIndex::Measure& measure : index.measures) {
    entries.emplace_back(titleOf(measure), QString::fromStdString(measure.name));
  }
  fill(*measure_, entries, QString::fromStdString(settings.measure));
  for (auto& entry : entries) entry.first = tr("Against %1").arg(entry.first);
  fill(*against_, entries, QString::fromStdString(settings.against));
}

void SurveyControls::fillUnits(const SurveySettings& settings, const SurveyIndex& index) {
  Entries models{{tr("All models"), QString()}};
  for (const SurveyIndex::Model& model : index.models) {
    const QString name = QString::fromStdString(model.name);
    models.emplace_back(name, name);
  }
  fill(*model_, models, QString::fromStdString(settings.model));
  const auto isShown = [&](int model) {
    return settings.model.empty() ||
           index.models[static_cast<std::size_t>(model)].name == settings.model;
  };
  Entries layers{{tr("All layers"), QString()}};
  std::set<std::string> known;
  for (const SurveyIndex::Layer& layer : index.layers) {
    if (!isShown(layer.model) || !known.insert(layer.name).second) continue;
    const QString name = QString::fromStdString(layer.name);
    layers.emplace_back(name, name);
  }
  fill(*layer_, layers, QString::fromStdString(settings.layer));
  std::set<int> numbers;
  for (const SurveyIndex::Head& head : index.heads) {
    const SurveyIndex::Layer& layer = index.layers[static_cast<std::size_t>(head.layer)];
    const bool shown = settings.layer.empty() || settings.layer == layer.name;
    if (isShown(layer.model) && shown) numbers.insert(head.number);
  }
  Entries heads{{tr("All heads"), -1}};
  for (const int number : numbers) heads.emplace_back(tr("Head %1").arg(number), number);
  fill(*head_, heads, settings.head.value_or(-1));
  const int measure = std::max(0, index.measure(settings.measure));
  const auto scope = index.measures.empty()
                         ? SurveyIndex::Scope::Head
                         : index.measures[static_cast<std::size_t>(measure)].scope;
  const int against = takesTwoMeasures(settings.show) ? index.measure(settings.against) : -1;
  const auto other = against < 0 ? scope : index.measures[static_cast<std::size_t>(against)].scope;
  layer_->setVisible(std::max(scope, other) != SurveyIndex::Scope::Model);
  head_->setVisible(std::max(scope, other) == SurveyIndex::Scope::Head);
}

SurveySettings SurveyControls::chosen(SurveySettings settings) const {
  settings.table = view_->currentIndex() == view_->count() - 1;
  // The table shows the data of the previous view, so that view stays chosen.
  if (!settings.table) settings.show = static_cast<SurveyShow>(view_->currentData().toInt());
  const auto text = [](const QComboBox& box) { return box.currentData().toString().toStdString(); };
  const bool begins = settings.against.empty();
  settings.measure = text(*measure_);
  if (takesTwoMeasures(settings.show)) settings.against = text(*against_);
  // A measure is never plotted against itself.
  if (takesTwoMeasures(settings.show) && (begins || settings.against == settings.measure)) {
    const int next = (measure_->currentIndex() + 1) % std::max(1, measure_->count());
    settings.against = measure_->itemData(next).toString().toStdString();
  }
  if (settings.model != text(*model_)) {
    settings.model = text(*model_);
    settings.layer.clear();
    settings.head.reset();
  } else if (settings.layer != text(*layer_)) {
    settings.layer = text(*layer_);
    settings.head.reset();
  } else {
    const int head = head_->currentData().toInt();
    settings.head = head < 0 ? std::nullopt : std::optional(head);
  }
  settings.byClass = byClass_->isChecked();
  return settings;
}

}  // namespace softscope
