// The page's controls and panels. Everything that is shown follows from `state`; show() draws it.

const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);

for (const map of data.colorMaps) map.bytes = bytesOf(map.colors);

const state = {
  model: 0,
  layer: 0,
  query: {x: data.start.x, y: data.start.y, token: data.start.token, direction: data.start.direction},
  head: data.start.head,
  view: data.view,
  /** The cell of the answer's grid under the pointer, or null. */
  pointed: null,
};

const shownModel = () => data.models[state.model];
const shownLayer = () => shownModel().layers[state.layer];

function colorMapNamed(name) {
  return data.colorMaps.find(map => map.name === name);
}

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function fillChoice(select, options) {
  select.replaceChildren(...options.map(([value, text]) => {
    const option = make("option", "", text);
    option.value = value;
    return option;
  }));
}

const headTitle = head => typeof head === "number" ? `head ${head}` : head;

/** A heat map with its title, its colour bar and the marks on it. */
class Panel {
  constructor() {
    this.root = make("figure", "panel");
    this.title = make("button", "title");
    this.title.type = "button";
    this.note = make("span", "note");
    this.image = make("div", "image");
    this.canvas = make("canvas");
    this.mark = make("div", "mark");
    this.pointed = make("div", "pointed");
    this.image.append(this.canvas, this.mark, this.pointed);
    this.bar = make("div", "bar");
    this.low = make("span");
    this.gradient = make("div", "gradient");
    this.high = make("span");
    this.bar.append(this.low, this.gradient, this.high);
    const caption = make("figcaption");
    caption.append(this.title, this.note);
    this.root.append(caption, this.image, this.bar);
    this.title.onclick = () => this.answer && choose({head: this.answer.head});
    this.image.onpointermove = event => point(this.cellUnder(event), this.answer);
    this.image.onpointerleave = () => point(null, this.answer);
    this.image.onclick = event => askAt(this.placeUnder(event));
  }

  /** The place under the pointer, in fractions of the panel. */
  placeUnder(event) {
    const box = this.image.getBoundingClientRect();
    return {
      x: clamp((event.clientX - box.left) / box.width, 0, 1),
      y: clamp((event.clientY - box.top) / box.height, 0, 1),
    };
  }
  cellUnder(event) {
    const [height, width] = this.answer.grid;
    const place = this.placeUnder(event);
    return Math.min(height - 1, Math.floor(place.y * height)) * width +
        Math.min(width - 1, Math.floor(place.x * width));
  }

  show(answer, range, layer) {
    this.answer = answer;
    this.range = range;
    this.title.textContent = headTitle(answer.head);
    this.title.title = `Show ${headTitle(answer.head)} large`;
    const note = noteOf(answer, layer);
    // A small panel has room for what says the most.
    this.note.textContent = this === large ? note : note.split(" · ")[0].replace(/^largest /, "");
    this.note.title = note;
    this.root.classList.toggle("chosen", answer.head === state.head);
    const picture = answer.onPicture ? shownModel().loaded : null;
    const aspect = picture ? picture.width / picture.height
        : answer.grid[0] === 1 ? 8 : answer.grid[1] / answer.grid[0];
    this.image.style.aspectRatio = String(aspect);
    const colors = colorMapNamed(
        range.centred ? state.view.divergingColorMap : state.view.colorMap);
    this.low.textContent = range.isEmpty ? "no finite value"
        : (range.clipped ? "≤ " : "") + valueText(range.low);
    this.high.textContent = range.isEmpty ? "" : (range.clipped ? "≥ " : "") + valueText(range.high);
    this.gradient.hidden = range.isEmpty;
    this.gradient.style.background = gradientOf(colors);
    drawAnswer(this.canvas, answer, range, state.view, colors, picture);
    this.showMarks();
  }

  showMarks() {
    const side = askedSide(shownLayer(), state.query.direction);
    const asked = askedToken(shownLayer(), shownModel().seen, state.query);
    place(this.mark, this.answer.onPicture && asked.cell !== null ? side.grid : null, asked.cell);
    const isPointed = state.pointed !== null && samePlaces(state.pointed.grid, this.answer.grid);
    place(this.pointed, isPointed ? this.answer.grid : null, state.pointed?.cell);
  }
}

const samePlaces = (a, b) => a[0] === b[0] && a[1] === b[1];

/** Lays a mark over a cell of a grid, or hides it. */
function place(mark, grid, cell) {
  mark.hidden = !grid;
  if (!grid) return;
  mark.style.left = `${100 * (cell % grid[1]) / grid[1]}%`;
  mark.style.top = `${100 * Math.floor(cell / grid[1]) / grid[0]}%`;
  mark.style.width = `${100 / grid[1]}%`;
  mark.style.height = `${100 / grid[0]}%`;
}

/** What stands beside a panel's title. */
function noteOf(answer, layer) {
  // A small panel shows the first part alone.
  const parts = [notFiniteText(answer), ...notesOf(answer, layer)];
  return parts.filter(Boolean).join(" · ");
}

function notesOf(answer, layer) {
  if (answer.whole) return ["queries ↓ keys →"];
  if (!answer.onPicture) return [`${answer.values.length} values`];
  const parts = [];
  const same = state.query.direction === "rows" && layer.same[answer.head];
  if (same) parts.push(same);
  const proportion = proportionText(insideOf(answer));
  if (proportion) parts.push(proportion);
  for (const {name, value} of answer.others) {
    if (!name.startsWith("register")) parts.push(`${name} ${valueText(value, 2)}`);
  }
  const registers = answer.others.filter(({name}) => name.startsWith("register"));
  if (registers.length > 0) {
    parts.push(`registers ${valueText(registers.reduce((sum, {value}) => sum + value, 0), 2)}`);
  }
  return parts;
}

const panels = [];
const large = new Panel();
let answers = [];
let ranges = [];

/** The name of a cell of an answer's grid. */
function cellName(answer, cell) {
  if (answer.whole) {
    const layer = shownLayer();
    return `${tokenName(layer.rows, Math.floor(cell / answer.grid[1]))} to ` +
        tokenName(layer.columns, cell % answer.grid[1]);
  }
  const side = answer.side;
  if (!side.grid) return tokenName(side, cell);
  return tokenName(side, side.prefix + (side.nearest ? side.nearest[cell] : cell));
}

function point(cell, answer) {
  state.pointed = cell === null || !answer ? null : {cell, grid: answer.grid, head: answer.head};
  for (const panel of [large, ...panels]) panel.showMarks();
  showReadout();
}

function showReadout() {
  const readout = element("readout");
  readout.replaceChildren();
  const pointed = state.pointed;
  const answer = pointed && answers.find(one => one.head === pointed.head);
  if (!answer) {
    readout.append(make("span", "hint", shownLayer().whole
        ? "Point at an entry to read it." : "Point at a patch to read its value; click to ask it."));
    return;
  }
  const value = answer.outside && answer.outside[pointed.cell]
      ? "outside of the window" : valueText(answer.values[pointed.cell], 4);
  readout.append(make("span", "where", cellName(answer, pointed.cell)),
                 make("span", "value", value), make("span", "hint", headTitle(answer.head)));
}

/** Computes the answers and draws everything. */
function show() {
  const layer = shownLayer();
  answers = answersTo(layer, shownModel().seen, state.query);
  if (!answers.some(answer => answer.head === state.head)) state.head = 0;
  ranges = rangesOf(answers, state.view);
  while (panels.length < answers.length) {
    panels.push(new Panel());
  }
  panels.length = answers.length;
  const onePanel = answers.length === 1;
  element("panels").replaceChildren(...(onePanel ? [] : panels.map(panel => panel.root)));
  element("panels").hidden = onePanel;
  document.querySelector(".body").classList.toggle("single", onePanel);
  const asked = askedToken(layer, shownModel().seen, state.query);
  const name = tokenName(askedSide(layer, state.query.direction), asked.token);
  const question = layer.questions[state.query.direction]
      .replace("%", () => name.endsWith("token") ? `the ${name}` : name);
  element("question").textContent = question[0].toUpperCase() + question.slice(1);
  showControls(layer, asked);
  const chosen = answers.findIndex(answer => answer.head === state.head);
  large.show(answers[chosen], ranges[chosen], layer);
  if (!onePanel) panels.forEach((panel, i) => panel.show(answers[i], ranges[i], layer));
  showReadout();
}

function showControls(layer, asked) {
  const model = shownModel();
  document.title = `${layer.short} · ${model.name} · attention`;
  element("model").value = String(state.model);
  element("layer").value = String(state.layer);
  element("previous-layer").disabled = state.layer === 0;
  element("next-layer").disabled = state.layer === model.layers.length - 1;
  element("about").textContent = `${model.name} · ${layer.about}`;
  for (const direction of ["rows", "columns"]) {
    element(direction).setAttribute("aria-pressed", String(state.query.direction === direction));
  }
  element("direction-choice").hidden = layer.whole;
  const side = askedSide(layer, state.query.direction);
  const tokens = [];
  if (side.grid) tokens.push(["", "a patch"]);
  if (side.grid || side.count === 1) {
    tokens.push(...side.named.map(([, name], single) => [String(single), name]));
  } else {
    for (let i = 0; i < side.count; ++i) tokens.push([String(i), tokenName(side, i)]);
  }
  fillChoice(element("token"), tokens);
  element("token").value = asked.single === null ? "" : String(asked.single);
  element("token-choice").hidden = layer.whole || tokens.length < 2;
  const isSigned = ranges.some(range => range.centred);
  fillChoice(element("colors"), data.colorMaps.filter(map => map.diverging === isSigned)
      .map(map => [map.name, map.name]));
  element("colors").value = isSigned ? state.view.divergingColorMap : state.view.colorMap;
  element("range").value = state.view.range;
  element("opacity").value = String(state.view.opacity);
  for (const flag of ["smooth", "absolute", "fades"]) element(flag).checked = state.view[flag];
  element("facts").replaceChildren(...layer.facts.map(fact => make("li", "", fact)));
}

/** Changes the state and shows it: {model, layer, head, query: {...}, view: {...}}. */
function choose(change) {
  const {query, view, ...others} = change;
  if (others.model !== undefined && others.model !== state.model) {
    // The layer of the same name, or else the one at the same depth.
    const layers = data.models[others.model].layers;
    const same = layers.findIndex(layer => layer.name === shownLayer().name);
    const depth = state.layer / Math.max(1, shownModel().layers.length - 1);
    others.layer = same >= 0 ? same : Math.round(depth * (layers.length - 1));
  }
  Object.assign(state, others);
  Object.assign(state.query, query);
  Object.assign(state.view, view);
  if (others.model !== undefined) fillLayers();
  state.pointed = null;
  show();
}

function askAt(at) {
  const layer = shownLayer();
  if (layer.whole || !askedSide(layer, state.query.direction).grid) return;
  if (!answerSide(layer, state.query.direction).grid) return;
  const seen = shownModel().seen;
  choose({query: {x: seen.x + at.x * seen.width, y: seen.y + at.y * seen.height, token: null}});
}

/** Asks the patch so many rows and columns further. */
function step(rows, columns) {
  const side = askedSide(shownLayer(), state.query.direction);
  if (!side.grid) return false;
  const seen = shownModel().seen;
  const cell = cellAt(side.grid, seen, state.query);
  const row = clamp(Math.floor(cell / side.grid[1]) + rows, 0, side.grid[0] - 1);
  const column = clamp(cell % side.grid[1] + columns, 0, side.grid[1] - 1);
  choose({query: {...placeOf(side.grid, seen, row * side.grid[1] + column), token: null}});
  return true;
}

function nextToken() {
  const options = [...element("token").options].map(option => option.value);
  if (element("token-choice").hidden) return;
  const next = options[(options.indexOf(element("token").value) + 1) % options.length];
  choose({query: {token: next === "" ? null : Number(next)}});
}

function stepLayer(by) {
  choose({layer: clamp(state.layer + by, 0, shownModel().layers.length - 1)});
}
function stepHead(by) {
  const at = answers.findIndex(answer => answer.head === state.head);
  choose({head: answers[clamp(at + by, 0, answers.length - 1)].head});
}
function swapDirection() {
  if (shownLayer().whole) return;
  choose({query: {direction: state.query.direction === "rows" ? "columns" : "rows"}});
}
function changeOpacity(by) {
  choose({view: {opacity: clamp(Math.round(20 * (state.view.opacity + by)) / 20, 0, 1)}});
}

const keys = {
  ArrowUp: () => step(-1, 0),
  ArrowDown: () => step(1, 0),
  ArrowLeft: () => step(0, -1),
  ArrowRight: () => step(0, 1),
  "[": () => stepLayer(-1),
  "]": () => stepLayer(1),
  ",": () => stepHead(-1),
  ".": () => stepHead(1),
  "r": swapDirection,
  "c": nextToken,
  "+": () => changeOpacity(0.05),
  "=": () => changeOpacity(0.05),
  "-": () => changeOpacity(-0.05),
  "s": () => choose({view: {smooth: !state.view.smooth}}),
};

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  // A control that has the focus uses these keys itself.
  if (event.target.closest("select, input[type=range], pre")) return;
  const act = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (act && act() !== false) event.preventDefault();
}

function fillLayers() {
  fillChoice(element("layer"), shownModel().layers.map((layer, i) => [String(i), layer.name]));
  const leftOut = element("left-out");
  const missing = shownModel().leftOut;
  leftOut.hidden = missing.length === 0;
  leftOut.querySelector("summary").textContent =
      missing.length === 1 ? "1 layer is not on this page" : `${missing.length} layers are not on this page`;
  leftOut.querySelector("ul").replaceChildren(
      ...missing.map(({name, reason}) => make("li", "", `${name}: ${reason}`)));
}

function connect() {
  element("model").onchange = event => choose({model: Number(event.target.value)});
  element("layer").onchange = event => choose({layer: Number(event.target.value)});
  element("previous-layer").onclick = () => stepLayer(-1);
  element("next-layer").onclick = () => stepLayer(1);
  for (const direction of ["rows", "columns"]) {
    element(direction).onclick = () => choose({query: {direction}});
  }
  element("token").onchange = event =>
      choose({query: {token: event.target.value === "" ? null : Number(event.target.value)}});
  element("colors").onchange = event => {
    const map = colorMapNamed(event.target.value);
    choose({view: {[map.diverging ? "divergingColorMap" : "colorMap"]: map.name}});
  };
  element("range").onchange = event => choose({view: {range: event.target.value}});
  element("opacity").oninput = event => choose({view: {opacity: Number(event.target.value)}});
  for (const flag of ["smooth", "absolute", "fades"]) {
    element(flag).onchange = event => choose({view: {[flag]: event.target.checked}});
  }
  const command = element("command");
  const copy = command.querySelector("button");
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.command);
      copy.textContent = "Copied";
    } catch {
      // The browser does not allow it: leave the text selected.
      getSelection().selectAllChildren(command.querySelector("pre"));
      copy.textContent = "Selected";
    }
  };
  document.addEventListener("keydown", pressed);
  let resized = null;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(resized);
    resized = requestAnimationFrame(show);
  });
}

async function begin() {
  data.models = data.models.filter(model => model.layers.length > 0 || model.leftOut.length > 0);
  for (const model of data.models) model.loaded = model.picture && await loadedPicture(model.picture);
  const withLayers = data.models.findIndex(model => model.layers.length > 0);
  state.model = withLayers;
  fillChoice(element("model"), data.models.map((model, i) => [String(i), model.name]));
  data.models.forEach((model, i) => { element("model").options[i].disabled = model.layers.length === 0; });
  element("model-choice").hidden = data.models.length === 1;
  fillChoice(element("range"), data.view.ranges);
  element("program").textContent = data.program;
  element("command").hidden = data.command === "";
  element("command").querySelector("pre").textContent = data.command;
  element("large-panel").append(large.root);
  fillLayers();
  connect();
  element("page").hidden = false;
  show();
}

/** For the console and for other scripts: the numbers behind the page, unrounded by any colour. */
window.softscope = {
  layerOf(layer, model) {
    const layers = data.models[model].layers;
    const found = typeof layer === "number" ? layers[layer] : layers.find(({name}) => name === layer);
    if (!found) throw new RangeError(`there is no layer ${layer} on this page`);
    return found;
  },
  checked(index, count, what) {
    if (Number.isInteger(index) && index >= 0 && index < count) return index;
    throw new RangeError(`${what} ${index} is outside 0 to ${count - 1}`);
  },
  models: () => data.models.map(model => model.name),
  layers: (model = 0) => data.models[model].layers.map(layer => ({
    name: layer.name, kind: layer.map.kind, heads: layer.heads, queries: layer.rows.count,
    keys: layer.columns.count, error: layer.error,
  })),
  row(layer, head, query, model = 0) {
    const of = this.layerOf(layer, model);
    this.checked(head, of.heads, "head");
    return decodedMap(of).row(head, this.checked(query, of.rows.count, "query"));
  },
  column(layer, head, key, model = 0) {
    const of = this.layerOf(layer, model);
    this.checked(head, of.heads, "head");
    return decodedMap(of).column(head, this.checked(key, of.columns.count, "key"));
  },
};

window.softscope.ready = begin().catch(error => {
  document.body.append(make("p", "message", `This page cannot be shown: ${error.message}.`));
  throw error;
});
