// Tocsin's website in a real Chromium, and what no page of it may do.
import assert from "node:assert/strict";
import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { startTocsin } from "../server.mjs";
import { inject } from "./wallet.mjs";

/** The weight of a page on the wire, with all its parts, stays below this many bytes. */
export const LIGHT = 40_000;

const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** The Chromium of this machine: CHROMIUM, or the first one on PATH. */
export function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const dir of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(dir, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch { /* not here */ }
    }
  }
  throw new Error("no chromium, chromium-browser or google-chrome on PATH: install one, or name it with CHROMIUM");
}

/**
 * Tocsin's real binary with its website, and one Chromium. It takes no payments, unless a facilitator is given, and
 * counts no look-ups or filings to their end, unless a flag says so: of two flags with one name the last one holds.
 */
export async function startSite({ flags = [], ...options } = {}) {
  const tocsin = await startTocsin({ flags: ["-filings", "10000", "-total-filings", "0", "-site-lookups", "10000", ...flags], ...options });
  try {
    const browser = await startBrowser(tocsin.url);
    return {
      ...browser, tocsin,
      /** Files a report through the API, and returns it. */
      async file(report, headers = {}) {
        const answer = await fetch(`${tocsin.url}/api/v1/community-reports`, {
          method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(report),
        });
        const text = await answer.text();
        assert.equal(answer.status, 201, text);
        return JSON.parse(text);
      },
      async stop() {
        await browser.stop();
        await tocsin.stop();
      },
    };
  } catch (error) {
    await tocsin.stop();
    throw error;
  }
}

/** One Chromium for the site at this URL. */
export async function startBrowser(url) {
  const { origin } = new URL(url);
  const browser = await chromium.launch({
    timeout: 120_000,
    executablePath: chromiumPath(),
    // No name is resolved, so that nothing leaves this machine. What a page asks of others is seen all the same.
    args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-proxy-server"],
  });

  /** A context of its own: no cookie, nothing cached. With reduced motion, so that nothing is measured half faded in. */
  const open = async ({ theme = "light", phone: small = false, script = true, ...more } = {}) => {
    const context = await browser.newContext({
      baseURL: url, colorScheme: theme, reducedMotion: "reduce", javaScriptEnabled: script, locale: "en-GB", timezoneId: "UTC",
      ...small ? phone : desktop, ...more,
    });
    context.setDefaultTimeout(120_000); // for what is waited for, which a busy machine may take
    return context;
  };

  return {
    url, open,
    stop: () => browser.close(),

    /**
     * A page in a fresh context. At the end of the test it fails the test if anything was wrong: an error on the
     * console or in a script, a violation of the CSP, a dialog, a request to another origin, a status of 400 or more
     * that was not expected, one of 500 or more in any case.
     */
    async visit(t, path, { status = 200, wallets = [], ...options } = {}) {
      const context = await open(options);
      const verdict = await watch(context, origin);
      t.after(async () => {
        // Whatever a page has sent before it answers this has been heard.
        for (const page of context.pages()) await page.evaluate(() => {}).catch(() => {});
        await context.close();
        verdict();
      });
      await inject(context, wallets);
      const page = await context.newPage();
      if (status >= 400) expectStatus(page, status);
      const response = await page.goto(path);
      assert.equal(response.status(), status, path);
      return page;
    },

    /** What a page and all its parts weigh on the wire at the first visit, headers included: { path, total, parts }. */
    async weigh(path) {
      const context = await open();
      try {
        const page = await context.newPage();
        const cdp = await context.newCDPSession(page);
        const urls = new Map(); // by the id of the request
        const bytes = new Map(); // by URL: each part once, however often it is requested
        cdp.on("Network.requestWillBeSent", ({ requestId, request, redirectResponse }) => {
          if (redirectResponse) bytes.set(redirectResponse.url, redirectResponse.encodedDataLength);
          urls.set(requestId, request.url);
        });
        cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
          const url = urls.get(requestId);
          if (!url.startsWith("data:")) bytes.set(url, Math.max(encodedDataLength, bytes.get(url) ?? 0));
        });
        await cdp.send("Network.enable");
        await page.goto(path, { waitUntil: "networkidle" });
        // The icon is loaded when the browser likes to: here always, and without one in the page the one of old.
        const icons = await page.locator("link[rel~=icon]").evaluateAll(links => links.map(link => link.href));
        for (const icon of icons.length > 0 ? icons : ["/favicon.ico"]) if (!icon.startsWith("data:")) await page.goto(icon, { waitUntil: "networkidle" });
        const parts = [...bytes].map(([url, bytes]) => ({ url, bytes }));
        return { path, total: parts.reduce((sum, part) => sum + part.bytes, 0), parts };
      } finally {
        await context.close();
      }
    },
  };
}

const expectations = new WeakMap(); // by context

/** From now on one more answer with this status (400 to 499) is right. If it does not come, the test fails. */
export function expectStatus(page, status) {
  assert.ok(status >= 400 && status < 500, `status ${status} is never an error, or never right`);
  expectations.get(page.context()).push(status);
}

/** Notes what happens in a context; the function returned throws if something was wrong. */
async function watch(context, origin) {
  const problems = [];
  const expected = [];
  expectations.set(context, expected);
  await context.exposeBinding("tocsinViolation", (_, violation) => problems.push(`violation of the CSP: ${violation}`));
  await context.addInitScript(() => addEventListener("securitypolicyviolation", event =>
    window.tocsinViolation(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample} in ${event.sourceFile || event.documentURI}:${event.lineNumber}`), true));
  context.on("console", message => {
    if (message.type() !== "error") return;
    if (message.text().startsWith("Failed to load resource: the server responded with a status of ")) return; // seen as a response
    problems.push(`error on the console: ${message.text()} (${message.location().url}:${message.location().lineNumber})`);
  });
  context.on("weberror", thrown => problems.push(`error in a script: ${thrown.error().stack ?? thrown.error()}`));
  context.on("dialog", dialog => {
    problems.push(`${dialog.type()} dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  context.on("request", request => {
    const asked = new URL(request.url());
    if (/^(https?|wss?):$/.test(asked.protocol) && asked.origin !== origin) problems.push(`request to another origin: ${request.method()} ${request.url()}`);
  });
  context.on("response", response => {
    const at = expected.indexOf(response.status());
    if (at >= 0) expected.splice(at, 1);
    else if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  return () => {
    for (const status of expected) problems.push(`status ${status} was expected and did not come`);
    assert.deepEqual(problems, [], `wrong in the browser:\n${problems.join("\n")}`);
  };
}

// All rules, those that axe leaves out by default too, but for AAA, and for what asks a person to look. A repeated
// id is no fault in WCAG any more; here it is, since labels and errors are tied to their fields by id.
const rules = axe.getRules().filter(({ ruleId, tags }) => ruleId.startsWith("duplicate-id") ||
  !tags.some(tag => ["wcag2aaa", "deprecated", "review-item"].includes(tag))).map(rule => rule.ruleId);

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** That axe-core finds no fault in the page as it is now. Needs a page with script. */
export async function assertAccessible(page) {
  await page.evaluate(source); // by the debugger, which the CSP of the page does not bind
  const violations = await page.evaluate(async rules => (await window.axe.run(document,
    { runOnly: { type: "rule", values: rules }, resultTypes: ["violations"] })).violations, rules);
  assert.ok(violations.length === 0, `axe-core in ${page.url()}:\n` + violations.map(({ id, help, helpUrl, nodes }) =>
    `${id}: ${help} (${helpUrl})\n${nodes.map(node => `  ${node.target.join(" ")}: ${node.html}\n    ${node.failureSummary.replaceAll("\n", "\n    ")}`).join("\n")}`).join("\n"));
}

/** That a page weighs less than LIGHT; returns its total. */
export function assertLight({ path, total, parts }) {
  assert.ok(parts.length > 0 && total > 0, `${path} weighs nothing`);
  assert.ok(total < LIGHT, `${path} weighs ${total} bytes:\n${parts.map(part => `  ${part.bytes} ${part.url}`).join("\n")}`);
  return total;
}

/** Says in the output of the test what the pages weigh, heaviest first. */
export function tellWeights(t, weights) {
  for (const { path, total, parts } of weights.toSorted((a, b) => b.total - a.total)) {
    t.diagnostic(`${String(total).padStart(6)} bytes in ${parts.length} parts  ${path}`);
  }
}

/** That nothing has to be scrolled sideways at this width (WCAG 1.4.10). What scrolls in itself is right. */
export async function assertFits(page, width = 320) {
  await page.setViewportSize({ width, height: 800 });
  const wide = await page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const out = [...document.querySelectorAll("body *")].filter(node => node.getBoundingClientRect().right > root.clientWidth + 0.5);
    return [`${root.scrollWidth} px`, ...out.slice(0, 8).map(node => node.outerHTML.slice(0, 120))];
  });
  assert.deepEqual(wide, [], `${page.url()} is wider than ${width} px`);
}

/** Presses Tab until this element has the focus; returns how often. */
export async function tabTo(page, selector, patience = 80) {
  const target = page.locator(selector);
  const passed = [];
  for (let presses = 1; presses <= patience; presses++) {
    await page.keyboard.press("Tab");
    if (await target.evaluate(node => node === document.activeElement)) return presses;
    passed.push(await page.evaluate(() => document.activeElement.outerHTML.slice(0, 80)));
  }
  assert.fail(`Tab does not reach ${selector} in ${page.url()}, only:\n${passed.join("\n")}`);
}
