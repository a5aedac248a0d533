// Runs the local chains in a child process: a busy engine must not block the service, and a crash must look like a dead node.
// It ends when its standard input closes, so it never outlives its parent.
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FolderInUse, lockFolder } from '../folder-lock.ts';
import { writeDurably } from '../state-file.ts';
import {
  type AdvanceBody,
  type FaultBody,
  FOLDER_IN_USE,
  type FundBody,
  type ReadyLine,
  runningFile,
  type VenueBody,
} from './control-protocol.ts';
import { keepPorts } from './kept-ports.ts';
import { type SandboxChains, type SandboxChainsOptions, startSandboxChains } from './sandbox-chains.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as Omit<SandboxChainsOptions, 'log'>;

const giveUp = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(error instanceof FolderInUse ? FOLDER_IN_USE : 1);
};

// One lock over all chains, held until this process ends: of two starting processes one runs them, and its successor finds free ports.
try {
  mkdirSync(options.folder, { recursive: true });
  const lock = lockFolder(options.folder);
  process.on('exit', () => lock.release());
} catch (error) {
  giveUp(error);
}

const ports = await keepPorts(options.folder, options.networks).catch(giveUp);
const chains = await startSandboxChains({
  ...options,
  networks: ports.networks,
  log: (message) => process.stderr.write(`${message}\n`),
  // The engines' memory is ahead of their folders. Ending is safe: a restart replays the folders.
  onBroken: giveUp,
}).catch(giveUp);
const control = createServer((request, response) => {
  answer(chains, request).then(
    (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    (error: Error) => response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: error.message })),
  );
});
control.listen(0, '127.0.0.1', async () => {
  const { port } = control.address() as AddressInfo;
  const line: ReadyLine = { controlUrl: `http://127.0.0.1:${port}`, networks: chains.networks, wallets: chains.wallets };
  await ports.remember(chains.networks).catch(giveUp);
  // Write atomically, because other processes may read the file meanwhile; and with restricted rights, because it holds keys.
  await writeDurably(runningFile(options.folder), JSON.stringify(line)).catch(giveUp);
  process.stdout.write(`${JSON.stringify(line)}\n`);
});

let ending = false;
const end = async () => {
  if (ending) return;
  ending = true;
  rmSync(runningFile(options.folder), { force: true });
  control.close();
  control.closeAllConnections();
  await chains.close();
  process.exit(0);
};
process.stdin.on('end', end).on('close', end).resume();
process.on('SIGTERM', end);
// A terminal sends Ctrl-C to the whole process group; the service decides when the chains may end.
process.on('SIGINT', () => undefined);

async function answer(running: SandboxChains, request: IncomingMessage): Promise<unknown> {
  const body: unknown = JSON.parse((await readBody(request)) || '{}');
  switch (request.url) {
    case '/ping':
      return {};
    case '/until-ended':
      // Never answer: the connection breaks when this process ends, by whatever cause.
      return await new Promise(() => undefined);
    case '/fund': {
      const { network, address, usdcMicros, native } = body as FundBody;
      return await running.fund({ network, address, usdcMicros: BigInt(usdcMicros), native: BigInt(native) });
    }
    case '/fund-wallets':
      await running.fundWallets();
      return {};
    case '/fault':
      await running.setFault(body as FaultBody);
      return {};
    case '/venue': {
      const { micros, ...change } = body as VenueBody;
      return { reference: await running.steerVenue({ ...change, micros: BigInt(micros) }) };
    }
    case '/advance':
      await running.advance((body as AdvanceBody).seconds);
      return {};
    default:
      throw new Error(`nothing at ${request.url}`);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
