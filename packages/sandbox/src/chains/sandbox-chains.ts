// The three local chains as one thing: started together, funded, delayed and broken through one interface.
import { join } from 'node:path';
import { type EvmNode, startEvmNode, USDC_ADDRESS } from '../evm/index.ts';
import { type SolanaNode, startSolanaNode } from '../solana/node.ts';
import { openReadyWallets, type ReadyWallet } from './ready-wallets.ts';
import type { SandboxNetwork } from './sandbox-network.ts';

export type { SandboxNetwork };
export type FaultMode = 'none' | 'slow' | 'down' | 'drop_tx' | 'reorg';

export interface NetworkDescription {
  readonly network: SandboxNetwork;
  readonly caip2: string;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly usdcAddress: string;
}

export interface SandboxChains {
  readonly networks: readonly NetworkDescription[];
  /** The same at every start on this folder. */
  readonly wallets: readonly ReadyWallet[];
  /** Gives the ready wallets their first coins, once: a wallet that ever had any gets nothing more, also when it is empty. */
  fundWallets(): Promise<void>;
  /** Sends real sandbox coins; returns the reference of each transfer. Amounts in micro-USDC and in the chain's smallest unit. */
  fund(request: {
    network: SandboxNetwork;
    address: string;
    usdcMicros: bigint;
    native: bigint;
  }): Promise<{ usdc?: string; native?: string }>;
  setFault(request: { network: SandboxNetwork; mode: FaultMode; seconds?: number }): Promise<void>;
  /** Moves the time of every chain forward. */
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface RunningChains extends SandboxChains {
  /** Resolves when the chains are gone, closed or not. */
  readonly ended: Promise<void>;
}

export interface SandboxChainsOptions {
  readonly folder: string;
  /** 0 takes a free port. */
  readonly ports: { readonly base: number; readonly alt: number; readonly solana: number };
  /** Tests need not wait for mainnet's pace. */
  readonly fast?: boolean;
  readonly log: (message: string) => void;
}

export interface ChainsInProcessOptions extends SandboxChainsOptions {
  /** Called when a chain could not be written to its folder; it must be started anew. */
  readonly onBroken: (error: unknown) => void;
}

const BASE_CHAIN_ID = 8453;
/** Of no known network, so that nothing signed here is worth anything elsewhere. */
const ALT_CHAIN_ID = 845_311_453;
const SOLANA_CAIP2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const FIRST_USDC_MICROS = 1_000_000_000n;
/** Ten coins in the smallest unit. */
const FIRST_NATIVE: Readonly<Record<ReadyWallet['chain'], bigint>> = { solana: 10n ** 10n, base: 10n ** 19n };

export async function startSandboxChains(options: ChainsInProcessOptions): Promise<SandboxChains> {
  const { folder, ports, fast = false, log, onBroken } = options;
  const started: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(node: T): T => {
    started.push(node);
    return node;
  };
  const close = async () => {
    await Promise.all(started.splice(0).map((node) => node.close()));
  };
  const evmPace = fast ? { blockMilliseconds: 100 } : {};
  const solanaPace = fast ? { slotMilliseconds: 100, confirmations: { confirmed: 1, finalized: 4 } } : {};
  try {
    const evm = (port: number, chainId: number, name: string) =>
      startEvmNode({ port, chainId, stateFolder: join(folder, name), log, onBroken, ...evmPace }).then((node) => keep(node));
    const starting = [
      evm(ports.base, BASE_CHAIN_ID, 'base'),
      evm(ports.alt, ALT_CHAIN_ID, 'alt'),
      startSolanaNode({ port: ports.solana, stateFolder: join(folder, 'solana'), log, onBroken, ...solanaPace }).then((node) => keep(node)),
    ] as const;
    // Wait for all starts before reporting a failure: only then do we know what to close.
    await Promise.allSettled(starting);
    const [base, alt, solana] = await Promise.all(starting);
    const nodes: Record<SandboxNetwork, EvmNode | SolanaNode> = { 'base-mainnet': base, 'alt-mainnet': alt, 'solana-mainnet': solana };
    // After the chains, whose locks make this process the only one that writes the file.
    const wallets = await openReadyWallets(join(folder, 'wallets.json'));
    let funding: Promise<void> | undefined;
    return {
      networks: [describeEvm('base-mainnet', base), describeEvm('alt-mainnet', alt), describeSolana(solana)],
      async fund({ network, address, usdcMicros, native }) {
        const node = nodes[network];
        return {
          ...(native > 0n && { native: await node.fundNative(address, native) }),
          ...(usdcMicros > 0n && { usdc: await node.fundUsdc(address, usdcMicros) }),
        };
      },
      wallets,
      async fundWallets() {
        // Every server on this folder asks at its start.
        funding ??= fundNewWallets(wallets, nodes).finally(() => {
          funding = undefined;
        });
        await funding;
      },
      setFault: ({ network, mode, seconds }) => nodes[network].setFault({ mode, ...(seconds !== undefined && { seconds }) }),
      async advance(seconds) {
        for (const node of Object.values(nodes)) await node.advance(seconds);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fundNewWallets(wallets: readonly ReadyWallet[], nodes: Record<SandboxNetwork, EvmNode | SolanaNode>): Promise<void> {
  const gifts = wallets.flatMap(({ chain, address, networks }) =>
    networks.map((network) => nodes[network].fundNewWallet(address, FIRST_USDC_MICROS, FIRST_NATIVE[chain])),
  );
  await Promise.all(gifts);
}

function describeEvm(network: SandboxNetwork, node: EvmNode): NetworkDescription {
  return { network, caip2: `eip155:${node.chainId}`, rpcUrl: node.url, wsUrl: node.wsUrl, usdcAddress: USDC_ADDRESS };
}

function describeSolana(node: SolanaNode): NetworkDescription {
  return { network: 'solana-mainnet', caip2: SOLANA_CAIP2, rpcUrl: node.url, wsUrl: node.wsUrl, usdcAddress: SOLANA_USDC };
}
