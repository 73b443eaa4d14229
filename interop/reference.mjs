// The reference implementation to compare with: @x402/express before one paid route.
//
//	node reference.mjs FACILITATOR_URL PORT [PAY_TO]
import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";

const [facilitator, port, payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"] = process.argv.slice(2);
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }))
  .register("eip155:8453", new ExactEvmScheme());

const answer = address => ({
  address, riskScore: 100, riskLevel: "CRITICAL", result: "caution", recommendation: "block", confidence: 1,
  crimeTypes: ["hack"], factors: [{ code: "list", points: 100, detail: "named by a list" }],
  listings: [], sanctions: [], reportCount: 1, reports: [{ title: "A report", description: "x".repeat(600) }],
});

const app = express();
app.disable("x-powered-by");
app.use(paymentMiddleware({
  "GET /api/v1/screen/:address": {
    accepts: { scheme: "exact", price: "$0.01", network: "eip155:8453", payTo },
    description: "One address", mimeType: "application/json",
  },
}, server));
app.get("/api/v1/screen/:address", (request, response) => response.json(answer(request.params.address)));

const listener = app.listen(Number(port), "127.0.0.1", () =>
  console.log(`The reference serves on http://127.0.0.1:${listener.address().port}`));
process.on("SIGTERM", () => { listener.close(); listener.closeAllConnections(); });
