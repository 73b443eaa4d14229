// What a script adds to a page that is complete without it. What it says is in the language of the page.
const says = document.body.dataset;

for (const button of document.querySelectorAll("[data-copy], [data-share]")) {
  button.hidden = false;
  const label = button.textContent;
  const { copy, share } = button.dataset;
  button.addEventListener("click", async () => {
    try {
      if (share && navigator.share) return await navigator.share({ title: document.title, url: share });
      const named = copy === "" ? button.previousElementSibling : document.getElementById(copy); // "": the code before it
      await navigator.clipboard.writeText(named ? named.textContent : share ?? copy);
      button.textContent = share ? says.linkCopied : says.copied;
    } catch (error) {
      if (error.name === "AbortError") return; // the visitor has closed what share opened
      button.textContent = says.denied;
    }
    setTimeout(() => button.textContent = label, 2000);
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Paste and Scan fill the box, and leave it to the visitor to send it: what is copied may be a recovery phrase.
const fillers = {
  paste: navigator.clipboard?.readText && (() => navigator.clipboard.readText()),
  scan: window.BarcodeDetector && scan,
};
if (fillers.scan) document.querySelector("[data-noscan]")?.remove();
for (const button of document.querySelectorAll("[data-fill]")) {
  const fill = fillers[button.dataset.fill];
  if (!fill) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    let text = "", fault = button.dataset.fill === "paste" ? says.empty : says.unseen;
    try {
      text = (await fill()).trim();
    } catch (error) {
      if (error.name === "NotAllowedError") fault = says.denied;
    }
    const form = button.form;
    if (text) {
      form.elements.q.value = text.replace(/\s*[\r\n]+\s*/g, " "); // a field of one line would glue its lines together
      form.querySelector("[type=submit]").focus();
      return;
    }
    button.textContent = fault;
    setTimeout(() => button.textContent = label, 2000);
  });
}

// scan reads a QR code from a photograph, which a phone takes at once. It stays on the device.
async function scan() {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: "image/*", capture: "environment" });
  const file = await new Promise((resolve, reject) => {
    input.addEventListener("change", () => resolve(input.files[0]));
    input.addEventListener("cancel", reject);
    input.click();
  });
  const [code] = await new BarcodeDetector({ formats: ["qr_code"] }).detect(await createImageBitmap(file));
  return code?.rawValue ?? "";
}

// The language of examples is kept for other pages.
document.querySelector("form.examples")?.addEventListener("change", event => {
  const { form } = event.target;
  fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual", keepalive: true }).catch(() => {});
});

// A form that takes a moment says so until its answer comes, and is sent once.
for (const form of document.querySelectorAll("form[data-busy]")) {
  const note = form.querySelector(".busy");
  form.addEventListener("submit", event => {
    if (event.submitter?.value === "csv") return; // the page stays
    if (!note.hidden) event.preventDefault();
    note.hidden = false;
  });
  addEventListener("pageshow", () => note.hidden = true); // also when the visitor comes back to it
}

// "/" goes to the search box, as on most sites that have one; in the documentation to its own.
// The footer says so where there is a box.
for (const note of document.querySelectorAll("[data-keys]")) note.hidden = !document.querySelector("#q, #find");
document.addEventListener("keydown", event => {
  const box = document.querySelector("#docs-q") ?? document.querySelector("#q, #find");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !box) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  box.focus();
});

// The theme changes in place: going to the page again would lose what was typed.
const theme = document.querySelector('form[action="/theme"]');
theme?.addEventListener("submit", event => {
  event.preventDefault();
  const choice = event.submitter.value;
  for (const button of theme.elements) button.setAttribute("aria-pressed", button === event.submitter);
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  fetch("/theme", { method: "POST", body: new URLSearchParams({ theme: choice }), redirect: "manual", keepalive: true }).catch(() => {}); // it is for the next page; this one has changed
});

// What is wrong with a form is read out first.
document.getElementById("errors")?.focus();
