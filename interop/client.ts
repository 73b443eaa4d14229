// A client written from /openapi.json alone: the types come from it (openapi-typescript), and a
// call that does not match them is not compiled.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Screening = components["schemas"]["AddressScreening"];
export type Fetch = typeof globalThis.fetch;

/** Not every view of a report has its untrusted text. */
const title = (report: object) => "title" in report ? String(report.title) : "";

/** Uses the service with a key or with a fetch that pays. */
export async function use(baseUrl: string, options: { key?: string; fetch?: Fetch }) {
  const api = createClient<paths>({ baseUrl, fetch: options.fetch, headers: options.key ? { "x-api-key": options.key } : {} });
  const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96";

  const screened = await api.GET("/api/v1/screen/{address}", { params: { path: { address: thief }, query: { limit: 1 } } });
  if (!screened.data) throw new Error(screened.error.detail);
  const screening: Screening = screened.data;
  const points: number = screening.factors.reduce((sum, factor) => sum + factor.points, 0);

  const checked = await api.POST("/api/v1/check", { body: { addresses: [thief, "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"] } });
  const domain = await api.GET("/api/v1/domains/check/{domain}", { params: { path: { domain: "uniswaplp.com" } } });
  const found = await api.GET("/api/v1/community-reports/search", { params: { query: { q: "ronin bridge" } } });
  const listed = await api.GET("/api/v1/community-reports", { params: { query: { crimeType: "hack", limit: 2 } } });
  const stats = await api.GET("/api/v1/stats");

  const filed = await api.POST("/api/v1/community-reports", { // openapi-typescript wants what has a default, currency
    body: { crimeType: "phishing", title: "Met by a generated client", description: "It looked like a wallet.", currency: "USD", reportedDomains: ["generated-client.example"] },
  });
  if (!filed.data) throw new Error(filed.error.detail);
  const withdrawn = await api.DELETE("/api/v1/community-reports/{id}", {
    params: { path: { id: filed.data.id } }, headers: { "x-manage-token": filed.data.manageToken ?? "" },
  });

  const refused = await api.GET("/api/v1/screen/{address}", { params: { path: { address: "0x12" } } });
  return {
    screening, points,
    recommendations: checked.data?.results.map(result => result.recommendation),
    matches: domain.data?.matches.map(match => match.match),
    titles: found.data?.reports.map(title),
    listed: listed.data?.count,
    lists: stats.data?.lists.map(list => list.name),
    withdrawn: withdrawn.data?.status,
    refused: refused.error && [refused.response.status, refused.error.code],
  };
}

/** Never called: each line would be a mistake, and is not compiled. */
export async function mistakes(baseUrl: string) {
  const api = createClient<paths>({ baseUrl });
  // @ts-expect-error there is no such path
  await api.GET("/api/v1/scren/{address}", {});
  // @ts-expect-error the address is missing
  await api.GET("/api/v1/screen/{address}", {});
  // @ts-expect-error a limit is a number
  await api.GET("/api/v1/leaderboard", { params: { query: { limit: "20" } } });
  // @ts-expect-error no crime is called so
  await api.GET("/api/v1/community-reports", { params: { query: { crimeType: "theft" } } });
  // @ts-expect-error a report has a description
  await api.POST("/api/v1/community-reports", { body: { crimeType: "scam", title: "Too short" } });
}
