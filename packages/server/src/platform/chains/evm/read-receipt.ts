/** What a transaction did to the treasury's USDC, read from its effects alone. */
import type { Hex } from 'viem';
import type { Receipt, ReceiptReading } from '../chain.ts';
import type { EvmContext } from './evm-context.ts';
import { findInclusion } from './inclusion.ts';
import { readUsdcTransfers, type UsdcTransfer } from './usdc.ts';

export async function readReceipt(context: EvmContext, reference: Hex): Promise<ReceiptReading> {
  const inclusion = await findInclusion(context, reference);
  if (inclusion === undefined) return { state: 'missing' };
  if (!inclusion.succeeded) return { state: 'failed' };
  const { sender, blockNumber, blockTime, finality, logs } = inclusion;
  return {
    state: 'landed',
    receipt: { reference, ...sumTransfers(readUsdcTransfers(context, logs), context.treasury), sender, blockNumber, blockTime, finality },
  };
}

/** Freshly made coins come from this address, which is nobody's: they have no payer. */
const NOBODY = '0x0000000000000000000000000000000000000000';

function sumTransfers(transfers: readonly UsdcTransfer[], treasury: Hex): Pick<Receipt, 'receivedMicros' | 'payers'> {
  let receivedMicros = 0n;
  const given = new Map<Hex, bigint>();
  for (const { from, to, micros } of transfers) {
    if (from === to || (from !== treasury && to !== treasury)) continue;
    const change = to === treasury ? micros : -micros;
    const other = to === treasury ? from : to;
    receivedMicros += change;
    given.set(other, (given.get(other) ?? 0n) + change);
  }
  const payers = [...given]
    .filter(([address, micros]) => micros > 0n && address !== NOBODY)
    .map(([address, micros]) => ({ address, micros }));
  return { receivedMicros, payers };
}
