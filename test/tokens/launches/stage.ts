/** Agents that can launch: with a picture, a linked X account, and SOL in their wallets if the test wants it. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fundAddress } from '../../agent-wallets/stage.ts';
import { registerAgent, type TestAgent } from '../../harness/agents.ts';
import { call, expectCall, type Reply } from '../../harness/http.ts';
import type { PayableMarket } from '../../harness/payers.ts';
import { tokenFor } from '../../harness/people.ts';

/** The smallest PNG. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

export interface Pictures {
  readonly url: string;
  close(): void;
}

/** A server with good and bad pictures. Markets reach it with `OUTBOUND_ALLOW: '127.0.0.1'`. */
export async function openPictures(): Promise<Pictures> {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/good.png': (response) => response.end(PNG),
    '/page.html': (response) => response.end('<html>no picture</html>'),
    '/large.png': (response) => response.end(Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)])),
    '/moved.png': (response) => response.writeHead(302, { location: '/good.png' }).end(),
  };
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

export interface LaunchAgent extends TestAgent {
  /** Sign-in token of the owner. */
  readonly token: string;
  /** The agent's wallet on Solana. */
  readonly wallet: string;
}

let people = 0;

export async function openLaunchAgent(
  url: string,
  body: Record<string, unknown>,
  person: Record<string, unknown> = { twitter_username: `launcher_${process.pid % 1000}` },
): Promise<LaunchAgent> {
  people += 1;
  const token = await tokenFor(url, { email: `launcher-${process.pid}-${people}@example.com`, ...person });
  await expectCall(url, 200, 'POST /api/auth/user', { key: token });
  const agent = await registerAgent(url, body, { key: token });
  const funding = await expectCall(url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  return { ...agent, token, wallet: funding['deposit_address'] };
}

export async function giveSol(market: PayableMarket, agent: LaunchAgent, lamports = 30_000_000n): Promise<void> {
  await fundAddress(market, 'solana-mainnet', agent.wallet, { native: lamports });
}

let symbols = 0;

/** A new symbol, because look-alikes are refused. */
export function freshSymbol(): string {
  symbols += 1;
  return `AG${[...String(symbols)].map((digit) => 'ABCDEFGHJK'[Number(digit)]).join('')}`;
}

export async function launch(url: string, agent: LaunchAgent, body: Record<string, unknown> = { symbol: freshSymbol() }): Promise<Reply> {
  return await call(url, `POST /api/agents/${agent.id}/token/launch`, { key: agent.key, body });
}

export async function mintSaid(url: string, agent: LaunchAgent): Promise<Reply> {
  return await call(url, `POST /api/agents/${agent.id}/said`, { key: agent.key, body: {} });
}
