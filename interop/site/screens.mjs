// Takes pictures of the pages, for people to look at: node site/screens.mjs DIR [path…]
// On a phone and on a desktop, light and dark. SITE=http://… takes them of a site that runs, as it is.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startBrowser, startSite } from "./browser.mjs";
import { NOBODY, seed, THIEF } from "./seed.mjs";

const [dir, ...chosen] = process.argv.slice(2);
if (!dir) {
  console.error("usage: node site/screens.mjs DIR [path…]");
  process.exit(2);
}
mkdirSync(dir, { recursive: true });

const running = process.env.SITE;
const site = running ? await startBrowser(running) : await startSite();
try {
  let paths = chosen;
  if (!running) {
    const { filed } = await seed(site);
    const reports = Object.fromEntries(Object.entries(filed).map(([name, { id }]) => [`/reports/${id}`, name]));
    if (paths.length === 0) {
      paths = ["/", `/screen/${THIEF}`, `/screen/${NOBODY}`, "/screen/growing-gold.example", "/screen/nonsense", "/reports", "/reports?q=filler&crimeType=phishing",
        "/reports?q=nothinglikethis", ...Object.keys(reports), "/reports/rep_nowhere", "/report", "/account", "/leaderboard", "/docs", "/status", "/nowhere"];
    }
    for (const [path, name] of Object.entries(reports)) if (paths.includes(path)) console.log(`${path} is the ${name} one`);
  }
  for (const path of paths.length > 0 ? paths : ["/"]) {
    for (const theme of ["light", "dark"]) for (const phone of [true, false]) {
      const context = await site.open({ theme, phone });
      const page = await context.newPage();
      const response = await page.goto(path, { waitUntil: "networkidle" });
      const name = `${path.replace(/[^A-Za-z0-9.]+/g, "-").replace(/^-|-$/g, "") || "home"}-${phone ? "phone" : "desktop"}-${theme}.png`;
      await page.screenshot({ path: join(dir, name), fullPage: true });
      console.log(`${response.status()} ${name}`);
      await context.close();
    }
  }
} finally {
  await site.stop();
}
