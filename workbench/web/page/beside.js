// What stands beside the terminal: the words of a lesson, keys as buttons, what happens as sentences.
// All that comes from the program is text: it is never made into markup.
const LINES_KEPT = 200;
const at = (id) => document.getElementById(id);

function made(tag, kind, ...inside) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...inside);
  return element;
}

const STRESSED = { term: "b", stress: "em", code: "code" };
const styled = (text) => text.map(([words, stress]) => (stress ? made(STRESSED[stress], "", words) : words));

const TAGS = { heading: "h3", figure: "pre", quote: "blockquote" };
const piece = ({ kind, text }) => made(TAGS[kind] ?? "p", kind, ...styled(text));

function button(name, words, press, kind) {
  const element = made("button", kind, words);
  element.type = "button";
  element.dataset.name = name;
  element.addEventListener("click", press);
  return element;
}

// Makes what an element holds anew where it says something else than before: a button that is being pressed stays.
// Whoever had the focus there keeps it.
const filled = new Map();
function fill(id, said, make) {
  const element = at(id), now = JSON.stringify(said);
  if (filled.get(id) === now) return;
  filled.set(id, now);
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.name : "";
  element.replaceChildren(...make());
  if (focused) [...element.querySelectorAll("button")].find((each) => each.dataset.name === focused)?.focus();
}

const ONWARD = new Set(["do", "retry", "question"]);
const NOTHING = { place: "", heading: "", verdict: "", held: "", task: [] };
let shown = NOTHING;

// Words and buttons of the page that the screen is about. send: takes a message for the program.
export function showWords(text, send) {
  const page = JSON.parse(text);
  const press = (name) => () => send({ type: "press", name });
  const choice = ({ letter, text: words, state }) => {
    const element = button(letter, made("b", "", letter), press(letter), `choice ${state}`);
    element.append(made("span", "", words));
    element.setAttribute("aria-pressed", String(state === "chosen"));
    return element;
  };
  const { buttons, keys, ...words } = page;
  fill("words", words, () => [
    made("p", "place", [page.title, page.place].filter(Boolean).join(", ")),
    made("h2", "", page.heading),
    ...page.before.map(piece),
    ...page.task.map(piece),
    ...(page.question ? [made("p", "question", page.question)] : []),
    ...(page.verdict ? [made("p", "verdict", page.verdict)] : []),
    ...page.choices.map(choice),
    ...(page.held ? [made("p", "held", made("b", "", `${page.held}: `), ...styled(page.look))] : []),
    ...page.after.map(piece),
    ...page.script.map((line) => made("p", "script", line)),
    ...(page.status ? [made("p", "status", page.status)] : []),
  ]);
  const act = (name) => (name === "question" ? () => see("question") : press(name));
  fill("actions", buttons, () =>
    buttons.map(([name, said]) => button(name, said, act(name), ONWARD.has(name) ? "first" : "")));
  fill("keys", keys, () => keys.map(([sign, does, data]) => {
    const key = button(sign, made("b", "", sign), () => send({ type: "keys", data }), "key");
    if (does) key.append(made("span", "", does));
    key.setAttribute("aria-label", does ? `${sign}: ${does}` : sign);
    return key;
  }));
  turnTo(page);
  shown = page;
}

// A new step begins at its first line, the end of a step at its verdict, and what is new of a task or a hold is seen.
function turnTo(page) {
  if (page.place !== shown.place || page.heading !== shown.heading) at("words").scrollTop = 0;
  else if (page.verdict && !shown.verdict) see("question");
  else if (page.held !== shown.held) see("held");
  else if (page.task.length > shown.task.length) [...at("words").querySelectorAll(".hint")].pop()?.scrollIntoView();
}

function see(kind) { at("words").querySelector(`.${kind}`)?.scrollIntoView({ block: "start" }); }

// What was shown is over: its buttons would do nothing.
export function clear() {
  for (const id of ["words", "actions", "keys"]) at(id).replaceChildren();
  filled.clear();
  shown = NOTHING;
}

// One sentence of what happens, for whoever hears the page.
export function say(line) {
  const log = at("aloud");
  log.append(made("p", "", line));
  while (log.childElementCount > LINES_KEPT) log.firstElementChild.remove();
  log.scrollTop = log.scrollHeight;
}

// A file that the program made, for the learner's disk.
export function keepFile(name, bytes) {
  const link = made("a", "");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// The line for commands, the menu, and whether words stand beside the screen. told: hears of that.
export function begin(send, told, framed) {
  at("command").addEventListener("submit", (event) => {
    event.preventDefault();
    const line = at("line").value.trim();
    if (line) send({ type: "command", text: line });
    at("line").value = "";
  });
  at("export").addEventListener("click", () => send({ type: "export" }));
  at("forget").addEventListener("click", () => {
    if (confirm("Delete all runs, answers and progress that this browser keeps? This cannot be undone.")) {
      send({ type: "forget" });
    }
  });
  at("import").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (file) send({ type: "import", name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    target.value = "";
  });
  at("hear").addEventListener("click", () => {
    const isShown = at("aloud").classList.toggle("unseen");
    at("hear").setAttribute("aria-pressed", String(!isShown));
  });
  const narrow = matchMedia("(max-width: 700px)");
  const stand = (isShown) => {
    document.body.classList.toggle("beside", isShown);
    at("text").setAttribute("aria-pressed", String(isShown));
    told(isShown);
  };
  at("text").addEventListener("click", () => stand(!document.body.classList.contains("beside")));
  const standWhereNarrow = () => stand(narrow.matches && !framed);
  narrow.addEventListener("change", standWhereNarrow);
  standWhereNarrow();
}
