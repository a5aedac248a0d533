/** Nodes between the market and its local chains that fail or lie on command. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

type Ask = () => Promise<RpcAnswer>;

/** Answers one call of `method` in place of the node behind it. */
export type Fault = (response: ServerResponse, ask: Ask) => void | Promise<void>;

export interface FaultyNode {
  readonly url: string;
  /** Applies the fault to calls of these methods, or to all; undefined makes the node honest and available. */
  spoil(fault: Fault | undefined, methods?: readonly string[]): void;
  /** Forwards calls to another node from now on. */
  swapFor(url: string): void;
  close(): void;
}

export async function startFaultyNode(behind: string): Promise<FaultyNode> {
  let target = behind;
  let spoilt: { readonly fault: Fault; readonly methods: readonly string[] | undefined } | undefined;
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    const { method } = JSON.parse(body) as { method: string };
    const ask: Ask = async () => {
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return (await answer.json()) as RpcAnswer;
    };
    try {
      if (spoilt !== undefined && (spoilt.methods === undefined || spoilt.methods.includes(method))) await spoilt.fault(response, ask);
      else response.end(JSON.stringify(await ask()));
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spoil(fault, methods) {
      spoilt = fault === undefined ? undefined : { fault, methods };
    },
    swapFor(url) {
      target = url;
    },
    close: () => void server.close().closeAllConnections(),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** Faults of a node in trouble. */
export const troubles = {
  'is down': (response) => void response.destroy(),
  'answers 429': (response) => void response.writeHead(429, { 'retry-after': '60' }).end('slow down'),
  'answers 503': (response) => void response.writeHead(503).end(),
  'answers a page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Maintenance</html>'),
  'cuts its JSON off': async (response, ask) => {
    const text = JSON.stringify(await ask());
    response.end(text.slice(0, text.length / 2));
  },
  'sends more than anybody asked for': async (response, ask) => {
    response.end(JSON.stringify({ ...(await ask()), padding: 'x'.repeat(9 * 1024 * 1024) }));
  },
  'answers another question': async (response, ask) => {
    response.end(JSON.stringify({ ...(await ask()), id: 'another' }));
  },
  'answers in another shape': async (response, ask) => {
    response.end(JSON.stringify({ ...(await ask()), result: { status: 'ok' } }));
  },
} as const satisfies Record<string, Fault>;

/** Accepts the call and never answers. */
export const silence: Fault = () => undefined;

/** Reports ten times the moved USDC, on either kind of chain. */
export const inflate: Fault = async (response, ask) => {
  const answer = await ask();
  response.end(JSON.stringify({ ...answer, result: inflated(answer.result) }));
};

// biome-ignore lint/suspicious/noExplicitAny: a node's answer, bent on purpose
function inflated(result: any): unknown {
  if (result === null) return null;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  const log = (entry: any) => ({ ...entry, data: `0x${(BigInt(entry.data) * 10n).toString(16).padStart(64, '0')}` });
  if (Array.isArray(result.logs)) return { ...result, logs: result.logs.map(log) };
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  const balance = (entry: any) => ({
    ...entry,
    uiTokenAmount: { ...entry.uiTokenAmount, amount: String(BigInt(entry.uiTokenAmount.amount) + 90_000_000n) },
  });
  return { ...result, meta: { ...result.meta, postTokenBalances: result.meta.postTokenBalances.map(balance) } };
}

/** The methods that read the receipt of a transfer. */
export const receiptMethods = ['eth_getTransactionReceipt', 'getTransaction'];
