// A local Base (or another OP chain) with USDC, stored in a folder. Callers see an ordinary node; its clock and faults can be controlled.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../folder-lock.ts';
import { addMissingContracts } from './add-contracts.ts';
import { startBlockProducer } from './block-producer.ts';
import { type Chain, openChain } from './chain.ts';
import { startEngine } from './edr-engine.ts';
import { createFaucet, openFaucetKey } from './faucet.ts';
import { createFaults, type EvmFault } from './faults.ts';
import { openGenesis } from './genesis.ts';
import type { Hex } from './hex.ts';
import { openJournal } from './journal.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { FinalityBlocks } from './rpc/block-tags.ts';
import { startRpcServer } from './rpc/server.ts';
import { createSubscriptions } from './rpc/subscriptions.ts';
import { steerVenue, type VenueChange } from './steer-venue.ts';

export interface EvmNodeOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host?: '127.0.0.1';
  readonly chainId: number;
  /** Created if missing. Only one node at a time uses it. */
  readonly stateFolder: string;
  /** The time between blocks while there are transactions to include or to finalise. */
  readonly blockMilliseconds?: number;
  /** How many blocks the tags `safe` and `finalized` are behind the latest one. */
  readonly finalityBlocks?: FinalityBlocks;
  /** The present time in milliseconds since 1970. */
  readonly now?: () => number;
  readonly log?: (message: string) => void;
  /** Called when the chain could not write to its folder. Only a restart, which replays the folder, repairs it. */
  readonly onBroken?: (error: unknown) => void;
}

export interface EvmNode {
  readonly url: string;
  readonly wsUrl: string;
  readonly chainId: number;
  /** Moves the chain's time forward for good; the next block already has it. */
  advance(seconds: number): Promise<void>;
  setFault(fault: EvmFault): Promise<void>;
  /** Sends USDC or ETH from the faucet; resolves with the transaction's hash when it is in a block. */
  fundUsdc(address: string, micros: bigint): Promise<Hex>;
  fundNative(address: string, wei: bigint): Promise<Hex>;
  /** Sends both coins to a wallet that never had any; otherwise sends nothing. */
  fundNewWallet(address: string, micros: bigint, wei: bigint): Promise<void>;
  /** Changes a vault of the sandbox; resolves with the transaction's hash when it is in a block. */
  steerVenue(change: VenueChange): Promise<Hex>;
  close(): Promise<void>;
}

const DEFAULT_BLOCK_MS = 500;
const DEFAULT_FINALITY: FinalityBlocks = { safe: 2, finalized: 5 };

export async function startEvmNode(options: EvmNodeOptions): Promise<EvmNode> {
  const { port, host = '127.0.0.1', chainId, stateFolder, blockMilliseconds = DEFAULT_BLOCK_MS } = options;
  const { finalityBlocks = DEFAULT_FINALITY, now = Date.now, log = () => undefined } = options;
  const endings: (() => unknown)[] = [];
  const close = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    endings.push(lockFolder(stateFolder).release);
    const key = await openFaucetKey(join(stateFolder, 'faucet.key'));
    const genesis = await openGenesis({ file: join(stateFolder, 'genesis.json'), chainId, faucet: key.address, now });
    const { entries, journal } = await openJournal(join(stateFolder, 'journal.jsonl'), options.onBroken);
    endings.push(journal.close);
    const subscriptions = createSubscriptions();
    const engine = await startEngine({ genesis, onSubscription: subscriptions.publish });
    const startedAt = performance.now();
    const chain = await openChain({ engine, journal, entries, now });
    if (entries.length > 0) {
      log(
        `chain ${chainId} is at block ${chain.head.number}: ${entries.length} entries repeated in ${Math.round(performance.now() - startedAt)} ms`,
      );
    }
    const producer = startBlockProducer({ chain, blockMilliseconds, settleBlocks: finalityBlocks.finalized, log });
    endings.push(chain.untilIdle, producer.stop);
    const accept = async (raw: Hex) => {
      const hash = await chain.accept(raw);
      producer.wake();
      return hash;
    };
    const faucet = createFaucet({ key, chain, chainId, accept });
    await addMissingContracts({ chain, faucet, finalDepth: finalityBlocks.finalized, log });
    const faults = createFaults();
    const acceptTransaction = (raw: Hex) => (faults.mode === 'drop_tx' ? chain.pretendToAccept(raw) : accept(raw));
    const context = { chain, finality: finalityBlocks, acceptTransaction };
    const server = await startRpcServer({ host, port, context, subscriptions, faults, log });
    endings.push(server.close);
    // Change venues one at a time, because the faucet's allowance serves one change.
    const steerInTurn = oneAtATime();
    return {
      url: `http://${host}:${server.port}`,
      wsUrl: `ws://${host}:${server.port}`,
      chainId,
      advance: (seconds) => advance(chain, seconds),
      async setFault(fault) {
        requireSeconds(fault.seconds);
        faults.set(fault);
        if (fault.mode === 'down') server.disconnect();
        if (fault.mode !== 'reorg') return;
        faults.set({ mode: 'none' });
        await chain.reorganise(finalityBlocks.finalized);
        if (chain.hasWaitingTransactions) producer.wake();
      },
      fundUsdc: faucet.fundUsdc,
      fundNative: faucet.fundNative,
      fundNewWallet: faucet.fundNewWallet,
      steerVenue: (change) => steerInTurn(() => steerVenue(faucet, change)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function advance(chain: Chain, seconds: number): Promise<void> {
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Error(`The clock cannot be advanced by ${seconds} seconds. Use a whole number.`);
  await chain.advance(seconds);
}

function requireSeconds(seconds: number | undefined): void {
  if (seconds !== undefined && !(seconds > 0)) throw new Error(`A fault cannot last ${seconds} seconds. Use a positive number.`);
}
