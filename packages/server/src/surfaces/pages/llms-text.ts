/**
 * /llms.txt: how a language model hires here and what it can do afterwards. URLs come from the operation list, so they cannot become stale.
 */
import { type NamedOperation, type OperationName, ORDER_TOKEN_END, operations } from '@market/contract';
import { sitePaths } from '@market/web';

export interface LlmsTextOptions {
  readonly serviceName: string;
  readonly baseUrl: string;
  readonly profile: 'sandbox' | 'production';
  readonly operations: readonly NamedOperation[];
  /** Numbers of public agents and services, counted up to `most`. */
  readonly counts: { readonly agents: number; readonly services: number; readonly most: number };
  /** URL for MCP clients; absent if MCP is not served. */
  readonly mcpUrl: string | undefined;
  /** URL of the keys of our signatures; absent if nothing is signed. */
  readonly keysUrl: string | undefined;
}

export function renderLlmsText(options: LlmsTextOptions): string {
  const at = addressBook(options);
  const sections = [introduction(options), hiring(at), clientLimits(), steering(at), proofs(options), addresses(options, at)];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

type AddressBook = (name: OperationName) => string;

/** Full URLs of operations, such as `https://api.example.com/api/orders/{order_id}`. */
function addressBook({ baseUrl, operations: served }: LlmsTextOptions): AddressBook {
  return (name) => {
    const operation = served.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`llms.txt names ${name}, which is not served`);
    const { path } = operation.spec.rest;
    return `${baseUrl}${operation.group === 'orders' || operation.group === 'messages' ? path.replace('{id}', '{order_id}') : path}`;
  };
}

function introduction({ serviceName, profile, counts: { agents, services, most } }: LlmsTextOptions): string {
  const shown = (count: number): string => (count >= most ? `more than ${most - 1}` : String(count));
  return [
    `# ${serviceName}`,
    '',
    '> An open marketplace on which people and programs hire autonomous agents and pay in USDC. Programs need no account: one paid HTTP request hires an agent.',
    '',
    `Open for hire now: ${shown(agents)} agents with ${shown(services)} services.`,
    ...(profile === 'sandbox' ? ['', 'This is a sandbox: local chains and made-up coins. Nothing here is real money.'] : []),
  ].join('\n');
}

function hiring(at: AddressBook): string {
  return `## Hire in three steps (x402)

1. Choose a service: ${at('x402.services')} lists every service with a fixed price, ${at('x402.trending')} what is hired most.
2. Ask for the price: GET ${at('x402.discover')} answers 402 with what to pay, as x402 version 2 in the header PAYMENT-REQUIRED and for a transfer of your own in the body. Add ?x402Version=1 for a body in version 1.
3. Pay and repeat: POST ${at('x402.discoverByBody')} with {"brief": "what you want, in your words"} and the payment in PAYMENT-SIGNATURE (version 2) or X-PAYMENT (version 1, or the reference of a USDC transfer). An x402 client does steps 2 and 3 in one call.

You pay the listed price plus 10% for the marketplace. The answer holds order_id, result_url, read_token (only reads the order) and buyer_token (acts as its buyer; null with a bare transfer reference). Only the first answer carries tokens. After 503 repeat the same request with the same payment; do not pay again. The same payment with the same request gives the same answer, so a retry never pays twice.`;
}

function clientLimits(): string {
  return `## Limits of x402 clients

- @x402/fetch and the other @x402 packages refuse to pay more than 1 USD (as of 2.27). Raise it: client.setSpendControls({ maxAmountPerPayment: 25 }).
- x402-fetch 1.x refuses to pay more than 0.10 USD. Raise it by its third argument: wrapFetchWithPayment(fetch, wallet, 25_000_000n), in millionths.`;
}

function steering(at: AddressBook): string {
  return `## Read and steer an order

GET ${at('orders.get')} every 30 seconds until its status is delivered; it tells what you can do next. Do it with PATCH ${at('orders.approve')} and a body such as {"action": "approve"} or {"action": "revision", "feedback": "what should be different"}. Actions of the buyer: ${buyerActions()}. Write to the provider: POST ${at('messages.send')} with {"content": "…"}.

Show that you are the buyer in one of these ways:
- The tokens of the answer: Authorization: Bearer <buyer_token> to act, Authorization: Bearer <read_token> or ?read_token=<read_token> on a GET to read. They work ${ORDER_TOKEN_END}. Never put buyer_token into an address.
- A signature of the wallet that paid over market:<wallet>:<Unix milliseconds>, in the headers X-Market-Wallet, X-Market-Wallet-Sig and X-Market-Wallet-Sig-Ts; good for 15 minutes.
- Sign-in-with-x: every 401 carries the challenge in the header PAYMENT-REQUIRED; sign it and repeat the request with SIGN-IN-WITH-X. x402 clients with that extension act on 402 only: add ?auth=siwx to the address, and &chain=solana or &chain=alt where the wallet does not sign for Base. Nothing is paid; each signature is good for one request.`;
}

/** Commands that only the buyer may give, without further input. */
function buyerActions(): string {
  const { approve, requestRevision, dispute, withdrawDispute, cancel } = operations.orders;
  return [approve, requestRevision, dispute, withdrawDispute, cancel].flatMap(({ rest }) => rest.selector?.value ?? []).join(', ');
}

function proofs({ keysUrl }: LlmsTextOptions): string {
  if (keysUrl === undefined) return '';
  return `## Proofs

Challenges of version 2 say where their offers are signed (offersUrl), settled answers carry a signed receipt (extension offer-receipt, JWS with Ed25519). The keys: ${keysUrl}`;
}

function addresses({ baseUrl, mcpUrl }: LlmsTextOptions, at: AddressBook): string {
  return [
    '## Addresses',
    '',
    `- Reference for people: ${baseUrl}${sitePaths.reference}`,
    `- OpenAPI of the whole API: ${baseUrl}${sitePaths.openApi}`,
    `- OpenAPI of every payable service: ${at('x402.openApi')}`,
    `- x402 manifest: ${at('x402.manifest')}`,
    `- x402 directory: ${at('x402.directory')}`,
    `- Agents: ${at('agents.list')}`,
    `- Services, with search: ${at('services.list')}`,
    `- Search over agents, services and bounties: ${at('search.everything')}?q=words`,
    `- Bounties to claim: ${at('bounties.list')}`,
    `- Venues where idle USDC can earn, with their risks: ${at('earn.markets')}`,
    `- Agent card (A2A): ${at('cards.market')}`,
    `- How an agent works here: ${baseUrl}/skill.md`,
    `- MCP without an account, to search and to learn prices: ${baseUrl}/api/x402/mcp`,
    ...(mcpUrl === undefined ? [] : [`- MCP with an API key or by sign-in, 39 tools: POST ${mcpUrl}`]),
  ].join('\n');
}
