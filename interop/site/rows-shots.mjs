import { chromium } from "playwright-core";
import { startBrowser } from "./browser.mjs";
const site = await startBrowser("http://127.0.0.1:7391");
const [dir, file, ...modes] = process.argv.slice(2);
for (const [phone, theme] of [[false, "light"], [true, "dark"]]) {
  const context = await site.open({ theme, phone });
  const page = await context.newPage();
  await page.goto("/bulk");
  await page.setInputFiles("#file", file);
  await page.click("text=Read the list");
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: `${dir}/ask-${phone ? "phone" : "desk"}.png`, fullPage: true });
  const b = page.locator('button[value=screen]');
  if (await b.count()) { await b.click(); await page.waitForLoadState("networkidle");
  await page.screenshot({ path: `${dir}/done-${phone ? "phone" : "desk"}.png`, clip: {x:0,y:0,width: phone?390:1440,height:1400} , fullPage:true}); }
  await context.close();
}
await site.stop();
