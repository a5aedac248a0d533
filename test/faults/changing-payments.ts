/** Payments of a contract that a reorganisation includes again, after a set time, with another effect. Both transactions succeed. */
import assert from 'node:assert/strict';
import { concatHex, type Hex, numberToHex, padHex } from 'viem';
import type { PaymentRequest } from '../../packages/server/src/features/payments/index.ts';
import type { TestMarket } from '../harness/market.ts';
import { type EvmPayer, freshAddress, untilLanded } from '../harness/payers.ts';
import { type Money, outcomeOf, requestFor, USDC, until } from '../money/money.ts';

/** Words of a call: the time, USDC, the amount, the receiver. Each contract pays the full amount until that time. */
const START = '7fa9059cbb00000000000000000000000000000000000000000000000000000000600052606035600452';
const END = '602452600060006044600060006020355af15000';
const AMOUNTS = {
  nothing: '60003542111560403502',
  'one micro-USDC': '600035421180156040350201',
  'one micro-USDC more': '600035421160403501',
} as const;

export type Later = keyof typeof AMOUNTS;
export const paidLater: Record<Later, (micros: bigint) => bigint> = {
  nothing: () => 0n,
  'one micro-USDC': () => 1n,
  'one micro-USDC more': (micros) => micros + 1n,
};

const timeOf = async ({ reader }: EvmPayer) => (await reader.getBlock({ blockTag: 'latest' })).timestamp;

/** Opens a contract with money that pays this after its time. */
export async function openContract(owner: EvmPayer, later: Later): Promise<Hex> {
  // The contract's money must be final, out of reach of the reorganisation.
  await owner.pay(freshAddress(owner.chain.network), 1n, 'final');
  const runtime = `${START}${AMOUNTS[later]}${END}`;
  const size = (runtime.length / 2).toString(16).padStart(2, '0');
  const data: Hex = `0x60${size}600c60003960${size}6000f3${runtime}`;
  const deployed = await owner.wallet.sendTransaction({ data, gas: 300_000n });
  const { contractAddress } = await owner.reader.waitForTransactionReceipt({ hash: deployed });
  assert.ok(contractAddress);
  await owner.pay(contractAddress, 2_000n * USDC, 'final');
  return contractAddress;
}

export interface TakenBack {
  readonly reference: string;
  readonly request: PaymentRequest;
  /** Has the chain include the payment again, after the contract's time. */
  include(): Promise<void>;
}

/** Pays until confirmed, presents the payment, and has the chain revert it. */
export async function payAndTakeBack(
  market: TestMarket,
  money: Money,
  owner: EvmPayer,
  contract: Hex,
  micros: bigint,
  presented: { readonly expectedMicros: bigint; readonly outcome: string } = { expectedMicros: micros, outcome: 'granted' },
): Promise<TakenBack> {
  const { chain } = owner;
  const seen: string[] = [];
  return await until('a payment that is taken back', async () => {
    const moment = (await timeOf(owner)) + 4n;
    const words = [numberToHex(moment, { size: 32 }), padHex(chain.usdcAddress as Hex, { size: 32 })];
    const data = concatHex([...words, numberToHex(micros, { size: 32 }), padHex(chain.treasury as Hex, { size: 32 })]);
    const prepared = await owner.wallet.prepareTransactionRequest({ to: contract, data, gas: 200_000n });
    const raw = await owner.wallet.signTransaction(prepared);
    const reference = await owner.wallet.sendRawTransaction({ serializedTransaction: raw });
    await untilLanded(chain, reference, 'confirmed');
    const request = requestFor(money, chain.network, reference, { expectedMicros: presented.expectedMicros });
    const outcome = await outcomeOf(money, request);
    seen.push(outcome);
    await market.localChains?.setFault({ network: chain.network, mode: 'reorg' });
    if (outcome !== presented.outcome || (await chain.readReceipt(reference)).state !== 'missing') return undefined;
    const include = async () => {
      await until('the moment being over', async () => ((await timeOf(owner)) > moment ? true : undefined));
      await owner.wallet.sendRawTransaction({ serializedTransaction: raw });
      await untilLanded(chain, reference, 'final');
    };
    return { reference, request, include };
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${seen.join(', ')}`);
  });
}
