/** Trading fees for tests: SOL paid into the vault, and the memo that names their token. */
import assert from 'node:assert/strict';
import { creatorFeeMemoPrefix } from '@market/contract';
import type { Address } from '@solana/addresses';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { transferSol, writeMemo } from '../../packages/server/src/platform/chains/solana/instructions.ts';
import type { SolanaPayer } from './payers.ts';

/** Pays a fee like the wallet that made the token: a memo behind the transfer names the mint. Without `mint` it is a plain transfer. */
export async function payFee(from: SolanaPayer, vault: string, lamports: bigint, mint?: string): Promise<string> {
  const transfer = transferSol(from.wallet.address, vault as Address, lamports);
  const declared = mint === undefined ? [] : [writeMemo(`${creatorFeeMemoPrefix}${mint}`)];
  return await from.send([transfer, ...declared], [from.wallet]);
}

export async function untilFinal(chain: Chain, reference: string): Promise<void> {
  for (let look = 0; look < 600; look++) {
    const reading = await chain.readReceipt(reference);
    if (reading.state === 'landed' && reading.receipt.finality === 'final') return;
    assert.notEqual(reading.state, 'failed', reference);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${reference} did not become final`);
}
