#!/usr/bin/env python3
"""Recomputes the rows of claims.md that need nothing but the models in the box, and says which differ.

    docs/check_claims.py build/release/app/softscope [WORDS...]

Commands and numbers stand in claims.md alone. Of each row with a ⟳ behind its command this script runs that command,
works out the numbers of "what came out" in the order in which they stand there, and compares: a number differs if it is
not what was computed, rounded to as many digits. WORDS choose rows whose claim has one of them. Ends with 1 where
something differs, or where a row and its recipe below are not in both places. Needs NumPy, and some minutes.
"""
import csv
import functools
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLAIMS = ROOT / "docs" / "claims.md"
CHEAP = "⟳"
NUMBER = re.compile(r"(?<![\w.^])[-−]?(?:\d{1,3}(?: \d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?![\w^])")


class Rounding(float):
    """What is rounding on one computer is another rounding on the next: right within a factor of ten."""


def variables(text):
    """`soft="-m ..."`, as claims.md sets them, with its paths from the root."""
    found = re.findall(r'^    (\w+)="(.*)"$', text, re.MULTILINE)
    return {name: value.replace("resources/", f"{ROOT}/resources/") for name, value in found}


class Row:
    def __init__(self, cells, above):
        self.claim, _, command, self.outcome, self.verdict = cells
        self.cheap = CHEAP in command
        spans = re.findall(r"`([^`]*)`", command)
        self.commands = [span for span in spans if span.startswith("softscope ")]
        if command.startswith("the "):  # the same as in the row above, or as in the last of that kind
            kind = next((span for span in spans if not span.startswith("softscope ")), "")
            self.commands = next((row.commands for row in reversed(above) if kind in " ".join(row.commands)), [])


def rows(text):
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 5 and cells[0] != "claim":
            found.append(Row(cells, found))
    return found


def numbers(outcome):
    plain = re.sub(r"\[[^]]*\]\([^)]*\)|`[^`]*`", " ", outcome)
    return NUMBER.findall(plain)


def agrees(written, computed):
    if computed is None:
        return True
    written = written.replace("−", "-").replace(" ", "")
    value = float(written)
    if isinstance(computed, Rounding):
        return value == computed or 0.1 <= value / float(computed) <= 10
    mantissa, _, exponent = written.partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - digits)
    return abs(value - float(computed)) <= 0.51 * unit


class Runner:
    """Runs each command once, with one model or another in the place of the one that it names."""

    def __init__(self, program, folder, text):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.variables = variables(text)
        self.done = {}

    def __call__(self, command, model=None, *options):
        if model:
            command = re.sub(r"\$(?!cat\b)\w+", "$" + model, command)
        words = re.sub(r"\$(\w+)", lambda name: self.variables[name[1]], command)
        words = shlex.split(words)[1:] + list(options)
        key = tuple(words)
        if key not in self.done:
            self.done[key] = self.run(words)
        return self.done[key]

    def run(self, words):
        place = self.folder / str(len(self.done))
        place.mkdir()
        finished = subprocess.run([self.program, *words], cwd=place, capture_output=True, text=True)
        if finished.returncode != 0:
            raise SystemExit(f"{shlex.join(words)}: {finished.stderr.strip()}")
        if (place / "out.csv").exists():
            with open(place / "out.csv", newline="") as file:
                return [{key: numeric(value) for key, value in row.items()} for row in csv.DictReader(file)]
        return Dump(place / "out")


def numeric(text):
    try:
        return float(text)
    except ValueError:
        return text


class Dump:
    """Heads of all layers of a dump, and what belongs to them."""

    def __init__(self, folder):
        self.folder = folder
        self.layers = json.loads((folder / "layers.json").read_text())

    def heads(self, suffix=""):
        for layer in self.layers:
            stem = layer["file"].removesuffix(".npy")
            for head in numpy.load(self.folder / f"{stem}{suffix}.npy").astype(float):
                yield head

    def of_layers(self, suffix=""):
        for layer in self.layers:
            yield numpy.load(self.folder / f"{layer['file'].removesuffix('.npy')}{suffix}.npy").astype(float)


def by_head(table, *more):
    """Rows of a table by model, layer and head, in its order."""
    groups = {}
    for row in table:
        groups.setdefault(tuple(row[key] for key in ("model", "layer", "head", *more)), []).append(row)
    return groups


def extremes(values):
    values = list(values)
    return [min(values), max(values)]


RECIPES = {}


def recipe(claim):
    """For the row whose claim begins like that: a function of the row and of what runs commands, to numbers in the
    order of the row. None stands for a number that needs more than the box."""
    return lambda function: RECIPES.setdefault(claim, function)


def asymmetry(matrix):
    """As a share of its largest entry."""
    return abs(matrix - matrix.T).max() / abs(matrix).max()


@recipe("The kernel S is symmetric")
def kernel(row, run):
    kernels = list(run(row.commands[0]).heads(".kernel"))
    diagonal = {entry for S in kernels for entry in S.diagonal()}
    smallest = min(S.min() for S in kernels)
    return [max(map(asymmetry, kernels)), *diagonal, smallest, max(S.max() for S in kernels), len(kernels)]


@recipe("Entries of the most dissimilar pairs")
def smallest_entries(row, run):
    own = [S.min() for S in run(row.commands[0]).heads(".kernel")]
    pooled = sorted(S.min() for S in run(row.commands[0], "pooled").heads(".kernel"))
    return [*extremes(own), sum(entry < 0.1 for entry in own), len(own), 0.1, *pooled[:2], *extremes(pooled[2:])]


@recipe("The attention that is computed, P V Pᵀ")
def computed_attention(row, run):
    def mechanism_heads(model):
        dump = run(row.commands[0], model)
        for layer, heads in zip(dump.layers, dump.of_layers()):
            if layer["mechanism"].startswith("soft") and layer["mechanism"] != "softmax":
                yield from heads
    own, pooled = list(mechanism_heads("soft")), list(mechanism_heads("pooled"))
    assert min(S.min() for S in own) >= 0, "there are negative entries"
    diagonals = [numpy.median(S.diagonal()) for S in pooled]
    return [Rounding(max(map(asymmetry, own))), *extremes(entry for S in own for entry in S.diagonal()), 1,
            Rounding(max(map(asymmetry, pooled))), *extremes(diagonals), min(S.min() for S in pooled)]


def landmark_rows(row, run, model, landmarks, count=25):
    """A row for each head with so many landmarks of that kind."""
    return [line for line in run(row.commands[0], model) if (line["landmarks"], line["count"]) == (landmarks, count)]


def column(table, name):
    """What is not empty of it."""
    return [row[name] for row in table if row[name] != ""]


def median_error(row, run, model, landmarks, count, name):
    return statistics.median(column(landmark_rows(row, run, model, landmarks, count), name))


@recipe("The Nyström form gives")
def nystrom_form(row, run):
    trained = landmark_rows(row, run, "soft", "trained")
    released, exact = column(trained, "relative_error"), column(trained, "exact_relative_error")
    pooled = column(landmark_rows(row, run, "pooled", "trained"), "relative_error")
    return [min(released + exact), max(released + exact), *extremes(column(trained, "rescaled_error")),
            *extremes(column(trained, "rank_bound")), *extremes(pooled)]


@recipe("Landmarks that are means of queries serve")
def means_of_queries(row, run):
    median = functools.partial(median_error, row, run, "soft")
    return [median("pooled", 25, "relative_error"), median("pooled", 25, "exact_relative_error"),
            median("trained", 25, "relative_error"), None]


@recipe("Landmarks at random or the first ones")
def other_landmarks(row, run):
    def medians(model, name):
        return [median_error(row, run, model, kind, 25, name) for kind in ("pooled", "random", "first")]
    bound = median_error(row, run, "soft", "pooled", 25, "rank_bound")
    return [25, *medians("soft", "exact_relative_error"), 25, bound, *medians("soft", "relative_error"),
            *medians("pooled", "relative_error")]


@recipe("More landmarks approximate better")
def more_landmarks(row, run):
    counts = [4, 9, 16, 25, 49]
    medians = [[median_error(row, run, model, "pooled", count, name) for count in counts]
               for model in ("soft", "softpp") for name in ("relative_error", "exact_relative_error")]
    return counts + sum(medians, [])


def heads_within(table, step, column, threshold=1e-3):
    ends = [row for row in table if row["iteration"] == step]
    return sum(row[column] <= threshold for row in ends), len(ends)


@recipe("Newton–Raphson from a small enough start")
def newton_raphson(row, run):
    found = [heads_within(run(row.commands[0], model), 40, "residual") for model in ("soft", "softpp")]
    assert all(within == heads for within, heads in found), found
    return [found[0][0], 1e-3, 40]


def falls(values):
    """As core/analysis/bottleneck/Convergence has it: until ten times the smallest value, and under 1e-3."""
    floor = min(10 * min(values), 1e-3)
    above = [value for value in values if value > floor]
    return min(values) < values[0] and all(later < earlier for earlier, later in zip(above, above[1:]))


def falling_heads(table, name):
    curves = [column(curve, name) for curve in by_head(table, "scheme").values()]
    return sum(map(falls, curves)), len(curves)


@recipe("‖A Aₖ A − A‖ falls")
def residual_falls(row, run):
    found = {falling_heads(run(row.commands[0], model), "residual") for model in ("soft", "softpp")}
    return list(*found)


@recipe("The iteration converges within 20")
def converges(row, run):
    table = run(row.commands[0])
    damped, heads = heads_within(table, 20, "residual")
    raw, _ = heads_within(table, 20, "residual_raw")
    return [damped, heads, 1e-3, 20, 0.01, raw, heads]


def shares(row, run, model):
    table = [line for line in run(row.commands[0], model) if line["beside_norm"] != ""]
    return [line for line in table if line["head"] >= 0], [line for line in table if line["head"] < 0]


def attention_to_convolution(row, run):
    heads = shares(row, run, "soft")[0] + shares(row, run, "softpp")[0]
    return extremes(line["attention_norm"] / line["beside_norm"] for line in heads)


@recipe("SOFT's attention is what its accuracy comes from")
def soft_shares(row, run):
    _, layers = shares(row, run, "soft")
    def share(name):
        return extremes(line[name] / line["residual_norm"] for line in layers)
    return [*share("attention_norm"), *share("beside_norm"), *attention_to_convolution(row, run),
            *extremes(line["knockout_relative_change"] for line in layers)]


def largest_eigenvalues(table):
    return {key: max(column(head, "eigenvalue_abs")) for key, head in by_head(table).items()}


@recipe("Eigenvalues of softmax attention are at most 1")
def softmax_eigenvalues(row, run):
    largest = largest_eigenvalues(run(row.commands[0])).values()
    return [max(largest), Rounding(max(abs(value - 1) for value in largest))]


@recipe("Eigenvalues of the Gaussian kernel")
def kernel_eigenvalues(row, run):
    table = run(row.commands[0])
    return extremes(max(column(head, "eigenvalue_abs")) / len(head) for head in by_head(table).values())


@recipe("‖A Aₖ A − A‖ and ‖Aₖ − A†‖ fall")
def both_fall(row, run):
    found = {falling_heads(run(row.commands[0], model), name)
             for model in ("soft", "softpp") for name in ("residual", "inverse_distance")}
    return [*list(*found), None, None]


@recipe("Eigenvalues of the attention are not negative")
def signs(row, run):
    picture = str(ROOT / "resources/pictures/astronaut.jpg")
    commands = [row.commands[0], row.commands[0].replace("$cat", shlex.quote(picture))]
    tables = [run(command, model) for command in commands for model in ("soft", "softpp")]
    signs = [column(table, "eigenvalue_sign") for table in tables]
    assert not any(sign < 0 for table in signs for sign in table), "some are negative"
    zeros = [sum(sign == 0 for sign in table) for table in signs]
    effective = run(row.commands[0], "soft", "--map", "effective")
    negative = [line["eigenvalue_real"] for line in effective if line["eigenvalue_sign"] == -1]
    return [*{len(table) for table in signs}, Rounding(min(zeros)), Rounding(max(zeros)), Rounding(len(negative)),
            len(column(effective, "eigenvalue_abs")), min(negative)]


def exponents(table, name):
    """Of the power of m with which each head's norm grows, by least squares of the logarithms."""
    found = []
    for head in by_head(table).values():
        found.append(numpy.polyfit(numpy.log(column(head, "landmarks")), numpy.log(column(head, name)), 1)[0])
    return found


def spread(values):
    return [statistics.mean(values), statistics.stdev(values)]


def norms(row, run, model, inverse):
    return [line for line in run(row.commands[0], model) if line["inverse"] == inverse]


@recipe("‖A†‖ = O(m²)")
def inverse_norm(row, run):
    return [number for inverse in ("exact", "released") for model in ("soft", "softpp")
            for number in spread(exponents(norms(row, run, model, inverse), "norm_pinv"))]


@recipe("‖D^-1/2 A† D^-1/2‖")
def normalised_norm(row, run):
    return [number for inverse in ("exact", "released") for model in ("soft", "softpp")
            for number in spread(exponents(norms(row, run, model, inverse), "norm_pinv_normalised"))]


@recipe("Normalising takes a power")
def power_taken(row, run):
    def taken(inverse, model):
        table = norms(row, run, model, inverse)
        return statistics.mean(exponents(table, "norm_pinv")) - statistics.mean(exponents(table, "norm_pinv_normalised"))
    return [taken(inverse, model) for inverse in ("exact", "released") for model in ("soft", "softpp")]


@recipe("‖S‖ is proportional to the square")
def attention_norm(row, run):
    exact = [spread(exponents(norms(row, run, model, "exact"), "norm_soft")) for model in ("soft", "softpp")]
    released = [spread(exponents(norms(row, run, model, "released"), "norm_soft"))[0] for model in ("soft", "softpp")]
    return exact[0] + exact[1] + released


@recipe("Attention values can be negative")
def negative_values(row, run):
    dump = run(row.commands[0])
    return extremes(100 * (heads < 0).mean() for layer, heads in zip(dump.layers, dump.of_layers())
                    if layer["mechanism"] == "sima")


@recipe("Attention values are between −D and D")
def entry_bounds(row, run):
    def bounded(model):
        return [line for line in run(row.commands[0], model) if line["entry_bound"] != ""]
    def largest(model):
        return extremes(max(-line["smallest_entry"], line["largest_entry"]) for line in bounded(model))
    return [bounded("sima")[0]["entry_bound"], *largest("sima"), *largest("xcit")]


@recipe("What the attention does matters")
def sima_shares(row, run):
    def share(model):
        return [100 * number for number in extremes(
            line["attention_norm"] / line["residual_norm"] for line in run(row.commands[0], model)
            if line["head"] < 0 and re.match("block[123s]", line["layer"]))]
    return [*share("sima"), *share("softmax"), *share("xcit")]


def spectra_by_stage(table):
    stages = {}
    for (_, layer, _), head in by_head(table).items():
        stages.setdefault(layer[:6], []).append(numpy.array(column(head, "singular_value")))
    return stages.values()


def effective_rank(values):
    shares = values[values > 0] / values.sum()
    return numpy.exp(-(shares * numpy.log(shares)).sum())


@recipe("Softmax attention is of low")
def low_rank(row, run):
    stages = list(spectra_by_stage(run(row.commands[0])))
    ranks = [statistics.mean(map(effective_rank, stage)) for stage in stages]
    tenths = [100 * statistics.mean(values[:len(values) // 10].sum() / values.sum() for values in stage)
              for stage in stages]
    return [number for pair in zip(ranks, [stage[0].size for stage in stages]) for number in pair] + tenths


@recipe("Higher layers are of lower")
def rank_by_stage(row, run):
    return [statistics.mean(map(effective_rank, stage)) for stage in spectra_by_stage(run(row.commands[0]))]


@recipe("Performer's rows sum to 1")
def performer_rows(row, run):
    for head in run(row.commands[0]).heads():
        assert head.min() > 0 and abs(head.sum(-1) - 1).max() < 1e-4
    return []


@recipe("Nyströmformer approximates softmax")
def nystromformer(row, run):
    table = [line for line in run(row.commands[0]) if line["landmarks"] == "trained"]
    errors = column(table, "relative_error")
    dump = run(row.commands[1])
    sums = numpy.concatenate([heads.sum(-1).ravel() for heads in dump.of_layers()])
    share = (list(dump.of_layers())[-1] < 0).mean()
    assert 0.3 < share < 0.37, f"{share} of the last layer's entries are negative"
    return [*extremes(errors), statistics.median(errors), statistics.median(column(table, "rank_bound")),
            statistics.median(column(table, "exact_relative_error")), sums.min(), sums.max()]


@recipe("Six steps of its iteration")
def six_steps(row, run):
    table = run(row.commands[0])
    def median(step):
        return statistics.median(line["residual"] for line in table if line["iteration"] == step)
    within, heads = heads_within(table, 20, "residual")
    assert within == heads, (within, heads)
    return [median(6), 6, median(10), 10, 1e-3, heads, 20]


@recipe("Linear attention without its denominator")
def row_sums(row, run):
    dump = run(row.commands[0])
    heads = [head for layer, stack in zip(dump.layers, dump.of_layers()) if layer["mechanism"] == "elu" for head in stack]
    assert min(head.min() for head in heads) > 0
    return [min(head.sum(-1).min() for head in heads), max(head.sum(-1).max() for head in heads)]


# The same ratio is told in other pages: in the words of its row here.
RATIO = re.compile(r"attention term is(?:\s\w+)? ([\d.e-]+)\s+to\s+([\d.e-]+)\s+of\s+the\s+convolution")
RATIO_ROW = "SOFT's attention is what its accuracy comes from"
RATIO_PAGES = ("README.md", "docs/guide/reading-maps.md")


def check_ratio(table):
    told = re.search(r"in a head ([\d.e-]+) to ([\d.e-]+)", next(
        row.outcome for row in table if row.claim.startswith(RATIO_ROW))).groups()
    wrong = 0
    for page in RATIO_PAGES:
        found = RATIO.findall((ROOT / page).read_text(encoding="utf-8"))
        if not found or any(pair != told for pair in found):
            print(f"differs: {page} says {found} of attention to convolution, claims.md {' to '.join(told)}")
            wrong += 1
    return wrong


def check(row, run):
    function = next((RECIPES[claim] for claim in RECIPES if row.claim.startswith(claim)), None)
    if function is None:
        print(f"no recipe: {row.claim}")
        return False
    try:
        computed = function(row, run)
    except AssertionError as error:
        print(f"differs: {row.claim}\n  {error or 'it does not hold'}")
        return False
    written = numbers(row.outcome)
    if len(written) != len(computed):
        print(f"differs: {row.claim}\n  the row has {' '.join(written)}\n  computed  {computed}")
        return False
    differing = [(old, new) for old, new in zip(written, computed) if not agrees(old, new)]
    print(f"{'differs' if differing else 'holds'}: {row.claim}", flush=True)
    for old, new in differing:
        print(f"  {old} is {float(new):.4g}")
    return not differing


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, words = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    text = CLAIMS.read_text(encoding="utf-8")
    table = rows(text)
    wrong = check_ratio(table)
    with tempfile.TemporaryDirectory() as folder:
        run = Runner(program, folder, text)
        for row in table:
            if row.cheap and (not words or any(word in row.claim for word in words)):
                wrong += not check(row, run)
    for claim in RECIPES:
        if not any(row.cheap and row.claim.startswith(claim) for row in table):
            print(f"no row: {claim}")
            wrong += 1
    print(f"{sum(not row.cheap for row in table)} rows need data sets or a clock, and were not recomputed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
