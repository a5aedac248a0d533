// All local chains behind one interface: start, fund, delay and break them.
import { join } from 'node:path';
import type { NetworkName } from '@market/sdk';
import {
  type EvmNode,
  IDENTITY_REGISTRY_ADDRESS,
  REPUTATION_REGISTRY_ADDRESS,
  startEvmNode,
  USDC_ADDRESS,
  type VenueChange,
} from '../evm/index.ts';
import { type SolanaNode, startSolanaNode } from '../solana/node.ts';
import { USDC_MINT } from '../solana/programs.ts';
import type { LocalNetwork } from './local-network.ts';
import { openReadyWallets, type ReadyWallet } from './ready-wallets.ts';

export type FaultMode = 'none' | 'slow' | 'down' | 'drop_tx' | 'reorg';

export interface NetworkDescription {
  readonly network: NetworkName;
  readonly caip2: string;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly usdcAddress: string;
  /** ERC-8004 Identity Registry, on Base only. */
  readonly identityRegistry?: string;
  /** ERC-8004 Reputation Registry of the agents in it. */
  readonly reputationRegistry?: string;
}

export interface SandboxChains {
  readonly networks: readonly NetworkDescription[];
  /** Ready wallets, the same at every start on this folder. */
  readonly wallets: readonly ReadyWallet[];
  /** Funds each ready wallet once: a wallet that ever had coins gets no more, even when it is empty. */
  fundWallets(): Promise<void>;
  /** Sends real sandbox coins; returns the reference of each transfer. Amounts in micro-USDC and in the chain's smallest unit. */
  fund(request: { network: NetworkName; address: string; usdcMicros: bigint; native: bigint }): Promise<{ usdc?: string; native?: string }>;
  setFault(request: { network: NetworkName; mode: FaultMode; seconds?: number }): Promise<void>;
  /** Changes a vault of the sandbox by a real transaction; returns its reference. */
  steerVenue(request: VenueChange & { network: NetworkName }): Promise<string>;
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
  readonly networks: readonly LocalNetwork[];
  /** Faster blocks than mainnet's, for tests. */
  readonly fast?: boolean;
  /** Refuses faults, jumps in time and changes of vaults, because they would hit every market that shares these chains. */
  readonly steady?: boolean;
  readonly log: (message: string) => void;
}

export interface ChainsInProcessOptions extends SandboxChainsOptions {
  /** Called when a chain could not write to its folder and must be restarted. */
  readonly onBroken: (error: unknown) => void;
}

const FIRST_USDC_MICROS = 1_000_000_000n;
/** Ten coins of each chain, in its smallest unit. */
const FIRST_NATIVE: Readonly<Record<ReadyWallet['chain'], bigint>> = { solana: 10n ** 10n, base: 10n ** 19n };

type Node = EvmNode | SolanaNode;
type Nodes = ReadonlyMap<NetworkName, Node>;

export async function startSandboxChains(options: ChainsInProcessOptions): Promise<SandboxChains> {
  const { folder, networks, fast = false, steady = false, log, onBroken } = options;
  const started: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(node: T): T => {
    started.push(node);
    return node;
  };
  const close = async () => {
    await Promise.all(started.splice(0).map((node) => node.close()));
  };
  const requireOwn = () => {
    if (steady)
      throw new Error('Several markets share these chains: faults, jumps in time and changes of vaults need chains of their own.');
  };
  const evmPace = fast ? { blockMilliseconds: 100 } : {};
  const solanaPace = fast ? { slotMilliseconds: 100, confirmations: { confirmed: 1, finalized: 4 } } : {};
  try {
    const start = async ({ kind, caip2, folder: name, port }: LocalNetwork): Promise<Node> => {
      const common = { port, stateFolder: join(folder, name), log, onBroken };
      if (kind === 'solana') return keep(await startSolanaNode({ ...common, ...solanaPace }));
      return keep(await startEvmNode({ ...common, chainId: Number(caip2.split(':')[1]), ...evmPace }));
    };
    const starting = networks.map(async (local) => ({ local, node: await start(local) }));
    // Wait for all starts before reporting a failure, so that every started chain is closed.
    await Promise.allSettled(starting);
    const running = await Promise.all(starting);
    const nodes = new Map(running.map(({ local, node }) => [local.network, node]));
    // Open wallets after the chains: their locks make this process the only writer of the file.
    const wallets = await openReadyWallets(join(folder, 'wallets.json'), networks);
    let funding: Promise<void> | undefined;
    return {
      networks: running.map(({ local, node }) => describe(local, node)),
      async fund({ network, address, usdcMicros, native }) {
        const node = requireNode(nodes, network);
        return {
          ...(native > 0n && { native: await node.fundNative(address, native) }),
          ...(usdcMicros > 0n && { usdc: await node.fundUsdc(address, usdcMicros) }),
        };
      },
      wallets,
      async fundWallets() {
        // Every server on this folder asks for funding at its start.
        funding ??= fundNewWallets(wallets, nodes).finally(() => {
          funding = undefined;
        });
        await funding;
      },
      async setFault({ network, mode, seconds }) {
        requireOwn();
        await requireNode(nodes, network).setFault({ mode, ...(seconds !== undefined && { seconds }) });
      },
      async steerVenue({ network, ...change }) {
        requireOwn();
        const node = requireNode(nodes, network);
        if (!('steerVenue' in node)) throw new Error(`${network} has no vaults`);
        return await node.steerVenue(change);
      },
      async advance(seconds) {
        requireOwn();
        for (const node of nodes.values()) await node.advance(seconds);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fundNewWallets(wallets: readonly ReadyWallet[], nodes: Nodes): Promise<void> {
  const gifts = wallets.flatMap(({ chain, address, networks }) =>
    networks.map((network) => requireNode(nodes, network).fundNewWallet(address, FIRST_USDC_MICROS, FIRST_NATIVE[chain])),
  );
  await Promise.all(gifts);
}

function requireNode(nodes: Nodes, network: NetworkName): Node {
  const node = nodes.get(network);
  if (node === undefined) throw new Error(`no local chain serves ${network}`);
  return node;
}

function describe({ network, kind, caip2 }: LocalNetwork, { url, wsUrl }: Node): NetworkDescription {
  const registries =
    network === 'base-mainnet' ? { identityRegistry: IDENTITY_REGISTRY_ADDRESS, reputationRegistry: REPUTATION_REGISTRY_ADDRESS } : {};
  return { network, caip2, rpcUrl: url, wsUrl, usdcAddress: kind === 'evm' ? USDC_ADDRESS : USDC_MINT, ...registries };
}
