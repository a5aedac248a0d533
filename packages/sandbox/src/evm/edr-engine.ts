// EDR, the EVM of Hardhat, as one function from a method and its parameters to a result. It is native code with its own threads.

import type { Genesis } from './genesis.ts';
import { toBytes } from './hex.ts';
import { type Edr, loadEdr } from './load-edr.ts';

const GAS_LIMIT = 240_000_000n;
/** The fee vault of OP chains. */
const COINBASE = '0x4200000000000000000000000000000000000011';

/** An error of the engine, with its own message and code. */
export class EngineError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
    this.data = data;
  }
}

export interface Engine {
  request<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
}

export interface EngineOptions {
  readonly genesis: Genesis;
  readonly onSubscription: (id: bigint, result: unknown) => void;
}

interface EngineAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

let sharedContext: Promise<InstanceType<Edr['EdrContext']>> | undefined;

/** The EDR context, one for all chains of a process. */
function openContext(edr: Edr): Promise<InstanceType<Edr['EdrContext']>> {
  sharedContext ??= (async () => {
    const context = new edr.EdrContext();
    await context.registerProviderFactory(edr.OP_CHAIN_TYPE, edr.opProviderFactory());
    return context;
  })();
  return sharedContext;
}

export async function startEngine({ genesis, onSubscription }: EngineOptions): Promise<Engine> {
  const edr = loadEdr();
  const context = await openContext(edr);
  const chainId = BigInt(genesis.chainId);
  const provider = await context.createProvider(
    edr.OP_CHAIN_TYPE,
    {
      chainId,
      networkId: chainId,
      hardfork: genesis.hardfork,
      genesisState: genesis.accounts.map(({ address, balance, code, storage }) => ({
        address: toBytes(address),
        ...(balance === undefined ? {} : { balance: BigInt(balance) }),
        ...(code === undefined ? {} : { code: toBytes(code) }),
        ...(storage === undefined
          ? {}
          : { storage: Object.entries(storage).map(([index, value]) => ({ index: BigInt(index), value: BigInt(value) })) }),
      })),
      network: {
        genesisBlobGas: { gasUsed: 0n, excessGas: 0n },
        genesisBlockGasLimit: GAS_LIMIT,
        genesisBlockTime: BigInt(genesis.timeSeconds),
      },
      mining: { autoMine: false, blockGasLimit: GAS_LIMIT, memPool: { order: edr.MineOrdering.Fifo } },
      initialBaseFeePerGas: 1_000_000n,
      initialParentBeaconBlockRoot: new Uint8Array(32),
      minGasPrice: 0n,
      coinbase: toBytes(COINBASE),
      defaultTransactionGasLimit: 30_000_000n,
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => undefined },
    { subscriptionCallback: ({ filterId, result }) => onSubscription(filterId, result) },
    new edr.ContractDecoder(),
  );

  return {
    async request<Result>(method: string, params: readonly unknown[] = []) {
      const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const answer: EngineAnswer = typeof data === 'string' ? JSON.parse(data) : data;
      if (answer.error !== undefined) throw new EngineError(answer.error.code, answer.error.message, answer.error.data);
      return answer.result as Result;
    },
  };
}
