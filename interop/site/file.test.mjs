// The form that files a report, in a browser. What is understood, refused and kept: internal/web/file_test.go.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, expectStatus, startSite } from "./browser.mjs";
import { hostile, NOBODY } from "./seed.mjs";

const good = { crimeType: "phishing", title: "A page took my approval", description: "I signed once.\n\nThen it was gone." };

let site;
before(async () => { site = await startSite(); });
after(() => site?.stop());

let count = 0;
/** A site that nobody has named yet. */
const fresh = () => `fresh-${++count}.example`;

/** The title of the page that a click has led to. */
async function title(page) {
  await page.waitForLoadState();
  return page.title();
}

async function fill(page, fields) {
  const more = page.locator("details:has(#amountLost)");
  if (!await more.evaluate(node => node.open)) await more.locator("> summary").click();
  for (const [name, value] of Object.entries(fields)) {
    if (name === "crimeType") await page.selectOption("#crimeType", value);
    else await page.fill(`.form [name=${name}]`, value);
  }
}

test("a report is filed, read and withdrawn, without script on a phone", async t => {
  const page = await site.visit(t, "/report", { script: false, phone: true });
  await fill(page, { ...good, things: `https://${fresh()}/claim?ref=1\n${NOBODY}\ntelegram: @lena_trades88\n`, amountLost: "12,400", incidentDate: "2026-01-31", urls: "https://news.example/story" });
  await page.click("text=Next: see the report");
  assert.equal(await page.textContent("h1"), "Not public yet: read it once more");
  assert.match(await page.textContent(".preview"), /A page took my approval[^]*about 12,400 USD[^]*I signed once[^]*lena_trades88/);
  await page.click("button[name=change]");
  assert.equal(await page.inputValue("#title"), good.title);
  await page.click("text=Next: see the report");
  const [answer] = await Promise.all([page.waitForResponse(r => r.request().method() === "POST"), page.click("button[name=publish]")]);
  assert.equal(answer.status(), 303); // to the receipt, so that a reload files nothing
  assert.match(await title(page), /^Your report is public – A page took my approval/);
  const token = await page.textContent("#manage");
  assert.ok(!page.url().includes("man_"));
  await page.selectOption("#country", "IN");
  await page.getByRole("button", { name: "Show" }).click();
  assert.match(await page.textContent(".agencies"), /National Cyber Crime Reporting Portal\s*1930/);
  assert.equal(await page.textContent("#manage"), token); // still there
  await page.goto(page.url().split("?")[0]);
  assert.ok((await page.locator("#manage").boundingBox()).y < 844, "the code is not on the first screen");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as a file")]);
  assert.ok(readFileSync(await file.path(), "utf8").includes(token));
  await page.click("text=Open it to print");
  assert.equal(await page.textContent("h1"), "Case file");
  assert.ok(!(await page.content()).includes(token));
  await page.goBack();
  const at = await page.getAttribute(".filed a", "href");
  await page.click(".filed a");
  assert.equal(page.url(), at);
  assert.match(await page.textContent(".panel .facts"), /31 January 2026\s*Lost\s*about 12,400 USD/);
  await page.click("text=Is this your report?");
  await page.fill("#token", `  ${token} `);
  await page.click("text=Withdraw the report");
  assert.equal(await page.textContent("h1"), "Withdraw for good?");
  await page.click("text=Withdraw it for good");
  assert.equal(await page.textContent("h1"), "Your report is withdrawn");
  expectStatus(page, 410);
  await page.goto(at);
  assert.equal(await page.textContent("h1"), "This report was withdrawn");
});

for (const phone of [false, true]) test(`everybody can read each state of it: ${phone ? "phone, dark" : "desktop, light"}`, async t => {
  const page = await site.visit(t, "/report", { phone, theme: phone ? "dark" : "light", permissions: ["clipboard-read", "clipboard-write"] });
  const width = page.viewportSize();
  const look = async () => {
    await assertAccessible(page);
    if (!phone) return;
    await assertFits(page);
    await page.setViewportSize(width);
  };
  await fill(page, { things: `${NOBODY}1\nx`, amountLost: "12.400", currency: "$ $", transactionHashes: "0x1", urls: hostile[1], title: hostile[0],
    description: "legal winner thank year wave sausage worth useful legal winner thank yellow" });
  expectStatus(page, 422);
  await page.click("text=Next: see the report");
  assert.equal(await page.inputValue("#title"), hostile[0]);
  await look();

  await fill(page, { ...good, description: "[12.03.26, 10:22] Maria Gonzalez: Hi\n[12.03.26, 10:23] Lena: write to maria@mail.example", things: `Wallet: ${fresh()}\n@lena_trades88`,
    amountLost: "", currency: "", transactionHashes: "", urls: "" });
  await page.click("text=Next: see the report");
  assert.match(await title(page), /^Not public yet/);
  await look();
  await page.check("[name=me][value='Maria Gonzalez']");
  await page.selectOption("[name=whose]", { label: "Mine or another person’s: take it out" });
  await page.selectOption("#platform", "telegram");
  await page.click("button[name=next]");
  assert.match(await page.textContent(".preview"), /Me: Hi\s*\[12.03.26, 10:23\] Lena: write to \[e-mail address\]/);
  await look();
  await page.click("button[name=publish]");
  assert.match(await title(page), /^Your report is public/);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.textContent("#manage"));
  await look();

  await page.click(".filed a");
  await page.click("text=Is this your report?");
  await page.fill("#token", "man_wrong");
  expectStatus(page, 403);
  await page.click("text=Withdraw the report");
  assert.ok(await page.locator("#token").isVisible());
  await look();
});

test("by keyboard alone, from an error to its field", async t => {
  const page = await site.visit(t, "/report?subject=keyboard.example");
  expectStatus(page, 422);
  await page.click("text=Next: see the report");
  assert.match(await title(page), /^3 things need another look – Report a scam/);
  await page.focus(".errs a[href='#title']");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "title");
  await page.keyboard.type("By keyboard");
  await page.focus(".errs a[href='#crimeType']");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.inputValue("#crimeType"), "phishing");
});

test("who can name nothing is told first who can act, and keeps the text", async t => {
  const page = await site.visit(t, "/report", { script: false, phone: true });
  await page.fill("#title", "She is gone");
  await page.fill("#description", "We wrote every day.");
  await page.selectOption("#crimeType", "romance_scam");
  expectStatus(page, 422);
  await page.click("text=Next: see the report");
  assert.equal(await page.textContent(".errs h2"), "We cannot publish this yet");
  assert.equal(await page.inputValue("#description"), "We wrote every day.");
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator("p.typed").isVisible()); // on paper without the form
  assert.ok(!await page.locator("#description").isVisible());
  await page.emulateMedia({ media: "screen" });
  await page.click(".errs a[href='/help']");
  assert.equal(await page.textContent("h1"), "Where to get help");
});

test("the form is short on a phone: the button is within two screens", async t => {
  const page = await site.visit(t, "/report", { phone: true });
  const { y, height } = await page.getByRole("button", { name: "Next: see the report" }).boundingBox();
  assert.ok(y + height < 2 * 844, `${y + height} px`);
});
