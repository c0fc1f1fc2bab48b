#!/usr/bin/env python3
"""Checks that no name from a file can be read as HTML: that text is rich only in files named here, which put no name into
it unescaped, and that every other label is one of GuardedApplication's, which show letters as they are.

    PlainTextTest.py ROOT
"""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
# What lays text out as HTML, or guesses whether it is.
RICH = re.compile(r"\b(?:RichText|AutoText|MarkdownText|setHtml|insertHtml|appendHtml|setMarkdown|toHtmlEscaped|"
                  r"QTextBrowser|QTextEdit|QTextDocument|QStaticText|QErrorMessage|QGraphicsTextItem)\b")
# A label of another application's would guess.
APPLICATION = re.compile(r"\bQ(?:Gui)?Application (?:\w+[({;]|\*)|: public Q(?:Gui)?Application\b|\bnew Q(?:Gui)?Application\b|"
                         r"make_unique<Q(?:Gui)?Application>")
RICH_FILES = {
    "app/window/contents/HintStrip.cpp": "first steps, with the keys of one action",
    "app/window/contents/PageExplanation.cpp": "what pages show, from resources/explain",
    "app/window/help/HelpDialogs.cpp": "versions of libraries, actions and their keys",
    "widgets/controls/ExplanationView.cpp": "shows what PageExplanation makes",
    "widgets/controls/GuardedApplication.cpp": "makes all others plain",
}
APPLICATION_FILES = {
    "app/figures/drawing/HeadlessApplication.h": "draws files and shows no label",
    "widgets/controls/GuardedApplication.h": "makes labels plain",
}


def complaints(root):
    for top in ("app", "widgets"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".cpp", ".h"):
                continue
            name = file.relative_to(root).as_posix()
            lines = file.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                if line.startswith("#include") or line.lstrip().startswith("//"):
                    continue
                if RICH.search(line) and name not in RICH_FILES:
                    yield (f"{name}:{number} makes or guesses rich text; names from files must not get there: show it "
                           "letter for letter, or say here what is escaped")
                if APPLICATION.search(line) and name not in APPLICATION_FILES:
                    yield f"{name}:{number} has an application whose labels guess HTML; take GuardedApplication"


class PlainText(unittest.TestCase):
    def test_text_is_plain_where_it_may_hold_a_name(self):
        self.assertEqual("\n".join(complaints(ROOT)), "")

    def test_every_exception_is_there(self):
        for name in [*RICH_FILES, *APPLICATION_FILES]:
            text = (ROOT / name).read_text(encoding="utf-8")
            self.assertTrue(RICH.search(text) or APPLICATION.search(text), name)

    def test_finds_what_it_is_there_to_find(self):
        lines = ("label->setTextFormat(Qt::RichText);", "label->setTextFormat(Qt::AutoText);", "text->setHtml(name);",
                 "auto* text = new QTextBrowser(page);", "name.toHtmlEscaped()", "QApplication application(argc, argv);",
                 "class Mine : public QApplication {", "auto a = std::make_unique<QApplication>(argc, argv);")
        for line in lines:
            with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "app").mkdir()
                (root / "widgets").mkdir()
                (root / "widgets" / "Page.cpp").write_text(f"// Qt::RichText\n{line}\n", encoding="utf-8")
                found = list(complaints(root))
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith("widgets/Page.cpp:2 "))

    def test_passes_over_what_is_plain(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "widgets").mkdir()
            (root / "widgets" / "Page.cpp").write_text("label->setText(name);\nQApplication::setFont(font);\n"
                                                       "QPlainTextEdit* details_;\n", encoding="utf-8")
            self.assertEqual(list(complaints(root)), [])


if __name__ == "__main__":
    unittest.main()
