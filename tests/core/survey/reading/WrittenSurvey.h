#pragma once

#include "core/survey/Database.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

namespace softscope::test {

/// The tables of docs/survey.md, with an `accuracy` of models, a `spread` of layers, and a
/// `line_score` and a `distance` of heads.
inline const char* const surveySchema = R"(
PRAGMA application_id = 0x53465356;
PRAGMA user_version = 1;
CREATE TABLE survey(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, fingerprint TEXT NOT NULL,
                   family TEXT NOT NULL, variant TEXT NOT NULL, mechanism TEXT NOT NULL, parameters INTEGER NOT NULL,
                   request TEXT NOT NULL, transform TEXT NOT NULL);
CREATE TABLE layer(id INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES model, name TEXT NOT NULL,
                   position INTEGER NOT NULL, mechanism TEXT NOT NULL, heads INTEGER NOT NULL, UNIQUE(model, name));
CREATE TABLE head(id INTEGER PRIMARY KEY, layer INTEGER NOT NULL REFERENCES layer, head INTEGER NOT NULL,
                  UNIQUE(layer, head));
CREATE TABLE class(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE picture(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, class INTEGER REFERENCES class,
                     unreadable TEXT);
CREATE TABLE measure(name TEXT PRIMARY KEY, scope TEXT NOT NULL, position INTEGER NOT NULL, title TEXT NOT NULL,
                     unit TEXT NOT NULL, source TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE model_value(picture INTEGER NOT NULL, model INTEGER NOT NULL, accuracy REAL,
                         PRIMARY KEY(picture, model)) WITHOUT ROWID;
CREATE TABLE layer_value(picture INTEGER NOT NULL, layer INTEGER NOT NULL, spread REAL,
                         PRIMARY KEY(picture, layer)) WITHOUT ROWID;
CREATE TABLE head_value(picture INTEGER NOT NULL, head INTEGER NOT NULL, line_score REAL, distance REAL,
                        PRIMARY KEY(picture, head)) WITHOUT ROWID;
INSERT INTO measure VALUES('accuracy', 'model', 0, 'Accuracy', '', 'whether the answer is right'),
  ('spread', 'layer', 1, 'Spread', '', 'made up'), ('line_score', 'head', 2, 'Line score', '', 'SimA, 2022'),
  ('distance', 'head', 3, 'Attention distance', 'px', 'ViT, 2021');
)";

/// A survey of two models, `soft` and `sima` (which comes first by name), with the same two layers:
/// one of two heads and one of one. There are six pictures in two classes, the last of which cannot
/// be read. The distance in the second layer is not defined for even pictures.
struct SmallSurvey {
  static constexpr int models = 2;
  static constexpr int pictures = 6;
  static constexpr int readable = 5;
  static constexpr int heads = 3;

  static std::string picturePath(int picture) {
    return std::string(picture < 3 ? "cat" : "dog") + "/" + std::to_string(picture) + ".png";
  }
  static double accuracy(int model, int picture) { return (picture + model) % 3 == 0 ? 0 : 1; }
  static double spread(int model, int layer, int picture) {
    return 0.1 * model + layer + 1e-3 * picture;
  }
  static double lineScore(int model, int head, int picture) {
    return std::sin(1 + model + 2.0 * head + 3.0 * picture) / 3 + 0.5;
  }
  static std::optional<double> distance(int model, int head, int picture) {
    if (head == 2 && picture % 2 == 0) return std::nullopt;
    return 10.0 * (head + 1) + picture * 0.25 + model;
  }

  /// Renames the models of a survey, which then are steps of one training: `epoch_10` and
  /// `epoch_5`.
  static void makeSteps(const std::string& path) {
    Database(path, Database::Mode::ReadWrite)
        .execute(
            "UPDATE model SET name = 'epoch_10' WHERE id = 0;"
            "UPDATE model SET name = 'epoch_5' WHERE id = 1");
  }

  /// Writes the survey, with the paths of its pictures below `folder`.
  static void write(const std::string& path, const std::string& folder = "/nowhere/pictures",
                    const std::string& firstModel = "/nowhere/soft.pth");
};

inline void SmallSurvey::write(const std::string& path, const std::string& folder,
                               const std::string& firstModel) {
  std::filesystem::remove(path);
  Database database(path, Database::Mode::Create);
  // Nothing that matters is lost with the file.
  database.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
  database.execute(surveySchema);
  Transaction transaction(database);
  Statement(database, "INSERT INTO survey VALUES('folder', ?), ('program', 'a test')")
      .bind(0, folder)
      .run();
  database.execute("INSERT INTO class VALUES(0, 'cat'), (1, 'dog')");
  Statement(database,
            "INSERT INTO model VALUES(0, 'soft', ?, 'aa', 'soft', 'custom', 'soft', 1, '{}', '{}'),"
            "(1, 'sima', '/nowhere/sima.pth', 'bb', 'sima', 'custom', 'sima', 1, '{}', '{}')")
      .bind(0, firstModel)
      .run();
  database.execute(
      "INSERT INTO layer VALUES(0, 0, 'first', 0, 'soft', 2), (1, 0, 'second', 1, 'soft', 1),"
      "(2, 1, 'first', 0, 'sima', 2), (3, 1, 'second', 1, 'sima', 1);"
      "INSERT INTO head VALUES(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 2, 0), (4, 2, 1), (5, 3, 0)");
  Statement picture(database, "INSERT INTO picture VALUES(?, ?, ?, ?)");
  Statement model(database, "INSERT INTO model_value VALUES(?, ?, ?)");
  Statement layer(database, "INSERT INTO layer_value VALUES(?, ?, ?)");
  Statement head(database, "INSERT INTO head_value VALUES(?, ?, ?, ?)");
  for (int p = 0; p < pictures; ++p) {
    const std::int64_t id = p;
    picture.bind(0, id).bind(1, picturePath(p)).bind(2, std::int64_t{p / 3});
    if (p < readable) {
      picture.bindNothing(3).run();
    } else {
      picture.bind(3, std::string("is cut short")).run();
      continue;
    }
    for (int m = 0; m < models; ++m) {
      model.bind(0, id).bind(1, std::int64_t{m}).bind(2, accuracy(m, p)).run();
      for (int l = 0; l < 2; ++l) {
        layer.bind(0, id).bind(1, std::int64_t{m * 2 + l}).bind(2, spread(m, l, p)).run();
      }
      for (int h = 0; h < heads; ++h) {
        head.bind(0, id).bind(1, std::int64_t{m * heads + h}).bind(2, lineScore(m, h, p));
        head.bind(3, distance(m, h, p)).run();
      }
    }
  }
  transaction.commit();
}

}  // namespace softscope::test
