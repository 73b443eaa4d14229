// Reports as the website has to withstand them: long, from right to left, hostile, and many.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

export const THIEF = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"; // of the Ronin bridge: sanctioned, and in the starter set
export const NOBODY = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"; // without evidence

const address = n => privateKeyToAccount(`0x${n.toString(16).padStart(64, "0")}`).address;
const story = "A new friend wrote to me, week after week, and then showed me a trading site where my money grew every day. " +
  "When I wanted it back, there was a tax to be paid first, and after the tax a fee. Then nobody answered any more.";

/** Each of these does harm if it is treated as more than text. */
export const hostile = [
  `<script>alert("script")</script>`, `<img src=x onerror=alert("image")>`, `"><svg onload=alert("svg")>`, `' onmouseover='alert("quote")`,
  `</title></textarea></script><script>alert("ends")</script>`, `{{.}} {{printf "%s" "template"}} \${alert("js")}`, `<a href="javascript:alert('link')">link</a>`,
  `<!-- `, `]]>`, `&lt;b&gt; &amp;amp;`, `<base href=//elsewhere.example><form action=//elsewhere.example><style>*{display:none}</style>`,
];

export const reports = {
  plain: { crimeType: "pig_butchering", title: "A new friend and a trading site that never paid out", description: story,
    scammerAddresses: [address(1)], reportedDomains: ["https://growing-gold.example/login?ref=1"], amountLost: 12_400.5, currency: "USDC", incidentDate: "2026-01-31" },
  everything: { crimeType: "investment_scam", title: "Everything that a report can hold", description: `${story}\n\n${story}\n\n  - one\n  - two`,
    scammerAddresses: [address(2), address(3)], reportedDomains: ["everything.example", "https://everything-else.example/claim"], amountLost: 999_999_999_999.99,
    currency: "ETH", incidentDate: "2026-02-28T23:59:59Z", subjectProjectName: "Growing Gold",
    socialMedia: { whatsapp: "+1 555 0100", telegram: "@growing_gold", facebook: "growing.gold", other: "https://handle.example/gold" },
    evidence: { urls: ["https://evidence.example/thread?id=1&page=2#last", "http://evidence.example/plain"], transactionHashes: [`0x${"88df0164".repeat(8)}`] } },
  long: { crimeType: "impersonation", title: `Support ${"without a single space ".repeat(3)}${"Unbreakable".repeat(11)}`.slice(0, 200),
    description: `${"w".repeat(400)}\n${story.repeat(30)}`.slice(0, 9_900), scammerAddresses: [address(4)],
    reportedDomains: [`${"long-name-".repeat(6)}of3.${"under-".repeat(9)}it.example`], subjectProjectName: "P".repeat(200),
    socialMedia: { telegram: "t".repeat(200) }, evidence: { urls: [`https://evidence.example/${"0123456789/".repeat(160)}`] } },
  leftwards: { crimeType: "romance_scam", title: "سرقوا محفظتي بعد أن وقّعت رسالة (0x00) في موقع مزيف", description: "كتب لي صديق جديد كل يوم.\n\nואז ביקש שאשלח לו כסף (USDT) לכתובת הזאת.",
    scammerAddresses: [address(5)], subjectProjectName: "مشروع", reportedDomains: ["مثال.example"] },
  foreign: { crimeType: "phishing", title: "偽のエアドロップサイト 🔔 который выглядел как настоящий", description: "署名した後、すべてのトークンが移動されました。\n🧑‍🚒🔔 " + story,
    reportedDomains: ["https://аррӏе.example", "xn--bcher-kva.example"] },
  hostile: { crimeType: "hack", title: hostile.slice(0, 4).join(" "), description: hostile.join("\n"), scammerAddresses: [address(6)],
    reportedDomains: ["hostile.example"], subjectProjectName: hostile[1], socialMedia: { whatsapp: hostile[3], telegram: hostile[2], facebook: hostile[0], other: "javascript:alert(1)" },
    evidence: { urls: ["https://evidence.example/?q='onmouseover='alert(1)&amp;lt;", "https://evidence.example/#javascript:alert(1)"] } },
  many: { crimeType: "money_laundering", title: "A hundred addresses and thirty sites", description: story,
    scammerAddresses: Array.from({ length: 100 }, (_, n) => address(100 + n)), reportedDomains: Array.from({ length: 30 }, (_, n) => `mirror-${n}.example`) },
};

/** Files all of it, and enough to need pages. Returns what was filed, by name, and the key of an agent with a place on the leaderboard. */
export async function seed(site, fillers = 60) {
  const filed = {};
  const keys = [];
  for (const name of ["night watch", hostile[1], "N".repeat(100)]) {
    keys.push(await site.tocsin.key("-name", name, "-address", privateKeyToAccount(generatePrivateKey()).address));
  }
  const kinds = ["phishing", "scam", "rug_pull", "address_poison", "ransomware", "other"];
  for (let n = 0; n < fillers; n++) {
    await site.file({ crimeType: kinds[n % kinds.length], title: `Filler ${n + 1}: a site that took an approval`, description: `${story} (${n + 1})`,
      scammerAddresses: [address(1000 + n)], reportedDomains: [`filler-${n + 1}.example`] }, { "x-api-key": keys[n % keys.length] });
  }
  for (const [name, report] of Object.entries(reports)) filed[name] = await site.file(report, name === "plain" ? { "x-api-key": keys[0] } : {});
  for (const key of keys.slice(1)) await site.file({ ...reports.plain, title: "The same site took my money too" }, { "x-api-key": key });
  return { filed, key: keys[0] };
}
