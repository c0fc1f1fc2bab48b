// From a query on the picture to the answers of all heads: which token it is, where the answer's
// values lie, and what there is to say of them.

const meanOfHeads = "mean";
const largestOfHeads = "largest";

/** The map of a layer, decoded when it is first asked. */
function decodedMap(layer) {
  if (!layer.decoded) layer.decoded = mapOf(layer.map, layer);
  return layer.decoded;
}

/** The side of a matrix that is asked: its rows, or its columns. */
function askedSide(layer, direction) {
  return direction === "rows" ? layer.rows : layer.columns;
}
function answerSide(layer, direction) {
  return direction === "rows" ? layer.columns : layer.rows;
}

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** The cell of a grid nearest to a place, in fractions of the picture. */
function cellAt(grid, seen, place) {
  const along = (at, from, length, cells) =>
      clamp(Math.floor((at - from) / length * cells), 0, cells - 1);
  return along(place.y, seen.y, seen.height, grid[0]) * grid[1] +
      along(place.x, seen.x, seen.width, grid[1]);
}

/** The middle of a cell, in fractions of the picture. */
function placeOf(grid, seen, cell) {
  return {
    x: seen.x + seen.width * (cell % grid[1] + 0.5) / grid[1],
    y: seen.y + seen.height * (Math.floor(cell / grid[1]) + 0.5) / grid[0],
  };
}

/**
 * The row or column that a query asks: {token, cell, single}. A place has a cell; a token that is no
 * patch has its number among those, `single`, which is what query.token is. Where it stands among
 * all tokens differs from layer to layer.
 */
function askedToken(layer, seen, query) {
  const side = askedSide(layer, query.direction);
  if (!side.grid) {
    const token = clamp(query.token ?? 0, 0, side.count - 1);
    return {token, cell: null, single: token};
  }
  if (query.token !== null && query.token < side.named.length) {
    return {token: side.named[query.token][0], cell: null, single: query.token};
  }
  const cell = cellAt(side.grid, seen, query);
  return {token: side.prefix + (side.nearest ? side.nearest[cell] : cell), cell, single: null};
}

function tokenName(side, token) {
  const named = side.named.find(([index]) => index === token);
  if (named) return named[1];
  if (!side.grid) return `${side.unit} ${token}`;
  const index = token - side.prefix;
  if (side.nearest) return `token ${index}`;
  return `patch (${Math.floor(index / side.grid[1])}, ${index % side.grid[1]})`;
}

/** The values of one head: those on a grid, and those of the tokens that are no patches. */
function headAnswer(layer, direction, head, all, outside) {
  const side = answerSide(layer, direction);
  const answer = {head, onPicture: Boolean(side.grid), side, outside: null, others: []};
  if (!side.grid) return {...answer, grid: [1, all.length], values: all};
  const patches = all.subarray(side.prefix, all.length - side.suffix);
  answer.others = side.named.map(([token, name]) => ({name, value: all[token]}));
  answer.grid = side.grid;
  answer.values = side.nearest ? Float64Array.from(side.nearest, token => patches[token]) : patches;
  if (outside && !side.nearest) answer.outside = outside.slice(side.prefix);
  return answer;
}

/** The answers of all heads to a query, then their mean and their largest entries. */
function answersTo(layer, seen, query) {
  const map = decodedMap(layer);
  const heads = [...Array(layer.heads).keys()];
  if (layer.whole) {
    return heads.map(head => {
      const values = new Float64Array(layer.rows.count * layer.columns.count);
      for (let i = 0; i < layer.rows.count; ++i) values.set(map.row(head, i), i * layer.columns.count);
      return {head, onPicture: false, outside: null, others: [], whole: true,
              grid: [layer.rows.count, layer.columns.count], values};
    });
  }
  const isRow = query.direction === "rows";
  const {token} = askedToken(layer, seen, query);
  const all = heads.map(head => isRow ? map.row(head, token) : map.column(head, token));
  const outside = map.outside ? map.outside(token, isRow) : null;
  const answers = all.map(
      (values, head) => headAnswer(layer, query.direction, head, values, outside));
  if (all.length > 1) {
    answers.push(headAnswer(layer, query.direction, meanOfHeads, meanOf(all), outside),
                 headAnswer(layer, query.direction, largestOfHeads, largestOf(all), outside));
  }
  return answers;
}

/** The values within the window, or all where there are no windows. */
function insideOf(answer) {
  return answer.outside ? answer.values.filter((value, i) => !answer.outside[i]) : answer.values;
}

/** The ends of a head's colours, chosen as in the window; both 0 where no value is finite: isEmpty. */
function rangesOf(answers, view) {
  const endsOf = values => values.reduce(
      (ends, value) => Number.isFinite(value)
          ? {low: Math.min(ends.low, value), high: Math.max(ends.high, value)} : ends,
      {low: Infinity, high: -Infinity});
  const isEmpty = ends => ends.low > ends.high;
  const magnitude = ends => Math.max(Math.abs(ends.low), Math.abs(ends.high));
  const drawn = answers.map(answer => {
    const values = insideOf(answer);
    return view.absolute ? values.map(Math.abs) : values;
  });
  const full = drawn.map(endsOf);
  // Empty ends are infinite, and do not count.
  const shared = endsOf(full.flatMap(ends => [ends.low, ends.high]));
  // A diverging map has 128 colours on each side.
  const centred = full.some(ends => !isEmpty(ends) && ends.low < -magnitude(ends) / 128);
  return full.map((own, i) => {
    let ends = view.range === "shared" ? shared : own;
    if (view.range === "percentile") {
      const sorted = drawn[i].filter(Number.isFinite).sort();
      const at = fraction => sorted[Math.round(fraction * (sorted.length - 1))];
      if (sorted.length > 0) ends = {low: at(0.01), high: at(0.99)};
    }
    if (isEmpty(ends)) return {low: 0, high: 0, centred, clipped: false, isEmpty: true};
    if (centred) ends = {low: -magnitude(ends), high: magnitude(ends)};
    return {...ends, centred, clipped: own.low < ends.low || own.high > ends.high, isEmpty: false};
  });
}

/** Where a value lies between the ends of a range, in [0, 1] unless it lies beyond them. */
function fractionOf(value, range) {
  if (range.high > range.low) return (value - range.low) / (range.high - range.low);
  return range.centred ? 0.5 : 0;
}

/** A number with so many significant digits. */
function valueText(value, digits = 3) {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const [mantissa, power] = Math.abs(value).toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const superscript = [...String(exponent)].map(sign => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻").join("");
  const text = exponent >= -3 && exponent < 6
      ? Math.abs(value).toFixed(Math.max(0, digits - 1 - exponent))
      : `${mantissa}×10${superscript}`;
  return (value < 0 ? "−" : "") + text;
}

/** How many values of an answer are not finite, in the window's words. */
function notFiniteText(answer) {
  const inside = insideOf(answer);
  const count = (lacking, value) => lacking + (Number.isFinite(value) ? 0 : 1);
  const lacking = answer.others.reduce((sum, {value}) => count(sum, value), inside.reduce(count, 0));
  return lacking > 0 ? `${lacking} of ${inside.length + answer.others.length} values not finite` : "";
}

/** A number with two digits: `1.6`, `23`, `1.0e+04`. */
function twoDigits(number) {
  if (number < 9.95) return number.toFixed(1);
  if (number < 9999.5) return number.toFixed(0);
  const [mantissa, power] = number.toExponential(1).split("e+");
  return `${mantissa}e+${power.padStart(2, "0")}`;
}

/** A share rounded up to one digit, in percent: `0.3`, `1`, `4`. */
function roundedUpPercent(share) {
  const percent = 100 * share;
  const unit = 10 ** Math.floor(Math.log10(percent));
  // What exceeds a digit only by rounding error is not rounded up.
  return (Math.ceil(percent / unit - 1e-6) * unit).toPrecision(1);
}

/** How far weights are from even ones, in the window's words: a bright map may be uniform. */
function proportionText(weights) {
  if (weights.length < 2) return "";
  const magnitudes = weights.map(Math.abs);
  const mean = magnitudes.reduce((sum, value) => sum + value, 0) / weights.length;
  if (!(mean > 0) || !Number.isFinite(mean)) return "";
  const largest = magnitudes.reduce((a, b) => Math.max(a, b), 0) / mean;
  const smallest = magnitudes.reduce((a, b) => Math.min(a, b), Infinity) / mean;
  const oneSign = weights.every(value => value >= 0) || weights.every(value => value <= 0);
  if (!oneSign) return `largest ${twoDigits(largest)} × the mean`;
  const away = Math.max(largest - 1, 1 - smallest);
  // Only of weights that sum to 1 is the mean what uniform attention would give.
  const areShares = Math.abs(mean * weights.length - 1) < 1e-3;
  if (away > 0.05) return `largest ${twoDigits(largest)} × ${areShares ? "uniform" : "the mean"}`;
  return away < 1e-6 ? "uniform" : `nearly uniform, within ${roundedUpPercent(away)} %`;
}
