// A Solana node for the sandbox: the real runtime and programs with the ordinary JSON-RPC, USDC, a faucet, a clock that can be moved and
// faults on request. Clients should see what a mainnet node would show.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '../folder-lock.ts';
import { type Chain, type Confirmations, openChain } from './chain.ts';
import { createEngine } from './engine.ts';
import { createFaucet, listGenesisAccounts } from './faucet.ts';
import { checkFault, createFaults, type Fault } from './faults.ts';
import { openKeypair } from './keypair.ts';
import { createDispatcher } from './rpc-dispatch.ts';
import { startRpcServer } from './rpc-server.ts';
import { createSubscriptions } from './subscriptions.ts';

const DEFAULT_SLOT_MILLISECONDS = 400;
const DEFAULT_CONFIRMATIONS: Confirmations = { confirmed: 1, finalized: 31 };
const LONGEST_ADVANCE_SECONDS = 100 * 365 * 86_400;

export interface SolanaNodeOptions {
  /** 0 picks a free port. WebSocket answers on the next port and on this one. */
  readonly port: number;
  readonly host?: string;
  /** The whole state of the chain, including the faucet's key. Only one node at a time uses it. */
  readonly stateFolder: string;
  readonly slotMilliseconds?: number;
  readonly confirmations?: Confirmations;
  /** The present time in milliseconds since 1970; `advance` adds to it. */
  readonly now?: () => number;
  readonly log?: (message: string) => void;
  /** Called when the chain could not write to its folder. Only a restart, which replays the folder, repairs it. */
  readonly onBroken?: (error: unknown) => void;
}

export interface SolanaNode {
  readonly url: string;
  readonly wsUrl: string;
  /** Random per folder, so that this chain cannot be mistaken for mainnet. */
  readonly genesisHash: string;
  /** Moves the chain's time and slots forward; blockhashes age and transactions become final accordingly. */
  advance(seconds: number): Promise<void>;
  /** "reorg" removes transactions that are not final, once. The other modes last until changed or for `seconds`. */
  setFault(fault: Fault): Promise<void>;
  /** Mints to the wallet's associated token account, creating it if needed. Resolves to the signature once it is on disk. */
  fundUsdc(address: string, micros: bigint): Promise<string>;
  fundNative(address: string, lamports: bigint): Promise<string>;
  /** Sends both coins to a wallet that never had any; otherwise sends nothing. */
  fundNewWallet(address: string, micros: bigint, lamports: bigint): Promise<void>;
  close(): Promise<void>;
}

export async function startSolanaNode(options: SolanaNodeOptions): Promise<SolanaNode> {
  const { stateFolder, host = '127.0.0.1', log = () => {} } = options;
  checkPace(options);
  const engine = createEngine();
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(stateFolder);
  let chain: Chain | undefined;
  try {
    const keypair = openKeypair(join(stateFolder, 'faucet.json'));
    chain = openChain(engine, {
      file: join(stateFolder, 'chain.log'),
      slotMilliseconds: options.slotMilliseconds ?? DEFAULT_SLOT_MILLISECONDS,
      confirmations: options.confirmations ?? DEFAULT_CONFIRMATIONS,
      now: options.now ?? Date.now,
      genesisAccounts: () => listGenesisAccounts(keypair),
      onBroken: options.onBroken,
    });
    if (chain.findAccount(keypair.address, chain.genesisSlot) === undefined) {
      throw new Error(`The key in ${stateFolder} is not the faucet of the chain beside it. Restore it, or remove the folder.`);
    }
    await chain.settled();
    return await serve(chain, createFaucet(chain, keypair), { port: options.port, host, log }, lock.release);
  } catch (error) {
    await chain?.close().catch(() => {});
    lock.release();
    throw error;
  }
}

function checkPace({ slotMilliseconds = DEFAULT_SLOT_MILLISECONDS, confirmations = DEFAULT_CONFIRMATIONS }: SolanaNodeOptions): void {
  if (!(slotMilliseconds >= 1 && slotMilliseconds <= 60_000)) throw new RangeError('A slot lasts 1 to 60000 milliseconds.');
  const { confirmed, finalized } = confirmations;
  const isUsable =
    Number.isInteger(confirmed) && Number.isInteger(finalized) && confirmed >= 0 && confirmed <= finalized && finalized <= 150;
  if (!isUsable) throw new RangeError('Confirmations are whole slots: 0 <= confirmed <= finalized <= 150.');
}

async function serve(
  chain: Chain,
  faucet: ReturnType<typeof createFaucet>,
  { port, host, log }: { readonly port: number; readonly host: string; readonly log: (message: string) => void },
  release: () => void,
): Promise<SolanaNode> {
  const faults = createFaults();
  const subscriptions = createSubscriptions(chain, log);
  const context = { chain, faucet, dropsTransactions: () => faults.current() === 'drop_tx' };
  const dispatcher = createDispatcher(context, subscriptions, faults, log);
  const server = await startRpcServer({ port, host, dispatcher, subscriptions, faults });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await server.close();
    subscriptions.stop();
    try {
      await chain.close();
    } finally {
      release();
    }
  }

  async function whenSettled<Result>(result: Result): Promise<Result> {
    await chain.settled();
    return result;
  }

  return {
    url: `http://${host}:${server.port}`,
    wsUrl: `ws://${host}:${server.port + 1}`,
    genesisHash: chain.genesisHash,

    async advance(seconds) {
      if (!(seconds >= 0 && seconds <= LONGEST_ADVANCE_SECONDS))
        throw new RangeError('Time moves forward only, by at most 100 years at once.');
      chain.advance(seconds);
      await chain.settled();
    },

    async setFault(fault) {
      checkFault(fault);
      faults.set(fault);
      if (fault.mode === 'down') server.disconnectAll();
      if (fault.mode === 'reorg') log(`Solana reorg: ${chain.reorg()} transactions taken back.`);
      await chain.settled();
    },

    fundUsdc: async (address, micros) => whenSettled(faucet.sendUsdc(address, micros)),
    fundNative: async (address, lamports) => whenSettled(faucet.sendLamports(address, lamports)),
    fundNewWallet: async (address, micros, lamports) => whenSettled(faucet.sendFirstCoins(address, micros, lamports)),

    close() {
      closing ??= close();
      return closing;
    },
  };
}
