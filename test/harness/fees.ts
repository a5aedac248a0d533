/** Trading fees for tests: SOL that arrives in the vault in a transaction that names the token. */
import assert from 'node:assert/strict';
import type { Address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { transferSol } from '../../packages/server/src/platform/chains/solana/instructions.ts';
import type { SolanaPayer } from './payers.ts';

/** As a trade pays it: the mint is one of the accounts. Without one, it is a plain transfer. Returns when it is final. */
export async function payFee(from: SolanaPayer, vault: string, lamports: bigint, mint?: string): Promise<string> {
  const transfer = transferSol(from.wallet.address, vault as Address, lamports);
  const named = mint === undefined ? [] : [{ address: mint as Address, role: AccountRole.READONLY }];
  const instruction: Instruction = { ...transfer, accounts: [...(transfer.accounts ?? []), ...named] };
  return await from.send([instruction], [from.wallet]);
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
