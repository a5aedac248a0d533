/** Processes of one market under one public address, so that a token of one is valid at the next. */
import { freePort, type ServerProcess, type Settings } from '../harness/market.ts';
import type { SharedMoney } from '../money/shared-money.ts';

const PUBLIC = 'http://market.localhost:4020';

export async function startProcess(shared: SharedMoney, settings: Settings = {}): Promise<ServerProcess> {
  const port = await freePort();
  const server = await shared.startServer({ BASE_URL: PUBLIC, PORT: String(port), ...settings });
  return { ...server, url: `http://127.0.0.1:${port}` };
}
