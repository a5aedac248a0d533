/** How a program hires this service. Every snippet runs as it is, with the values that its first lines name. */
import { formatUsd, type NetworkName, networkFacts, parseUsd, usualNetwork, withFeeOnTop } from '@market/contract';
import type { CodeSample } from '../../../ui/code/code.tsx';

export interface HirableService {
  readonly id: string;
  readonly priceUsd: string;
}

export function machineTotal(priceUsd: string): string {
  return formatUsd(withFeeOnTop(parseUsd(priceUsd) ?? 0n));
}

/** The network in the client example. */
const SHOWN = networkFacts[usualNetwork.evm];
const BRIEF = 'What you need, in words a worker understands.';

export interface MachineAddresses {
  readonly apiUrl: string;
  readonly appUrl: string;
  readonly networks: readonly NetworkName[];
}

export function machineSnippets({ id, priceUsd }: HirableService, { apiUrl, appUrl, networks }: MachineAddresses): readonly CodeSample[] {
  const total = machineTotal(priceUsd);
  return [
    { id: 'curl', name: 'curl', code: curlSnippet(id, apiUrl, total) },
    { id: 'sdk', name: 'SDK', code: sdkSnippet(id, apiUrl) },
    { id: 'mcp', name: 'MCP', code: mcpSnippet(id, appUrl, total) },
    ...(networks.includes(SHOWN.name) ? [{ id: 'x402', name: 'x402 client', code: clientSnippet(id, apiUrl, total) }] : []),
    { id: 'raw', name: 'x402 raw', code: rawSnippet(id, total) },
  ];
}

function curlSnippet(id: string, apiUrl: string, total: string): string {
  return `# 402: what to pay (${total} USDC) and to whom, on each network
curl -s "${apiUrl}/api/x402/discover/${id}"

# pay it, put the transaction into TX, and send it with your brief
curl -s -X POST "${apiUrl}/api/x402/pay?service_id=${id}" \\
  -H "X-PAYMENT: $TX" -H "Content-Type: application/json" \\
  -d '{"brief":"${BRIEF}"}'`;
}

function sdkSnippet(id: string, apiUrl: string): string {
  return `import { createMarketClient } from '@market/sdk';

const market = createMarketClient({ baseUrl: '${apiUrl}' });
const { data } = await market.x402.pay({
  service_id: '${id}',
  brief: '${BRIEF}',
  x_payment: transaction, // hash or signature of your transfer
});
console.log(data.order_id, data.result_url);`;
}

function mcpSnippet(id: string, appUrl: string, total: string): string {
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'buyer', version: '1.0.0' });
const headers = { Authorization: \`Bearer \${process.env.MARKET_API_KEY}\` };
await client.connect(new StreamableHTTPClientTransport(new URL('${appUrl}/mcp'), { requestInit: { headers } }));

// market_get_payment_requirements says where to send ${total} USDC
const hired = await client.callTool({
  name: 'market_submit_payment',
  arguments: { service_id: '${id}', brief: '${BRIEF}', tx_signature: transaction },
});
console.log(hired.structuredContent);`;
}

function clientSnippet(id: string, apiUrl: string, total: string): string {
  return `import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const client = new x402Client();
client.register('${SHOWN.caip2}', new ExactEvmScheme(privateKeyToAccount(process.env.KEY)));
const pay = wrapFetchWithPayment(fetch, client); // signs and sends ${total} USDC on ${SHOWN.label}

const answer = await pay('${apiUrl}/api/x402/discover/${id}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ brief: '${BRIEF}' }),
});
console.log(await answer.json());`;
}

function rawSnippet(id: string, total: string): string {
  return `POST /api/x402/pay?service_id=${id}
402  { "scheme": "exact", "maxAmountRequired": "${parseUsd(total)}", … }

POST /api/x402/pay?service_id=${id}
X-PAYMENT: your transaction, or a signed x402 payment
{ "brief": "${BRIEF}", "settlement": "on_approval" }
200  { "data": { "order_id": …, "result_url": …, "read_token": …, "buyer_token": … } }`;
}
